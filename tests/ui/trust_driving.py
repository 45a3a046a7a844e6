"""Driving the Trust tab."""

from __future__ import annotations

from pathlib import Path

from driving import LONG
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.tab import TrustTab


def ready(qtbot: QtBot, window: MainWindow, file: Path) -> TrustTab:
    window.show_tab("trust")
    tab = window.trust_tab
    tab.measure.choose(file)
    qtbot.waitUntil(lambda: tab.measure.run.phase == "ready", timeout=LONG)
    return tab


def measure(qtbot: QtBot, window: MainWindow, file: Path) -> TrustTab:
    tab = ready(qtbot, window, file)
    qtbot.mouseClick(tab.measure.button, Qt.MouseButton.LeftButton)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    return tab
