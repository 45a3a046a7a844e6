"""What is kept of a list's screening: its limits, the votes of people, and one person's own scores."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Self

from pydantic import Field, model_validator

from ...errors import UsageError
from ...statistics import Z95, sigmoid
from ...verdicts import Frozen

_EDGE = 1e-6


class Thresholds(Frozen):
    """Chances 0…1: rejected below ``reject``, high from ``high``, promoted without a vote from ``promote``. The
    defaults are the seeds' (llm_as_judge_research, pre-filtering)."""

    reject: float = 0.70
    high: float = 0.85
    promote: float = 0.90

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not 0.0 <= self.reject <= self.high <= self.promote <= 1.0:
            raise UsageError(
                "E_SCREEN_THRESHOLDS",
                "The thresholds must lie between 0 and 1, reject below high below promote.",
                "Without them they are 0.70, 0.85 and 0.90.",
            )
        return self


class Ballot(Frozen):
    """One person's choice among jokes that they saw side by side, blind: ``choice`` (an id), ``among`` which, ``when``,
    and who (``voter``) where they gave a name. ``texts``: a digest of the jokes that they chose among, so that a vote
    isn't counted for another list with the same ids; empty in votes of earlier versions."""

    choice: str
    among: tuple[str, ...]
    when: datetime
    voter: str = ""
    texts: str = ""


def digest_of(texts: Sequence[str]) -> str:
    """What stands for some texts, in any order, where the texts themselves needn't be kept: 16 hex digits."""
    return hashlib.sha256("\0".join(sorted(texts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def belongs(ballot: Ballot, texts: Mapping[str, str]) -> bool:
    """Whether a vote was given on jokes of this list (``texts`` by id)."""
    if ballot.choice not in texts or any(id not in texts for id in ballot.among):
        return False
    return not ballot.texts or ballot.texts == digest_of([texts[id] for id in ballot.among])


class OwnScale(Frozen):
    """The chance of a joke for one person, from jokes that they scored 0…10 themselves: with q the uncalibrated chance,
    logit p = ``slope``·logit q + ``shift``, with the ``covariance`` of both (slope², slope·shift, shift²). ``n`` jokes
    were scored; those with ``good_from`` and more (``good`` of them) are good ones. Losses are mean log-losses in nats:
    ``loss`` and ``share_loss`` of jokes left out one at a time (``share_loss``: by the share of good ones alone),
    ``plain_loss`` of the uncalibrated chance."""

    n: int = Field(ge=1)
    good: int
    good_from: int
    slope: float
    shift: float
    covariance: tuple[float, float, float]
    loss: float
    plain_loss: float
    share_loss: float

    @property
    def kept(self) -> bool:
        """Whether it holds out better than the uncalibrated chance; only then is it used."""
        return self.loss < self.plain_loss

    def p(self, chance: float) -> float:
        """The person's chance for an uncalibrated one, both 0…1."""
        return sigmoid(self.slope * _logit(chance) + self.shift)

    def interval(self, chance: float) -> tuple[float, float]:
        """Its 95 % interval."""
        x = _logit(chance)
        of_slope, of_both, of_shift = self.covariance
        half = Z95 * math.sqrt(max(0.0, of_slope * x * x + 2 * of_both * x + of_shift))
        middle = self.slope * x + self.shift
        return sigmoid(middle - half), sigmoid(middle + half)


def _logit(p: float) -> float:
    p = min(1.0 - _EDGE, max(_EDGE, p))
    return math.log(p / (1.0 - p))


class ListScreening(Frozen):
    """How a list was screened, and what came of it. ``own``: the scale of the person whose own scores are used;
    ``promoted``: id of the joke that needs no vote, or that won its vote."""

    thresholds: Thresholds = Thresholds()
    length_penalty: bool = False
    ballots: tuple[Ballot, ...] = ()
    own: OwnScale | None = None
    promoted: str | None = None
