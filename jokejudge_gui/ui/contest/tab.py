"""The Contest tab: a page to enter a list of jokes, and the desk to look through it; live or from the history."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from PySide6.QtWidgets import QStackedWidget, QWidget

from ...batch.lists import JokeList
from ...core.config import Settings
from ...core.events import StageProgress
from ...history.query import HistoryEntry
from ...history.store import HistoryStore
from ...judge.contest.desk import Desk
from ...judge.contest.kind import CONTEST
from ...judge.contest.record import ContestRequest, ContestResult, Notes
from ...judge.contest.words import jokes
from ..judge_worker import Job, JudgeWorker
from ..look.theme import Room
from ..notices import show_progress, watched
from ..verdict.tab import FieldTab
from ..widgets.layout import ColumnScroll, VBox
from .desk import DeskPage
from .list_page import ListPage
from .set_page import SetPage
from .state import ContestRecorder, ContestState

Page = Literal["list", "desk", "set"]


class ContestTab(FieldTab):
    """Has a list of jokes judged and shows it for selection. While a long one is judged, the title says how
    far it is; at the end a window in the background asks for attention. ``set_page`` has its sets."""

    kind = CONTEST
    shows = ContestState
    takes_lists = True
    state: ContestState

    def __init__(
        self,
        store: HistoryStore,
        side_worker: JudgeWorker,
        settings: Settings | None = None,
        examples: Sequence[str] = (),
    ) -> None:
        super().__init__("Judge")
        self._settings = settings or Settings()
        self._page: Page = "list"
        self._adding: ContestResult | None = None
        self._read_text: tuple[str, ...] = ()
        self._expected: Mapping[str, object] = {}
        self.recorder = ContestRecorder(store, side_worker, self)
        self._timer.timeout.connect(self._tick)
        self.context.textChanged.connect(self.edited)
        self.list_page = ListPage(self.context, self.buttons, side_worker, examples)
        self.list_page.edited.connect(self.edited)
        self.list_page.read.connect(self._update_buttons)
        self.list_page.back_link.clicked.connect(lambda: self._turn_to("desk"))
        self.list_page.set_link.clicked.connect(self._make_set)
        self.list_page.adding.acted.connect(lambda: self._turn_to("list"))
        self.list_page.failed_card.acted.connect(self.library_asked)
        self.desk = DeskPage(self.recorder, self, [self.warning, self.failed, self.stopped])
        self.desk.add_asked.connect(lambda: self._turn_to("list", self.state.marked()))
        self.desk.list_asked.connect(self.new_list)
        self.desk.duels_asked.connect(lambda: self._go_on(self._effort))
        self.set_page = SetPage(store)
        self.desk.set_asked.connect(lambda texts, title: self.set_page.make(texts, title, self.state.id))
        self.set_page.turned.connect(lambda: self._turn_to("set"))
        self.set_page.shown_changed.connect(self._on_set)
        self.set_page.back_asked.connect(self._leave_set)
        self.places: dict[Page, QWidget]
        self.places = {"list": ColumnScroll(self.list_page), "desk": self.desk, "set": self.set_page}
        self.pages = QStackedWidget()
        for place in self.places.values():
            self.pages.addWidget(place)
        VBox((self.pages, 1), parent=self)
        self.set_room("wide")
        self.draw()

    def set_room(self, room: Room) -> None:
        """Lay the tab out."""
        self._room = room
        for page in (self.list_page, self.desk, self.set_page):
            page.set_room(room)
        self.draw()

    @property
    def page(self) -> Page:
        """The page that is shown."""
        return self._page

    def focus_editor(self) -> None:
        focus = {"list": self.list_page.editor.setFocus, "set": self.set_page.list.setFocus}
        focus.get(self._page, self.desk.focus_first)()

    @property
    def _set_is_from_here(self) -> bool:
        """Whether the set is from the contest that is open."""
        contest = self.set_page.result.contest
        return contest is not None and contest == self.state.id

    def _on_set(self, identity: str | None) -> None:
        if self._page == "set":
            self.shown_changed.emit(identity)

    @property
    def shown_id(self) -> str | None:
        return self.set_page.state.id if self._page == "set" else self.state.id

    def _leave_set(self) -> None:
        """Show the list page or the desk instead of a set."""
        if self._page == "set":
            self._turn_to("desk" if self._set_is_from_here else "list")

    def _make_set(self) -> None:
        if given := self._given():
            self.set_page.make([item.text for item in given.jokes], self.list_page.name())

    def _given(self) -> JokeList | None:
        """Return the list of the list page; None without jokes."""
        self.list_page.read_now()
        given = self.list_page.list
        return given if given is not None and given.jokes else None

    # The list

    def texts(self) -> tuple[str, ...]:
        return (self.list_page.text(),)

    def set_texts(self, *texts: str) -> None:
        self.list_page.set_text(texts[0] if texts else "")

    @property
    def kept(self) -> bool:
        return self.draft() == self._read_text

    def take_list(self, text: str) -> None:
        """Show a list on the list page, ready to be judged."""
        self._turn_to("list")
        self.list_page.set_text(text)

    def new_list(self) -> None:
        """Show the list page with its text selected, so that typing or pasting replaces it."""
        self._turn_to("list")
        self.list_page.editor.selectAll()

    def _turn_to(self, page: Page, adding: ContestResult | None = None) -> None:
        """Show the desk, or the list page for a new list or for jokes to add to the one of ``adding``."""
        self._page, self._adding = page, adding
        self.set_page.back_link.setText("Back to the list" if self._set_is_from_here else "New list")
        if adding is not None:
            self.list_page.set_text("")
        self.draw()
        self.focus_editor()
        self.shown_changed.emit(self.shown_id)

    # Requests

    def run(self) -> None:
        """Have the jokes of the list judged; at the desk, continue a contest that ended early, in its own row and
        without judging anything again."""
        if self.live or self._page == "set":
            return
        if self._page == "desk":
            if self.state.resumable:
                self._go_on({})
            return
        given = self._given()
        if given is None or not self.buttons.run_button.isEnabled():
            return
        self._read_text = self.draft()
        if self._adding is not None:
            added = [(item.text, item.columns) for item in given.jokes]
            again = ContestRequest.going_on(self._adding, added, context=self._adding.context)
            self.state.desk.part = "rest"  # where the new ones will be
            self._ask(again.replaced(**self._effort, notes=self.state.desk.notes))
            return
        # Plain mappings: the worker's thread makes the entries, since a thousand of them take a while.
        entries = [{"id": item.id, "text": item.text, "columns": item.columns} for item in given.jokes]
        seen = self.recorder.seen([item.text for item in given.jokes])
        fields = {"entries": entries, "context": self.context.text(), "title": self.list_page.name(), "seen": seen}
        self.asked.emit({**fields, **self._effort, "notes": Notes()})

    def undo_here(self) -> bool:
        earlier = self.changes.index() <= self.desk.chosen_at
        return self._page == "desk" and earlier and self.desk.undo_choice()

    @property
    def _effort(self) -> dict[str, object]:
        """The fields of a request for the chosen numbers of rounds and duels."""
        chosen = self._settings
        return {"top": chosen.contest_top, "budget": chosen.contest_duels, "shuffled": chosen.contest_rounds}

    def _go_on(self, fields: Mapping[str, object]) -> None:
        result = self.state.marked()
        if result is not None and self._can_run:
            again = ContestRequest.going_on(result, continues=None if self._gone else self.state.id)
            self._ask(again.replaced(**fields, notes=self.state.desk.notes))

    def _ask(self, request: ContestRequest) -> None:
        fields = dict(request)
        # The settings decide these, as for every verdict requested here.
        self.asked.emit({name: fields[name] for name in fields if name not in ("mode", "seed", "explain", "ask")})

    @property
    def _can_run(self) -> bool:
        return not self.live and self._model_error is None

    # Events

    def expect(self, fields: Mapping[str, object]) -> None:
        self._expected = fields

    def begin(self, job: Job, *texts: str) -> None:
        self.recorder.write_soon()
        fields, self._expected = self._expected, {}
        entries, notes = fields.get("entries"), fields.get("notes")
        count = len(entries) if isinstance(entries, Sequence) else 0
        state = ContestState("waiting", title=str(fields.get("title", "")), count=count)
        if self.state.desk.notes is notes:  # what was judged of it stays in view
            state.desk, state.result = self.state.desk, self.state.result
        elif isinstance(notes, Notes):
            # The judge's own object: with each reading it stores the notes made meanwhile.
            state.desk = Desk(notes=notes)
        self._adding, self._page = None, "desk"
        self._begin(job, state)
        self.focus_editor()

    def handle(self, job: Job, event: object) -> None:
        live = self._live
        if isinstance(live, ContestState) and job is self.job and isinstance(event, StageProgress):
            # One for each joke or duel, thousands of them: the clock draws the progress.
            live.apply(event)
            return
        super().handle(job, event)
        if isinstance(live, ContestState) and not live.live:
            self._tell_end(live)
            if live.result is not getattr(event, "result", None):
                # The notes may have changed while the result was being written.
                self.recorder.touch(live)

    def _tell_end(self, state: ContestState) -> None:
        """Tell the end of a contest whose end nobody may be watching."""
        show_progress(self.window(), 0, 0)
        if state.phase == "finished" and not watched(self):
            self.notice.emit(f"{state.heading}: judged.")

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored contest; a running one goes on in the background."""
        self.recorder.write_soon()
        self._page, self._adding = "desk", None
        super().open(entry)

    def keep(self) -> None:
        self.recorder.write_now()

    def keep_soon(self) -> int:
        return self.recorder.write_soon()

    def stop(self) -> None:
        """Leave the search or the final duels; otherwise request that the running contest stops."""
        if self._page == "set":
            self.set_page.stop()
        elif self._page != "desk" or not self.desk.leave():
            super().stop()

    # Drawing

    def _update_buttons(self) -> None:
        given = self.list_page.list
        some = given is not None and bool(given.jokes)
        self.buttons.run_button.setEnabled(some and self._can_run)
        self.list_page.set_link.setVisible(some and self._adding is None)

    def _draw(self) -> None:
        state, page = self.state, self.list_page
        self.pages.setCurrentWidget(self.places[self._page])
        self._update_buttons()
        page.back_link.setVisible(state.phase != "empty")
        added = self._adding
        page.show_adding(added.title or jokes(len(added.entries)) if added is not None else None)
        self.context.setVisible(added is None and bool(self.context.text()))
        self.context.link.setVisible(added is None and not self.context.text())
        page.show_missing(self._model_error)
        self._show_end(state)
        self._show_warnings(state.result.warnings if state.result is not None else ())
        if self._page == "desk":
            self.desk.show_state(state, can_run=self._can_run, gone=self._gone)

    def _show_end(self, state: ContestState) -> None:
        """Show why there is nothing to see, or only a part."""
        self.failed.setVisible(state.phase == "failed")
        self.desk.strip.setVisible(state.phase != "failed" or self._room == "wide")  # the joke needs the room
        if state.phase == "failed":
            self._show_failure("The contest failed.")
        self.stopped.setVisible(not state.usable and state.phase in ("stopped", "interrupted", "finished"))
        how = {"finished": "Nothing could be judged.", "stopped": "Stopped before anything was judged."}
        again = "Go on with it whenever you like." if state.resumable else "Begin again with a new list."
        self.stopped.set_message(again, how.get(state.phase, "Cut off before anything was judged."))

    def _tick(self) -> None:
        if self.state is self._live:
            self.desk.show_progress()
        if isinstance(self._live, ContestState) and self._live.total:
            show_progress(self.window(), self._live.done, self._live.total)
