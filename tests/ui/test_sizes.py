"""Nothing is clipped: every state at the sizes of the look guide, and at the smallest window with text at 150 %."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import canned_profile
import pytest
import shots
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.widgets.base import Painted
from jokejudge_gui.ui.widgets.controls import StatusButton
from jokejudge_gui.ui.widgets.text import Paragraph

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


@pytest.fixture
def open_state(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[str, str], QWidget]]:
    windows: list[MainWindow] = []

    def open_one(state: str, size: str) -> QWidget:
        width, height, scale = shots.SIZES[size]
        theme.install(qapp, "light", scale, reduced_motion=True)
        profile = Profile.at(tmp_path / "profile")
        if state != "rate_first":
            canned_profile.fill_history(profile)
        window = MainWindow(
            Session(profile, Settings(text_scale=scale, theme="light"), loader=shots.engine), shots.EXAMPLES
        )
        windows.append(window)
        window.resize(width, height)
        window.show()
        window.models.show_status("ready", "SmolLM2-135M-Instruct", "145 MB · offline")
        return put_in(window, state)

    yield open_one
    for window in windows:
        close_dialogs()
        window.close()
        qtbot.waitUntil(window.is_closed, timeout=20_000)
        window.deleteLater()


def put_in(window: MainWindow, state: str) -> QWidget:
    """What is to be looked at in a state: the dialog that it opens, or the window."""
    shots.STATES[state](window)
    for _ in range(5):
        QApplication.processEvents()
    dialog = QApplication.activeModalWidget()
    return dialog if dialog is not None else window


def close_dialogs() -> None:
    for _ in range(3):  # one may stand over another
        dialog = QApplication.activeModalWidget()
        if dialog is not None:
            dialog.close()
    QApplication.processEvents()


def name(widget: QWidget) -> str:
    text = widget.text() if isinstance(widget, QLabel | QAbstractButton | Paragraph) else ""
    return f"{type(widget).__name__} {widget.accessibleName() or text!r}"


def faults(window: QWidget) -> list[str]:
    """What is narrower than it must be, or wider than where it lies."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible():
            continue
        width, hint = widget.width(), widget.sizeHint().width()
        if isinstance(widget, QLabel | QAbstractButton) and not isinstance(widget, StatusButton) and width < hint:
            found.append(f"{name(widget)} is {width} wide and needs {hint}")
        texts = QLabel | QAbstractButton | Paragraph | Painted
        if isinstance(widget, texts) and widget.minimumSizeHint().height() > widget.height() + 1:
            found.append(f"{name(widget)} is {widget.height()} high, needs {widget.minimumSizeHint().height()}")
        if isinstance(widget, QScrollArea):
            content, port = widget.widget(), widget.viewport()
            if content is not None and content.width() > port.width():
                found.append(f"{name(widget)}: its content is {content.width()} wide in {port.width()}")
            if content is not None and content.minimumSizeHint().width() > port.width():
                found.append(f"{name(widget)}: content needs {content.minimumSizeHint().width()} of {port.width()}")
        parent = widget.parentWidget()
        if parent is not None and not widget.isWindow() and type(widget).__name__ != "FocusRing":
            right = widget.mapTo(window, QPoint(width, 0)).x()
            if right > window.width() + 1 or widget.x() + width > parent.width() + 1:
                found.append(f"{name(widget)} sticks out of {name(parent)} to {right}")
    return found


_IN_DIALOGS = (
    "settings",
    "library",
    "criteria",
    "contest_tagging",
    "contest_rewriting",
    "contest_order",
    "contest_effort",
)


def in_dialog(state: str) -> bool:
    """Whether a state is shown in a dialog, which takes its size from the window when it opens."""
    return state.startswith(_IN_DIALOGS)


@pytest.mark.parametrize("state", [state for state in shots.STATES if not in_dialog(state)])
def test_nothing_is_clipped(open_state: Callable[[str, str], QWidget], state: str) -> None:
    """At each size, one after another in the same window, as when somebody resizes it or changes the text size."""
    window = open_state(state, next(iter(shots.SIZES)))
    assert isinstance(window, MainWindow)
    found = {}
    for size, (width, height, scale) in shots.SIZES.items():
        theme.theme().configure(scale=scale)
        window.resize(width, height)
        for _ in range(5):
            QApplication.processEvents()
        found[size] = faults(window)
    assert not any(found.values()), found


@pytest.mark.parametrize("state", [state for state in shots.STATES if in_dialog(state)])
def test_nothing_is_clipped_in_a_dialog(open_state: Callable[[str, str], QWidget], state: str) -> None:
    """At each size, opened again over the same window."""
    window = open_state("rate_finished", next(iter(shots.SIZES)))
    assert isinstance(window, MainWindow)
    found = {}
    for size, (width, height, scale) in shots.SIZES.items():
        theme.theme().configure(scale=scale)
        window.resize(width, height)
        dialog = put_in(window, state)
        assert not isinstance(dialog, MainWindow)
        found[size] = faults(dialog)
        close_dialogs()
    assert not any(found.values()), found


def test_a_long_model_name_leaves_room_for_the_tabs(open_state: Callable[[str, str], QWidget]) -> None:
    window = open_state("rate_finished", "big")
    assert isinstance(window, MainWindow)
    window.models.show_status("ready", "A-very-long-model-name-of-someone-" * 4, "12.3 GB · offline")
    QApplication.processEvents()
    assert faults(window) == []
    assert window.width() == 1024


def test_changing_the_text_size_lays_everything_out_again(open_state: Callable[[str, str], QWidget]) -> None:
    window = open_state("duel_inconsistent", "small")
    for scale in (1.5, 0.8, 2.0, 1.0):
        theme.theme().configure(scale=scale)
        for _ in range(5):
            QApplication.processEvents()
        assert faults(window) == []
