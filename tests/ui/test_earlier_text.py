"""A verdict is of one text: once the fields hold another, it turns pale and nothing can be done with it."""

from __future__ import annotations

from collections.abc import Iterator

import canned
import pytest
from canned import scoring, tell
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.events import Finished, Started
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.duel.tab import DuelTab
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.tab import RateTab

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def rate(qtbot: QtBot, profile: Profile) -> Iterator[RateTab]:
    store = HistoryStore(profile.database, KINDS)
    made = RateTab(("First.", "Second."), store, profile.dismissed)
    qtbot.addWidget(made)
    made.resize(1000, 800)
    made.show()
    yield made
    store.close()


@pytest.fixture
def duel(qtbot: QtBot, profile: Profile) -> Iterator[DuelTab]:
    store = HistoryStore(profile.database, KINDS)
    made = DuelTab(store)
    qtbot.addWidget(made)
    made.resize(1060, 900)
    made.show()
    yield made
    store.close()


def pale(card: QWidget) -> bool:
    return card.graphicsEffect() is not None


def finish(tab: RateTab) -> None:
    job = Job("rate", lambda _token: ())
    tab.begin(job, canned.PARALLEL)
    tell(tab, job, *scoring(), Finished(result=canned.rating("x")))


def test_the_first_keystroke_makes_a_verdict_pale_and_turns_its_actions_off(rate: RateTab, qtbot: QtBot) -> None:
    finish(rate)
    assert rate.bar.isVisible()
    assert not rate.stale
    qtbot.keyClicks(rate.joke.editor, "!")
    assert rate.stale
    assert pale(rate.page)
    assert not rate.bar.first_button.isEnabled()
    assert not rate.vote.isEnabled()
    assert rate.stale_line.words.text() == "For an earlier text."
    qtbot.keyClick(rate.joke.editor, Qt.Key.Key_Backspace)
    assert not pale(rate.page)
    assert rate.bar.first_button.isEnabled()
    assert rate.vote.isEnabled()
    assert not rate.stale_line.isVisible()


def test_nothing_moves_when_a_verdict_turns_pale(rate: RateTab, qtbot: QtBot) -> None:
    finish(rate)
    qtbot.wait(1)
    height = rate.right.height()
    qtbot.keyClicks(rate.joke.editor, "!")
    qtbot.wait(1)
    assert rate.right.height() == height


def test_the_judged_text_can_be_brought_back(rate: RateTab, qtbot: QtBot) -> None:
    finish(rate)
    rate.joke.set_text("Another one.")
    qtbot.mouseClick(rate.stale_line.link, Qt.MouseButton.LeftButton)
    assert rate.joke.text() == canned.PARALLEL
    assert rate.bar.isVisible()
    assert rate.joke.editor.hasFocus() or not rate.isActiveWindow()


def test_rate_anyway_is_off_under_an_edited_text(rate: RateTab) -> None:
    rejected = canned.rating(admissible=False, rejection="x", admissibility=canned.checks(("intent",)), factors=(),
                             categories=(), mean_score=None, explanation=None)  # fmt: skip
    rate.open(canned.entry(rejected))
    assert rate.page.answer.force_button.isEnabled()
    rate.joke.set_text(canned.DOG)
    assert not rate.page.answer.force_button.isEnabled()
    rate.joke.set_text(canned.PARALLEL)
    assert rate.page.answer.force_button.isEnabled()


def test_a_running_rating_is_not_of_an_earlier_text(rate: RateTab) -> None:
    job = Job("rate", lambda _token: ())
    rate.begin(job, canned.PARALLEL)
    tell(rate, job, Started(id="x", kind="rate"))
    assert not rate.stale
    assert not pale(rate.page)


def test_swapped_jokes_take_their_verdict_with_them(duel: DuelTab, qtbot: QtBot) -> None:
    duel.open(canned.entry(canned.duel()))
    for winner in ("B", "A"):
        qtbot.mouseClick(duel.swap_button, Qt.MouseButton.LeftButton)
        assert not duel.stale
        assert not pale(duel.answer)
        assert duel.vote.isEnabled()
        assert duel.bar.isVisible()
        assert duel.state.result.winner == winner


def test_a_draft_that_a_row_took_the_place_of_comes_back_with_one_undo(rate: RateTab) -> None:
    rate.joke.editor.insertPlainText("My own draft,\nunfinished")
    rate.open(canned.entry(canned.rating()))
    assert rate.joke.text() == canned.PARALLEL
    rate.joke.editor.undo()
    assert rate.joke.text() == "My own draft,\nunfinished"
    assert rate.stale


def test_a_draft_that_an_example_took_the_place_of_comes_back_with_one_undo(rate: RateTab, qtbot: QtBot) -> None:
    qtbot.keyClicks(rate.joke.editor, "My own draft")
    rate.try_example()
    assert rate.joke.text() == "First."
    rate.joke.editor.undo()
    assert rate.joke.text() == "My own draft"
