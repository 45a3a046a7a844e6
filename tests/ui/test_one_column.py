"""Where everything stands in one column, the result comes into view."""

from __future__ import annotations

from collections.abc import Iterator

import canned
import pytest
from canned import scoring, tell
from PySide6.QtWidgets import QAbstractSlider, QApplication, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.events import Failed, Finished, Interim, Stage, StageStarted, Started
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.ui.duel.tab import DuelTab
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.rate.tab import RateTab

# Of the offscreen platform, which has no window manager.
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
    made.show()
    yield made
    store.close()


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
    rate.set_room("narrow", 16)
    rate.resize(600, 360)
    QApplication.processEvents()


WARNED = canned.rating(warnings=("This model scores nearly every joke alike. " * 4,))


def test_in_one_column_the_verdict_comes_into_view_with_its_warning(rate: RateTab, qtbot: QtBot) -> None:
    low(rate)
    running = rating(rate)
    tell(rate, running, Interim(result=WARNED), Finished(result=WARNED))
    qtbot.waitUntil(lambda: seen(rate, rate.warning))
    assert rate.warning.y() == rate.right.verticalScrollBar().value()


def test_in_one_column_a_stored_verdict_comes_into_view(rate: RateTab, qtbot: QtBot) -> None:
    low(rate)
    rate.open(canned.entry(canned.rating()))
    qtbot.waitUntil(lambda: seen(rate, rate.page))
    assert not seen(rate, rate.joke)


def test_who_scrolls_while_a_verdict_is_made_is_left_there(rate: RateTab, qtbot: QtBot) -> None:
    low(rate)
    running = rating(rate)
    bar = rate.right.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 40)
    bar.triggerAction(QAbstractSlider.SliderAction.SliderSingleStepSub)
    where = bar.value()
    tell(rate, running, Interim(result=WARNED), Finished(result=WARNED))
    qtbot.waitUntil(lambda: rate.warning.isVisible() and rate.page.height() > 100)
    QApplication.processEvents()
    assert bar.value() == where


def test_in_two_columns_nothing_is_scrolled(rate: RateTab) -> None:
    rate.resize(1000, 360)
    running = rating(rate)
    tell(rate, running, Finished(result=WARNED))
    QApplication.processEvents()
    assert rate.right.verticalScrollBar().value() == 0


def test_in_one_column_what_went_wrong_comes_into_view(rate: RateTab, qtbot: QtBot) -> None:
    low(rate)
    running = rating(rate)
    tell(rate, running, Failed(error=ErrorInfo(code="E", sentence="The disk is full.", hint="Make room.")))
    qtbot.waitUntil(lambda: rate.failed.isVisible() and seen(rate, rate.failed))


def test_in_one_column_the_answer_comes_into_view(duel: DuelTab, qtbot: QtBot) -> None:
    duel.set_room("narrow", 16)
    duel.resize(600, 400)
    QApplication.processEvents()
    bar = duel.column.verticalScrollBar()
    running = Job("duel", lambda _token: ())
    duel.begin(running, canned.PARALLEL, canned.GRAVITY)
    tell(duel, running, Started(id="d1", kind="duel"), StageStarted(stage=Stage.PAIR, total=2))
    qtbot.waitUntil(lambda: 0 < duel.answer.geometry().bottom() - bar.value() < duel.column.viewport().height())
    tell(duel, running, Finished(result=canned.duel(**canned.INCONSISTENT)))
    qtbot.waitUntil(lambda: duel.warning.isVisible() and duel.warning.y() == bar.value())
