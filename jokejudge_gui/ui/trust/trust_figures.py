"""What the window knows of how far models can be trusted, read once until something changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...core.verdicts import Audience, ModelRef, Result
from ...judge.plan.deep_worth import DeepWorth
from ...measure.worths import ModelPlan, ModelTrust, TrustFiles, plan_of
from ...session.session import Session
from ..widgets.controls import LinkButton

T = TypeVar("T")


class TrustIndex:
    """Over the profile's and the program's folders. Read again after ``forget``."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.shelf = TrustFiles(session.profile)
        self._known: dict[tuple[str, str], Any] = {}

    def forget(self) -> None:
        """Something was measured or deleted, or another model is in use."""
        self._known.clear()

    def _once(self, what: str, model: ModelRef, read: Callable[[], T]) -> T:
        if (what, model.sha256) not in self._known:
            self._known[what, model.sha256] = read()
        return cast(T, self._known[what, model.sha256])

    @property
    def in_use(self) -> ModelRef | None:
        return self._session.model

    def models(self) -> list[ModelRef]:
        """The model in use first, then all that something is known of."""
        used = self._session.model
        others = [model for model in self.shelf.models() if used is None or model.sha256 != used.sha256]
        return [*([used] if used is not None else []), *others]

    def of(self, model: ModelRef) -> ModelTrust:
        return self._once("trust", model, lambda: self.shelf.of(model))

    def plan(self, model: ModelRef) -> ModelPlan:
        """What each part of a verdict is worth on a model, and where it comes from."""
        return self._once("plan", model, lambda: plan_of(model, self._session.profile))

    def deep(self, model: ModelRef) -> DeepWorth | None:
        """What Deep was measured to be worth beside Quick; None where it wasn't."""
        return self._once("deep", model, lambda: self.shelf.deep.load(model.sha256))


class TrustLink(LinkButton):
    """Opens what is known of a verdict's model. ``asked`` carries that model; ``topic``: of which question the Trust
    tab is to show more then, the first one's where it is empty; ``kind``: of the verdict's text, if known."""

    asked = Signal(object)

    def __init__(self, topic: str = "", parent: QWidget | None = None) -> None:
        super().__init__("How far to trust this", parent=parent, act=lambda: self.asked.emit(self._model))
        self.topic, self.kind = topic, ""
        self._model: ModelRef | None = None
        self.hide()

    def show_for(self, result: Result | None) -> None:
        """Open it for a verdict; hidden for one without a model."""
        crowd = result.audience if result is not None else None
        self.kind = (crowd.kind if isinstance(crowd, Audience) else None) or ""
        self._model = result.model if result is not None else None
        self.setVisible(self._model is not None)


def facts_with_trust(facts: str, shelf: TrustFiles, hashes: Iterable[str]) -> str:
    """A library row's facts with what was measured of the model under them, or a word that nothing was."""
    for sha256 in hashes:
        line = shelf.line(sha256)
        if line:
            return f"{facts}\n{line[:1].upper()}{line[1:]}.\n{shelf.sense(sha256)}"
    return f"{facts}\nAgreement with people: not measured."
