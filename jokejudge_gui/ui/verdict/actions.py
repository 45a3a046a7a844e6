"""What can be done with the verdict that a tab shows: star, note, copy, export."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ...core.errors import HistoryError
from ...core.events import Failed
from ...core.verdicts import VerdictResult
from ...history.query import HistoryQuery
from ...history.store import HistoryStore
from ...judge.kinds import kind_of
from ..history import dialogs as exporting
from ..history.dialogs import NoteDialog
from ..judge_worker import JobEvent, JobStart, JudgeWorker
from ..look import wording
from ..notices import Notices
from .tab import VerdictTab

T = TypeVar("T")

# A verdict as plain text, for the clipboard.


def verdict_text(result: VerdictResult) -> str:
    """Jokes, headline, findings, warnings, explanation and model."""
    kind = kind_of(result)
    subjects = kind.subjects(kind.request_of(result))
    # A kind without single texts tells its jokes among its findings.
    subjects = subjects if kind.fields else ()
    lines = [f"{subject.label}: {subject.text}" if subject.label else subject.text for subject in subjects]
    lines += ["", kind.headline(result).sentence]
    lines += [f"{fact.name}: {fact.text}" for fact in kind.facts(result)]
    for outline in kind.outlines(result):
        lines += outline.lines()
    lines += result.warnings
    if result.explanation:
        lines += ["", result.explanation]
    if result.model is not None:
        lines += ["", f"Judged by {result.model.name}"]
    return "\n".join(lines)


class VerdictActions(QObject):
    """Knows which stored verdict each tab shows. ``written``: the history changed; ``failed`` carries an error."""

    written = Signal()
    failed = Signal(object)

    def __init__(
        self,
        store: HistoryStore,
        tabs: Mapping[str, VerdictTab],
        side_worker: JudgeWorker,
        notices: Notices,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._store = store
        self._tabs = tabs
        self._side_worker = side_worker
        self._notices = notices
        self._window = window
        self._shown: dict[str, str | None] = dict.fromkeys(tabs)
        for kind, tab in tabs.items():
            tab.bar.copy_asked.connect(lambda kind=kind: self.copy(kind))
            tab.bar.export_asked.connect(lambda kind=kind: self._export_shown(kind))
            tab.to_export.connect(self.write)
            tab.bar.note_asked.connect(lambda kind=kind: self.edit_note(kind))
            tab.bar.star_toggled.connect(lambda starred, kind=kind: self.star(kind, starred))

    def shown(self, kind: str) -> str | None:
        """The id of the stored verdict that a tab shows, if it is one."""
        return self._shown[kind]

    def set_shown(self, kind: str, identity: str | None) -> None:
        self._shown[kind] = identity
        self._tabs[kind].set_gone(False)

    def find_gone(self) -> None:
        """Take away the actions of shown verdicts that were deleted, here or by another program."""
        there = self._tried(lambda: self._store.listed([each for each in self._shown.values() if each is not None]))
        for kind, identity in self._shown.items() if there is not None else ():
            self._tabs[kind].set_gone(identity is not None and identity not in (there or ()))

    def refresh_marks(self, kind: str) -> None:
        """Show star, note and tags as they are stored."""
        identity = self._shown[kind]
        row = self._tried(lambda: self._store.row(identity)) if identity is not None else None
        if row is not None:
            self._tabs[kind].set_marks(row)

    def on_changed(self, identity: str) -> None:
        """A verdict's star, note or tags were changed somewhere."""
        for kind, shown in self._shown.items():
            if shown == identity:
                self.refresh_marks(kind)

    def star(self, kind: str, starred: bool) -> None:
        if identity := self._shown[kind]:
            self._write(identity, lambda: self._store.star(identity, starred))

    def edit_note(self, kind: str) -> NoteDialog | None:
        """Open the dialog for the note and tags of the verdict that is shown."""
        identity = self._shown[kind]
        row = self._tried(lambda: self._store.row(identity)) if identity is not None else None
        if identity is None or row is None:
            return None
        dialog = NoteDialog(row.note, row.tags, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)

        def save() -> None:
            self._store.set_note(identity, dialog.note)
            self._store.set_tags(identity, dialog.tags)

        dialog.accepted.connect(lambda: self._write(identity, save))
        dialog.open()
        return dialog

    def _tried(self, act: Callable[[], T]) -> T | None:
        """What the history says; None, and the error, where it can't."""
        try:
            return act()
        except HistoryError as error:
            self.failed.emit(error)
            return None

    def _write(self, identity: str, act: Callable[[], object]) -> None:
        def done() -> bool:
            act()
            return True

        if self._tried(done):
            self.written.emit()
            self.on_changed(identity)

    def copy(self, kind: str) -> None:
        result = self._tabs[kind].result
        if result is not None:
            QGuiApplication.clipboard().setText(verdict_text(result))
            self._notices.say("info", "Copied.")

    def _export_shown(self, kind: str) -> None:
        identity = self._shown[kind]
        if identity and not self._tabs[kind].exports_itself:
            self.export([identity], None)

    def write(self, job: JobStart) -> None:
        """Run a job that writes a file and ends with ``Exported``."""
        self._side_worker.submit("export", job, self._on_export)

    def export(self, ids: list[str], query: HistoryQuery | None) -> None:
        """Ask for a file and write verdicts to it: everything that ``query`` lists, or without one those of ``ids``."""
        target = exporting.ask_target(self._window)
        if target is not None:
            path, form = target
            job = exporting.export_job(self._store, ids, query, form, path)
            self.write(job)

    def _on_export(self, item: JobEvent) -> None:
        if isinstance(item.event, exporting.Exported):
            count = wording.count_of(item.event.count, item.event.what)
            self._notices.say("info", f"Exported {count} to {item.event.path}.")
        elif isinstance(item.event, Failed):
            self._notices.say("error", str(item.event.error))
