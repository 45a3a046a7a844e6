"""A rating while it grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...core.verdict_kinds import Draft
from ...core.verdicts import (
    FactorScore,
    RatingResult,
)
from .factor_scorer import weighted


class RatingDraft(Draft[RatingResult], RatingResult, frozen=False):
    """``RatingResult`` while it grows."""

    def weigh(self, scores: Sequence[FactorScore], weights: Mapping[str, float]) -> None:
        """Set the weighted score, and the user's ``weights`` as far as they are of these factors."""
        self.weights = {score.id: weights[score.id] for score in scores if score.id in weights}
        self.weighted_score = weighted(scores, weights)
