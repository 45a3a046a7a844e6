"""A duel's request and its record."""

from __future__ import annotations

import math
import re
from typing import Annotated, Any, ClassVar, Literal

from pydantic import AfterValidator

from ...core.texts import clean_context, clean_generator, clean_text
from ...core.verdict_kinds import Request
from ...core.verdicts import Edit, Frozen, Heard, PanelFindings, Side, Span, VerdictResult, Winner, having

Band = Literal["nearly identical", "slight", "clear", "strong", "overwhelming"]


class DuelRequest(Request):
    """Two jokes to compare; ``context``: the topic or scene of both; ``generator``: the model that wrote one of them or
    both, if any. Raises ``clean_text``'s errors."""

    text_a: Annotated[str, AfterValidator(clean_text)]
    text_b: Annotated[str, AfterValidator(clean_text)]
    context: Annotated[str, AfterValidator(clean_context)] = ""
    generator: Annotated[str, AfterValidator(clean_generator)] = ""


class OrderResult(Frozen):
    """One order of a duel: the joke that stood first, and the resulting probability of A."""

    first: Side
    p_a: float
    log_odds_a: float
    label_mass: float = 1.0


class ProbabilityA(Frozen):
    """A probability that A is the funnier one."""

    p_a: float


class Drafts(Frozen):
    """Two versions of one joke, judged by a head trained on an editor's drafts. ``p_a``: probability that an editor
    prefers A; ``agreement``: share of held-out drafts on which the head agrees with the editor; ``fault``: id of the
    worse one's fault, None if unknown; ``fault_p``: its probability."""

    same_joke: bool = True
    p_a: float
    agreement: float
    fault: str | None = None
    fault_p: float | None = None


DECIDED = 0.6
"""The probability from which on a winner is named."""


class Pair(Frozen):
    """A duel between two of several texts, by their ids. ``p_a``: probability that ``a`` is the better one;
    ``verdict``: id of the duel's own verdict."""

    a: str = ""
    b: str = ""
    p_a: float
    verdict: str | None = None


class DuelText(Frozen):
    """Findings on one text of a duel. ``turn``: the words on which it turns; ``said``: whether it works as a joke; None
    if unknown. ``kind``, ``agreement`` and ``heard``: as in ``Audience``; ``told``: where it is told."""

    turn: Span | None = None
    said: Literal["joke", "unsure", "no turn"] | None = None
    kind: str = ""
    agreement: float | None = None
    heard: bool = True
    told: Heard | None = None


class DuelResult(VerdictResult):
    """A duel's verdict. ``winner``: a tie where the chance is under ``DECIDED`` and where nothing turns in a text;
    ``p_a`` keeps the chance. ``confidence_factor`` ≥ 1: the odds of the likelier one; ``measured_factor``: the same
    before it was limited because of inconsistent orders or noise (``within_noise``: the difference is finer than the
    model's numerical noise); ``position_bias`` in probability, positive: the first place is favoured; ``edit``: the
    relation of the two texts; ``people``: number of such pairs in 100 on which people agree with the judge, None if not
    measured; ``shares``: each measurement (``name``: pair, alone, audience, drafts) with its weight in the sum
    (``share`` 0…1) and its own log-odds for A; ``read_a`` and ``read_b``: findings on each text, None if neither was
    read."""

    kind: ClassVar[str] = "duel"
    text_a: str
    text_b: str
    winner: Winner | None = None
    p_a: float | None = None
    confidence_factor: float | None = None
    measured_factor: float | None = None
    band: Band | None = None
    within_noise: bool = False
    consistent: bool | None = None
    position_bias: float | None = None
    orders: tuple[OrderResult, ...] = ()
    shares: tuple[Annotated[dict[str, Any], having("name", "share", "log_odds_a")], ...] = ()
    audience: ProbabilityA | None = None
    length_controlled: ProbabilityA | None = None
    drafts: Drafts | None = None
    edit: Edit | None = None
    people: int | None = None
    read_a: DuelText | None = None
    read_b: DuelText | None = None
    context: str = ""
    everything_asked: bool = False
    generator: str = ""
    panel: PanelFindings | None = None

    @property
    def unturned(self) -> str:
        """The sides without a punchline: A, B, both (AB) or none."""
        reads = (("A", self.read_a), ("B", self.read_b))
        return "".join(side for side, read in reads if read is not None and read.said == "no turn")

    def winner_by(self, log_odds: float) -> Winner:
        """Return the winner that log-odds for A name."""
        if self.unturned or abs(log_odds) < math.log(DECIDED / (1.0 - DECIDED)):
            return "tie"
        return "A" if log_odds > 0 else "B"

    def mirrored(self) -> DuelResult:
        """Return the same verdict with A and B exchanged."""
        values = {name: _turned(name, value) for name, value in self.model_dump().items()}
        for name in ("text", "read"):
            values[f"{name}_a"], values[f"{name}_b"] = values[f"{name}_b"], values[f"{name}_a"]
        return DuelResult.model_validate(values)


def _turned(name: str, value: Any) -> Any:
    """Return the value of a duel's field with A and B exchanged."""
    match value:
        case dict():
            return {key: _turned(key, part) for key, part in value.items()}
        case tuple():
            return tuple(_turned(name, part) for part in value)
        case float() if name == "p_a":
            return 1.0 - value
        case float() if name == "log_odds_a":
            return -value
        # Text written by a model names the jokes by their role ("The preferred joke…") and stays as it is.
        case str() if name in ("winner", "first") or (name in _NAMING_SIDES and not value.startswith("The ")):
            return _SIDE.sub(lambda side: "B" if side.group() == "A" else "A", value)
    return value


_NAMING_SIDES = ("explanation", "headline", "finding")
_SIDE = re.compile(r"\b[AB]\b")
