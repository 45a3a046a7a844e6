"""How a rating ends in the Rate tab, and how a stored one is opened there."""

from __future__ import annotations

import canned
import pytest
from canned import scored, tell
from driving import Open, rate
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import (
    Cancelled,
    CheckDone,
    Failed,
    Finished,
    ScoresDone,
    Stage,
    StageFinished,
    StageStarted,
    Started,
)
from jokejudge_gui.core.verdicts import Sense, Status
from jokejudge_gui.judge.rating.reading_judge import NO_TURN
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.tab import RateTab
from jokejudge_gui.ui.widgets.text import Heading, Paragraph

EXAMPLES = ("First.", "Second.", "Third.", "Fourth.")


@pytest.fixture
def tab(qtbot: QtBot) -> RateTab:
    made = RateTab(EXAMPLES)
    qtbot.addWidget(made)
    made.resize(1000, 800)
    made.show()
    return made


def job() -> Job:
    return Job("rate", lambda _token: ())


def play(tab: RateTab, events: list[object]) -> Job:
    running = job()
    tab.begin(running, canned.PARALLEL)
    tell(tab, running, *events)
    return running


def test_a_stopped_rating_keeps_what_was_scored(tab: RateTab) -> None:
    play(tab, [*scored(4), Cancelled(result=None)])
    assert tab.stopped.heading.text() == "Stopped after 4 of 7 factors."
    assert [row.state for row in tab.factors.bars.rows] == ["done"] * 4 + ["waiting"] * 3
    assert tab.stages.list.item("scores").state == "stopped"
    assert tab.factors.isVisible()
    assert tab.buttons.run_button.isEnabled()


def test_a_rating_stopped_while_it_is_explained_keeps_its_verdict(tab: RateTab) -> None:
    result = canned.rating(explanation=None)
    play(
        tab,
        [*scored(7), ScoresDone(result=result), StageStarted(stage=Stage.EXPLANATION), Cancelled(result=result)],
    )
    assert tab.verdict.isVisible()
    assert tab.verdict.writing.text().startswith("Stopped while the explanation")


REJECTED = {
    "admissible": False,
    "rejection": "it shows no intent to amuse",
    "admissibility": canned.checks(("intent",)),
    "categories": (),
    "factors": (),
    "mean_score": None,
    "max_score": None,
    "spread": None,
    "explanation": None,
    "pathway": None,
}


def test_a_rejection_by_reading_counts_the_checks_that_can_tell(tab: RateTab) -> None:
    rejected = canned.rating(**{**REJECTED, "admissibility": canned.read_checks(0.03)})
    tab.open(canned.entry(rejected))
    assert tab.rejected.text.text().startswith("One of the checks that this model can make is below")
    assert [row.passed for row in tab.checks.rows] == [False]


def test_a_rejection_names_the_reason_and_can_be_passed_over(tab: RateTab, qtbot: QtBot) -> None:
    events: list[object] = [Started(id="x", kind="rate"), StageStarted(stage=Stage.ADMISSIBILITY, total=5)]
    events += [CheckDone(check=check) for check in canned.checks(("intent",))]
    events += [StageFinished(stage=Stage.ADMISSIBILITY, seconds=1.0), Finished(result=canned.rating(**REJECTED))]
    play(tab, events)
    assert tab.rejected.isVisible()
    assert tab.rejected.heading.text() == "Not clearly a joke: it shows no intent to amuse."
    assert tab.rejected.text.text() == "One of the five checks is below .10, so nothing was scored."
    assert tab.checks.threshold == pytest.approx(0.1)
    assert [row.passed for row in tab.checks.rows] == [False, True, True, True, True]
    assert tab.stages.list.item("admissibility").state == "failed"
    assert tab.stages.list.item("scores").state == "not run"
    with qtbot.waitSignal(tab.asked) as asked:
        qtbot.mouseClick(tab.rejected.button, Qt.MouseButton.LeftButton)
    assert asked.args == [{"text": canned.PARALLEL, "context": "", "forced": True}]


def test_a_model_without_a_usable_answer_is_said_to_be_one(tab: RateTab, qtbot: QtBot) -> None:
    silent = (canned.factor("Wordplay", None, 0, 0),)
    tab.open(canned.entry(canned.rating(factors=silent, mean_score=None, max_score=None, spread=None)))
    assert tab.stopped.heading.text() == "The model gave no usable answer."
    assert tab.factors.bars.rows[0].score is None
    with qtbot.waitSignal(tab.library_asked):
        tab.stopped.button.click()


def test_an_error_says_what_happened_and_what_to_do(tab: RateTab) -> None:
    error = ErrorInfo(code="E_INPUT_TOO_LONG", sentence="The joke is too long.", hint="Shorten it.")
    play(tab, [Failed(error=error)])
    assert tab.failed.isVisible()
    assert tab.failed.heading.text() == "The joke is too long."
    assert tab.failed.text.text() == "Shorten it."
    assert not tab.failed.button.isVisible()
    assert tab.buttons.run_button.isEnabled()


def test_without_a_model_rate_is_disabled_and_the_library_offered(tab: RateTab, qtbot: QtBot) -> None:
    tab.joke.set_text(canned.PARALLEL)
    tab.set_model_error(ErrorInfo(code="E_MODEL_MISSING", sentence="The model file is missing.", hint="Choose one."))
    assert not tab.buttons.run_button.isEnabled()
    assert tab.failed.heading.text() == "The model file is missing."
    with qtbot.waitSignal(tab.library_asked):
        qtbot.mouseClick(tab.failed.button, Qt.MouseButton.LeftButton)
    tab.set_model_error(None)
    assert tab.buttons.run_button.isEnabled()
    assert tab.welcome.isVisible()


def test_warnings_of_a_verdict_stand_first(tab: RateTab) -> None:
    warning = "This model doesn't separate jokes on 5 of 7 factors: try a larger one."
    tab.open(canned.entry(canned.rating(warnings=(warning,))))
    assert tab.warning.isVisible()
    assert tab.warning.text.text() == warning
    assert tab.warning.y() < tab.verdict.y()


def test_a_stored_rating_looks_as_it_did_when_it_was_made(tab: RateTab) -> None:
    play(tab, [*scored(7), Finished(result=canned.rating())])
    live = (tab.verdict.explanation.text(), tab.usage.text(), list(tab.factors.bars.rows), tab.verdict.gauge.value)
    tab.open(canned.entry(canned.rating()))
    assert (tab.verdict.explanation.text(), tab.usage.text(), tab.factors.bars.rows, tab.verdict.gauge.value) == live
    assert [tab.stages.list.item(key).state for key in tab.stages.list.keys()] == ["done"] * 4  # noqa: SIM118
    assert [tab.stages.list.item(key).seconds.text() for key in canned.SECONDS] == ["2.1 s", "2.7 s", "7.8 s"]
    assert tab.stages.list.item("categories").seconds.text() == ""


def test_a_stored_rating_can_be_read_while_another_runs(tab: RateTab) -> None:
    running = play(tab, scored(2))
    tab.open(canned.entry(canned.rating("other", canned.DOG, 4.1)))
    assert tab.joke.text() == canned.DOG
    assert tab.verdict.gauge.value == pytest.approx(4.1)
    assert tab.live
    assert tab.buttons.stop_button.isVisible()
    tell(tab, running, Finished(result=canned.rating("x")))
    assert tab.verdict.gauge.value == pytest.approx(4.1)
    assert not tab.shows_job(running)
    assert tab.buttons.run_button.isVisible()


def test_the_running_one_can_be_come_back_to(tab: RateTab) -> None:
    play(tab, scored(2))
    tab.open(canned.entry(canned.rating("other")))
    tab.open(canned.entry(canned.rating("x"), Status.RUNNING))
    assert tab.verdict.heading.text() == "Scoring the factors"
    assert tab.state.live


@pytest.mark.parametrize(
    ("status", "heading"),
    [
        (Status.CANCELLED, "Stopped after 2 factors."),
        (Status.INTERRUPTED, "This rating was cut off."),
        (Status.FAILED, "The rating failed."),
    ],
)
def test_a_stored_rating_without_a_verdict_says_how_it_ended(tab: RateTab, status: Status, heading: str) -> None:
    part = canned.rating(
        factors=canned.FACTORS[:2], mean_score=None, max_score=None, spread=None, explanation=None,
        stage_seconds={"admissibility": 1.0, "factors": 1.0},
    )  # fmt: skip
    tab.open(canned.entry(part, status))
    card = tab.failed if status is Status.FAILED else tab.stopped
    assert card.isVisible()
    assert card.heading.text() == heading
    assert len(tab.factors.bars.rows) == 2


def test_a_stored_rating_without_any_result_can_be_opened(tab: RateTab) -> None:
    entry = canned.entry(canned.rating()).model_copy(update={"result": None})
    row = entry.row.model_copy(update={"status": Status.INTERRUPTED, "mean_score": None})
    tab.open(entry.model_copy(update={"row": row}))
    assert tab.stopped.heading.text() == "This rating was cut off."
    assert not tab.factors.isVisible()


def test_your_average_stands_beside_scores_once_there_are_other_jokes(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    bars = window.by_kind["rate"].factors.bars
    said = []
    for number in range(6):
        rate(qtbot, window, f"{canned.PARALLEL} Number {number}.")
        assert " of 5" in bars.accessibleDescription()
        said.append("your average" in bars.accessibleDescription())
    assert said == [False] * 5 + [True]


def test_a_text_in_which_nothing_turns_says_so_and_claims_nothing_else(tab: RateTab) -> None:
    text = "The council will meet on Tuesday to discuss the new parking rules."
    result = canned.read_rating().replaced(
        text=text, audience=None, factors=(), categories=(), faults=(), turn=None, note=None, mean_score=None,
        explanation=NO_TURN, sense=Sense(joke=0.1, whole=0.6, said="no turn"),
    )  # fmt: skip
    play(tab, [Started(id=result.id, kind="rating"), ScoresDone(result=result), Finished(result=result)])
    parts = {*tab.verdict.findChildren(Heading), *tab.verdict.findChildren(Paragraph)}
    shown = [part.text() for part in parts if part.isVisible()]
    assert [part for part in shown if NO_TURN in part] == [NO_TURN]
    assert not any("Nothing was learned" in part for part in shown)
    assert not tab.factors.isVisible()
