"""Fit to people in the Trust tab: progress, Stop, the outcome."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.vote_sets import VoteSet
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.works import FitCard
from tests.fake_engine import FakeEngine
from tests.wit_engine import WitEngine, ratings

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
OpenCard = Callable[..., tuple[MainWindow, FitCard]]


@pytest.fixture
def open_card(open_window: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> OpenCard:
    """A window over ``engine`` with the Trust tab open; fits learn from 100 rated texts."""
    votes = VoteSet("rated", ratings=ratings(100))
    monkeypatch.setattr("jokejudge_gui.session.session.shipped_votes", lambda: votes)

    def open_one(engine: FakeEngine) -> tuple[MainWindow, FitCard]:
        window = open_window(loader=lambda _file, _settings, _cancel: engine)
        qtbot.waitUntil(lambda: not window.worker.busy, timeout=20_000)
        window.show_tab("trust")
        return window, window.trust_tab.fit

    return open_one


class Slow:
    """Holds the reading at one text until it is let go on."""

    def __init__(self, at: int) -> None:
        self.reached = threading.Event()
        self.go_on = threading.Event()
        self._at = at

    def __call__(self, count: int) -> None:
        if count == self._at:
            self.reached.set()
            assert self.go_on.wait(20)


def test_a_fit_shows_progress_and_ends_in_a_sentence_with_figures(
    open_card: OpenCard, qtbot: QtBot, profile: Profile
) -> None:
    slow = Slow(40)
    window, card = open_card(WitEngine(reading=slow))
    assert card.note.text().startswith("This model has no estimate yet.")
    assert not card.remove_link.isVisible()
    card.button.click()
    assert window.trust_tab.fit.live
    assert card.button.text() == "Stop"
    qtbot.waitUntil(lambda: "Reading texts that people voted on · 30 of 100 · " in card.note.text())
    assert card.line.isVisible()
    assert (card.line.accessibleName(), card.line.fraction) == ("Fitting to people", 0.3)
    slow.go_on.set()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=20_000)
    assert card.note.text().startswith("Kept: fitted on votes on 100 texts, the estimate agrees with people in ")
    assert card.button.text() == "Fit to people"
    assert not card.line.isVisible()
    assert card.remove_link.isVisible()
    assert len(list(profile.heads.glob("*.npz"))) == 1
    assert window.session.judge is not None
    assert window.session.judge.head is not None


def test_the_one_that_was_fitted_can_be_deleted(open_card: OpenCard, qtbot: QtBot, profile: Profile) -> None:
    window, card = open_card(WitEngine())
    card.button.click()
    qtbot.waitUntil(lambda: card.remove_link.isVisible(), timeout=20_000)
    card.remove_link.click()
    qtbot.waitUntil(lambda: "is deleted" in card.note.text(), timeout=20_000)
    qtbot.waitUntil(lambda: not card.remove_link.isVisible())
    assert list(profile.heads.glob("*")) == []
    assert window.session.judge is not None
    assert window.session.judge.head is None


def test_one_that_is_worth_nothing_is_not_kept_and_the_card_says_why(open_card: OpenCard, qtbot: QtBot) -> None:
    window, card = open_card(WitEngine(0.0))
    card.button.click()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=20_000)
    assert card.note.text().startswith("Not kept: ")
    assert "doesn't beat chance" in card.note.text()
    assert not card.remove_link.isVisible()


def test_stop_stops_by_keyboard_and_nothing_is_left(open_card: OpenCard, qtbot: QtBot, profile: Profile) -> None:
    slow = Slow(10)
    window, card = open_card(WitEngine(reading=slow))
    card.button.setFocus()
    qtbot.keyClick(card.button, Qt.Key.Key_Space)
    qtbot.waitUntil(slow.reached.is_set)
    qtbot.keyClick(card.button, Qt.Key.Key_Space)
    slow.go_on.set()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=20_000)
    assert card.note.text() == "Stopped. Nothing was fitted, and nothing was changed."
    assert card.button.text() == "Fit to people"
    assert not profile.heads.exists()
