"""What an audit leaves of the worth of a model's answers: in duels, of its scores, and of its checks."""

from __future__ import annotations

from ..plan.answers_left import ASKED, NOTHING_FOUND, AnswersLeft
from ..plan.worth import Kind
from .types import AuditResult, Finding, Voice

_KINDS: dict[Voice, Kind] = {"asked": "duel", "rated": "factor", "checks": "check"}
_NAMES: dict[Kind, str] = {"duel": "answers in duels", "factor": "scores", "check": "answers on admission"}


def answers_left(result: AuditResult | None) -> AnswersLeft:
    """By kind of item the least share of verdicts that a strong bias left as they were, beside that under the neutral
    change. 1 where the model wasn't asked or no bias is strong. Position doesn't count: both orders are asked, and the
    worth was measured on their mean. What is read keeps its worth: it is all that there is without asking, and the
    card says what moves it."""
    if result is None:
        return NOTHING_FOUND
    found = {}
    for name, kind in _KINDS.items():
        if (voice := result.voice(name)) is not None:
            strong = [each for each in voice.findings if (each.role, each.strength) == ("bias", "strong")]
            found[kind] = min(map(_left, strong), default=1.0)
    return AnswersLeft.model_validate(found)


def left_lines(left: AnswersLeft) -> tuple[str, ...]:
    """The rule in a sentence for each kind of answer that it takes something from."""
    return tuple(
        f"For its strongest bias the model's {_NAMES[kind]} count as worth {100 * left.of(kind):.0f} % of what they "
        "were measured to be above chance; they are asked for only if that is still enough."
        for kind in ASKED
        if left.of(kind) < 1.0
    )


def _left(finding: Finding) -> float:
    calm = finding.control if finding.control else 1.0
    return min(1.0, (finding.kept.share or 0.0) / calm)
