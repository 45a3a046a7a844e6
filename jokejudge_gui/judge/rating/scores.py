"""Stages 2 to 4 of a rating: the joke's categories, the factors to judge it by, and its scores on them."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...core.statistics import sigmoid
from ...core.verdicts import FactorRef
from ...engine.base import CancelToken
from ..asking.measured import Baseline, ScoreCalibration
from ..asking.questions import (
    LEAST_MASS,
    OTHER_CUE,
    Levels,
    deviation,
    entropy,
    expectation,
    factor_ref,
    level_distribution,
    mean,
    spread,
)
from ..main_judge import MainJudge
from .factor_writer import FactorWriter
from .record import CategoryScore, FactorScore, Pathway, RatingDraft

# -- Categories, each compared with its own baseline, from one reading of the joke

THRESHOLD = 1.0
MOST_CHOSEN = 6
_STEEPNESS = 1.7
"""Slope that turns z − 1 into a probability: the logistic curve nearest to the normal one."""
_NEAREST = 4


def classify(judge: MainJudge, logprobs: dict[str, float]) -> tuple[CategoryScore, ...]:
    """Return the chosen categories, z ≥ 1 and at most six (METHODS, e), and then the nearest unchosen ones, best first;
    none chosen: Independent. ``logprobs``: of each category's name, from one reading of the joke."""
    scores = standardise(logprobs, judge.calibration.categories)
    names = {category.id: category.name for category in judge.criteria.categories}
    ranked = sorted(scores, key=lambda identity: -scores[identity])
    chosen = [identity for identity in ranked if scores[identity] >= THRESHOLD][:MOST_CHOSEN]
    nearest = [identity for identity in ranked if identity not in chosen][:_NEAREST]
    return tuple(
        CategoryScore(
            id=identity,
            name=names[identity],
            p=sigmoid(_STEEPNESS * (scores[identity] - THRESHOLD)),
            z=scores[identity],
            chosen=identity in chosen,
        )
        for identity in (*chosen, *nearest)
    )


def standardise(values: Mapping[str, float], baselines: dict[str, Baseline]) -> dict[str, float]:
    """Return z of each value (nats) against its own baseline; without baselines, against the others of this text."""
    if all(name in baselines for name in values):
        return {name: baselines[name].z(value) for name, value in values.items()}
    own = Baseline(mean=mean(list(values.values())), sd=deviation(list(values.values())))
    return {name: own.z(value) for name, value in values.items()}


# -- Factors, on three paths: standard, independent, dynamic

MOST_FACTORS = 7
LEAST_FACTORS = 3
_RELEVANT = -1.0
"""A category's own factor is relevant unless it matters clearly less for this joke than for the average one."""
_RELEVANT_ALONE = 0.5
"""Without a category a factor must matter more than for the average joke."""
_MOST_CANDIDATES = 12
"""Number of the categories' likeliest factors that are asked about and scored in the same batch: that costs no more
tokens than asking about all of them first and then scoring ``MOST_FACTORS``, and saves a batch."""
NEAREST_USED = "No factor stood out for this joke and the model could not write one that holds; the nearest were used."


@dataclass(frozen=True)
class FactorResult:
    """The factors to score and the path that led to them; ``levels``: answers already given about scores, by factor;
    ``warning``: about the choice, if any."""

    factors: tuple[FactorRef, ...]
    pathway: Pathway
    levels: Mapping[str, Levels] = field(default_factory=dict)
    warning: str = ""


def choose_factors(
    judge: MainJudge,
    writer: FactorWriter,
    joke: str,
    categories: tuple[CategoryScore, ...],
    cancel: CancelToken | None = None,
) -> FactorResult:
    """Return the factors for a joke and its categories. ``writer``: of factors for jokes that no known one fits."""
    criteria = judge.criteria
    pathway: Pathway = "standard" if categories else "independent"
    weights = _category_weights(categories, {c.id: c.factors for c in criteria.categories})
    likeliest = sorted(weights, key=lambda factor: -weights[factor])[:_MOST_CANDIDATES]
    identities = likeliest if categories else [factor.id for factor in criteria.factors]
    candidates = [factor_ref(identity, criteria) for identity in identities]
    levels: Mapping[str, Levels] = {}
    if categories:
        odds, levels = judge.measure.appraisal(joke, candidates, cancel)
    else:
        odds = judge.measure.relevance(joke, candidates, cancel)
    z = standardise({name: answer.value for name, answer in odds.items()}, judge.calibration.relevance)
    least = _RELEVANT if categories else _RELEVANT_ALONE
    ranked = sorted(candidates, key=lambda factor: -(z[factor.id] + weights.get(factor.id, 0.0)))
    relevant = tuple(factor for factor in ranked if z[factor.id] >= least)[:MOST_FACTORS]
    if found := relevant or writer.promoted(joke, cancel):
        # One factor is too few: the next most relevant are added.
        rest = [factor for factor in ranked if factor not in found]
        return FactorResult((*found, *rest[: max(0, LEAST_FACTORS - len(found))]), pathway, levels)
    if written := tuple(writer.factors(joke, cancel)):
        return FactorResult(written, "dynamic")
    return FactorResult(tuple(ranked[:LEAST_FACTORS]), pathway, levels, NEAREST_USED)


def _category_weights(categories: tuple[CategoryScore, ...], factors: dict[str, tuple[str, ...]]) -> dict[str, float]:
    """Factors of the chosen categories in order, each with the summed probability of the categories that name it."""
    weights: dict[str, float] = {}
    for category in categories:
        for factor in factors[category.id]:
            weights[factor] = weights.get(factor, 0.0) + category.p
    return weights


# -- Scores of each factor from 0 to 5, with their spread

_SEPARATES = 0.4
"""Least deviation of E over varied jokes for a factor on which the model distinguishes jokes (METHODS, b)."""


def score_factors(
    judge: MainJudge,
    joke: str,
    factors: Sequence[FactorRef],
    cancel: CancelToken | None = None,
    *,
    known: Mapping[str, Levels] | None = None,
) -> tuple[FactorScore, ...]:
    """Return the factors' scores from logits. ``known``: levels by factor that were asked already."""
    asked = known or {}
    levels = {**asked, **judge.measure.levels(joke, [each for each in factors if each.id not in asked], cancel)}
    silent = [f for f in factors if f.origin == "shared" and levels[f.id].mass < LEAST_MASS]
    again = judge.measure.levels_in("scoring", {"joke": joke}, silent, cancel, OTHER_CUE) if silent else {}
    found = []
    for factor in factors:
        calibrated, second = judge.calibration.scores.get(factor.id), again.get(factor.id)
        if second is not None and second.mass >= LEAST_MASS:
            found.append(_score(factor, second, calibrated, corrected=False))
        else:
            found.append(_score(factor, levels[factor.id], calibrated, corrected=True))
    own = judge.criteria.unread.get("factor", ())
    return tuple(score.replaced(own=True) if score.id in own else score for score in found)


def _score(factor: FactorRef, levels: Levels, known: ScoreCalibration | None, *, corrected: bool) -> FactorScore:
    """``corrected``: by the labels' bias over neutral texts, which was measured with the first cue."""
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
    """Return the level 0…5 at which an expected score is shown."""
    return max(0, min(5, math.floor(expected + 0.5)))


def put_scores(draft: RatingDraft, scores: Sequence[FactorScore], weights: Mapping[str, float]) -> None:
    """Set the factors and their totals; of the user's ``weights`` those of these factors are kept."""
    draft.factors = tuple(scores)
    draft.max_score, draft.mean_score, draft.spread = aggregate(scores)
    draft.weights = {score.id: weights[score.id] for score in scores if score.id in weights}
    draft.weighted_score = weighted(scores, weights)


def weighted(scores: Sequence[FactorScore], weights: Mapping[str, float]) -> float | None:
    """Return Σ w·c·E / Σ w·c over the answered factors, in 0…5; None where the weights sum to 0.

    w: the user's ``weights``, if any are set, and then 0 for the others; otherwise all are equal. c, the confidence:
    the measured trust, at least 0. If that is unknown it is 1/(1 + sd²), the reliability of an answer with this spread
    among jokes that differ by a point; but if the trust of others is known, an unmeasured factor counts only if the
    user gave it a weight."""
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
    """Return, over the answered factors, the greatest and the mean expected score (METHODS, b: aggregate E, show
    integers), and the mean's spread, which combines the factors' disagreement with their own uncertainty: √(mean sd²/n
    + var(E)/n). None where none is answered."""
    expected = [score.expected for score in scores if score.expected is not None]
    if not expected:
        return None, None, None
    count = len(expected)
    middle = math.fsum(expected) / count
    own = math.fsum(score.sd**2 for score in scores if score.sd is not None) / count
    between = math.fsum((value - middle) ** 2 for value in expected) / max(count - 1, 1)
    return max(expected), middle, math.sqrt((own + between) / count)
