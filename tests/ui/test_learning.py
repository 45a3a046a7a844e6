"""The Trust tab teaches the program to read jokes with the model in use: progress, Stop, verdicts first, goes on after
closing; and the plan is shown."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import pytest
from driving import LONG, Open
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.runs import STOP, TEACH, LearnCard
from tests.learning_engine import LearningEngine, folder_to_learn_from

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


class Held:
    """Holds the reading at one text until it is let go on."""

    def __init__(self, at: int) -> None:
        self.reached, self.go_on = threading.Event(), threading.Event()
        self._at = at

    def __call__(self, count: int) -> None:
        if count == self._at:
            self.reached.set()
            assert self.go_on.wait(20)


@pytest.fixture(autouse=True)
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = folder_to_learn_from(tmp_path / "models", count=120)
    monkeypatch.setattr("jokejudge_gui.session.session.models_dir", lambda: folder)


def trust(
    open_window: Open, qtbot: QtBot, reading: Callable[[int], None] | None = None
) -> tuple[MainWindow, LearnCard]:
    window = open_window(lambda _file, _settings, _cancel: LearningEngine(reading=reading))
    window.show_tab("trust")
    window.trust_tab.open_researchers()
    return window, window.trust_tab.learn


def press(qtbot: QtBot, card: LearnCard) -> None:
    qtbot.mouseClick(card.button, Qt.MouseButton.LeftButton)


def test_a_model_is_taught_goes_on_by_itself_after_closing_and_its_plan_is_shown(
    open_window: Open, qtbot: QtBot
) -> None:
    held = Held(60)
    window, card = trust(open_window, qtbot, held)
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    assert card.button.text() == TEACH
    assert "from some 900 texts that an editor read, some 280 jokes" in card.note.text()
    press(qtbot, card)
    assert card.button.text() == STOP
    qtbot.waitUntil(held.reached.is_set, timeout=LONG)
    window.close()
    held.go_on.set()
    qtbot.waitUntil(lambda: not window.worker.running, timeout=LONG)
    second, card = trust(open_window, qtbot)
    qtbot.waitUntil(lambda: second.trust_tab.learn.live, timeout=LONG)
    qtbot.waitUntil(lambda: not second.trust_tab.learn.live, timeout=6 * LONG)
    report = second.trust_tab.pages.text()
    assert "asks nothing" in report
    assert "Surprise" in report
    assert not card.button.isVisible()
    for part in ("It reads jokes now", "It compares drafts now", "what only looks like one", "nothing is asked"):
        assert part in card.note.text()
