"""Fit to people in the window: the job in the judge's thread, and the library's card that shows it."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from ...events import Cancelled, Failed, Finished, StageProgress
from ...learning.fit_report import HeadFitted, HeadRemoved
from ...session import Session
from ..frame.judge_worker import Job, JobEvent, JobStart, JudgeWorker
from .fit_card import FitCard


class FitToPeople(QObject):
    """One fit at a time, shown while the library is open; closing the library stops it. ``asked``: one is about to
    begin; ``changed``: the model in use has another head than before."""

    asked = Signal()
    changed = Signal()

    def __init__(self, session: Session, worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._worker = worker
        self._job: Job | None = None
        self._card: FitCard | None = None

    def attach(self, card: FitCard) -> None:
        """Show on this card what the model in use has, and do what its buttons ask."""
        self._card = card
        card.asked.connect(self._act)
        card.remove_asked.connect(lambda: self._submit(lambda token: self._session.remove_head(cancel=token)))
        self.refresh()

    def detach(self) -> None:
        """The library was closed."""
        self.stop()
        self._card = None

    def stop(self) -> None:
        if self._job is not None:
            self._worker.cancel(self._job)

    def refresh(self, loading: bool = False) -> None:
        """The model in use is another one, or is being loaded."""
        if self._card is None:
            return
        info = None if loading else self._session.info
        if info is None:
            self._card.show_head(None)
            return
        judge = self._session.judge
        head = judge.head if judge is not None else None
        self._card.show_head(self._session.heads.in_use(info.sha256), head.agreement if head is not None else None)

    def _act(self) -> None:
        if self._card is None:
            return
        if self._card.running:
            self.stop()
            return
        self._submit(lambda token: self._session.fit(cancel=token))
        self._card.begin()

    def _submit(self, start: JobStart) -> None:
        """Take the place of an earlier job, which at most is still ending."""
        self.stop()
        self.asked.emit()
        self._job = self._worker.submit("fit", start, self._on_event, gives_way=True)

    def _on_event(self, item: JobEvent) -> None:
        if item.job is not self._job:
            return
        event = item.event
        if isinstance(event, Finished | Failed | Cancelled):
            self._job = None
            self.refresh()
            if isinstance(event, Finished):
                self.changed.emit()
        if self._card is not None:
            self._show(self._card, event)

    def _show(self, card: FitCard, event: object) -> None:
        match event:
            case StageProgress(done=done, total=total, note=note) if card.running:
                card.show_progress(done, total or 0, note)
            case HeadFitted(report=report):
                card.end_with(report)
            case HeadRemoved() as removed:
                card.end(removed.sentence)
            case Cancelled():
                card.end("Stopped. Nothing was fitted, and nothing was changed.")
            case Failed(error=error):
                card.end(f"{error.sentence} {error.hint}".strip())
