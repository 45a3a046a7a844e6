"""Stage 2: of which kinds is it? Every category against its own baseline, from one reading of the joke."""

from __future__ import annotations

from ...core.statistics import sigmoid
from ...core.verdicts import CategoryScore
from ...rubric.xml_parser import Criteria
from ..asking.questions import deviation, mean
from ..plan.calibration import Baseline, Calibration

THRESHOLD = 1.0
MOST_CHOSEN = 6
_STEEPNESS = 1.7
"""Slope that turns z − 1 into a probability: the logistic curve nearest to the normal one."""
_NEAREST = 4


class CategoryClassifier:
    """Chooses categories by standardised log-probabilities of their names: z ≥ 1, at most six (METHODS, e)."""

    def __init__(self, criteria: Criteria, calibration: Calibration) -> None:
        self._criteria = criteria
        self._calibration = calibration

    def classify(self, logprobs: dict[str, float]) -> tuple[CategoryScore, ...]:
        """Chosen categories and then the nearest unchosen ones, best first; none chosen: Independent. ``logprobs``: of
        each category's name, from one reading of the joke."""
        scores = standardise(logprobs, self._calibration.categories)
        names = {category.id: category.name for category in self._criteria.categories}
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


def standardise(values: dict[str, float], baselines: dict[str, Baseline]) -> dict[str, float]:
    """z of each value (nats) against its own baseline; without baselines, against the others of this text."""
    if all(name in baselines for name in values):
        return {name: baselines[name].z(value) for name, value in values.items()}
    own = Baseline(mean=mean(list(values.values())), sd=deviation(list(values.values())))
    return {name: own.z(value) for name, value in values.items()}
