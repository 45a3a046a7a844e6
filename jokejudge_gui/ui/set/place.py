"""The sets of the window: made from jokes, opened from the history, changed and written as a sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from PySide6.QtCore import QObject, Signal

from ...core.errors import HistoryError, JokeJudgeError
from ...core.events import Cancelled, Failed, Finished, Interim, Started
from ...core.room import with_marks
from ...engine.base import CancelToken
from ...history.query import HistoryEntry, HistoryRow
from ...judge.contest.kind import CONTEST
from ...judge.set.kind import SET
from ...judge.set.record import Bit, SetRequest, SetResult
from ...judge.set.words import glance, name_of
from ...session.session import Session
from ..changes import Changes
from ..contest.tab import ContestTab
from ..history.view import jokes_of
from ..judge_worker import Job, JobEvent, JobSteps, JudgeWorker
from ..sheet import ENDINGS, write_sheet
from ..widgets.dialog import ask_file
from .page import SetPage


class SetPlace(QObject):
    """The place of sets in the Contest tab. ``stored``: the history has changed; ``shown`` carries the id of the set
    that is shown, None where the list is again."""

    tab = CONTEST.name
    stored = Signal()
    shown = Signal(object)

    def __init__(
        self,
        session: Session,
        tab: ContestTab,
        worker: JudgeWorker,
        changes: Changes,
        show: Callable[[str], None],
    ) -> None:
        """``show``: shows the tab of a kind."""
        super().__init__(tab)
        self._show, self._session, self._tab, self._worker, self._changes = show, session, tab, worker, changes
        self._job: Job | None = None
        self._gone = False
        self.page = page = SetPage()
        tab.add_page(page, self.stop)
        page.changed.connect(self._change)
        page.sheet_asked.connect(self.write)
        page.rest_asked.connect(lambda: self._ask(SetRequest.going_on(page.result)))
        page.rate_asked.connect(self._rate)
        page.back_asked.connect(lambda: self.shown.emit(None))
        tab.set_asked.connect(lambda texts, title: self.make([{"text": text} for text in texts], title))

    @property
    def result(self) -> SetResult:
        """The set that is shown."""
        return self.page.result

    # Making

    def make_of(self, rows: Sequence[HistoryRow]) -> None:
        """Make a set of the jokes of verdicts, with their titles and the laughs of their rooms."""
        bits: dict[str, Mapping[str, object]] = {}
        for row in rows:
            room: object = ()
            try:
                room = getattr(self._session.store.get(row.id).result, "room", ())
            except HistoryError as error:
                self._tab.trouble.emit(error)
            for text in jokes_of(row):
                bits.setdefault(text, {"title": row.title, "text": text, "room": room})
        self.make([*bits.values()])

    def make(self, bits: Sequence[Mapping[str, object]], title: str = "") -> None:
        """Make a set of bits, and show it while they are read."""
        try:
            made = SetRequest.of([(str(bit.get("title", "")), str(bit["text"])) for bit in bits]).bits
            roomed = [one.replaced(room=bit.get("room") or one.room) for one, bit in zip(made, bits, strict=True)]
            self._ask(self._session.request(SET, bits=tuple(roomed), title=title))
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)

    def _ask(self, request: SetRequest) -> None:
        if self._job is not None:
            self._tab.notice.emit("A set is being read. Wait for it, or stop it with Esc.")
            return

        def start(token: CancelToken) -> JobSteps:
            return self._session.run(SET, request, cancel=token)

        self._job = self._worker.submit("set", start, self._on_event)
        known = {bit.id: bit for bit in request.known.bits} if request.known is not None else {}
        draft = SET.empty(request, request.continues or "")
        self._gone = False
        self.page.show_set(draft.replaced(bits=tuple(known.get(bit.id, bit) for bit in draft.bits)), live=True)
        self._show(self.tab)
        self._tab.show_page()

    def _on_event(self, item: JobEvent) -> None:
        event = item.event
        if isinstance(event, Started):
            self.shown.emit(event.id)
            self.stored.emit()
        if isinstance(event, Finished | Failed | Cancelled):
            self._job = None
            self.stored.emit()
        if isinstance(event, Failed):
            self._tab.trouble.emit(event.error)
        result = event.result if isinstance(event, Interim | Finished | Failed | Cancelled) else None
        if isinstance(result, SetResult):
            self.page.show_set(result, live=self._job is not None)
        elif self._job is None:
            self.page.show_set(self.result, gone=True)

    def stop(self) -> None:
        """Request that reading stops."""
        if self._job is not None:
            self._worker.cancel(self._job)

    # Stored sets

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored set."""
        if isinstance(entry.result, SetResult) and self._job is None:
            self._gone = False
            self.page.show_set(entry.result)
            self.shown.emit(entry.row.id)
        self._tab.show_page()

    def run_again(self, entry: HistoryEntry) -> None:
        """Read the bits of a stored set again, as a set of its own."""
        if isinstance(entry.result, SetResult):
            self._ask(SET.request_of(entry.result))

    def find_gone(self) -> None:
        """Show whether the set was deleted, or brought back."""
        if self._job is None and self.result.id:
            try:
                gone = self.result.id not in self._session.store.listed([self.result.id])
            except HistoryError:
                return  # the history's own pane says so
            if gone != self._gone:
                self._gone = gone
                self.page.show_set(self.result, gone=gone)

    def _change(self, words: str, after: SetResult) -> None:
        before = self.result

        def put(result: SetResult) -> None:
            self._session.store.revise(result.id, lambda _stored: result)
            if self.result.id == result.id:
                self.page.show_set(result)
            if glance(before) != glance(after):
                self.stored.emit()

        self._changes.do(words, lambda: put(after), lambda: put(before), quiet=True)

    def write(self) -> None:
        """Ask for a file and write the stage sheet to it."""
        if not self.result.bits:
            return
        path = ask_file(self._tab.window(), "Stage sheet", f"{name_of(self.result)[:40].strip(' .…')}.pdf", ENDINGS)
        if path is None:
            return
        try:
            write_sheet(self.result, path, replace=True)
        except JokeJudgeError as error:
            self._tab.trouble.emit(error)
        else:
            self._tab.notice.emit(f"Wrote the stage sheet to {path}.")

    def _rate(self, bit: Bit | None) -> None:
        if bit is not None:
            self._tab.elsewhere_asked.emit("rate", {"text": with_marks(bit.text, bit.room), "context": ""})
