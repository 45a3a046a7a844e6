"""Measuring Deep beside Quick on the model in use: a job in the judge's thread that lets verdicts go first."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal

from ...engine.base import CancelToken
from ...events import Stage
from ...learning.deep_job import TEXTS, DeepMeasured
from ...runs.deep import deep_worth_of
from ...session import Session
from ...verdicts import Asked
from ..frame.judge_worker import JobStart, JudgeWorker
from .long_run import Ending, StagedRun


class DeepMeasurer(StagedRun):
    """``measured``: it is written what Deep is worth, and verdicts say it from now on."""

    job_name = "deep"
    told = (Stage.FITTING, Stage.CALIBRATION)
    measured = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._whole = False

    def start(self) -> None:
        """Measure in the manner in which verdicts ask; what was judged before it was stopped isn't judged again."""
        if not self.live and self._session.model is not None:
            self._submit()

    def _clear(self) -> None:
        super()._clear()
        self._whole = False

    def _steps(self) -> JobStart:
        session = self._session

        def start(token: CancelToken) -> Iterator[object]:
            ask: Asked = "all" if session.settings.ask_everything else "plan"
            return deep_worth_of(session, ask=ask, texts=TEXTS, cancel=token)

        return start

    def _follow(self, event: object) -> None:
        super()._follow(event)
        if isinstance(event, DeepMeasured):
            self._whole = True

    def _end(self, event: Ending) -> None:
        super()._end(event)
        if self._whole:
            self.measured.emit()
