"""A rating in progress."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.events import Event
from ...core.texts import listed
from ...core.verdict_kinds import Draft
from ...core.verdicts import CheckResult, FactorScore, RatingResult
from .scores import aggregate, weighted


class RatingDraft(Draft[RatingResult], RatingResult, frozen=False):
    """A ``RatingResult`` in progress."""

    def admit(self, checks: Sequence[CheckResult], reasons: Sequence[str]) -> None:
        """Set the checks' results; any ``reasons`` reject the text."""
        self.admissibility = tuple(checks)
        self.admissible = not reasons
        self.rejection = f"Not clearly a joke: {listed(reasons)}." if reasons else None

    def score(self, factors: Sequence[FactorScore], weights: Mapping[str, float]) -> None:
        """Set the factors and their totals; of the user's ``weights`` those of these factors are kept."""
        self.factors = tuple(factors)
        self.max_score, self.mean_score, self.spread = aggregate(factors)
        self.weights = {score.id: weights[score.id] for score in factors if score.id in weights}
        self.weighted_score = weighted(factors, weights)


Step = Event | RatingDraft
