"""What the keys do, and the dialog that lists it."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QWidget

from .. import __version__
from .look.theme import px, theme
from .room import OnScreen
from .widgets.controls import PrimaryButton
from .widgets.layout import Grid, HBox, VBox
from .widgets.scroll import ColumnScroll
from .widgets.text import Heading, Label, Paragraph

KEYS = (
    ("Ctrl+Enter", "Rate the joke, compare the two, rank the list, or read the version"),
    ("Esc", "Stop what is running, or close the history"),
    ("Ctrl+Z", "Undo, also when another text took the place of yours"),
    ("Ctrl+1, 2, 3, 4, 5", "Show Rate, Duel, Contest, Versions or Trust"),
    ("Ctrl+F", "Search the history"),
    ("Ctrl+B", "Show or fold the history"),
    ("Enter, S, Delete, Menu", "In the history: open, star, delete, or show what else can be done"),
    ("K, B, S, T, N", "In a ranking: keep, bin, star, tag, go to the next undecided joke"),
    ("V, C", "In a ranking: vote (funny, not funny, no vote), choose blind between two"),
    ("Enter, D, F2", "In a ranking: open as a rating, duel, write a new version"),
    ("O, F, E", "In a ranking: change the order, filter, export what is kept"),
    ("1, 2, 3, S, U", "In a vote: choose a joke, skip, undo the last vote"),
    ("0 to 9, T, S, U", "While you score jokes: 0 to 9, ten, skip, back one joke"),
    ("Ctrl+K", "Open the criteria: what jokes are judged by"),
    ("Ctrl+,", "Open the settings"),
    ("F1", "Show this list"),
    ("Ctrl+Q", "Close the program"),
)
"""Keys and what they do, as a person reads them."""


class HelpDialog(QDialog):
    """The keys, and which version this is."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys and version")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._outer = VBox(Heading("Keys", 2), parent=self, gap=14, margins=(24, 20, 24, 20))
        body = QWidget()
        self._grid = Grid(body, gaps=(24, 8), wide=1)
        for number, (keys, words) in enumerate(KEYS):
            self._grid.addWidget(Label(keys, 14, 600), number, 0, Qt.AlignmentFlag.AlignTop)
            self._grid.addWidget(Paragraph(words), number, 1, Qt.AlignmentFlag.AlignTop)
        self._scroll = ColumnScroll()
        self._scroll.add(body)
        self._outer.addWidget(self._scroll, 1)
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.about = Paragraph(f"JokeJudge {__version__}, on Python {python}. Nothing is sent anywhere.", 13)
        self._outer.addWidget(self.about)
        foot = HBox(1)
        self.close_button = PrimaryButton("Done", act=self.accept)
        foot.addWidget(self.close_button)
        self._outer.addLayout(foot)
        self._scale()
        theme().changed.connect(self._scale)
        OnScreen(self)
        self.close_button.setFocus()

    def _scale(self) -> None:
        room = self.screen().availableGeometry()
        self.resize(min(px(520), room.width()), min(px(520), room.height()))
