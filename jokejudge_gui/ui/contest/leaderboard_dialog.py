"""The leaderboard of a ranking's groups in a dialog of its own."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QVBoxLayout, QWidget

from ...judging.contest.types import ContestResult
from ..frame.judge_worker import JobEvent, JudgeWorker
from ..frame.placing import OnScreen
from ..look.theme import px, theme
from ..widgets.controls import PrimaryButton
from ..widgets.scroll import ColumnScroll
from .leaderboard_page import BoardFound, LeaderboardPage, board_job


class LeaderboardDialog(QDialog):
    """Works the leaderboards out in ``worker``'s thread."""

    def __init__(self, result: ContestResult, worker: JudgeWorker, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Leaderboard")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._result, self._worker = result, worker
        self._open = True
        self.page = LeaderboardPage()
        self.page.wanted.connect(self._work_out)
        self._outer = QVBoxLayout(self)
        self._scroll = ColumnScroll()
        self._scroll.add(self.page)
        self._outer.addWidget(self._scroll, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        self.close_button = PrimaryButton("Done")
        self.close_button.clicked.connect(self.accept)
        foot.addWidget(self.close_button)
        self._outer.addLayout(foot)
        self.finished.connect(self._leave)
        self._scale()
        theme().changed.connect(self._scale)
        OnScreen(self)
        self.page.show_result(result)
        self.close_button.setFocus()

    def _scale(self) -> None:
        self._outer.setContentsMargins(px(24), px(20), px(24), px(20))
        self._outer.setSpacing(px(14))
        room = self.screen().availableGeometry()
        self.resize(min(px(720), room.width()), min(px(560), room.height()))

    def _leave(self) -> None:
        self._open = False

    def _work_out(self, column: str) -> None:
        self._worker.submit("leaderboard", board_job(self._result, column), self._on_event)

    def _on_event(self, item: JobEvent) -> None:
        if self._open and isinstance(item.event, BoardFound):
            self.page.show_board(item.event)
