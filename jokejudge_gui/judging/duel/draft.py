"""A duel while it grows."""

from __future__ import annotations

from dataclasses import dataclass

from ...verdict_kinds import Draft
from ...verdicts import Band, Drafts, DuelResult, OrderResult, PanelFindings, ProbabilityA, Share, Winner


@dataclass(slots=True, kw_only=True)
class DuelDraft(Draft[DuelResult]):
    """The fields of ``DuelResult``."""

    text_a: str
    text_b: str
    winner: Winner | None = None
    p_a: float | None = None
    confidence_factor: float | None = None
    measured_factor: float | None = None
    band: Band | None = None
    within_noise: bool = False
    consistent: bool | None = None
    position_bias: float | None = None
    orders: tuple[OrderResult, ...] = ()
    shares: tuple[Share, ...] = ()
    audience: ProbabilityA | None = None
    length_controlled: ProbabilityA | None = None
    drafts: Drafts | None = None
    context: str = ""
    everything_asked: bool = False
    generator: str = ""
    panel: PanelFindings | None = None

    def freeze(self) -> DuelResult:
        return DuelResult.model_validate(self.values())
