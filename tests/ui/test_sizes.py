"""Nothing is clipped, cut short without a tooltip or faint, in every state, at every size, in light and dark."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shots
from contest_driving import tab_of
from PySide6.QtCore import QEvent, QPoint, QRectF, Qt
from PySide6.QtGui import QFont, QPainter
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QScrollArea, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.ui.contest.table import Column
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.widgets import base
from jokejudge_gui.ui.widgets.controls import StatusButton
from jokejudge_gui.ui.widgets.line import Line
from jokejudge_gui.ui.widgets.text import Paragraph

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
READABLE = ("text", "text2", "text3", "accent", "accent_hover", "accent_pressed", "good_text", "mid_text", "bad_text")
"""Tokens in which text is written on any ground: each reaches 4.5 there (``test_theme``)."""
INACTIVE = ("dis_text", "on_accent", "surface", "bg")
"""Of what can't be pressed; and what is written on the accent or, of a badge, on text2."""


@pytest.fixture
def open_state(qtbot: QtBot, qapp: QApplication, tmp_path: Path) -> Iterator[Callable[[str, str], MainWindow]]:
    windows: list[MainWindow] = []
    count = itertools.count()

    def shut() -> None:
        # Each window that is there is laid out anew when the text size changes.
        while windows:
            window = windows.pop()
            shots.close_dialogs()
            window.close()
            qtbot.waitUntil(window.is_closed, timeout=20_000)
            window.deleteLater()
            QApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)

    def open_one(state: str, size: str) -> MainWindow:
        shut()
        windows.append(shots.open_window(Profile.at(tmp_path / f"profile {next(count)}"), state, size))
        shots.put_in(windows[-1], state)
        return windows[-1]

    yield open_one
    shut()


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
        texts = QLabel | QAbstractButton | Paragraph | Line
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


class Written:
    """Watches what is written while widgets are painted: ``found`` holds texts that were cut short where no tooltip has
    them whole, and colours that don't reach 4.5 on every ground (``test_theme`` shows which do)."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.found: list[str] = []
        self._whole, self._wrote = base.elided, base.write
        for name, watched in (("elided", self._elided), ("write", self._write)):
            original = getattr(base, name)
            for module in [each for key, each in sys.modules.items() if key.startswith("jokejudge_gui.ui.")]:
                if getattr(module, name, None) is original:
                    monkeypatch.setattr(module, name, watched)

    def _elided(self, text: str, font: QFont, width: float) -> str:
        shown = self._whole(text, font, width)
        if shown != text:
            painted = index = None
            for depth in (1, 2):  # a delegate's own methods have no index; their caller has
                known = sys._getframe(depth).f_locals
                painted, index = painted or known.get("self"), index or known.get("index")
            tip = index.data(Qt.ItemDataRole.ToolTipRole) if index is not None else None
            if not (tip or (isinstance(painted, QWidget) and tells(painted))):
                self.found.append(f"{type(painted).__name__} cuts {text!r} short")
        return shown

    def _write(
        self, painter: QPainter, rect: QRectF, text: str, font: QFont, colour: str, *align: Qt.AlignmentFlag
    ) -> None:
        tokens = theme.theme().tokens
        if colour.upper() not in {getattr(tokens, name).upper() for name in (*READABLE, *INACTIVE)}:
            self.found.append(f"{text!r} is written in {colour}")
        self._wrote(painter, rect, text, font, colour, *align)


def tells(widget: QWidget) -> bool:
    """Whether a widget has a tooltip, or finds one where the pointer is."""
    return bool(widget.toolTip()) or "event" in type(widget).__dict__


GROUPS = ("rate", "duel", "contest", "desk", "set_", "trust", "")
"""States whose names begin so share a window; the last has all others."""


def settled(window: MainWindow) -> QWidget:
    """A window after a change of its size; the dialog over it, where there is one."""
    for _ in range(5):
        QApplication.processEvents()
    return QApplication.activeModalWidget() or window


def of_group(group: str) -> list[str]:
    mine = [state for state in shots.STATES if state.startswith(group)]
    return [state for state in mine if group or not state.startswith(GROUPS[:-1])]


@pytest.mark.parametrize("group", GROUPS)
def test_nothing_is_clipped_or_cut_short_or_faint(
    open_state: Callable[[str, str], MainWindow], group: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each state at each size, the text of usual size in light and the large one in dark, one after another in the same
    window: what a change of colours or of size lays out anew is the whole window, so both come at once."""
    states = of_group(group)
    shared = [state for state in states if not state.startswith(shots.ALONE)]
    written = Written(monkeypatch)
    found: dict[str, list[str]] = {}
    for together in filter(None, (shared, *([state] for state in states if state not in shared))):
        window = open_state(together[0], next(iter(shots.SIZES)))
        for size, (width, height, scale) in shots.SIZES.items():
            if together is not shared or theme.theme().scale != scale:  # else each state is put in anew
                theme.theme().configure(mode="dark" if scale > 1.0 else "light", scale=scale)
            window.resize(width, height)
            for state in together:
                shown = shots.put_in(window, state) if together is shared else settled(window)
                shown.grab()
                wrong = [*faults(shown), *written.found]
                written.found.clear()
                if wrong:
                    found[f"{state}, {size}"] = wrong
    assert not found, "\n".join(f"{where}: {each}" for where, wrong in found.items() for each in sorted(set(wrong)))


def test_a_long_model_name_leaves_room_for_the_tabs(open_state: Callable[[str, str], MainWindow]) -> None:
    window = open_state("rate_finished", "big")
    window.models.show_status("ready", "A-very-long-model-name-of-someone-" * 4, "12.3 GB · offline")
    QApplication.processEvents()
    assert faults(window) == []
    assert window.width() == 1024


def test_changing_the_text_size_lays_everything_out_again(open_state: Callable[[str, str], MainWindow]) -> None:
    window = open_state("duel_inconsistent", "small")
    for scale in (1.5, 0.8, 2.0, 1.0):
        theme.theme().configure(scale=scale)
        for _ in range(5):
            QApplication.processEvents()
        assert faults(window) == []


def test_at_the_smallest_window_eleven_jokes_of_a_list_are_seen(open_state: Callable[[str, str], MainWindow]) -> None:
    table = tab_of(open_state("desk_read", "small")).desk.table
    row = table.visualRect(table.model().index(0, 0))
    assert table.viewport().height() // row.height() >= 11


def test_the_list_and_the_joke_beside_it_have_room_in_any_width(open_state: Callable[[str, str], MainWindow]) -> None:
    window = open_state("desk_read", "wide")
    desk = tab_of(window).desk
    for width in (820, 900, 940, 1024, 1180, 1280, 1360):
        window.resize(width, 700)
        settled(window)
        assert faults(window) == []
        assert desk.table_card.isVisible() == (width >= 940)
        assert not desk.table.isVisible() or desk.table.columnWidth(Column.JOKE) >= 120


def test_the_models_whole_name_fits_at_150_percent(open_window: Callable[..., MainWindow]) -> None:
    theme.install(QApplication.instance(), "light", 1.5)
    window = open_window(size=(1024, 700), start=False)
    window.models.show_status("ready", "SmolLM2 135M Instruct Q8_0", "ready · 145 MB · offline")
    QApplication.processEvents()
    assert window.models.button.fitting() == "SmolLM2 135M Instruct Q8_0"
    window.models.show_status("ready", "SmolLM2", "145 MB")
    QApplication.processEvents()
    assert window.models.button.fitting() == "SmolLM2   145 MB"
