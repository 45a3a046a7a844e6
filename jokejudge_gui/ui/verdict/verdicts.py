"""The verdicts of all tabs: requested, opened from the history, marked, copied and exported."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias, TypeVar

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from ...core.errors import HistoryError
from ...core.events import Cancelled, Failed, Finished, Interim, Started
from ...core.pages import as_lines
from ...core.verdict_kinds import Request
from ...engine.base import CancelToken
from ...history.query import HistoryEntry, HistoryQuery
from ...judge.contest.kind import CONTEST
from ...judge.duel.kind import DUEL
from ...judge.judged_kind import JudgedKind
from ...judge.kinds import kind_of
from ...session.session import Session
from ..changes import Changes
from ..history.dialogs import NoteDialog, ask_export, export_verdicts
from ..history.view import row_title
from ..judge_worker import Job, JobSteps, JudgeWorker
from ..look import wording
from ..notices import Notices
from .tab import FieldTab, JobTab, VerdictTab

T = TypeVar("T")
BUSY = "A verdict is running here. Wait for it, or stop it with Esc."


Place: TypeAlias = Any
"""Where verdicts are shown, by ``open`` and ``run_again``: a tab, or a part of the one with the key ``tab``."""


class Verdicts(QObject):
    """The verdicts of all tabs. ``show``: shows the tab of a kind. ``began``: a verdict was requested; ``changed``: the
    history has a new row, or one was marked; ``finished`` carries the id of a verdict that ended."""

    began = Signal()
    changed = Signal()
    finished = Signal(str)

    def __init__(
        self, session: Session, tabs: Mapping[str, JobTab], worker: JudgeWorker, side_worker: JudgeWorker,
        notices: Notices, changes: Changes, show: Callable[[str], None], window: QWidget,
    ) -> None:  # fmt: skip
        super().__init__(window)
        self._session, self._store, self._tabs = session, session.store, tabs
        self._worker, self._side_worker = worker, side_worker
        self._notices, self._changes, self._show, self._window = notices, changes, show, window
        self._aside: Job | None = None
        self._left = False
        self._opening = 0
        self.elsewhere: dict[str, Callable[[], Place]] = {}
        """Functions that return the place for verdicts whose kind has no tab, by kind."""

    def join(self, tab: JobTab) -> None:
        """Connect the requests and actions of a tab."""
        kind = tab.kind.name
        tab.asked.connect(lambda fields: self.ask(kind, fields))
        tab.stop_asked.connect(lambda: self._worker.cancel(tab.job) if tab.job is not None else None)
        tab.elsewhere_asked.connect(self._ask_elsewhere)
        tab.compare_asked.connect(self.compare)
        tab.to_export.connect(self.write)
        tab.notice.connect(self._say)
        tab.trouble.connect(self._complain)
        tab.copy_asked.connect(lambda: self.copy(kind))
        tab.note_asked.connect(lambda: self.edit_note(tab.state.id) if tab.state.id else None)
        if isinstance(tab, VerdictTab):
            tab.aside_asked.connect(self.ask_aside)
            tab.rewritten.connect(self.changed)
            tab.bar.export_asked.connect(lambda: self.export([tab.state.id], None) if tab.state.id else None)
            tab.bar.star_toggled.connect(lambda on: self.set_star(tab.state.id, on) if tab.state.id else None)

    def leave(self) -> None:
        """Show no further verdicts, since the program ends."""
        self._left = True

    def _say(self, text: str) -> None:
        self._notices.say("info", text)

    def _complain(self, error: object) -> None:
        self._notices.say("error", str(error))

    def _tried(self, act: Callable[[], T]) -> T | None:
        """Return the result of ``act``, or show its ``HistoryError`` and return None."""
        try:
            return act()
        except HistoryError as error:
            self._complain(error)
            return None

    # Requests

    def ask(self, kind: str, fields: Mapping[str, object]) -> None:
        """Request a verdict. ``fields``: of the kind's request; the settings supply the others."""
        self.began.emit()
        self._stop_aside()
        self._opening += 1
        tab = self._tabs[kind]
        settings = self._session.settings.for_this_call()

        def start(token: CancelToken) -> JobSteps:
            # In the worker's thread, so that a text that can't be judged is an error of the job.
            request = self._session.request(tab.kind, settings, **fields)
            return self._session.run(tab.kind, request, cancel=token)

        job = self._worker.submit(kind, start, partial(self._on_event, tab))
        if isinstance(tab, FieldTab):
            tab.context.set_text(str(fields.get("context", "")))
        tab.expect(fields)
        tab.begin(job, *(str(fields[name]) for name in tab.kind.fields))

    def ask_aside(self, kind: JudgedKind[Any, Any], request: Request, take: Callable[[Any], object]) -> None:
        """Give a verdict that isn't kept, as a part of one that is shown; the next request stops it. ``take`` gets
        None if it was stopped, or no model is there yet."""
        self._stop_aside()

        def on_event(job: Job, event: object) -> None:
            result = event.result if isinstance(event, Interim | Finished) else None
            if isinstance(result, kind.result) and not job.token.cancelled:
                take(result)
            elif isinstance(event, Cancelled | Finished) and job is self._aside:
                take(None)

        def start(token: CancelToken) -> JobSteps:
            # It loads no model by itself.
            loaded = self._session.judge is not None
            return self._session.run(kind, request, record=False, cancel=token) if loaded else ()

        self._aside = self._worker.submit("aside", start, on_event, gives_way=True)

    def _stop_aside(self) -> None:
        if self._aside is not None:
            self._worker.cancel(self._aside)

    def _on_event(self, tab: JobTab, job: Job, event: object) -> None:
        tab.handle(job, event)
        ended = isinstance(event, Finished | Failed | Cancelled)
        if (ended or isinstance(event, Started)) and not self._left:
            self.changed.emit()
        if ended and not self._left:
            self.finished.emit(tab.state.id or "")
            self._refresh_marks(tab)

    def _give(self, kind: str, act: Callable[[JobTab], object]) -> None:
        """Show the tab of a kind and call ``act`` with it, unless a verdict is running there."""
        self._show(self._tabs[kind].tab)
        if self._tabs[kind].live:
            self._say(BUSY)
        else:
            act(self._tabs[kind])

    def _ask_elsewhere(self, kind: str, fields: Mapping[str, object]) -> None:
        self._give(kind, lambda _tab: self.ask(kind, fields))

    def compare(self, text: str) -> None:
        """Give a joke to the first empty field of the tab that compares two, or to its first."""

        def take(tab: JobTab) -> None:
            if isinstance(tab, VerdictTab):
                empty = [joke for joke in tab.jokes if not joke.text().strip()]
                (empty or tab.jokes)[0].set_text(text)
                (empty or tab.jokes)[-1].editor.setFocus()

        self._give(DUEL.name, take)

    def give_list(self, text: str) -> None:
        """Give a list of jokes to the tab that ranks them."""
        self._give(CONTEST.name, lambda tab: tab.take_list(text) if isinstance(tab, FieldTab) else None)

    # Stored verdicts

    def open(self, identity: str) -> bool:
        """Show a stored verdict in its tab, and return whether that is possible. A list is read in the other worker's
        thread, after pending notes on it are written, and shown unless something else was requested meanwhile."""
        self._opening += 1
        place = self._place_of(identity, "show it")
        return place is not None and self._open(identity, place)

    def _open(self, identity: str, place: Place) -> bool:
        def state() -> tuple[int, bool] | None:
            return (place.keep_soon(), place.live) if isinstance(place, JobTab) else None

        before = state()

        def show(entry: HistoryEntry) -> None:
            if state() != before:
                self._open(identity, place)  # the verdict has changed since it was read
            else:
                place.open(entry)
                self._show(place.tab)

        return self._read(place, lambda: self._store.get(identity), show)

    def _read(self, place: Place, read: Callable[[], T], act: Callable[[T], object]) -> bool:
        """Call ``act`` with what was read, unless something else was requested meanwhile; return False after an error.
        A list is read in the other worker's thread."""
        opening = self._opening

        def go_on(value: T) -> None:
            if opening == self._opening and not self._left:
                act(value)

        if isinstance(place, JobTab) and place.takes_lists:
            self._side_worker.call("open", read, go_on, self._complain)
            return True
        value = self._tried(read)
        if value is not None:
            go_on(value)
        return value is not None

    def run_again(self, identity: str) -> None:
        """Repeat the request of a stored verdict."""
        self._opening += 1
        place = self._place_of(identity, "make it again")
        if place is not None:
            self._read(place, lambda: self._store.get(identity), place.run_again)
            self._show(place.tab)

    def _place_of(self, identity: str, what: str) -> Place | None:
        row = self._tried(lambda: self._store.row(identity))
        if row is None:
            return None
        if row.kind in (*self._tabs, *self.elsewhere):
            return self.place(row.kind)
        self._say(f"A later version of the program made this verdict. This version can't {what}.")
        return None

    def place(self, kind: str) -> Place:
        """Return the place of verdicts of a kind."""
        return self._tabs[kind] if kind in self._tabs else self.elsewhere[kind]()

    # Marks

    def find_gone(self) -> None:
        """Disable the actions of shown verdicts that were deleted, here or by another program."""
        ids = [tab.state.id for tab in self._tabs.values() if tab.state.id is not None]
        there = self._tried(lambda: self._store.listed(ids))
        for tab in self._tabs.values() if there is not None else ():
            tab.set_gone(tab.state.id is not None and tab.state.id not in (there or ()))

    def _refresh_marks(self, tab: JobTab) -> None:
        """Show the stored star, note and tags."""
        identity = tab.state.id
        row = self._tried(lambda: self._store.row(identity)) if identity is not None else None
        if row is not None:
            tab.set_marks(row)

    def on_changed(self, *ids: str) -> None:
        """Update shown verdicts whose star, note or tags were changed elsewhere."""
        for tab in self._tabs.values():
            if tab.state.id in ids:
                self._refresh_marks(tab)

    def set_star(self, identity: str, starred: bool) -> None:
        """Star a verdict, or remove its star."""

        def put(on: bool) -> None:
            self._store.star(identity, on)
            self._on_marked(identity)

        words = "Starred a verdict" if starred else "Removed a star"
        self._changes.do(words, lambda: put(starred), lambda: put(not starred), quiet=True)

    def edit_note(self, identity: str) -> None:
        """Open the dialog for the note and tags of a verdict."""
        row = self._tried(lambda: self._store.row(identity))
        if row is None:
            return
        dialog = NoteDialog(row.note, row.tags, self._window, about=wording.beginning(row_title(row), 44))

        def save(note: str, tags: Sequence[str]) -> None:
            self._store.set_note(identity, note)
            self._store.set_tags(identity, tags)
            self._on_marked(identity)

        def keep() -> None:
            after = dialog.note, dialog.tags
            if after != (row.note, row.tags):
                back = partial(save, row.note, row.tags)
                self._changes.do("Changed a note", partial(save, *after), back, quiet=True)

        dialog.accepted.connect(keep)
        dialog.open()

    def _on_marked(self, identity: str) -> None:
        self.changed.emit()
        self.on_changed(identity)

    # Export

    def copy(self, kind: str) -> None:
        """Copy the verdict that is shown as text."""
        result = self._tabs[kind].result
        if result is not None:
            made = kind_of(result)
            QGuiApplication.clipboard().setText("\n".join(as_lines(made.words(result), texts=bool(made.fields))))
            self._say("Copied.")

    def export(self, ids: list[str], query: HistoryQuery | None) -> None:
        """Ask for a file and write verdicts to it: all that ``query`` lists, or without one those of ``ids``."""
        if (path := ask_export(self._window)) is not None:
            self.write(partial(export_verdicts, self._store, ids, query, path))

    def write(self, act: Callable[[], str]) -> None:
        """Call what writes a file and returns what was done, in words, in the other worker's thread."""
        self._side_worker.call("export", act, self._say, self._complain)
