"""The choice of the funnier one of two jokes."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from .controls import GhostButton, SecondaryButton
from .layout import ColumnScroll, HBox, VBox
from .marked_text import MarkedText
from .text import Heading, Paragraph

_LARGE, _SMALL, _LONG = 17, 15, 400
"""Font sizes of the jokes; texts of more than ``_LONG`` characters use the smaller one."""


class PairChooser(QWidget):
    """Two jokes, one to be chosen. ``chosen`` carries whether the first one is the funnier; ``equal``: neither is. Its
    owner handles the keys on the buttons, and connects Undo and Stop."""

    chosen = Signal(bool)
    equal = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.words = Paragraph("", 13)
        self.jokes = [MarkedText(size=_LARGE), MarkedText(size=_LARGE)]
        self.buttons = [SecondaryButton("This one", key=key) for key in "12"]
        self.equal_button = SecondaryButton("Equal", tip="Leave their order (0 or =)", key="0")
        self.equal_button.clicked.connect(lambda _checked=False: self.equal.emit())
        self.undo_button = GhostButton("Undo", "undo", tip="Undo (U)")
        self.stop_button = GhostButton("Stop", tip="Leave the order as it is so far (Esc)")
        for one in (*self.buttons, self.equal_button):
            one.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        rows: list[QWidget | HBox] = []
        for first, joke, button in zip((True, False), self.jokes, self.buttons, strict=True):
            button.clicked.connect(lambda _checked=False, first=first: self.chosen.emit(first))
            rows += [joke, HBox(button, 1)]
        column = QWidget()
        VBox(
            Heading("Which one is funnier?", 4), self.words, *rows,
            HBox(self.equal_button, self.undo_button, self.stop_button, 1, gap=8), 1,
            parent=column, gap=14, margins=(19, 20, 7, 14),
        )  # fmt: skip
        VBox((ColumnScroll(column), 1), parent=self)

    def show_pair(self, texts: Sequence[str], words: str, *, undo: bool) -> None:
        """Show two jokes, and in ``words`` how many choices are left."""
        self.words.set_content(words)
        self.undo_button.setEnabled(undo)
        for number, (joke, button, text) in enumerate(zip(self.jokes, self.buttons, texts, strict=True), 1):
            joke.set_text(text, size=_SMALL if len(text) > _LONG else _LARGE)
            button.setAccessibleName(f"Choose {number}: {text}")
