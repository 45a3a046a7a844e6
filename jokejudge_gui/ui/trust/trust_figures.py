"""What the window knows of how far models can be trusted, read once until something changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar, cast

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from ...core.verdicts import Audience, ModelRef, Result
from ...judge.plan.deep_worth import DeepWorth
from ...learning.trust_cards import agrees, kind_name
from ...measure.worths import ModelPlan, ModelTrust, TrustFiles, measured_line, plan_of
from ...session.session import Session
from ..widgets.controls import LinkButton
from ..widgets.layout import VBox
from ..widgets.text import Paragraph

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

    def line(self, model: ModelRef, audience: bool) -> str:
        """What is measured of a verdict's model, as a sentence; ``audience``: the verdict holds its estimate. Never
        empty: what isn't measured is said."""
        found = self.of(model)
        if audience:
            stated = found.line or self._of_head(model)
            if stated:
                return f"The audience estimate {stated}."
        for kept in found.measured:
            if line := measured_line(kept):
                return f"This model {line}."
        return "How far this model agrees with people hasn't been measured."

    def _of_head(self, model: ModelRef) -> str:
        """What the head in use states of itself, for a head that has no card."""
        judge = self._session.judge
        if judge is None or judge.head is None or judge.model.sha256 != model.sha256:
            return ""
        head = judge.head
        return agrees(head.agreement, head.one_person or None, kind_name(head.kinds[0]))


# Measured trust in one line: under a verdict, and in the rows of the model library.

Source = Callable[[ModelRef, bool], str]


class TrustLine(QWidget):
    """A sentence about the verdict's model, and a link. ``asked`` carries that model; ``topic``: of which question the
    Trust tab is to show more then, the first one's where it is empty; ``kind``: of the verdict's text, if known."""

    asked = Signal(object)

    def __init__(self, parent: QWidget | None = None, *, topic: str = "") -> None:
        super().__init__(parent)
        self.topic, self.kind = topic, ""
        self._source: Source | None = None
        self._model: ModelRef | None = None
        self.text = Paragraph("", 13)
        self.link = LinkButton("How far to trust this", act=lambda: self.asked.emit(self._model))
        VBox(self.text, (self.link, 0, Qt.AlignmentFlag.AlignLeft), parent=self, gap=0)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def set_source(self, source: Source) -> None:
        """Where the sentences come from."""
        self._source = source

    def show_for(self, result: Result | None) -> None:
        """Say it for a verdict; nothing is shown for one without a model."""
        crowd = result.audience if result is not None else None
        self.kind = (crowd.kind if isinstance(crowd, Audience) else None) or ""
        self.show_model(result.model if result is not None else None, audience=crowd is not None)

    def show_model(self, model: ModelRef | None, *, audience: bool) -> None:
        """Say it for a model; ``audience``: its audience head said what people would say."""
        self._model = model
        if self._model is None or self._source is None:
            self.hide()
            return
        words = self._source(self._model, audience)
        if words != self.text.text():
            self.text.set_content(words)
        self.show()


def facts_with_trust(facts: str, shelf: TrustFiles, hashes: Iterable[str]) -> str:
    """A library row's facts with what was measured of the model under them, or a word that nothing was."""
    for sha256 in hashes:
        line = shelf.line(sha256)
        if line:
            return f"{facts}\n{line[:1].upper()}{line[1:]}."
    return f"{facts}\nAgreement with people: not measured."
