"""Measuring Deep beside Quick on the model in use: a job in the judge's thread that lets verdicts go first."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal

from ...engine.base import CancelToken
from ...events import Cancelled, Failed, Stage, StageProgress
from ...learning.deep_job import TEXTS, DeepMeasured
from ...runs.deep import deep_worth_of
from ...session import Session
from ...verdicts import Asked
from ..frame.judge_worker import JobStart, JudgeWorker
from .long_run import Ending, LongRun


class DeepMeasurer(LongRun):
    """``measured``: it is written what Deep is worth, and verdicts say it from now on."""

    job_name = "deep"
    measured = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._whole = False
        self.progress: StageProgress | None = None

    def start(self) -> None:
        """Measure in the manner in which verdicts ask; what was judged before it was stopped isn't judged again."""
        if not self.live and self._session.model is not None:
            self._submit()

    def forget(self) -> None:
        """Another model is in use: there is nothing to go on with."""
        if not self.live:
            self.progress = self.error = None
            self._set("idle")

    def _clear(self) -> None:
        self._whole = False
        self.progress = None

    def _steps(self) -> JobStart:
        session = self._session

        def start(token: CancelToken) -> Iterator[object]:
            ask: Asked = "all" if session.settings.ask_everything else "plan"
            return deep_worth_of(session, ask=ask, texts=TEXTS, cancel=token)

        return start

    def _follow(self, event: object) -> None:
        if isinstance(event, StageProgress) and event.stage in (Stage.FITTING, Stage.CALIBRATION):
            self.progress = event
            self._going_on()
        elif isinstance(event, DeepMeasured):
            self._whole = True

    def _end(self, event: Ending) -> None:
        if isinstance(event, Failed):
            self.error = event.error
            self._set("failed")
        elif isinstance(event, Cancelled):
            self._set("stopped")
        else:
            self.progress = None
            self._set("idle")
        if self._whole:
            self.measured.emit()
