"""Trust figures of models for the window, read once until something changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, TypeVar, cast

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from ...core.pages import Page
from ...core.paths import models_dir
from ...core.verdicts import Audience, ModelRef, VerdictResult
from ...judge.asking.measured import MeasuredFiles
from ...judge.audit.record import AuditResult, audit_for
from ...measure.model.figures import TrustFiles, model_page
from ...measure.model.words import ModelTrust
from ...measure.words import evaluation_pages
from ...session.session import Session
from ..widgets.controls import LinkButton

T = TypeVar("T")


class TrustIndex:
    """Trust figures from the profile's and the program's folders; read again after ``forget``."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self.trust_files = TrustFiles(session.profile)
        self._known: dict[tuple[str, str], Any] = {}

    def forget(self) -> None:
        """Drop all figures, after a measurement, a deletion or a change of the model."""
        self._known.clear()

    def _once(self, what: str, model: ModelRef, read: Callable[[], T]) -> T:
        if (what, model.sha256) not in self._known:
            self._known[what, model.sha256] = read()
        return cast(T, self._known[what, model.sha256])

    @property
    def in_use(self) -> ModelRef | None:
        return self._session.model

    def models(self) -> list[ModelRef]:
        """Return the current model, then all others that have figures."""
        used = self._session.model
        others = [model for model in self.trust_files.models() if used is None or model.sha256 != used.sha256]
        return [*([used] if used is not None else []), *others]

    def of(self, model: ModelRef) -> ModelTrust:
        return self._once("trust", model, lambda: self.trust_files.of(model))

    def audit(self, model: ModelRef) -> AuditResult | None:
        """Return the newest audit of a model on this computer, else the shipped one, else None."""
        files = MeasuredFiles(models_dir(), self._session.profile.models)
        return self._once("audit", model, lambda: audit_for(model.sha256, files))

    def report(self, model: ModelRef) -> tuple[Page, ...]:
        """Return the report on a model, after the whole of its newest measurement here. Raises ``CriteriaError``."""

        def read() -> tuple[Page, ...]:
            measured = self.of(model).measured[:1]
            own = (
                replace(page, headline=f"Your measurement: {page.headline}")
                for kept in measured
                for page in evaluation_pages(kept.found)
            )
            return (*own, *model_page(model, self._session.profile).pages)

        return self._once("report", model, read)


class TrustLink(LinkButton):
    """Opens the Trust tab for a verdict's model. ``asked`` carries that model; ``topic``: the question whose details to
    show, empty for the first one; ``kind``: of the verdict's text, if known."""

    asked = Signal(object)

    def __init__(self, topic: str = "", parent: QWidget | None = None) -> None:
        super().__init__("How far to trust this", parent=parent, act=lambda: self.asked.emit(self._model))
        self.topic, self.kind = topic, ""
        self._model: ModelRef | None = None
        self.hide()

    def show_for(self, result: VerdictResult | None) -> None:
        """Link to a verdict's model; hidden for a verdict without a model."""
        crowd = getattr(result, "audience", None)
        self.kind = (crowd.kind if isinstance(crowd, Audience) else None) or ""
        self._model = result.model if result is not None else None
        self.setVisible(self._model is not None)


UNKNOWN = "not measured"


def gain_of(trust_files: TrustFiles, sha256: str, usual: str) -> str:
    """Return whether a model was measured to agree with people more than the ``usual`` one, by their SHA-256."""
    card, other = (trust_files.of(ModelRef(name="", sha256=one)).card for one in (sha256, usual))
    if card is None or other is None:
        return UNKNOWN
    usual_values = {kind.name: kind.head["all"].value for kind in other.kinds}
    better = [
        kind
        for kind in card.kinds
        if (kind.head["all"].low or 0.0) > usual_values.get(kind.name, 1.0)  # beyond its own interval
    ]
    if not better:
        return "no measured gain"
    return f"{100 * better[0].head['all'].value:.0f} instead of {100 * usual_values[better[0].name]:.0f} of 100 right"


def trust_lines(trust_files: TrustFiles, sha256: str) -> str:
    """Return a model's agreement with people in sentences, or that it wasn't measured."""
    line = trust_files.line(sha256)
    return f"{line[:1].upper()}{line[1:]}. {trust_files.sense(sha256)}" if line else "Not measured."
