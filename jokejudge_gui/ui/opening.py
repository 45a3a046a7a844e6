"""The window when the program can't start: the error, a hint, and a button to try again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from ..core.errors import JokeJudgeError
from .look.theme import px, theme
from .widgets.base import Themed
from .widgets.cards import StateCard
from .widgets.controls import LinkButton
from .widgets.dialog import open_file
from .widgets.focus_ring import FocusRing
from .widgets.layout import ColumnScroll, HBox, VBox


class StartErrorWindow(Themed, QWidget):
    """Shows an error of the history or the settings before the main window. Nothing is written while it is open.

    ``retry`` repeats the failed operation and raises ``JokeJudgeError`` if it still fails; then ``fixed`` is
    emitted."""

    fixed = Signal()

    def __init__(self, error: JokeJudgeError, folder: Path, retry: Callable[[], None]) -> None:
        super().__init__()
        self.setWindowTitle("JokeJudge")
        self.card = StateCard("error", primary=True)
        scroll = ColumnScroll()
        scroll.add(self.card)
        VBox(scroll, parent=self, margins=(24, 24, 12, 24))
        QShortcut(QKeySequence("Ctrl+Q"), self, activated=self.close)
        theme().dress_window(self)
        self._retry = retry
        self.card.acted.connect(self.try_again)
        self.folder_link = LinkButton("Open the data folder", act=lambda: open_file(folder))
        self.card.extra.addLayout(HBox(self.folder_link, 1))
        self.ring = FocusRing(self)
        self.show_error(error)
        self.follow_theme()

    def restyle(self) -> None:
        self.resize(px(720), px(360))

    def show_error(self, error: JokeJudgeError) -> None:
        self.card.set_message(error.sentence, f"{error.hint} Nothing was changed.".strip(), "Try again")

    def try_again(self) -> None:
        try:
            self._retry()
        except JokeJudgeError as error:
            self.show_error(error)
            return
        self.fixed.emit()
