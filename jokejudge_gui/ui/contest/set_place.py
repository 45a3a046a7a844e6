"""The sets of the window: made from jokes, opened from the history, changed and written as a sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from ...core.errors import JokeJudgeError
from ...core.events import Cancelled, Failed, Finished, Interim, Started
from ...core.room import with_marks
from ...history.query import HistoryEntry, HistoryRow
from ...judge.contest.kind import CONTEST
from ...judge.set.kind import SET
from ...judge.set.record import Bit, SetRequest, SetResult
from ...judge.set.words import name_of
from ...session.session import Session
from ..changes import Changes
from ..history.view import jokes_of
from ..judge_worker import Job, JudgeWorker
from ..sheet import ENDINGS, write_sheet
from ..widgets.dialog import ask_file
from .tab import ContestTab


class SetPlace(QObject):
    """The place of sets in the Contest tab. ``stored``: the history has changed."""

    tab = CONTEST.name
    stored = Signal()

    def __init__(
        self, session: Session, tab: ContestTab, worker: JudgeWorker, changes: Changes, show: Callable[[str], None]
    ) -> None:
        """``show``: shows the tab of a kind."""
        super().__init__(tab)
        self._show, self._session, self._tab, self._worker, self._changes = show, session, tab, worker, changes
        self._job: Job | None = None
        self.page = page = tab.set_page
        page.changed.connect(self._change)
        page.sheet_asked.connect(self.write)
        page.rate_asked.connect(self._rate)
        page.back_asked.connect(self._go_back)
        tab.set_stop_asked.connect(lambda: self._job is not None and worker.cancel(self._job))
        tab.set_asked.connect(
            lambda texts, title: self.make(texts, title, tab.state.id if tab.page == "desk" else None)
        )

    def make_of(self, rows: Sequence[HistoryRow]) -> None:
        """Make a set of the jokes of verdicts, with their titles and the laughs of their rooms."""
        texts: dict[str, tuple[str, str]] = {}
        for row in rows:
            result = self._session.store.get(row.id).result
            for text in jokes_of(row):
                texts.setdefault(text, (row.title, with_marks(text, getattr(result, "room", ()))))
        self.make([*texts.values()])

    def make(self, texts: Sequence[str | tuple[str, str]], title: str = "", contest: str | None = None) -> None:
        """Make a set of texts, or of pairs of a title and a text, that were kept in a contest."""
        try:
            self._run(self._session.request(SET, bits=SetRequest.of(texts).bits, title=title, contest=contest))
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)

    def _run(self, request: SetRequest) -> None:
        """Have the bits of a set read, and show it meanwhile."""
        if self._job is not None:
            self._tab.notice.emit("A set is being read. Wait for it, or stop it with Esc.")
            return
        start = lambda token: self._session.run(SET, request, cancel=token)  # noqa: E731
        self._job = self._worker.submit("set", start, self._on_event)
        self._show_set(SET.empty(request, ""), live=True)
        self._show(self.tab)
        self._tab.show_set(None)

    def _on_event(self, _job: Job, event: object) -> None:
        ended = isinstance(event, Finished | Failed | Cancelled)
        self._job = None if ended else self._job
        if isinstance(event, Interim | Finished | Failed | Cancelled):
            self._show_set(event.result if isinstance(event.result, SetResult) else self.page.result, live=not ended)
        if isinstance(event, Failed):
            self._tab.trouble.emit(event.error)
        if isinstance(event, Started) or ended:
            self.stored.emit()
            if self._tab.page == "set":  # nobody turned away meanwhile
                self._tab.shown_changed.emit(self.page.result.id or None)

    def _show_set(self, result: SetResult, *, live: bool = False) -> None:
        self.page.show_set(result, live=live)
        self.page.back_link.setText("Back to the list" if self._from_desk else "New list")

    @property
    def _from_desk(self) -> bool:
        """Whether the set is from the contest that the tab has open."""
        return self.page.result.contest is not None and self.page.result.contest == self._tab.state.id

    def _go_back(self) -> None:
        self._tab.leave_set("desk" if self._from_desk else "list")

    # Stored sets

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored set."""
        if isinstance(entry.result, SetResult) and self._job is None:
            self._show_set(entry.result)
        self._tab.show_set(self.page.result.id)

    def run_again(self, entry: HistoryEntry) -> None:
        """Read the bits of a stored set again, as a set of its own."""
        if isinstance(entry.result, SetResult):
            self._run(SET.request_of(entry.result))

    def find_gone(self) -> None:
        """Leave the page of a set that was deleted."""
        shown = self.page.result.id
        if self._tab.page == "set" and self._job is None and shown not in self._session.store.listed([shown]):
            self._go_back()

    def _change(self, words: str, after: SetResult) -> None:
        before = self.page.result

        def put(result: SetResult) -> None:
            self._session.store.revise(result.id, lambda _stored: result)
            if self.page.result.id == result.id:
                self._show_set(result)
            self.stored.emit()

        self._changes.do(words, lambda: put(after), lambda: put(before), quiet=True)

    def write(self) -> None:
        """Ask for a file and write the stage sheet to it."""
        name = f"{name_of(self.page.result)[:40].strip(' .…')}.pdf"
        if (path := ask_file(self._tab.window(), "Stage sheet", name, ENDINGS)) is not None:
            try:
                write_sheet(self.page.result, path, replace=True)
                self._tab.notice.emit(f"Wrote the stage sheet to {path}.")
            except JokeJudgeError as error:
                self._tab.trouble.emit(error)

    def _rate(self, bit: Bit) -> None:
        self._tab.elsewhere_asked.emit("rate", {"text": with_marks(bit.text, bit.room), "context": ""})
