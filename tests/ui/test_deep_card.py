"""The Trust tab measures Deep beside Quick: progress, Stop, going on, and the figures."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.calibration import CalibrationFiles
from jokejudge_gui.judge.plan.deep_worth import DEEP_UNMEASURED as UNMEASURED
from jokejudge_gui.learning import deep_job
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust import deep as deep_measuring
from jokejudge_gui.ui.trust.deep import AGAIN, BEGIN, DeepCard
from jokejudge_gui.ui.trust.long_run import GO_ON, STOP
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.rating_helpers import pun

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def opened(open_window: Open, qtbot: QtBot) -> tuple[MainWindow, DeepCard]:
    window = open_window(lambda _file, _settings, _cancel: FakeEngine(pun))
    files = CalibrationFiles(Path("nowhere"), window.session.profile.calibrations)
    files.save(known(MainJudge(FakeEngine(), files)))
    window.show_tab("trust")
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    return window, window.trust_tab.deep


def press(qtbot: QtBot, card: DeepCard) -> None:
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)


def test_it_is_measured_stopped_and_goes_on(open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(deep_measuring, "TEXTS", 10)
    monkeypatch.setattr(deep_job, "LEAST_TEXTS", 10)
    window, card = opened(open_window, qtbot)
    measurer = window.trust_tab.deep.run
    assert card.button.text() == BEGIN
    assert card.text.text() == UNMEASURED
    press(qtbot, card)
    assert card.button.text() == STOP
    assert window.trust_tab.live
    qtbot.waitUntil(lambda: measurer.phase == "running", timeout=LONG)
    assert "Verdicts go first" in card.note.text()
    press(qtbot, card)
    qtbot.waitUntil(lambda: not measurer.live, timeout=LONG)
    assert card.button.text() == GO_ON
    assert "kept" in card.note.text()
    press(qtbot, card)
    qtbot.waitUntil(lambda: not measurer.live, timeout=LONG)
    assert measurer.error is None
    assert card.button.text() == AGAIN
    assert "measured on 10 jokes" in card.text.text()
    assert "Tokens a rating" in card.table.accessibleDescription()


def test_a_verdict_goes_first_and_the_measurement_goes_on_behind_it(
    open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(deep_measuring, "TEXTS", 10)
    monkeypatch.setattr(deep_job, "LEAST_TEXTS", 10)
    window, card = opened(open_window, qtbot)
    measurer = window.trust_tab.deep.run
    press(qtbot, card)
    qtbot.waitUntil(lambda: measurer.phase == "running", timeout=LONG)
    window.verdicts.ask("rate", {"text": "I used to be a banker, but I lost interest."})
    assert [job.name for job in window.worker.jobs][-1] == "rate"
    qtbot.waitUntil(lambda: bool(window.session.store.search(HistoryQuery(limit=5))), timeout=LONG)
    assert measurer.live
    qtbot.waitUntil(lambda: measurer.phase == "running", timeout=LONG)
    press(qtbot, card)
    qtbot.waitUntil(lambda: not measurer.live, timeout=LONG)
    assert card.button.text() == GO_ON
