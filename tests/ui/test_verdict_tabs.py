"""The tabs of verdicts: a verdict of an earlier text turns pale and nothing can be done with it; in one column the
result comes into view."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

import canned
import pytest
from canned import scoring, tell
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.events import Finished, Interim
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.tab import RateTab

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
T = TypeVar("T", bound=QWidget)


@pytest.fixture
def store(profile: Profile) -> Iterator[HistoryStore]:
    made = HistoryStore(profile.database, KINDS)
    yield made
    made.close()


@pytest.fixture
def rate(qtbot: QtBot, profile: Profile, store: HistoryStore) -> RateTab:
    return shown(qtbot, RateTab(("First.", "Second."), store, profile.dismissed))


def shown(qtbot: QtBot, tab: T) -> T:
    qtbot.addWidget(tab)
    tab.resize(1000, 800)
    tab.show()
    return tab


def pale(card: QWidget) -> bool:
    return card.graphicsEffect() is not None and card.graphicsEffect().isEnabled()


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
    assert not rate.bar.isVisible()
    assert rate.stale_line.text.text() == "For an earlier text."
    qtbot.keyClick(rate.joke.editor, Qt.Key.Key_Backspace)
    assert not pale(rate.page)
    assert rate.bar.isVisible()
    assert not rate.stale_line.isVisible()


def test_rate_anyway_is_off_under_an_edited_text(rate: RateTab) -> None:
    rejected = canned.rating(admissible=False, rejection="x", admissibility=canned.checks(("intent",)), factors=(),
                             categories=(), mean_score=None, explanation=None)  # fmt: skip
    rate.open(canned.entry(rejected))
    assert rate.page.force_button.isEnabled()
    rate.joke.set_text(canned.DOG)
    assert not rate.page.force_button.isEnabled()
    rate.joke.set_text(canned.PARALLEL)
    assert rate.page.force_button.isEnabled()


def test_a_draft_that_a_row_took_the_place_of_comes_back_with_one_undo(rate: RateTab) -> None:
    rate.joke.editor.insertPlainText("My own draft,\nunfinished")
    rate.open(canned.entry(canned.rating()))
    assert rate.joke.text() == canned.PARALLEL
    rate.joke.editor.undo()
    assert rate.joke.text() == "My own draft,\nunfinished"
    assert rate.stale


def rating(tab: RateTab) -> Job:
    """A rating that has scored its factors."""
    running = Job("rate", lambda _token: ())
    tab.begin(running, canned.PARALLEL)
    tell(tab, running, *scoring())
    return running


def seen(rate: RateTab, card: QWidget) -> bool:
    """Whether a card's top is in the column's view."""
    top = card.y() - rate.right.verticalScrollBar().value()
    return 0 <= top < rate.right.viewport().height()


def low(rate: RateTab) -> None:
    """One column, in which the verdict lies under the fold."""
    rate.set_room("narrow")
    rate.resize(600, 360)
    QApplication.processEvents()


WARNED = canned.rating(warnings=("This model scores nearly every joke alike. " * 4,))


def test_in_one_column_the_verdict_comes_into_view_with_its_warning(rate: RateTab, qtbot: QtBot) -> None:
    low(rate)
    running = rating(rate)
    tell(rate, running, Interim(result=WARNED), Finished(result=WARNED))
    qtbot.waitUntil(lambda: seen(rate, rate.warning))
    assert rate.warning.y() == rate.right.verticalScrollBar().value()


def test_the_headline_of_a_bit_is_seen_after_its_verdict_and_in_a_window_that_became_narrow(
    rate: RateTab, scale: float, qtbot: QtBot
) -> None:
    rate.resize(683, 500)
    rate.set_room("wide")
    rate.open(canned.entry(canned.bit_reading()))
    QApplication.processEvents()
    rate.set_room("narrow")
    qtbot.waitUntil(lambda: seen(rate, rate.page))
    rate.open(canned.entry(canned.bit_reading()))
    qtbot.waitUntil(lambda: seen(rate, rate.page))
    assert rate.page.headline.isVisible()
