"""Measured trust in one line: under a verdict, and in the rows of the model library."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ...runs.shelf import TrustShelf
from ...verdicts import ModelRef, Result
from ..widgets.controls import LinkButton
from ..widgets.text import Paragraph

Source = Callable[[ModelRef, bool], str]


class TrustLine(QWidget):
    """A sentence about the verdict's model, and a link. ``asked`` carries that model."""

    asked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._source: Source | None = None
        self._model: ModelRef | None = None
        self.text = Paragraph("", 13)
        self.link = LinkButton("How far to trust this")
        self.link.clicked.connect(lambda: self.asked.emit(self._model))
        self._layout = QVBoxLayout(self)
        self._layout.setContentsMargins(0, 0, 0, 0)
        self._layout.setSpacing(0)
        self._layout.addWidget(self.text)
        self._layout.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def set_source(self, source: Source) -> None:
        """Where the sentences come from."""
        self._source = source

    def show_for(self, result: Result | None) -> None:
        """Say it for a verdict; nothing is shown for one without a model."""
        heard = result is not None and result.audience is not None
        self.show_model(result.model if result is not None else None, heard=heard)

    def show_model(self, model: ModelRef | None, *, heard: bool) -> None:
        """Say it for a model; ``heard``: its audience head said what people would say."""
        self._model = model
        if self._model is None or self._source is None:
            self.hide()
            return
        words = self._source(self._model, heard)
        if words != self.text.text():
            self.text.set_content(words)
        self.show()


def with_trust(facts: str, shelf: TrustShelf, hashes: Iterable[str]) -> str:
    """A library row's facts with what was measured of the model under them, or a word that nothing was."""
    for sha256 in hashes:
        line = shelf.line(sha256)
        if line:
            return f"{facts}\n{line[:1].upper()}{line[1:]}."
    return f"{facts}\nAgreement with people: not measured."
