"""Stage 4, scores: each factor from 0 to 5, read off the joke's states, or asked of the model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ...core.texts import listed
from ...rubric.xml_parser import Factor
from ..asking.calibration import ScoreCalibration
from ..asking.questions import (
    LEAST_MASS,
    OTHER_CUE,
    DynamicFactor,
    Levels,
    entropy,
    expectation,
    level_distribution,
    spread,
)
from ..main_judge import MainJudge
from .admissibility_checker import Evidence
from .factor_analyzer import Chosen
from .record import FactorScore, RatingResult

_SEPARATES = 0.4
"""Least deviation of E over varied jokes for a factor on which the model distinguishes jokes (METHODS, b)."""


class FactorScorer:
    """Scores factors."""

    def __init__(self, judge: MainJudge) -> None:
        self._judge = judge

    def score_factors(self, draft: RatingResult, choice: Chosen, evidence: Evidence) -> tuple[FactorScore, ...]:
        """Return the scores: of all chosen factors where everything is asked, else of those worth showing and of the
        user's own that the model answered, strongest first. Raises the engine's errors."""
        judge, (factors, levels) = self._judge, choice
        answers = ask_scores(judge, draft.text, factors, levels) if factors else ()
        if draft.everything_asked:
            return tuple(score.replaced(trust=judge.plan.answer_worth("factor", score.id)) for score in answers)
        scores = (*self._by_worth(evidence), *(score for score in answers if score.expected is not None))
        return tuple(sorted(scores, key=lambda score: -(score.expected or 0.0)))

    def calculate_aggregated_scores(self, draft: RatingResult, scores: Sequence[FactorScore]) -> None:
        """Set the factors and their totals, by the user's weights."""
        put_scores(draft, scores, self._judge.criteria.weights)
        if draft.everything_asked:
            self._warn(draft)

    def _by_worth(self, evidence: Evidence) -> Iterator[FactorScore]:
        """The factors that were read and are worth showing."""
        readings = evidence.editor.factors if evidence.editor is not None else {}
        for factor in self._judge.criteria.factors:
            read, trust = readings.get(factor.id), self._judge.shown["factor"].get(factor.id)
            if read is not None and trust is not None:
                yield FactorScore(
                    id=factor.id, name=factor.name, origin="shared", score=level_of(read.expected),
                    expected=read.expected, sd=read.sd, separates=True, source="read", trust=trust,
                    standing=read.standing,
                )  # fmt: skip

    def _warn(self, draft: RatingResult) -> None:
        scores = draft.factors
        if silent := [score.name for score in scores if score.score is None]:
            draft.warn(f"This model gave no answer on {listed(silent)}.")
        flat = sum(score.separates is False for score in scores)
        if flat * 2 > len(scores):
            share = "these factors" if flat == len(scores) else f"{flat} of these {len(scores)} factors"
            better = "; the audience estimate says more" if draft.audience is not None else ""
            draft.warn(f"It gives nearly every joke the same score on {share}{better}.")


def ask_scores(
    judge: MainJudge, joke: str, factors: Sequence[Factor], asked: Mapping[str, Levels] = MappingProxyType({})
) -> tuple[FactorScore, ...]:
    """Return the model's own scores from logits. ``asked``: levels by factor that were asked already."""
    levels = {**asked, **judge.measure.levels(joke, [one for one in factors if one.id not in asked])}
    silent = [f for f in factors if not isinstance(f, DynamicFactor) and levels[f.id].mass < LEAST_MASS]
    again = judge.measure.levels_in("scoring", {"joke": joke}, silent, OTHER_CUE) if silent else {}
    own = judge.criteria.unread.get("factor", ())
    scores = []
    for factor in factors:
        calibration, second = judge.calibration.scores.get(factor.id), again.get(factor.id)
        fresh = second is not None and second.mass >= LEAST_MASS
        score = _score(factor, second if fresh and second else levels[factor.id], calibration, corrected=not fresh)
        scores.append(score.replaced(own=True) if score.id in own else score)
    return tuple(scores)


def _score(factor: Factor, levels: Levels, calibration: ScoreCalibration | None, *, corrected: bool) -> FactorScore:
    """``corrected``: by the labels' bias over neutral texts, which was measured with the first cue."""
    names = {"explanation": "explanation", "zero": "zero", "five": "five", "good": "good_example", "bad": "bad_example"}
    dynamic = isinstance(factor, DynamicFactor)
    silent = FactorScore(
        id=factor.id, name=factor.name, origin="dynamic" if dynamic else "shared", score=None, expected=None, sd=None,
        label_mass=levels.mass, separates=None if calibration is None else calibration.sd_expected >= _SEPARATES,
        written={name: getattr(factor, field) for name, field in names.items()} if dynamic else {},
    )  # fmt: skip
    if levels.mass < LEAST_MASS:
        return silent
    distribution = level_distribution(levels, calibration.bias if calibration is not None and corrected else None)
    expected = expectation(distribution)
    return silent.replaced(
        score=level_of(expected), expected=expected, sd=spread(distribution), entropy=entropy(distribution),
        probabilities=distribution,
    )  # fmt: skip


def level_of(expected: float) -> int:
    """Return the level 0…5 at which an expected score is shown."""
    return max(0, min(5, math.floor(expected + 0.5)))


def put_scores(draft: RatingResult, scores: Sequence[FactorScore], weights: Mapping[str, float]) -> None:
    """Set the factors and their totals; of the user's ``weights`` those of these factors are kept."""
    draft.factors = tuple(scores)
    draft.max_score, draft.mean_score, draft.spread = aggregate(scores)
    draft.weights = {score.id: weights[score.id] for score in scores if score.id in weights}
    draft.weighted_score = weighted(scores, weights)


def weighted(scores: Sequence[FactorScore], weights: Mapping[str, float]) -> float | None:
    """Return Σ w·c·E / Σ w·c over the answered factors, in 0…5; None where the weights sum to 0. w: the user's
    ``weights``, if any are set, and then 0 for the others; otherwise all are equal. c, the confidence: the measured
    trust, at least 0; unknown, it is 1/(1 + sd²), the reliability of an answer with this spread among jokes that differ
    by a point, but where that of others is known, an unmeasured factor counts only if the user gave it a weight."""
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
    """Return, over the answered factors, the greatest and the mean expected score (METHODS, b), and the mean's spread,
    √(mean sd²/n + var(E)/n), of their disagreement and own uncertainty. None where none is answered."""
    expected = [score.expected for score in scores if score.expected is not None]
    if not expected:
        return None, None, None
    count = len(expected)
    middle = math.fsum(expected) / count
    own = math.fsum(score.sd**2 for score in scores if score.sd is not None) / count
    between = math.fsum((value - middle) ** 2 for value in expected) / max(count - 1, 1)
    return max(expected), middle, math.sqrt((own + between) / count)
