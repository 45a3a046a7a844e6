"""Stage 2: of which kinds is it? All categories judged independently on one reading of the joke."""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.base import CancelToken
from ..models import CategoryScore
from .answers import LEAST_MASS, deviation, mean, sigmoid
from .calibration import Baseline, Calibration
from .measure import LogOdds, Measure

THRESHOLD = 1.0
MOST_CHOSEN = 6
_STEEPNESS = 1.7
"""Slope that turns z − 1 into a probability: the logistic curve nearest to the normal one."""
_NEAREST = 4


@dataclass(frozen=True)
class CategoryClassificationResult:
    """Chosen categories and then the nearest unchosen ones, best first; none chosen: Independent."""

    categories: tuple[CategoryScore, ...]

    @property
    def chosen(self) -> tuple[CategoryScore, ...]:
        return tuple(category for category in self.categories if category.chosen)


class CategoryClassifier:
    """Chooses categories by standardised log-odds: z ≥ 1, at most six (SCIENCE, categories)."""

    def __init__(self, measure: Measure, calibration: Calibration) -> None:
        self._measure = measure
        self._calibration = calibration

    def classify(self, joke: str, cancel: CancelToken | None = None) -> CategoryClassificationResult:
        odds = self._measure.categories(joke, cancel)
        scores = standardise(odds, self._calibration.categories)
        names = {category.id: category.name for category in self._measure.criteria.categories}
        ranked = sorted(scores, key=lambda identity: -scores[identity])
        answered = {identity for identity in ranked if odds[identity].mass >= LEAST_MASS}
        chosen = [i for i in ranked if scores[i] >= THRESHOLD and i in answered][:MOST_CHOSEN]
        nearest = [identity for identity in ranked if identity not in chosen][:_NEAREST]
        return CategoryClassificationResult(
            tuple(
                CategoryScore(
                    id=identity,
                    name=names[identity],
                    p=sigmoid(_STEEPNESS * (scores[identity] - THRESHOLD)),
                    z=scores[identity],
                    chosen=identity in chosen,
                )
                for identity in (*chosen, *nearest)
            )
        )


def standardise(odds: dict[str, LogOdds], baselines: dict[str, Baseline]) -> dict[str, float]:
    """z of each log-odds against its own baseline; without baselines, against the others of this text."""
    if all(name in baselines for name in odds):
        return {name: baselines[name].z(value.value) for name, value in odds.items()}
    values = [value.value for value in odds.values()]
    own = Baseline(mean=mean(values), sd=deviation(values))
    return {name: own.z(value.value) for name, value in odds.items()}
