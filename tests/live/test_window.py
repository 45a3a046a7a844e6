"""The window over the embedded model: rate, restart and find again, and duel."""

from __future__ import annotations

import gc
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.app import first_examples
from jokejudge_gui.ui.judge_worker import Collector
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow

from .conftest import NewProfile

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
# The first verdict of a profile may measure the model, which takes minutes on a small machine.
LONG = 900_000
JOKE = "Parallel lines have so much in common. It’s a shame they’ll never meet."
BANKER = "I used to be a banker, but I lost interest."
OTHER = "I’m reading a book on anti-gravity. It’s impossible to put down."


@pytest.fixture(scope="module")
def shared_profile(new_profile: NewProfile) -> Profile:
    """One profile for the module, so that the model is measured once."""
    return new_profile("window")


@pytest.fixture(autouse=True, scope="module")
def collector(qapp: QApplication) -> Iterator[None]:
    """As in the program: the worker's thread, which makes most objects, would destroy widgets of closed windows."""
    turn, thresholds = sys.getswitchinterval(), gc.get_threshold()
    made = Collector(qapp)
    yield
    made.timer.stop()
    made.deleteLater()
    gc.set_threshold(*thresholds)
    gc.collect()
    gc.enable()
    sys.setswitchinterval(turn)


@pytest.fixture
def open_window(
    qtbot: QtBot, qapp: QApplication, shared_profile: Profile, embedded_model: Path
) -> Iterator[Callable[[], MainWindow]]:
    windows: list[MainWindow] = []
    theme.install(qapp, "light", 1.0)

    def open_one() -> MainWindow:
        settings = Settings(model=str(embedded_model), theme="light", threads=1)
        window = MainWindow(Session(shared_profile, settings), first_examples())
        windows.append(window)
        window.resize(1360, 860)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        window.start()
        qtbot.waitUntil(lambda: window.models.state == "ready", timeout=LONG)
        window.show_tab("rate")  # the tab of the test before comes back, since the profile is shared
        return window

    yield open_one
    for window in windows:
        close(qtbot, window)


def close(qtbot: QtBot, window: MainWindow) -> None:
    """Close a window and have Qt destroy it: Python's collector would do so during another test, in any order."""
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)
    window.deleteLater()


def test_a_pasted_joke_is_rated_kept_and_found_after_a_restart(
    open_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = open_window()
    QGuiApplication.clipboard().setText(BANKER)
    tab = window.by_kind["rate"]
    tab.joke.editor.setFocus()
    qtbot.keyClick(tab.joke.editor, Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert tab.joke.text() == BANKER
    qtbot.mouseClick(tab.buttons.run_button, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.state.phase == "finished"
    result = tab.result
    assert result.mean_score is not None
    assert result.turn is not None
    assert tab.page.line.middle == pytest.approx(100 * result.audience.upper)
    assert tab.page.text.text() == BANKER
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)

    again = open_window()
    again.pane.search.setText("banker")
    qtbot.waitUntil(lambda: len(again.pane.model.rows()) == 1, timeout=LONG)
    again.open_verdict(again.pane.model.rows()[0].id)
    assert again.by_kind["rate"].result == result
    assert again.by_kind["rate"].page.line.middle == pytest.approx(100 * result.audience.upper)


def test_a_duel_has_both_orders_and_the_swapped_one_the_swapped_answer(
    open_window: Callable[[], MainWindow], qtbot: QtBot
) -> None:
    window = open_window()
    window.session.settings = window.session.settings.model_copy(update={"ask_everything": True})
    window.show_tab("duel")
    tab = window.by_kind["duel"]
    tab.set_texts(JOKE, OTHER)
    window.run_current()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    first = tab.result
    tab.set_texts(OTHER, JOKE)
    window.run_current()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    second = tab.result
    assert second.p_a is not None
    assert second.p_a == pytest.approx(1 - first.p_a, abs=1e-9)
    assert {"A": "B", "B": "A", "tie": "tie"}[str(first.winner)] == second.winner
    assert len(second.orders) == 2
    assert "Asked in both orders" in tab.answer.page.text()
