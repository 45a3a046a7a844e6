"""The link from a verdict to what is known of its model."""

from __future__ import annotations

from PySide6.QtCore import Signal

from ...core.verdicts import Audience, ModelRef, VerdictResult
from ..widgets.controls import LinkButton


class TrustLink(LinkButton):
    """Opens the Trust tab for a verdict's model. ``asked`` carries that model; ``topic``: the question whose details to
    show, empty for the first one; ``kind``: of the verdict's text, if known."""

    asked = Signal(object)

    def __init__(self, topic: str = "") -> None:
        super().__init__("How far to trust this", act=lambda: self.asked.emit(self._model))
        self.topic, self.kind = topic, ""
        self._model: ModelRef | None = None
        self.hide()

    def show_for(self, result: VerdictResult | None) -> None:
        """Link to a verdict's model; hidden for a verdict without a model."""
        crowd = getattr(result, "audience", None)
        self.kind = (crowd.kind if isinstance(crowd, Audience) else None) or ""
        self._model = result.model if result is not None else None
        self.setVisible(self._model is not None)
