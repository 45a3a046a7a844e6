"""Stage 3: which factors is this joke to be judged on? Three paths: standard, independent, dynamic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ...core.verdicts import CategoryScore, FactorRef, Pathway
from ...engine.base import CancelToken
from ..asking.questions import Levels, Measure, factor_ref
from ..plan.calibration import Calibration
from .category_classifier import standardise
from .factor_writer import FactorWriter

MOST_FACTORS = 7
LEAST_FACTORS = 3
_RELEVANT = -1.0
"""A category's own factor is relevant unless it matters clearly less for this joke than for the average one."""
_RELEVANT_ALONE = 0.5
"""Without a category a factor must matter more than for the average joke."""
_MOST_CANDIDATES = 12
"""Of the categories' factors the likeliest ones are asked about, and scored in the same batch: that costs no more
tokens than to ask about all of them first and to score ``MOST_FACTORS`` of them then, and one batch less."""


@dataclass(frozen=True)
class FactorResult:
    """The factors to score, the path that led to them, and what there is to say about it."""

    factors: tuple[FactorRef, ...]
    pathway: Pathway
    warnings: tuple[str, ...] = ()
    levels: Mapping[str, Levels] = field(default_factory=dict)
    """What was asked about scores on the way, by factor."""


class FactorAnalyzer:
    """Chooses factors for a joke and its categories."""

    def __init__(self, measure: Measure, calibration: Calibration, writer: FactorWriter) -> None:
        """``writer``: of factors for jokes that no known one fits."""
        self._measure = measure
        self._calibration = calibration
        self._writer = writer

    def determine(
        self, joke: str, categories: tuple[CategoryScore, ...], cancel: CancelToken | None = None
    ) -> FactorResult:
        criteria = self._measure.criteria
        pathway: Pathway = "standard" if categories else "independent"
        weights = category_weights(categories, {c.id: c.factors for c in criteria.categories})
        likeliest = sorted(weights, key=lambda factor: -weights[factor])[:_MOST_CANDIDATES]
        identities = likeliest if categories else [factor.id for factor in criteria.factors]
        candidates = [factor_ref(identity, criteria) for identity in identities]
        levels: Mapping[str, Levels] = {}
        if categories:
            odds, levels = self._measure.appraisal(joke, candidates, cancel)
        else:
            odds = self._measure.relevance(joke, candidates, cancel)
        z = standardise({name: answer.value for name, answer in odds.items()}, self._calibration.relevance)
        least = _RELEVANT if categories else _RELEVANT_ALONE
        ranked = sorted(candidates, key=lambda factor: -(z[factor.id] + weights.get(factor.id, 0.0)))
        relevant = [factor for factor in ranked if z[factor.id] >= least][:MOST_FACTORS]
        if relevant:
            # One factor is no picture of a joke: the next most relevant join it.
            return FactorResult(tuple(ranked_first(relevant, ranked, LEAST_FACTORS)), pathway, levels=levels)
        promoted = self._writer.promoted(joke, cancel)
        if promoted:
            return FactorResult(tuple(ranked_first(list(promoted), ranked, LEAST_FACTORS)), pathway, levels=levels)
        written = tuple(self._writer.factors(joke, cancel))
        if written:
            return FactorResult(written, "dynamic")
        return FactorResult(
            tuple(ranked[:LEAST_FACTORS]),
            pathway,
            ("No factor stood out for this joke and the model could not write one that holds; the nearest were used.",),
            levels,
        )


def ranked_first(relevant: list[FactorRef], ranked: list[FactorRef], least: int) -> list[FactorRef]:
    """The relevant factors, filled up from the ranked ones to at least ``least``."""
    rest = [factor for factor in ranked if factor not in relevant]
    return relevant + rest[: max(0, least - len(relevant))]


def category_weights(categories: tuple[CategoryScore, ...], factors: dict[str, tuple[str, ...]]) -> dict[str, float]:
    """Factors of the chosen categories in order, each with the summed probability of the categories that name it."""
    weights: dict[str, float] = {}
    for category in categories:
        for factor in factors[category.id]:
            weights[factor] = weights.get(factor, 0.0) + category.p
    return weights
