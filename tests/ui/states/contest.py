"""States of the Contest tab, without screening."""

from __future__ import annotations

from collections.abc import Callable

import canned
from contest_driving import JOKES, contest, tab_of

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Stage, StageProgress, StageStarted, Started
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.judge.contest.scoring import ContestRanked
from jokejudge_gui.judge.contest.types import EntryNote, RankedEntry
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow
from states.frame import lose_model


def contest_list(*texts: str, form: str = "numbered") -> Callable[[MainWindow], None]:
    """A list on its page."""

    def act(window: MainWindow) -> None:
        lines = [f"{number}. {text}" if form == "numbered" else text for number, text in enumerate(texts, start=1)]
        window.show_tab("contest")
        tab_of(window).list_page.set_text("\n".join(lines))

    return act


def contest_open(status: Status = Status.FINISHED, **changes: object) -> Callable[[MainWindow], None]:
    def act(window: MainWindow) -> None:
        window.show_tab("contest")
        tab_of(window).open(canned.entry(contest(**changes), status))
        tab_of(window).ranking.view.select_row(1)

    return act


def contest_running(window: MainWindow) -> None:
    window.show_tab("contest")
    tab, job = tab_of(window), Job("contest", lambda _token: ())
    half = contest().entries[:5]
    tab.expect({"title": "Friday set", "entries": tuple({"text": text} for text in JOKES)})
    tab.begin(job)
    for event in (
        Started(id="c1", kind="contest"),
        StageStarted(stage=Stage.READING, total=9),
        ContestRanked(result=contest(entries=half, held=(), decisive=())),
        StageProgress(stage=Stage.READING, done=5, total=9, note="Reading the jokes"),
    ):
        tab.handle(job, event)


def contest_stopped(window: MainWindow) -> None:
    read = contest().entries[:5]
    waiting = [RankedEntry(id=str(number), text=text) for number, text in enumerate(JOKES[5:], start=6)]
    contest_open(Status.CANCELLED, entries=(*read, *waiting), held=(), decisive=())(window)


def contest_adding(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).ranking.add_button.click()
    tab_of(window).list_page.set_text("One more.\nAnd another.")


def contest_editing(window: MainWindow) -> None:
    contest_list(*JOKES)(window)
    view = tab_of(window).list_page.view
    view.setCurrentIndex(view.model().index(1, 0))
    view.edit_current()


def contest_missing(window: MainWindow) -> None:
    contest_list(*JOKES)(window)
    lose_model(window)


def contest_kept(window: MainWindow) -> None:
    """Two are kept, one of them tagged and voted on, and only those are shown."""
    contest_open()(window)
    tab = tab_of(window)
    tab.state.notes["1"] = EntryNote("keep", tags=("opener", "short"))
    tab.state.votes = {JOKES[0]: "up", JOKES[1]: "down"}
    tab.ranking.show_part("kept")


def contest_blind(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).ranking.view.blind_asked.emit()


def contest_tagging(window: MainWindow) -> None:
    contest_open()(window)
    tab_of(window).ranking.view.tag_asked.emit()


def contest_rewriting(window: MainWindow) -> None:
    contest_open()(window)
    view = tab_of(window).ranking.view
    view.version_asked.emit(view.chosen()[0])


def contest_rewritten(window: MainWindow) -> None:
    contest_open()(window)
    tab = tab_of(window)
    tab.ranking_actions.add_version(tab.ranking.view.chosen()[0], "If smoking is bad, why does it cure salmon?")


def contest_exported(window: MainWindow) -> None:
    contest_open()(window)
    window.notices.say("info", "Exported 2 jokes to shortlist.txt.")


def contest_failed(window: MainWindow) -> None:
    error = ErrorInfo(code="E_FULL", sentence="The disk is full.", hint="Make room, then go on.")
    contest_open(Status.FAILED, error=error)(window)


STATES: dict[str, Callable[[MainWindow], object]] = {
    "contest_empty": lambda window: window.show_tab("contest"),
    "contest_list": contest_list(*JOKES, JOKES[0], "  "),
    "contest_broken": contest_list('{"text": "One."}', "{", form="lines"),
    "contest_editing": contest_editing,
    "contest_running": contest_running,
    "contest_finished": contest_open(),
    "contest_stopped": contest_stopped,
    "contest_cut_off": contest_open(Status.INTERRUPTED, entries=(), held=(), decisive=()),
    "contest_failed": contest_failed,
    "contest_kept": contest_kept,
    "contest_blind": contest_blind,
    "contest_tagging": contest_tagging,
    "contest_rewriting": contest_rewriting,
    "contest_rewritten": contest_rewritten,
    "contest_exported": contest_exported,
    "contest_adding": contest_adding,
    "contest_missing": contest_missing,
}  # fmt: skip
