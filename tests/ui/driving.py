"""Driving a window over the fake engine: holding the engine, rating a joke."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import canned
import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialog, QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.widgets.page import PageView
from tests.fake_engine import FakeEngine

Open = Callable[..., MainWindow]
LONG = 30_000


class Gate:
    """Lets the engine answer until it is closed; then holds each call until it is opened. ``held``: it holds one.
    Prompts that are prepared meanwhile aren't held."""

    def __init__(self) -> None:
        self.closed, self.opened, self.held = threading.Event(), threading.Event(), threading.Event()

    def __call__(self, method: str) -> None:
        if self.closed.is_set() and method != "warm":
            self.held.set()
            assert self.opened.wait(20)


def gated(gate: Gate) -> Callable[..., FakeEngine]:
    """A loader of an engine behind a gate."""
    return lambda _file, _settings, _cancel: FakeEngine(gate=gate)


def rate(qtbot: QtBot, window: MainWindow, text: str) -> None:
    """Rate a joke as a user would, and wait for the end."""
    window.show_tab("rate")
    window.by_kind["rate"].joke.set_text(text)
    qtbot.mouseClick(window.by_kind["rate"].buttons.run_button, Qt.MouseButton.LeftButton)
    assert window.by_kind["rate"].live
    qtbot.waitUntil(lambda: not window.by_kind["rate"].live, timeout=LONG)


def save_as(monkeypatch: pytest.MonkeyPatch, path: Path) -> None:
    """Answer the dialogs for a file to write."""
    monkeypatch.setattr(QFileDialog, "exec", lambda _dialog: 1)
    monkeypatch.setattr(QFileDialog, "selectedFiles", lambda _dialog: [str(path)])


def held_rating(open_window: Open, qtbot: QtBot) -> tuple[Gate, MainWindow]:
    """A window whose rating has begun and is held at its first question."""
    gate = Gate()
    window = open_window(gated(gate))
    gate.closed.set()
    window.by_kind["rate"].joke.set_text(canned.PARALLEL)
    window.run_current()
    qtbot.waitUntil(lambda: window.by_kind["rate"].state.phase == "running", timeout=LONG)
    return gate, window


def keep(qtbot: QtBot, dialog: QDialog) -> None:
    """Close a dialog at the end of the test; until then it is there, though the test closed it."""
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose, False)
    qtbot.addWidget(dialog)


def unfold(view: PageView, words: str) -> None:
    """Press the link that begins with some words, by the keyboard."""
    view.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(20):
        if words in view.textCursor().selectedText().replace("’", "'"):
            break
        view.focusNextPrevChild(True)
    QTest.keyClick(view, Qt.Key.Key_Return)
