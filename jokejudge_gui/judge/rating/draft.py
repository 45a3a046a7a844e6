"""A rating while it grows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...core.verdict_kinds import Draft
from ...core.verdicts import (
    Audience,
    Budget,
    CategoryScore,
    CheckResult,
    EditorNote,
    FactorScore,
    FaultScore,
    FaultVoice,
    ListenerVoice,
    Offence,
    PanelFindings,
    Pathway,
    Prose,
    RatingResult,
    ReasoningTree,
    Reference,
    Sense,
    Span,
)
from .factor_scorer import weighted


@dataclass(slots=True, kw_only=True)
class RatingDraft(Draft[RatingResult]):
    """The fields of ``RatingResult``."""

    text: str
    admissible: bool | None = None
    forced: bool = False
    rejection: str | None = None
    admissibility: tuple[CheckResult, ...] = ()
    pathway: Pathway | None = None
    categories: tuple[CategoryScore, ...] = ()
    factors: tuple[FactorScore, ...] = ()
    max_score: float | None = None
    mean_score: float | None = None
    spread: float | None = None
    weighted_score: float | None = None
    audience: Audience | None = None
    faults: tuple[FaultScore, ...] = ()
    turn: Span | None = None
    cuts: tuple[Span, ...] = ()
    note: EditorNote | None = None
    references: tuple[Reference, ...] = ()
    offence: Offence | None = None
    sense: Sense | None = None
    listeners: tuple[ListenerVoice, ...] = ()
    own_faults: tuple[FaultVoice, ...] = ()
    prose: Prose | None = None
    context: str = ""
    everything_asked: bool = False
    tree: ReasoningTree | None = None
    weights: dict[str, float] = field(default_factory=dict)
    generator: str = ""
    panel: PanelFindings | None = None
    asked_listeners: tuple[str, ...] = ()
    budget: Budget | None = None

    def weigh(self, scores: Sequence[FactorScore], weights: Mapping[str, float]) -> None:
        """Set the weighted score, and the user's ``weights`` as far as they are of these factors."""
        self.weights = {score.id: weights[score.id] for score in scores if score.id in weights}
        self.weighted_score = weighted(scores, weights)

    def freeze(self) -> RatingResult:
        return RatingResult.model_validate(self.values())
