"""The list of keys, and the program's version."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from .. import __version__
from .widgets.dialog import Dialog
from .widgets.layout import ColumnScroll, Grid
from .widgets.text import Label, Paragraph

KEYS = (
    ("Ctrl+Enter", "Rate the joke, compare the two, or rank the list"),
    ("Esc", "Stop what is running, or close the history"),
    ("Ctrl+Z", "Undo, also when another text took the place of yours"),
    ("Ctrl+1, 2, 3, 4", "Show Rate, Duel, Contest or Trust"),
    ("Up, Down", "In Versions: show another version; in the notes: go to the next note"),
    ("Enter, Delete", "In the notes: accept or dismiss the edit"),
    ("Left, Right, Shift", "While you select the turn: choose a word, or more words"),
    ("Ctrl+Shift+S", "In Duel: swap the drafts"),
    ("Alt+A, Alt+B", "In Duel: vote for A or B"),
    ("Ctrl+F", "Search the history"),
    ("Ctrl+B", "Show or fold the history"),
    ("Enter, S, Delete, Menu", "In the history: open, star, delete, or show what else can be done"),
    ("Ctrl++, Ctrl+−, Ctrl+0", "Larger, smaller, or usual text"),
    ("K, B, L, U", "In a list: keep, bin, put off for later, undo"),
    ("Space, Shift+Space", "In a list: go to the next unread joke, or one back"),
    ("Enter, D, F2, S", "In a list: open in Rate, duel, write a new version, star"),
    ("/, T, Alt+1 to Alt+5", "In a list: search, show the list in a small window, show a part of the list"),
    ("1, 2, 3, S, U", "In a vote: choose a joke, skip, undo the last vote"),
    ("0 to 9, T, S, U", "While you score jokes: 0 to 9, ten, skip, back one joke"),
    ("Ctrl+K", "Open the criteria: what jokes are judged by"),
    ("Ctrl+,", "Open the settings"),
    ("?, F1", "Show this list"),
    ("Ctrl+Q", "Close the program"),
)
"""Keys and their actions, as shown to the user."""


class HelpDialog(Dialog):
    """The keys and the program's version."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("Keys and version", parent, (520, 520), heading="Keys")
        table = QWidget()
        grid = Grid(table, gaps=(24, 8), wide=1)
        for number, (keys, words) in enumerate(KEYS):
            grid.addWidget(Label(keys, 14, 600), number, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(Paragraph(words), number, 1, Qt.AlignmentFlag.AlignTop)
        column = ColumnScroll()
        column.add(table)
        python = f"{sys.version_info.major}.{sys.version_info.minor}"
        self.about = Paragraph(f"JokeJudge {__version__}, on Python {python}. Nothing is sent anywhere.", 13)
        self.body.add((column, 1), self.about)
        self.close_button = self.add_foot("Done")
        self.close_button.setFocus()
