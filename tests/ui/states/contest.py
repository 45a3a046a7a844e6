"""States of the Contest tab: the list and the desk."""

from __future__ import annotations

from collections.abc import Callable

import canned
import canned_profile
from contest_driving import JOKES, contest, long_list, tab_of

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Interim, Stage, StageProgress, StageStarted, Started
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.judge.contest.record import NOTHING, ContestResult, EntryNote, RankedEntry
from jokejudge_gui.ui.contest.tab import ContestTab
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow
from states.frame import lose_model

Act = Callable[[MainWindow], None]
Then = Callable[[ContestTab], object]
NO_DUELS: dict[str, object] = {"held": ()}


def contest_list(*texts: str, form: str = "numbered") -> Act:
    """A list on its page."""

    def act(window: MainWindow) -> None:
        lines = [f"{number}. {text}" if form == "numbered" else text for number, text in enumerate(texts, start=1)]
        window.show_tab("contest")
        tab_of(window).take_list("\n".join(lines))

    return act


def opened(window: MainWindow, result: ContestResult, status: Status = Status.FINISHED) -> ContestTab:
    """The tab with a contest that the history holds, so that what is said of its jokes can be kept."""
    window.show_tab("contest")
    canned_profile.record(window.session.store, result, status)
    tab = tab_of(window)
    tab.open(canned.entry(result, status))
    return tab


def contest_open(status: Status = Status.FINISHED, then: Then | None = None, **changes: object) -> Act:
    """The nine jokes, and what is done with them ``then``."""

    def act(window: MainWindow) -> None:
        tab = opened(window, contest(**changes), status)
        if then is not None:
            then(tab)

    return act


def desk(part: str = "rest", read: int = 37, then: Then | None = None) -> Act:
    """A list of 200 of which some were read, and what is done with it ``then``."""

    def act(window: MainWindow) -> None:
        tab = opened(window, long_list())
        marks = ("keep", "bin", "later", "bin", "bin")
        for at, entry in enumerate(tab.state.desk.rows("rest")[:read]):
            put_off = at % 5 == 2 and not 30 < at < read < 200
            tab.state.desk.notes[entry.id] = EntryNote(None if put_off else marks[at % 5], read=True)  # type: ignore[arg-type]
        tab.desk.show_part(part)  # type: ignore[arg-type]
        if then is not None:
            then(tab)

    return act


def desk_long(window: MainWindow) -> None:
    text = " ".join(["The tailor asked how I wanted the trousers, and I said finished, as before, but this year."] * 40)
    first = contest().entries[0].replaced(text=text, user=NOTHING)
    opened(window, contest(entries=(first, *contest().entries[1:])))


def add_two(tab: ContestTab) -> None:
    tab.desk.strip.add_button.clicked.emit()
    tab.list_page.set_text("One more.\nAnd another.")


def contest_running(window: MainWindow) -> None:
    window.show_tab("contest")
    tab, job = tab_of(window), Job("contest", lambda _token: ())
    tab.expect({"title": "Friday set", "entries": tuple({"text": text} for text in JOKES)})
    tab.begin(job)
    for event in (
        Started(id="c1", kind="contest"),
        StageStarted(stage=Stage.READING, total=9),
        Interim(result=contest(entries=contest().entries[:5], **NO_DUELS)),
        StageProgress(stage=Stage.READING, done=5, total=9, note="Reading the jokes"),
    ):
        tab.handle(job, event)


def contest_missing(window: MainWindow) -> None:
    contest_list(*JOKES)(window)
    lose_model(window)


def final(tab: ContestTab) -> None:
    """The third choice of the final duels."""
    tab.desk.begin_final()
    for first in (True, False):
        tab.desk.choose(first)


DIRTY = "\n".join(
    ["Sure! Here are 200 jokes:", *(f"{n}) {text}" for n, text in enumerate(JOKES, 1)), f"- “{JOKES[0]}”",
     "I'm sorry, but I can't joke about that.", "Let me know if you'd like more!"]
)  # fmt: skip


WAITING = tuple(RankedEntry(id=str(number), text=text) for number, text in enumerate(JOKES[5:], start=6))
FULL = ErrorInfo(code="E_FULL", sentence="The disk is full.", hint="Make room, then go on.")
STATES: dict[str, Callable[[MainWindow], object]] = {
    "contest_empty": contest_list(form="lines"),
    "contest_list": contest_list(*JOKES, JOKES[0], "  "),
    "contest_dirty": contest_list(DIRTY, form="lines"),
    "contest_running": contest_running,
    "contest_finished": contest_open(),
    "contest_stopped": contest_open(Status.CANCELLED, entries=(*contest().entries[:5], *WAITING), **NO_DUELS),
    "contest_cut_off": contest_open(Status.INTERRUPTED, entries=(), **NO_DUELS),
    "contest_failed": contest_open(Status.FAILED, error=FULL),
    "contest_order": contest_open(then=lambda tab: tab.desk.show_order()),
    "contest_adding": contest_open(then=add_two),
    "contest_missing": contest_missing,
    "desk_read": desk(),
    "desk_cut": desk(then=lambda tab: tab.desk.strip.cut_button.click()),
    "desk_out": desk("out"),
    "desk_twins": desk("twins"),
    "desk_twin": desk(read=0, then=lambda tab: tab.desk.go_to(tab.state.desk.rows("twins")[0].id)),
    "desk_end": desk(read=200),
    "desk_blind": desk(read=0, then=lambda tab: tab.desk.toggle_blind()),
    "desk_long": desk_long,
    "desk_menu": desk(then=lambda tab: tab.desk.strip.more_button.click()),
    "desk_kept": desk("kept"),
    "desk_final": desk(then=final),
}
