"""A model in the library: name, facts, what is being done with it, and one button."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ..look.theme import px, theme
from ..widgets.controls import SecondaryButton
from ..widgets.progress import ProgressLine
from ..widgets.text import Paragraph


class ModelRow(QWidget):
    """``acted`` is emitted by the button, whatever it says: Use, Get or Stop."""

    acted = Signal()

    def __init__(
        self, name: str, facts: str, action: str, parent: QWidget | None = None, *, doing: str = "Fetching"
    ) -> None:
        super().__init__(parent)
        self.name = name
        self.title = Paragraph(name, 14, 500, "text")
        self.facts = Paragraph(facts, 13, token="text2")
        self.note = Paragraph("", 13, token="text2")
        self.note.hide()
        self.line = ProgressLine(name=f"{doing} {name}")
        self.line.hide()
        self.button = SecondaryButton(action)
        self.button.clicked.connect(self.acted)
        self.set_action(action)
        self._layout = QHBoxLayout(self)
        self._words = QVBoxLayout()
        for widget in (self.title, self.facts, self.note, self.line):
            self._words.addWidget(widget)
        self._layout.addLayout(self._words, 1)
        self._layout.addWidget(self.button)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self._layout.setContentsMargins(0, px(6), 0, px(6))
        self._layout.setSpacing(px(12))
        self._words.setSpacing(px(4))

    def set_action(self, action: str) -> None:
        """Change the button; an empty word hides it."""
        self.action = action
        self.button.setText(action)
        self.button.setAccessibleName(f"{action} {self.name}")
        self.button.setVisible(bool(action))

    def set_progress(self, done: int, total: int, note: str) -> None:
        self.line.set_fraction(done / total if total else 0.0)
        self.line.show()
        self.set_note(note)

    def set_note(self, note: str) -> None:
        self.note.set_content(note)
        self.note.setVisible(bool(note))

    def end_progress(self, note: str = "") -> None:
        self.line.hide()
        self.set_note(note)
