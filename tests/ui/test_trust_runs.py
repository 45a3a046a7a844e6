"""What the Trust tab runs with the model in use: audits, which open again from the history, and a fit to people."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.events import StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.vote_sets import VoteSet
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.audit.words import AUDIT, FEW
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.ui.judge_worker import JobSteps
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.runs import BEGIN, GO_ON, STOP, AuditCard, FitCard, RunCard
from jokejudge_gui.ui.widgets.page import PageDialog
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.planted_judges import answers, cases, emoji_lover
from tests.wit_engine import WitEngine, ratings

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
OpenCard = Callable[..., tuple[MainWindow, FitCard]]


@pytest.fixture(autouse=True)
def pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The least pairs of an audit that is kept, in place of those that are shipped."""
    monkeypatch.setattr("jokejudge_gui.ui.trust.runs.shipped_cases", lambda: tuple(cases(FEW)))


def opened(open_window: Open, qtbot: QtBot) -> tuple[MainWindow, AuditCard]:
    def load(_file: object, _settings: object, _cancel: object) -> FakeEngine:
        return FakeEngine(answers(emoji_lover))

    window = open_window(load)
    files = MeasuredFiles(Path("nowhere"), window.session.profile.models)
    files.save_calibration(known(MainJudge(FakeEngine(), files)))
    window.show_tab("trust")
    window.trust_tab.open_researchers()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    return window, window.trust_tab.audit


def press(qtbot: QtBot, card: RunCard) -> None:
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)


def test_a_model_is_audited_and_its_audit_opens_from_the_history(open_window: Open, qtbot: QtBot) -> None:
    window, card = opened(open_window, qtbot)
    report = window.trust_tab.pages
    assert card.button.text() == BEGIN
    assert "hasn't been audited" in report.text()
    card.start()
    assert card.button.text() == STOP
    qtbot.waitUntil(lambda: not card.live, timeout=LONG)
    assert "Comparing texts that differ in what moves it strongly" in report.text()
    (row,) = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    window.show_tab("rate")
    window.open_verdict(row.id)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, PageDialog)
    assert "sentiment" in dialog.view.text()
    dialog.close()


def test_a_stopped_audit_leaves_no_row_and_goes_on(
    open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window, card = opened(open_window, qtbot)
    auditor = window.trust_tab.audit
    steps, stopped = auditor.steps, threading.Event()

    def until_stopped(token: CancelToken) -> JobSteps:
        for event in steps(token):
            yield event
            assert not isinstance(event, StageProgress) or stopped.wait(20)

    monkeypatch.setattr(auditor, "steps", until_stopped)
    auditor.start()
    qtbot.waitUntil(lambda: auditor.state.total, timeout=LONG)
    press(qtbot, card)
    stopped.set()
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert card.button.text() == GO_ON
    assert window.session.store.search(HistoryQuery(kinds=("audit",), limit=5)) == []
    press(qtbot, card)
    window.show_tab("rate")
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    assert window.notices.text == "What moves it though it shouldn't: done."
    assert window.windowTitle() == "JokeJudge"
    assert len(window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))) == 1


def test_an_audit_is_asked_for_as_set_and_again_as_it_was(open_window: Open, qtbot: QtBot) -> None:
    window, _card = opened(open_window, qtbot)
    window.settings.seed, window.settings.ask_everything = 9, True
    auditor = window.trust_tab.audit
    auditor.start()
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    (row,) = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    window.settings.seed, window.settings.ask_everything = 1, False
    window.verdicts.run_again(row.id)
    qtbot.waitUntil(lambda: not auditor.live, timeout=LONG)
    again, first = window.session.store.search(HistoryQuery(kinds=("audit",), limit=5))
    requests = []
    for each in (first, again):
        result = window.session.store.get(each.id).result
        assert result is not None
        requests.append(AUDIT.request_of(result))
    assert first.id == row.id
    assert requests[0] == requests[1]
    assert (requests[0].seed, requests[0].ask, len(requests[0].cases)) == (9, "all", FEW)


# A fit to people


@pytest.fixture
def open_card(open_window: Callable[..., MainWindow], qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> OpenCard:
    """A window over ``engine`` with the Trust tab open; fits learn from 100 rated texts."""
    votes = VoteSet("rated", ratings=ratings(100))
    monkeypatch.setattr("jokejudge_gui.session.session.shipped_votes", lambda: votes)

    def open_one(engine: FakeEngine) -> tuple[MainWindow, FitCard]:
        window = open_window(loader=lambda _file, _settings, _cancel: engine)
        qtbot.waitUntil(lambda: not window.worker.busy, timeout=20_000)
        window.show_tab("trust")
        window.trust_tab.open_researchers()
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
    card.button.click()
    assert window.trust_tab.fit.live
    assert card.button.text() == "Stop"
    qtbot.waitUntil(lambda: "Reading texts that people voted on · 30 of 100" in card.note.text())
    assert card.line.isVisible()
    assert (card.line.accessibleName(), card.line.fraction) == ("Fitting to people", 0.3)
    slow.go_on.set()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=20_000)
    assert card.note.text().startswith("Kept: fitted on votes on 100 texts, the estimate agrees with people in ")
    assert card.button.text() == "Fit to people"
    assert not card.line.isVisible()
    assert len(list(profile.heads.glob("*.npz"))) == 1
    assert window.session.judge.head is not None


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
