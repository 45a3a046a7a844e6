"""The Duel tab's states."""

from __future__ import annotations

from collections.abc import Iterator

import canned
import canned_profile
import pytest
from canned import tell
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import (
    Cancelled,
    DuelMeasured,
    Failed,
    Finished,
    OrderDone,
    Stage,
    StageStarted,
    Started,
    TextPiece,
)
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.duel.tab import DuelTab
from jokejudge_gui.ui.judge_worker import Job

# Of the offscreen platform, which has no window manager.
pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def tab(qtbot: QtBot, profile: Profile) -> Iterator[DuelTab]:
    canned_profile.fill_history(profile)
    store = HistoryStore(profile.database, KINDS)
    made = DuelTab(store)
    qtbot.addWidget(made)
    made.resize(1060, 900)
    made.show()
    yield made
    store.close()


def play(tab: DuelTab, events: list[object]) -> Job:
    running = Job("duel", lambda _token: ())
    tab.begin(running, canned.PARALLEL, canned.GRAVITY)
    tell(tab, running, *events)
    return running


def test_an_empty_duel_shows_the_scale_and_waits_for_two_jokes(tab: DuelTab) -> None:
    assert tab.empty.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    assert not tab.swap_button.isEnabled()
    tab.set_texts("One.", "")
    assert not tab.buttons.run_button.isEnabled()
    tab.set_texts("One.", "Two.")
    assert tab.buttons.run_button.isEnabled()


def test_duel_asks_with_both_texts(tab: DuelTab, qtbot: QtBot) -> None:
    tab.set_texts("One.", "Two.")
    with qtbot.waitSignal(tab.asked) as asked:
        qtbot.mouseClick(tab.buttons.run_button, Qt.MouseButton.LeftButton)
    assert asked.args == [{"text_a": "One.", "text_b": "Two.", "context": ""}]


@pytest.mark.parametrize("second", ["Same.", " Same.\n"])
def test_identical_jokes_get_a_sentence_and_no_duel(tab: DuelTab, second: str) -> None:
    tab.set_texts("Same.", second)
    assert tab.same.isVisible()
    assert not tab.empty.isVisible()
    assert not tab.buttons.run_button.isEnabled()
    tab.jokes[1].set_text("Another.")
    assert not tab.same.isVisible()
    assert tab.empty.isVisible()
    assert tab.buttons.run_button.isEnabled()


def test_swap_exchanges_the_jokes(tab: DuelTab) -> None:
    tab.set_texts("One.", "Two.")
    tab.swap_button.click()
    assert tab.texts() == ("Two.", "One.")


@pytest.mark.parametrize("changes", [{}, canned.VERSIONS, canned.INCONSISTENT])
def test_swap_turns_the_verdict_over_with_its_jokes(tab: DuelTab, changes: dict[str, object]) -> None:
    result = canned.duel(**changes)
    tab.open(canned.entry(result))
    heading, p_a = tab.answer.heading.text(), result.p_a
    assert p_a is not None
    tab.swap_button.click()
    assert tab.texts() == (result.text_b, result.text_a)
    assert not tab.stale
    assert tab.bar.isVisible()
    assert tab.answer.isVisible()
    turned = heading.translate(str.maketrans("AB", "BA"))
    assert tab.answer.heading.text() == (turned if heading[:2] in ("A ", "B ", "A,", "B,") else heading)
    assert tab.result is not None
    assert tab.result.id == result.id
    assert tab.state.result.p_a == pytest.approx(1.0 - p_a)
    assert [order.first for order in tab.state.result.orders] == [
        "B" if order.first == "A" else "A" for order in result.orders
    ]
    if "drafts" in changes:
        assert tab.why.explanation.text() == "B has words that could go."
    tab.swap_button.click()
    assert tab.texts() == (result.text_a, result.text_b)
    assert tab.answer.heading.text() == heading
    assert tab.state.result.explanation == result.explanation


def test_swap_after_an_edit_leaves_the_verdict_for_the_earlier_texts(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel()))
    tab.jokes[0].set_text("Another.")
    tab.swap_button.click()
    assert tab.stale
    assert (tab.state.text_a, tab.state.text_b) == (canned.PARALLEL, canned.GRAVITY)


def test_orders_appear_as_they_are_measured_and_the_answer_before_its_reasons(tab: DuelTab) -> None:
    result = canned.duel(explanation=None)
    running = play(
        tab,
        [
            Started(id="d1", kind="duel"),
            StageStarted(stage=Stage.PAIR, total=2),
            OrderDone(order=result.orders[0]),
        ],
    )
    assert tab.answer.heading.text() == "Comparing both orders"
    assert tab.orders.plot.a_first == pytest.approx(0.76)
    assert tab.orders.plot.b_first is None
    assert tab.jokes[0].editor.isReadOnly()
    tell(tab, running, DuelMeasured(result=result))
    assert tab.answer.heading.text() == "A wins"
    assert tab.live
    tell(tab, running, TextPiece(text="A wins because never meet closes."))
    assert tab.why.explanation.text() == "A wins because never meet closes."
    tell(tab, running, Finished(result=canned.duel()))
    assert not tab.live
    assert tab.why.explanation.text().startswith("A wins because never meet closes both senses")


def test_a_clear_answer_shows_factor_probability_scale_orders_and_shares(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel()))
    assert tab.answer.heading.text() == "A wins"
    assert tab.answer.sentence.text() == "Clear: A is about 3.8 times as likely to be the funnier one."
    assert tab.answer.confidence.text() == "3.8×"
    assert tab.answer.p_a.text() == ".79"
    assert tab.answer.scale.band == "clear"
    assert tab.orders.plot.consistent is True
    assert [(row.name, row.leans) for row in tab.shares.bar.rows] == [("Pair", "leans A"), ("Each alone", "leans A")]
    assert tab.length.isVisible()
    assert not tab.disagreement.isVisible()


def test_shares_and_length_are_left_out_where_there_are_none(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(shares=(), length_controlled=None)))
    assert tab.orders.isVisible()
    assert not tab.shares.isVisible()
    assert not tab.length.isVisible()


def test_a_duel_of_the_heads_alone_says_in_one_line_what_the_length_is_worth(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.VERSIONS)))
    assert not tab.details.isVisible()
    assert tab.answer.length.text() == (
        "With A's 14 extra characters taken into account, p(A) is .30. The winner stays the same."
    )
    assert tab.answer.sentence.text() == "Clear: B is about 3.5 times as likely to be the one that an editor prefers."
    tab.open(canned.entry(canned.duel()))
    assert tab.length.isVisible()
    assert not tab.answer.length.isVisible()


def test_orders_that_disagree_are_said_first_with_the_cap(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.INCONSISTENT)))
    assert tab.disagreement.isVisible()
    assert tab.disagreement.text.text() == (
        "A wins only when it comes second, so the confidence is capped at 2.0 (measured 2.6). Treat it as a toss-up."
    )
    assert tab.disagreement.y() < tab.answer.y()
    assert tab.answer.heading.text() == "A, but uncertain"
    assert tab.answer.scale.measured_factor == pytest.approx(2.6)
    assert tab.shares.bar.rows[0].leans == "split"


def test_an_answer_within_the_models_noise_is_too_close_to_call(tab: DuelTab) -> None:
    close = canned.duel(
        p_a=0.52, confidence_factor=1.07, measured_factor=1.24, band="nearly identical", within_noise=True
    )
    tab.open(canned.entry(close))
    assert tab.answer.heading.text() == "Too close to call"
    assert "less than the numerical noise" in tab.answer.sentence.text()
    assert tab.answer.scale.measured_factor == pytest.approx(1.24)


def test_where_it_is_too_close_to_call_the_reasons_say_so_at_once(tab: DuelTab) -> None:
    words = "The two are too close to call for this model, so it gives no reason for either."
    close = canned.duel(confidence_factor=1.07, band="nearly identical", within_noise=True, explanation=words)
    play(tab, [Started(id="d", kind="duel"), DuelMeasured(result=close)])
    assert (tab.why.explanation.text(), tab.why.note.isHidden()) == (words, True)
    play(tab, [Started(id="d", kind="duel"), DuelMeasured(result=close), Finished(result=close)])
    assert tab.why.explanation.text() == words


def test_a_tie_has_no_winner(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(winner="tie", p_a=0.5, confidence_factor=1.0, band="nearly identical")))
    assert tab.answer.heading.text() == "A tie"
    assert tab.answer.scale.winner == "tie"


def test_a_stopped_duel_says_how_far_it_came(tab: DuelTab) -> None:
    order = OrderDone(order=canned.duel().orders[0])
    play(tab, [Started(id="d", kind="duel"), StageStarted(stage=Stage.PAIR, total=2), order, Cancelled()])
    assert tab.stopped.heading.text() == "Stopped after 1 of 2 orders."
    assert tab.buttons.run_button.isEnabled()


def test_a_failed_duel_says_what_to_do(tab: DuelTab) -> None:
    play(tab, [Failed(error=ErrorInfo(code="E_CONTEXT", sentence="The jokes are too long.", hint="Shorten one."))])
    assert tab.failed.heading.text() == "The jokes are too long."
    assert tab.failed.text.text() == "Shorten one."


@pytest.mark.parametrize("status", [Status.INTERRUPTED, Status.RUNNING])
def test_a_duel_that_was_cut_off_says_so(tab: DuelTab, status: Status) -> None:
    entry = canned.entry(canned.duel(), status).model_copy(update={"result": None})
    tab.open(entry)
    assert tab.stopped.heading.text() == "This duel was cut off."


def test_without_a_model_duel_is_disabled(tab: DuelTab, qtbot: QtBot) -> None:
    tab.set_texts("One.", "Two.")
    tab.set_model_error(ErrorInfo(code="E_MODEL_MISSING", sentence="The model file is missing.", hint=""))
    assert not tab.buttons.run_button.isEnabled()
    with qtbot.waitSignal(tab.library_asked):
        tab.failed.button.click()


def test_a_joke_can_be_picked_from_the_history_by_keyboard(tab: DuelTab, qtbot: QtBot) -> None:
    picker = tab.pick(1)
    assert picker.list.count() > 5
    qtbot.keyClicks(picker.search, "skeleton")
    qtbot.waitUntil(lambda: 0 < picker.list.count() <= 2)
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    assert tab.jokes[1].text() == "A skeleton walks into a bar."


def test_a_search_without_a_hit_says_so(tab: DuelTab, qtbot: QtBot) -> None:
    picker = tab.pick(0)
    qtbot.keyClicks(picker.search, "zzzz")
    qtbot.waitUntil(lambda: picker.list.count() == 0)
    assert picker.note.text() == "No joke found."
    qtbot.keyClick(picker.search, Qt.Key.Key_Return)
    picker.close()
    assert tab.jokes[0].text() == ""


def test_duel_cards_stack_with_little_room(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel()))
    tab.set_room("narrow", 16)
    tab.resize(620, 900)
    assert tab.jokes[1].y() > tab.jokes[0].geometry().bottom()
    assert tab.shares.y() > tab.orders.geometry().bottom()


def test_a_duel_decided_by_reading_shows_no_orders_and_says_how_it_was_judged(tab: DuelTab) -> None:
    tab.open(canned.entry(canned.duel(**canned.VERSIONS)))
    said = "Two versions of one joke: judged by an editor's drafts, right in 86 of 100."
    assert tab.answer.drafts.isVisible()
    assert tab.answer.drafts.text() == said
    assert not tab.orders.isVisible()
    assert not tab.shares.isVisible()
    assert not tab.disagreement.isVisible()
    assert tab.why.isVisible()
    tab.open(canned.entry(canned.duel()))
    assert not tab.answer.drafts.isVisible()
    assert tab.orders.isVisible()


def test_a_tie_of_two_versions_is_said_as_a_tie(tab: DuelTab) -> None:
    tied = {"winner": "tie", "p_a": 0.5, "confidence_factor": 1.0, "band": "nearly identical"}
    tab.open(canned.entry(canned.duel(**canned.VERSIONS | tied)))
    assert tab.answer.heading.text() == "A tie"
    assert "winner" not in tab.length.text.text().lower()
