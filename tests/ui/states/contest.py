"""States of the Contest tab: the list, and the desk; without screening."""

from __future__ import annotations

from collections.abc import Callable

import canned
import canned_profile
from contest_driving import JOKES, contest, long_list, press, tab_of
from PySide6.QtCore import Qt

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Interim, Stage, StageProgress, StageStarted, Started
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.query import HistoryEntry
from jokejudge_gui.judge.contest.notes import NOTHING, EntryNote
from jokejudge_gui.judge.contest.record import ContestResult, RankedEntry
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow
from states.frame import lose_model


def contest_list(*texts: str, form: str = "numbered") -> Callable[[MainWindow], None]:
    """A list on its page."""

    def act(window: MainWindow) -> None:
        lines = [f"{number}. {text}" if form == "numbered" else text for number, text in enumerate(texts, start=1)]
        window.show_tab("contest")
        tab_of(window).take_list("\n".join(lines))

    return act


def stored(window: MainWindow, result: ContestResult, status: Status = Status.FINISHED) -> HistoryEntry:
    """A contest that the history holds, so that what is said of its jokes can be kept."""
    canned_profile.record(window.session.store, result, status)
    return canned.entry(result, status)


def contest_open(status: Status = Status.FINISHED, **changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        tab_of(window).open(stored(window, contest(**changes), status))

    return act


def desk(part: str = "read", read: int = 37) -> Callable[[MainWindow], None]:
    """A list of 200 of which some were read."""

    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        tab = tab_of(window)
        tab.open(stored(window, long_list()))
        marks = ("keep", "bin", "later", "bin", "bin")
        for at, entry in enumerate(tab.state.desk.rows("read")[:read]):
            put_off = at % 5 == 2 and not 30 < at < read < 200
            tab.state.notes[entry.id] = EntryNote(None if put_off else marks[at % 5], read=True)  # type: ignore[arg-type]
        tab.desk.show_part(part)  # type: ignore[arg-type]

    return act


def desk_twin(window: MainWindow) -> None:
    desk(read=0)(window)
    tab = tab_of(window)
    tab.desk.go_to(tab.state.desk.rows("twins")[0].id)


def desk_folded_out(window: MainWindow) -> None:
    desk("twins")(window)
    press(tab_of(window), Qt.Key.Key_Right)


def desk_blind(window: MainWindow) -> None:
    desk(read=0)(window)
    tab_of(window).desk.toggle_blind()


def desk_long(window: MainWindow) -> None:
    window.show_tab("contest")
    text = " ".join(["The tailor asked how I wanted the trousers, and I said finished, as before, but this year."] * 40)
    first = contest().entries[0].replaced(text=text, user=NOTHING)
    tab_of(window).open(stored(window, contest(entries=(first, *contest().entries[1:]))))


def desk_unknown(window: MainWindow) -> None:
    window.show_tab("contest")
    entries = [
        entry.replaced(reading=entry.reading and entry.reading.replaced(agreement=None))
        for entry in long_list().entries
    ]
    tab_of(window).open(stored(window, long_list(entries=tuple(entries))))


def desk_list(window: MainWindow) -> None:
    """The table, where one thing is shown at a time."""
    desk()(window)
    tab_of(window).desk.toggle_table()


def desk_cut(window: MainWindow) -> None:
    desk()(window)
    strip = tab_of(window).desk.strip
    if strip.cut_button.isVisible():
        strip.cut_button.click()
    strip.cut.setFocus()
    strip.cut.setValue(40)


def desk_menu(window: MainWindow) -> None:
    desk()(window)
    tab_of(window).desk.strip.more_button.click()


def desk_search(window: MainWindow) -> None:
    desk()(window)
    tab_of(window).desk.open_search()
    tab_of(window).desk.search.setText("dentist")


def contest_running(window: MainWindow) -> None:
    window.show_tab("contest")
    tab, job = tab_of(window), Job("contest", lambda _token: ())
    half = contest().entries[:5]
    tab.expect({"title": "Friday set", "entries": tuple({"text": text} for text in JOKES)})
    tab.begin(job)
    for event in (
        Started(id="c1", kind="contest"),
        StageStarted(stage=Stage.READING, total=9),
        Interim(result=contest(entries=half, held=(), decisive=())),
        StageProgress(stage=Stage.READING, done=5, total=9, note="Reading the jokes"),
    ):
        tab.handle(job, event)


def contest_stopped(window: MainWindow) -> None:
    read = contest().entries[:5]
    waiting = [RankedEntry(id=str(number), text=text) for number, text in enumerate(JOKES[5:], start=6)]
    contest_open(Status.CANCELLED, entries=(*read, *waiting), held=(), decisive=())(window)


def contest_adding(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).desk.strip.add_button.clicked.emit()
    tab_of(window).list_page.set_text("One more.\nAnd another.")


def contest_missing(window: MainWindow) -> None:
    contest_list(*JOKES)(window)
    lose_model(window)


def contest_tagging(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).desk.ask_tags()


def contest_rewriting(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).desk.ask_version()


def contest_order(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).desk.show_order()


def contest_effort(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).choose_effort()


def contest_exported(window: MainWindow) -> None:
    contest_open()(window)
    window.notices.say("info", "Exported 2 jokes to shortlist.txt.")


def contest_failed(window: MainWindow) -> None:
    error = ErrorInfo(code="E_FULL", sentence="The disk is full.", hint="Make room, then go on.")
    contest_open(Status.FAILED, error=error)(window)


STATES: dict[str, Callable[[MainWindow], object]] = {
    "contest_empty": contest_list(form="lines"),
    "contest_list": contest_list(*JOKES, JOKES[0], "  "),
    "contest_broken": contest_list('{"text": "One."}', "{", form="lines"),
    "contest_running": contest_running,
    "contest_finished": contest_open(),
    "contest_stopped": contest_stopped,
    "contest_cut_off": contest_open(Status.INTERRUPTED, entries=(), held=(), decisive=()),
    "contest_failed": contest_failed,
    "contest_tagging": contest_tagging,
    "contest_rewriting": contest_rewriting,
    "contest_order": contest_order,
    "contest_effort": contest_effort,
    "contest_exported": contest_exported,
    "contest_adding": contest_adding,
    "contest_missing": contest_missing,
    "desk_read": desk(),
    "desk_out": desk("out"),
    "desk_twins": desk_folded_out,
    "desk_twin": desk_twin,
    "desk_end": desk(read=200),
    "desk_blind": desk_blind,
    "desk_long": desk_long,
    "desk_unknown": desk_unknown,
    "desk_list": desk_list,
    "desk_cut": desk_cut,
    "desk_menu": desk_menu,
    "desk_search": desk_search,
}
