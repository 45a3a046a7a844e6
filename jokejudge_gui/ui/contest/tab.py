"""The Contest tab: a list of jokes, and the ranking that comes of it; live or from the history."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QStackedWidget, QWidget

from ...batch.screening import OwnScoreFiles
from ...core.config import Settings
from ...history.query import HistoryEntry, HistoryRow
from ...history.store import HistoryStore
from ...judge.contest.kind import CONTEST
from ...judge.contest.types import ContestRequest, ContestResult, Notes
from ...judge.contest.words import jokes
from ..judge_worker import Job, JudgeWorker
from ..look.theme import Room, px
from ..verdict.tab import VerdictTab
from ..votes import TasteLine, VoteCard
from ..widgets.layout import ColumnScroll, VBox
from .list_page import ListPage, list_file
from .marking import RankingActions
from .ranking_page import BlindPage, RankingPage
from .screener import Screener
from .screening_page import ScreeningPage
from .state import COUNTED, ContestRecorder, ContestState, state_of_fields

Page = Literal["list", "ranking", "blind", "screening"]


class ContestTab(VerdictTab):
    """A list in, its ranking out."""

    kind = CONTEST
    takes_lists = True
    exports_itself = True
    state: ContestState

    def __init__(
        self,
        store: HistoryStore,
        side_worker: JudgeWorker,
        scores: OwnScoreFiles,
        settings: Settings | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("Rank", "", parent)
        self.state = ContestState()
        self._page: Page = "list"
        self._adding: ContestResult | None = None
        self._ranked_text: tuple[str, ...] = ()
        self._expected: Mapping[str, object] = {}
        self.recorder = ContestRecorder(store, side_worker, self)
        self.recorder.failed.connect(self.trouble)
        self.recorder.seen.connect(self._on_seen)
        self.recorder.kept.connect(self._on_tags)
        self.recorder.voted.connect(lambda _state: self.votes_changed.emit())
        # A contest isn't voted on: its jokes are, as ratings and duels.
        self.vote, self.taste_line = VoteCard(self.kind, self), TasteLine(self)
        self.result_column.setParent(self)
        self.result_column.hide()

        self.list_page = ListPage(self.context, self.buttons, settings or Settings(), side_worker)
        self.list_page.effort.changed.connect(self.settled)
        self.list_page.edited.connect(self._on_edited)
        self.list_page.read.connect(self._update_buttons)
        self.list_page.back_asked.connect(lambda: self._turn_to("ranking"))
        self.list_page.fresh_asked.connect(lambda: self._add_to(None))
        self.list_page.failed.connect(self.trouble)
        self.list_page.failed_card.acted.connect(self.library_asked)
        self.ranking = RankingPage([self.warning, self.failed, self.stopped], [self.note, self.usage])
        self.trust_line = self.ranking.trust_line
        self.ranking.stop_asked.connect(self.stop)
        self.ranking.list_asked.connect(self.new_list)
        self.ranking.add_asked.connect(lambda: self._add_to(self.state.marked()))
        self.ranking.go_on_asked.connect(self.go_on)
        self.blind = BlindPage()
        self.blind.back_asked.connect(lambda: self._turn_to("ranking"))
        self.ranking_actions = RankingActions(self.ranking, self.blind, self.recorder, self)
        self.ranking_actions.blind_asked.connect(lambda: self._turn_to("blind"))
        self.ranking_actions.changed.connect(self.draw)
        self.bar.export_asked.connect(lambda: self.ranking_actions.export(kept_only=False))
        self.screening = ScreeningPage()
        self.screener = Screener(self.screening, self.recorder, side_worker, scores, self)
        self.ranking.screen_asked.connect(self.show_screening)
        self.screening.back_asked.connect(lambda: self._turn_to("ranking"))

        # Each fills the tab; where there is little room it scrolls.
        self.columns: dict[Page, ColumnScroll] = {
            "list": ColumnScroll(self.list_page),
            "ranking": ColumnScroll(self.ranking),
            "blind": ColumnScroll(self.blind),
            "screening": ColumnScroll(self.screening),
        }
        self.pages = QStackedWidget()
        for column in self.columns.values():
            self.pages.addWidget(column)
        self._outer = VBox((self.pages, 1), self._foot, parent=self)
        self.setAcceptDrops(True)
        self.set_room("wide", px(24))
        self.draw()

    def _result_cards(self) -> list[QWidget]:
        return []

    def _answers(self) -> tuple[QWidget, ...]:
        return ()

    def _follow(self) -> None:
        """Both pages fill the tab; there is no column to scroll."""

    # Room

    def set_room(self, room: Room, margin: int) -> None:
        """``margin`` is the window's at the right, in pixels."""
        self._room = room
        gutter = px(12)
        self._outer.setContentsMargins(0, 0, max(0, margin - gutter), 0)
        self._foot.setContentsMargins(0, 0, gutter, 0)
        self._outer.setSpacing(0)
        self.bar.set_compact(room == "narrow")
        self.list_page.set_room(room)
        self.blind.set_room(room)
        self.ranking.set_room(room)
        self.screening.set_room(room)

    def tab_order(self) -> list[QWidget]:
        """Controls in the order of the Tab key."""
        page, ranking = self.list_page, self.ranking
        order: list[QWidget] = [page.adding.button, page.editor, self.context.line, self.context.close_button]
        order += [*page.effort.buttons, self.buttons.run_button, self.buttons.stop_button]
        order += [self.context.link, page.back_link, page.open_link]
        order += [page.failed_card.button, page.welcome.button, page.form_link, page.view]
        order += [self.warning.button, self.failed.button, *ranking.buttons, *ranking.chips.values()]
        order += [ranking.view, ranking.trust_line.link, *self.blind.controls(), *self.screening.controls]
        return order + self._bar_order()

    @property
    def page(self) -> Page:
        """Which page is shown."""
        return self._page

    def focus_editor(self) -> None:
        if self._page == "blind":
            self.blind.focus()
        elif self._page == "screening":
            self.screening.focus_first()
        else:
            (self.list_page.editor if self._page == "list" else self.ranking.view).setFocus()

    # The list

    def texts(self) -> tuple[str, ...]:
        return (self.list_page.text(),)

    def set_texts(self, *texts: str) -> None:
        self.list_page.set_text(texts[0] if texts else "")

    @property
    def kept(self) -> bool:
        return self.draft() == self._ranked_text

    @property
    def stale(self) -> bool:
        """A ranking is on a page of its own, beside what is typed for the next."""
        return False

    def take_list(self, text: str) -> None:
        """Show a list on the list's page, ready to be ranked."""
        self._add_to(None)
        self.list_page.set_text(text)
        self.focus_editor()

    def new_list(self) -> None:
        """Show the list's page; what stands there is selected, so that typing or pasting takes its place."""
        self._add_to(None)
        self.list_page.editor.selectAll()

    def _add_to(self, result: ContestResult | None) -> None:
        """Show the list's page: for jokes that are to be added to a ranking, or (None) for a list of its own."""
        self._adding, self._page = result, "list"
        if result is not None:
            self.list_page.set_text("")
        self.draw()
        self.focus_editor()

    def show_screening(self) -> None:
        """Show what people needn't see of the ranked list, and let them vote on the rest."""
        self.screener.show_state(self.state)
        self._turn_to("screening")

    def _turn_to(self, page: Page) -> None:
        self._page, self._adding = page, None
        self.draw()
        self.focus_editor()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if not self.live and list_file(event.mimeData()) is not None:
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        path = list_file(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            if self._page != "list":
                self._add_to(None)
            self.list_page.open_file(path)

    # What is asked for

    def run(self) -> None:
        """Rank what was found in the list; on the ranking's page, go on with it."""
        if self.live or self._page in ("screening", "blind"):
            return
        if self._page == "ranking":
            self.go_on()
            return
        self.list_page.read_now()
        found = self.list_page.found
        if found is None or not self.buttons.run_button.isEnabled():
            return
        self._ranked_text = self.draft()
        if self._adding is not None:
            added, columns = [item.text for item in found.jokes], [item.fields for item in found.jokes]
            again = ContestRequest.going_on(self._adding, added, columns=columns, context=self._adding.context)
            self._ask(again.replaced(**self.list_page.effort.fields()))
            return
        fields = {"entries": found.entries(), "context": self.context.text(), "title": self.list_page.name()}
        self.asked.emit({**fields, **self.list_page.effort.fields(), "notes": Notes()})

    def go_on(self) -> None:
        """Take up a contest that was stopped or cut off, in its own row; what was read isn't read again."""
        result = self.state.marked()
        if result is not None and self.state.resumable and self._can_run:
            self._ask(ContestRequest.going_on(result, continues=None if self._gone else self.state.id))

    def _ask(self, request: ContestRequest) -> None:
        fields = dict(request)
        # How it is judged is said by the settings, as for every verdict that is asked for here.
        self.asked.emit({name: fields[name] for name in fields if name not in ("mode", "seed", "explain", "ask")})

    @property
    def _can_run(self) -> bool:
        return not self.live and self._model_error is None

    # What happens

    def expect(self, fields: Mapping[str, object]) -> None:
        self._expected = fields

    def begin(self, job: Job, *texts: str) -> None:
        self.recorder.write_now()
        (state, found), self._expected = state_of_fields(self._expected), {}
        self._adding, self._page = None, "ranking"
        self._begin(job, state)
        self.focus_editor()
        self.recorder.look_for(state, found, None)

    def handle(self, job: Job, event: object) -> None:
        live = self._live
        if isinstance(live, ContestState) and job is self._job and isinstance(event, COUNTED):
            # There are thousands; the clock draws how far it has come.
            live.apply(event)
            return
        super().handle(job, event)
        if isinstance(live, ContestState) and not live.live and live.result is not getattr(event, "result", None):
            # Something was said while the last of it was being written.
            self.recorder.touch(live)

    def open(self, entry: HistoryEntry) -> None:
        """Show a stored contest; a running one goes on behind it."""
        self.recorder.write_now()
        if self._live is not None and entry.row.id == self._live.id:
            self.state, self._opened = self._live, False  # type: ignore[assignment]
        else:
            self.state, self._opened = ContestState().load(entry), True
            self.recorder.look_for(self.state, [each.text for each in self.state.entries], entry.row.id)
        self._page, self._adding = "ranking", None
        self.set_marks(entry.row)
        self.draw()

    def stored(self, entry: HistoryEntry) -> ContestState:
        return ContestState().load(entry)

    def keep(self) -> None:
        self.recorder.write_now()

    def _on_seen(self, state: ContestState) -> None:
        if state is self.state:
            self.draw()

    def _on_tags(self, row: HistoryRow) -> None:
        if row.id == self.state.id:
            self.set_marks(row)

    def stop(self) -> None:
        """Leave the blind choices or the screening; else ask for the running contest to be stopped."""
        if self._page == "screening":
            self.screener.leave()
        elif self._page == "blind":
            self._turn_to("ranking")
        else:
            super().stop()

    # Drawing

    def draw(self) -> None:
        """Draw the state. If what had the keyboard goes away with it, the keyboard stays in the tab."""
        holder = QApplication.focusWidget()
        inside = holder is not None and self.isAncestorOf(holder)
        turned = self.pages.currentWidget() is not self.columns[self._page]
        self._draw()
        gone = holder is not None and not (holder.isVisibleTo(self) and holder.isEnabledTo(self))
        if inside and (turned or gone):
            self.focus_editor()

    def _on_edited(self) -> None:
        self.edited.emit()

    def _update_buttons(self) -> None:
        found = self.list_page.found
        some = found is not None and bool(found.jokes)
        self.buttons.run_button.setEnabled(some and self._can_run)
        self.list_page.welcome.setVisible(found is None and self._model_error is None and not self._has_problem)
        self.list_page.reading.setVisible(found is not None)

    @property
    def _has_problem(self) -> bool:
        return not self.list_page.problem.isHidden()

    def _draw(self) -> None:
        state, page = self.state, self.list_page
        self.pages.setCurrentWidget(self.columns[self._page])
        self._update_buttons()
        page.back_link.setVisible(state.phase != "empty")
        added = self._adding
        page.show_adding(added.title or jokes(len(added.entries)) if added is not None else None)
        self.context.setVisible(added is None and bool(self.context.text()))
        self.context.link.setVisible(added is None and not self.context.text())
        page.show_missing(self._model_error)
        self.ranking_actions.state = state
        self.ranking.show_state(state, can_run=self._can_run)
        self._show_end(state)
        self._show_warnings(state.result.warnings if state.result is not None else ())
        self._finish_drawing()

    def _show_end(self, state: ContestState) -> None:
        """Say why there is no ranking, or why it is a part."""
        self.failed.setVisible(state.phase == "failed")
        if state.phase == "failed":
            self._show_failure("The contest failed.")
        unranked = state.unranked()
        self.stopped.setVisible(unranked is not None)
        if unranked is not None:
            self.stopped.set_message(*unranked)

    def _show_age(self) -> None:
        ended = not self.state.live and self.state.id is not None
        self.bar.setVisible(self._page == "ranking" and ended and not self._gone)
        self.stale_line.hide()

    def _tick(self) -> None:
        if self.state is self._live:
            self.ranking.show_progress(self.state)

    def _as_judged(self) -> bool:
        return self.kept
