"""The way of a verdict from a tab's question to the tab's answer, whatever its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from PySide6.QtCore import QObject, Signal

from ...engine.base import CancelToken
from ...errors import HistoryError
from ...events import Cancelled, Failed, Finished, Started
from ...history.query import HistoryEntry
from ...session import Session
from ..frame.judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from .verdict_tab import VerdictTab


class Elsewhere(Protocol):
    """A place for verdicts in the tab of this key."""

    tab: str

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored verdict."""

    def run_again(self, entry: HistoryEntry) -> None:
        """Ask for it once more."""


class VerdictRuns(QObject):
    """``began``: a verdict was asked for. ``shown`` carries the kind of a tab and the id of the stored verdict that it
    shows from now on, None for one that isn't stored yet. ``stored``: the history has a new row. ``ended`` carries the
    kind of a tab whose verdict has ended, and whether the tab shows it. ``failed`` carries an error, ``said`` a
    sentence."""

    began = Signal()
    shown = Signal(str, object)
    stored = Signal()
    ended = Signal(str, bool)
    failed = Signal(object)
    said = Signal(str)

    def __init__(self, session: Session, tabs: Mapping[str, VerdictTab], worker: JudgeWorker, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._tabs = tabs
        self._worker = worker
        self._kinds: dict[Job, str] = {}
        self.elsewhere: dict[str, Elsewhere] = {}
        """Where verdicts are shown of kinds that have no tab of their own."""
        for kind, tab in tabs.items():
            tab.asked.connect(lambda fields, kind=kind: self.ask(kind, fields))
            tab.stop_asked.connect(lambda kind=kind: self.stop(kind))

    def ask(self, kind: str, fields: Mapping[str, object]) -> None:
        """Ask for a verdict. ``fields``: of the kind's request; what the settings say is filled in."""
        self.began.emit()
        tab = self._tabs[kind]
        settings = self._session.settings.for_this_call()

        def start(token: CancelToken) -> JobSteps:
            # Here, in the worker's thread: a text that can't be judged is an error of the job.
            request = self._session.request(tab.kind, settings, **fields)
            return self._session.run(tab.kind, request, cancel=token)

        job = self._worker.submit(kind, start, self._on_event)
        self._kinds[job] = kind
        self.shown.emit(kind, None)
        tab.context.set_text(str(fields.get("context", "")))
        tab.expect(fields)
        tab.begin(job, *(str(fields[name]) for name in tab.kind.fields))

    def stop(self, kind: str) -> None:
        """Stop the verdict of a tab that is running or waiting."""
        job = self._tabs[kind].job
        if job is not None:
            self._worker.cancel(job)

    def open(self, identity: str) -> str | None:
        """Show a stored verdict in its tab, and say in which; None where it can't be shown."""
        try:
            entry = self._session.store.get(identity)
        except HistoryError as error:
            self.failed.emit(error)
            return None
        tab = self._tabs.get(entry.row.kind)
        if tab is None:
            place = self.elsewhere.get(entry.row.kind)
            if place is not None:
                place.open(entry)
                return place.tab
            self.said.emit("A later version of the program made this verdict. This version can't show it.")
            return None
        tab.open(entry)
        self.shown.emit(entry.row.kind, identity)
        return entry.row.kind

    def run_again(self, identity: str) -> str | None:
        """Ask for a stored verdict once more, as it was asked for, and say in which tab; None where it can't be."""
        try:
            entry = self._session.store.get(identity)
        except HistoryError as error:
            self.failed.emit(error)
            return None
        tab = self._tabs.get(entry.row.kind)
        if tab is None and (place := self.elsewhere.get(entry.row.kind)) is not None:
            place.run_again(entry)
            return place.tab
        if tab is None:
            self.said.emit("A later version of the program made this verdict. This version can't make it again.")
            return None
        if tab.live:
            self.said.emit("A verdict is running here. Wait for it, or stop it with Esc.")
        elif entry.result is not None:
            self.ask(entry.row.kind, tab.kind.request_of(entry.result).model_dump())
        else:
            self.ask(entry.row.kind, dict(zip(tab.kind.fields, entry.row.texts, strict=False)))
        return entry.row.kind

    def _on_event(self, item: JobEvent) -> None:
        kind = self._kinds[item.job]
        tab = self._tabs[kind]
        tab.handle(item.job, item.event)
        if isinstance(item.event, Started):
            self.stored.emit()
            if tab.shows_job(item.job):
                self.shown.emit(kind, item.event.id)
        elif isinstance(item.event, Finished | Failed | Cancelled):
            del self._kinds[item.job]
            self.ended.emit(kind, tab.shows_job(item.job))
