"""The window when the program can't begin: what happened, what to do, and another try."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QUrl, Signal
from PySide6.QtGui import QDesktopServices, QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from ...errors import JokeJudgeError
from ..look.theme import px, theme
from ..verdict.state_card import StateCard
from ..widgets.controls import LinkButton
from ..widgets.focus_ring import FocusRing
from ..widgets.scroll import ColumnScroll


class StartErrorWindow(QWidget):
    """Shows an error of the history or the settings. Nothing is written while it is open.

    ``retry`` does again what failed and raises ``JokeJudgeError`` if it still fails; then ``mended`` is emitted."""

    mended = Signal()

    def __init__(self, error: JokeJudgeError, folder: Path, retry: Callable[[], None]) -> None:
        super().__init__()
        self._retry = retry
        self._folder = folder
        self.setWindowTitle("JokeJudge")
        self.card = StateCard("error", primary=True)
        self.card.acted.connect(self.try_again)
        self.folder_link = LinkButton("Open the data folder")
        self.folder_link.clicked.connect(self._open_folder)
        row = QHBoxLayout()
        row.addWidget(self.folder_link)
        row.addStretch(1)
        self.card.extra.addLayout(row)
        scroll = ColumnScroll()
        scroll.add(self.card)
        self._layout = QVBoxLayout(self)
        self._layout.addWidget(scroll)
        QShortcut(QKeySequence("Ctrl+Q"), self, activated=self.close)
        self.ring = FocusRing(self)
        self._scale()
        theme().changed.connect(self._scale)
        self.show_error(error)

    def _scale(self) -> None:
        self._layout.setContentsMargins(px(24), px(24), px(12), px(24))
        self.resize(px(720), px(360))

    def show_error(self, error: JokeJudgeError) -> None:
        self.card.set_message(error.sentence, f"{error.hint} Nothing was changed.".strip(), "Try again")

    def try_again(self) -> None:
        try:
            self._retry()
        except JokeJudgeError as error:
            self.show_error(error)
            return
        self.mended.emit()

    def _open_folder(self) -> None:
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(self._folder)))
