"""Teaching the program to read jokes with the model in use: it lets verdicts go first, and goes on after them and after
the program was closed."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import QObject, Signal

from ...engine.base import CancelToken
from ...events import ModelReady
from ...learning.drafts_job import DraftsFitted
from ...learning.editor_job import EditorFitted
from ...learning.plan_job import PlanMeasured
from ...session import Session
from ..frame.judge_worker import JobEvent, JobStart, JudgeWorker
from .long_run import Ending, StagedRun


class Learning(StagedRun):
    """``learned``: verdicts use something new. It begins only when nobody waits for the model, the program itself
    included."""

    job_name = "learn"
    learned = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(session, worker, parent)
        self._wanted = False
        self._everything = False
        worker.busy_changed.connect(self._when_idle)
        worker.happened.connect(self._watch)

    @property
    def live(self) -> bool:
        """Whether it goes on or waits for its turn."""
        return super().live or self._wanted

    @property
    def missing(self) -> bool:
        """Whether there is a part that could be learned for the model in use."""
        judge = self._session.judge
        return judge is not None and self._session.learner.missing(judge)

    @property
    def begun(self) -> bool:
        """Whether it was begun with the model in use, and not finished."""
        judge = self._session.judge
        return judge is not None and self._session.learner.begun(judge.model.sha256)

    def start(self, *, again: bool = False) -> None:
        """Learn what is missing, or all of it ``again``, as soon as nobody waits for the model."""
        if not self.live and self._session.model is not None:
            self._everything = again
            self._submit()

    def stop(self) -> None:
        """Stop; what was read is kept."""
        if self._wanted:
            self._wanted = False
            self._set("stopped")
        super().stop()

    def leave(self) -> None:
        """The window closes: nothing is begun any more."""
        super().leave()
        self._wanted = False

    def _watch(self, item: JobEvent) -> None:
        if isinstance(item.event, ModelReady) and self._job is None:
            # What was begun before the program was closed goes on; with another model it doesn't.
            self._wanted = self._everything = False
            if self.missing and self.begun:
                self._submit()
            else:
                self.forget()

    def _queue(self) -> None:
        self._wanted = True
        self._when_idle(self._worker.busy)

    def _when_idle(self, busy: bool) -> None:
        if self._wanted and not busy and not self._worker.busy and self._session.model is not None:
            self._wanted = False
            super()._queue()

    def _steps(self) -> JobStart:
        session, again = self._session, self._everything

        def start(token: CancelToken) -> Iterator[object]:
            return session.fit_editor(again=again, cancel=token)

        return start

    def _follow(self, event: object) -> None:
        super()._follow(event)
        if isinstance(event, EditorFitted | DraftsFitted | PlanMeasured):
            self._everything = False  # a part that is done isn't done again after a verdict
            self.learned.emit()

    def _end(self, event: Ending) -> None:
        super()._end(event)
        self.learned.emit()
