"""Stage 4: each factor from 0 to 5, with its spread."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from ...core.verdicts import FactorRef, FactorScore
from ...engine.base import CancelToken
from ..asking.questions import LEAST_MASS, Levels, Measure, entropy, expectation, level_distribution, spread
from ..plan.calibration import Calibration

_SEPARATES = 0.4
"""Least deviation of E over varied jokes for a factor on which the model tells jokes apart (METHODS, b)."""


class FactorScorer:
    """Scores factors from logits."""

    def __init__(self, measure: Measure, calibration: Calibration) -> None:
        self._measure = measure
        self._calibration = calibration

    def score(
        self,
        joke: str,
        factors: Sequence[FactorRef],
        known: Mapping[str, Levels],
        cancel: CancelToken | None = None,
    ) -> tuple[FactorScore, ...]:
        """``known``: levels by factor that were asked already."""
        rest = [factor for factor in factors if factor.id not in known]
        levels = {**known, **self._measure.levels(joke, rest, cancel)}
        silent = [f for f in factors if f.origin == "shared" and levels[f.id].mass < LEAST_MASS]
        again = self._measure.levels_again(joke, silent, cancel) if silent else {}
        return tuple(
            self._one(factor, again[factor.id], corrected=False)
            if factor.id in again and again[factor.id].mass >= LEAST_MASS
            else self._one(factor, levels[factor.id], corrected=True)
            for factor in factors
        )

    def _one(self, factor: FactorRef, levels: Levels, *, corrected: bool) -> FactorScore:
        """``corrected``: by the labels' bias over neutral texts, which was measured with the first cue."""
        known = self._calibration.scores.get(factor.id)
        silent = FactorScore(
            id=factor.id,
            name=factor.name,
            origin=factor.origin,
            score=None,
            expected=None,
            sd=None,
            label_mass=levels.mass,
            separates=None if known is None else known.sd_expected >= _SEPARATES,
        )
        if levels.mass < LEAST_MASS:
            return silent
        bias = (known.ascending, known.descending) if known is not None and corrected else None
        distribution = level_distribution(levels, bias)
        expected = expectation(distribution)
        return silent.replaced(
            score=level_of(expected),
            expected=expected,
            sd=spread(distribution),
            entropy=entropy(distribution),
            probabilities=distribution,
        )


def level_of(expected: float) -> int:
    """The level 0…5 that an expected score is shown as."""
    return max(0, min(5, math.floor(expected + 0.5)))


def weighted(scores: Sequence[FactorScore], weights: Mapping[str, float]) -> float | None:
    """Σ w·c·E / Σ w·c over the answered factors, in 0…5; None where that has no weight at all.

    w: the user's ``weights``, where some are set, and then 0 for the others; otherwise all are alike. c, the
    confidence: the measured trust, at least 0. Where that isn't known it is 1/(1 + sd²), the reliability of an answer
    with this spread among jokes that differ by a point; but where the trust of others is known, an unmeasured factor
    counts only if the user gave it a weight."""
    measured = any(score.trust is not None for score in scores)
    rows = []
    for score in scores:
        if score.expected is None or (measured and score.trust is None and not weights.get(score.id)):
            continue
        trust = max(0.0, score.trust) if score.trust is not None else 1.0 / (1.0 + (score.sd or 0.0) ** 2)
        rows.append((score.expected, trust * (weights.get(score.id, 0.0) if weights else 1.0)))
    total = math.fsum(weight for _, weight in rows)
    return math.fsum(value * weight for value, weight in rows) / total if total > 0 else None


def aggregate(scores: Sequence[FactorScore]) -> tuple[float | None, float | None, float | None]:
    """Over the answered factors: greatest and mean expected score (METHODS, b: aggregate E, show integers), and the
    mean's spread, which joins the factors' disagreement with their own uncertainty: √(mean sd²/n + var(E)/n). None
    where none is answered."""
    expected = [score.expected for score in scores if score.expected is not None]
    if not expected:
        return None, None, None
    count = len(expected)
    middle = math.fsum(expected) / count
    own = math.fsum(score.sd**2 for score in scores if score.sd is not None) / count
    between = math.fsum((value - middle) ** 2 for value in expected) / max(count - 1, 1)
    return max(expected), middle, math.sqrt((own + between) / count)
