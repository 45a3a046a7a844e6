"""Preparing a model's prompts while nobody waits, and showing how far that is."""

from __future__ import annotations

from PySide6.QtCore import QObject

from ...events import Cancelled, Failed, Finished, ModelReady, StageProgress
from ...session import Session
from ..library.controller import ModelController
from .judge_worker import Job, JobEvent, JudgeWorker


class Warming(QObject):
    """Starts when the judge's worker has nothing to do and the model in use isn't prepared; gives way to whatever is
    asked for, and goes on after it. What was prepared before it gave way is kept."""

    def __init__(self, session: Session, worker: JudgeWorker, models: ModelController, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._models = models
        self._job: Job | None = None
        self._wanted = False
        self._at: tuple[int, int] | None = None
        worker.busy_changed.connect(self._when_idle)
        worker.happened.connect(self._watch)

    def give_way(self) -> None:
        """Something else is about to be asked of the model: stop at once (the engine stops within a layer)."""
        if self._job is not None:
            self._worker.cancel(self._job)

    def _watch(self, item: JobEvent) -> None:
        """A model is ready, also when a verdict loaded it: the worker isn't idle before that verdict has ended."""
        if isinstance(item.event, ModelReady):
            self._wanted, self._at = True, None

    def _on_event(self, item: JobEvent) -> None:
        event = item.event
        if item.job is not self._job:
            return
        if isinstance(event, StageProgress) and event.total is not None:
            self._at = (event.done, event.total)
            if not item.job.token.cancelled:
                self._models.show_preparing(*self._at)
        elif isinstance(event, Cancelled):
            self._job = None
            if self._at is not None:
                self._models.show_preparing(*self._at, paused=True)
        elif isinstance(event, Finished | Failed):
            # What failed now would fail again: the verdict that meets it says why.
            self._job, self._wanted = None, False
            self._models.show_ready(prepared=isinstance(event, Finished))

    def _when_idle(self, busy: bool) -> None:
        if not busy and self._wanted and self._session.model is not None:
            if not self._session.asks:
                self._wanted = False
                self._models.show_ready(prepared=True)
                return
            self._job = self._worker.submit(
                "warm", lambda token: self._session.warm(cancel=token), self._on_event, gives_way=True
            )
