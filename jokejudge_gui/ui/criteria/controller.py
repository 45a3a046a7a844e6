"""The criteria in the window: the button and key that open them, and taking up what was changed."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from ...errors import JokeJudgeError, restore
from ...events import Failed, Finished
from ...rubric.own_file import OwnFile
from ...session import Session
from ..frame.judge_worker import JobEvent, JudgeWorker
from ..widgets.controls import IconButton
from .dialog import CriteriaDialog


class CriteriaController(QObject):
    """``changed`` is sent when verdicts are given by other criteria from now on; ``failed`` carries an error."""

    changed = Signal()
    failed = Signal(JokeJudgeError)

    def __init__(self, session: Session, worker: JudgeWorker, side_worker: JudgeWorker, window: QWidget) -> None:
        super().__init__(window)
        self._session, self._worker, self._side_worker, self._window = session, worker, side_worker, window
        self._asked = False
        self.button = IconButton("criteria", "Criteria (Ctrl+K)")
        self.button.clicked.connect(self.open)
        QShortcut(QKeySequence("Ctrl+K"), window, activated=self.open)

    def open(self) -> None:
        """Show what jokes are judged by."""
        dialog = CriteriaDialog(OwnFile(self._session.profile.criteria), self._side_worker, self._window)
        dialog.changed.connect(self.take_up)
        dialog.open()

    def take_up(self) -> None:
        """Judge by the criteria as they are now, as soon as no verdict is being given: this process or another one may
        have changed them."""
        if not self._asked and self._session.criteria_changed:
            self._asked = True
            self._worker.submit("criteria", lambda _token: self._session.take_up_criteria(), self._on_event)

    def _on_event(self, item: JobEvent) -> None:
        match item.event:
            case Finished():
                self._asked = False
                self.changed.emit()
                self.take_up()  # what was changed meanwhile
            case Failed(error=error):
                self._asked = False
                self.failed.emit(restore(error))
