"""What the audience's estimate says, in words."""

from __future__ import annotations

from ...trust.ears import UNKNOWN as UNLEARNED
from ...verdicts import Audience, RatingResult
from ..widgets.gauge import in_hundred
from .state import was_read

UNKNOWN = "No estimate of the audience"
UNHEARD = (
    "This is a kind of text that the program hasn't learned from: people might put it nearly anywhere, so no figure "
    "is shown. What an editor would say doesn't depend on that."
)
NO_HEAD = "Nothing was learned from people's votes for this model, so it can't say how funny people would find it."


def audience_words(result: RatingResult) -> tuple[str, str]:
    """Heading and sentence beside the gauge; both empty where questions were asked and there is no estimate."""
    if result.audience is not None and not result.audience.heard:
        return UNKNOWN, UNHEARD
    if result.audience is not None:
        return f"Funnier than {in_hundred(result.audience.percentile)} in 100 jokes", _sure(result.audience)
    if not was_read(result):
        return "", ""
    return UNKNOWN, " ".join(result.warnings) or NO_HEAD


def _sure(audience: Audience) -> str:
    """Where people would put it, and how often such an estimate is right."""
    parts = []
    if audience.low is not None and audience.high is not None:
        parts.append(f"{in_hundred(audience.low)} to {in_hundred(audience.high)}.")
    if audience.agreement is not None and audience.kind == UNLEARNED:
        right = f"{100 * audience.agreement:.0f} of 100 pairs"
        parts.append(f"It hasn't learned this kind of text; of such it puts {right} in people's order.")
    elif audience.agreement is not None:
        of = f" of {audience.kind}" if audience.kind else ""
        parts.append(f"Right in {100 * audience.agreement:.0f} of 100 pairs{of} that people voted on.")
    return " ".join(parts)
