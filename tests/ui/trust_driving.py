"""Driving the Trust tab."""

from __future__ import annotations

from pathlib import Path

import pytest
from driving import LONG
from PySide6.QtWidgets import QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.trust.tab import TrustTab


def begin(window: MainWindow, monkeypatch: pytest.MonkeyPatch, *files: Path) -> TrustTab:
    """Choose files to measure the model on, which begins at once."""
    window.show_tab("trust")
    tab = window.trust_tab
    tab.open_researchers()
    monkeypatch.setattr(QFileDialog, "getOpenFileNames", lambda *_: ([str(file) for file in files], ""))
    tab.measure.button.setFocus()
    tab.measure.button.click()
    return tab


def measure(qtbot: QtBot, window: MainWindow, monkeypatch: pytest.MonkeyPatch, *files: Path) -> TrustTab:
    tab = begin(window, monkeypatch, *files)
    with qtbot.waitSignal(tab.measure.measured, timeout=LONG):
        pass
    return tab
