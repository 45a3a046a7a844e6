"""Teaching the program to read jokes with the model in use: a job in the judge's thread that lets verdicts go first and
goes on after them, and after the program was closed."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QObject, Signal

from ...events import Cancelled, Failed, Finished, ModelReady, StageProgress
from ...learning.drafts_job import DraftsFitted
from ...learning.editor_job import EditorFitted
from ...learning.plan_job import PlanMeasured
from ...session import Session
from ...verdicts import ErrorInfo
from ..frame.judge_worker import Job, JobEvent, JudgeWorker

Phase = Literal["idle", "waiting", "running", "stopping", "stopped", "failed"]


class Learning(QObject):
    """``changed``: something to draw; ``learned``: verdicts use something new."""

    changed = Signal()
    learned = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._job: Job | None = None
        self._wanted = False
        self._again = False
        self.phase: Phase = "idle"
        self.progress: StageProgress | None = None
        self.error: ErrorInfo | None = None
        worker.busy_changed.connect(self._when_idle)
        worker.happened.connect(self._watch)

    @property
    def live(self) -> bool:
        """Whether it goes on or waits for its turn."""
        return self._job is not None or self._wanted

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
        if self.live or self._session.model is None:
            return
        self._wanted, self._again = True, again
        self.error, self.progress = None, None
        self._set("waiting")
        self._when_idle(self._worker.busy)

    def stop(self) -> None:
        """Stop; what was read is kept."""
        self._wanted = False
        if self._job is None:
            self._set("stopped" if self.phase == "waiting" else self.phase)
        else:
            self._worker.cancel(self._job)
            self._set("stopping")

    def give_way(self) -> None:
        """Let a verdict go first."""
        if self._job is not None and self.phase in ("waiting", "running"):
            self._wanted = True
            self._worker.cancel(self._job)

    def leave(self) -> None:
        """The window closes."""
        self._wanted = False

    def _watch(self, item: JobEvent) -> None:
        if isinstance(item.event, ModelReady):
            # What was begun before the program was closed goes on; with another model it doesn't.
            self._wanted = self.missing and self.begun
            self._again = False
            self.progress = self.error = None
            if self._job is None:
                self._set("waiting" if self._wanted else "idle")

    def _when_idle(self, busy: bool) -> None:
        if busy or not self._wanted or self._worker.busy or self._job is not None or self._session.model is None:
            return
        self._wanted = False
        again = self._again
        self._job = self._worker.submit(
            "learn", lambda token: self._session.fit_editor(again=again, cancel=token), self._on_event, gives_way=True
        )

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if isinstance(event, StageProgress):
            self.progress = event
            if self.phase != "stopping":
                self._set("running")
        elif isinstance(event, EditorFitted | DraftsFitted | PlanMeasured):
            self._again = False  # a part that is done isn't done again after a verdict
            self.learned.emit()
        elif isinstance(event, Finished | Failed | Cancelled):
            self._end(event)

    def _end(self, event: Finished | Failed | Cancelled) -> None:
        self._job = None
        if isinstance(event, Failed):
            self.error, self._wanted = event.error, False
            self._set("failed")
        elif isinstance(event, Finished):
            self._wanted = False
            self._set("idle")
        else:
            self._set("waiting" if self._wanted else "stopped")
        self.learned.emit()

    def _set(self, phase: Phase) -> None:
        self.phase = phase
        self.changed.emit()
