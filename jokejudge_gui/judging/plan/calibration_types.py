"""What is measured of a model's answers, as values: where they lie for texts that are known."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from ...verdicts import Frozen
from .noise import DEFAULT, Noise
from .question_keys import QuestionKeys
from .verbalisers import AnswerWords

LEAST_POWER = 1.0
"""d′ from which a check can tell anything."""
_LARGEST = 1e4
Nats = Annotated[float, Field(ge=-_LARGEST, le=_LARGEST, allow_inf_nan=False)]
"""Answers, their means and distances: no real one comes near the bounds."""
Spread = Annotated[float, Field(ge=0, le=_LARGEST, allow_inf_nan=False)]
Levels = Annotated[tuple[Nats, ...], Field(min_length=6, max_length=6)]
"""One figure for each level 0…5."""


class CheckCalibration(Frozen):
    """One admissibility check: midpoint ``centre`` and half distance ``half`` of the two groups' means, pooled
    deviation ``sd``, all in nats. ``least``: log-odds over which nothing is rejected, since jokes that people liked lie
    there (``check_limits``); None where that wasn't measured."""

    centre: Nats
    half: Nats
    sd: float = Field(gt=0, le=_LARGEST, allow_inf_nan=False)
    least: Nats | None = None

    @property
    def d_prime(self) -> float:
        """2s/σ; under 1 the check has no power on this model."""
        return 2.0 * self.half / self.sd if self.sd > 0 else 0.0

    @property
    def wants_limit(self) -> bool:
        """Whether it could reject something, and it isn't known how low jokes lie."""
        return self.d_prime >= LEAST_POWER and self.least is None


class Baseline(Frozen):
    """Mean and deviation of a log-odds over varied jokes."""

    mean: Nats
    sd: Spread

    def z(self, value: float) -> float:
        """Standardised value; a deviation under the numerical noise of .2 nats counts as .2."""
        return (value - self.mean) / max(self.sd, 0.2)


class ScoreCalibration(Frozen):
    """One factor: mean log-probability of each level over neutral texts, in both orders; mean and deviation of the
    expected score over varied jokes (deviation under .4: the model doesn't separate jokes on it)."""

    ascending: Levels
    descending: Levels
    mean_expected: Nats
    sd_expected: Spread


class DuelCalibration(Frozen):
    """Mean position bias, deviations of the pair's log-odds and of the difference of the jokes alone; the judge's own
    length coefficient ``gamma`` on tanh(Δlength/``length_sd``)."""

    mean_bias: Nats
    sd_pair: Spread
    sd_alone: Spread
    gamma: Nats
    length_sd: float = Field(gt=0, le=1e9, allow_inf_nan=False)


class Calibration(Frozen):
    """What was measured of one model's answers to the questions that ``keys`` names. ``check_words`` and
    ``alone_words``: None where no forms were chosen between."""

    model_sha256: str
    keys: QuestionKeys = Field(default_factory=QuestionKeys)
    checks: dict[str, CheckCalibration] = Field(default_factory=dict)
    categories: dict[str, Baseline] = Field(default_factory=dict)
    relevance: dict[str, Baseline] = Field(default_factory=dict)
    scores: dict[str, ScoreCalibration] = Field(default_factory=dict)
    duel: DuelCalibration | None = None
    noise: Noise | None = None
    check_words: AnswerWords | None = None
    alone_words: AnswerWords | None = None

    @property
    def check_form(self) -> str | None:
        """The form in which the checks are asked about; None: the default."""
        return self.check_words.form if self.check_words else None

    @property
    def alone_form(self) -> str | None:
        """The form in which each joke alone is asked about; None: the default."""
        return self.alone_words.form if self.alone_words else None

    @property
    def noise_floor(self) -> Noise:
        """The numerical noise that verdicts reckon with: as measured once, else the default. It is never measured by
        the way, so that the same input gives the same verdict."""
        return self.noise or DEFAULT

    @property
    def rates(self) -> bool:
        """Whether all that a rating needs is there."""
        some = bool(self.checks and self.categories and self.relevance and self.scores)
        return some and not (self.missing_items or self.wants_limits)

    @property
    def missing_items(self) -> list[str]:
        """Items of a rating that nothing is known of: ids of checks, categories and factors."""
        known = (
            (self.keys.checks, self.checks),
            (self.keys.categories, self.categories),
            (self.keys.relevance, self.relevance),
            (self.keys.scores, self.scores),
        )
        return [item for wanted, found in known for item in wanted if item not in found]

    @property
    def wants_limits(self) -> list[str]:
        """The checks whose limit isn't known."""
        return [name for name, check in self.checks.items() if check.wants_limit]
