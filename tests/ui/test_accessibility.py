"""Keyboard and screen reader: names, the order of the Tab key, shortcuts, the focus ring."""

from __future__ import annotations

import operator
from collections.abc import Callable

import canned
import canned_profile
import pytest
from driving import Open
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QSlider,
    QWidget,
)
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.palette import Palette
from jokejudge_gui.ui.widgets.line import Line

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")
CONTROLS = QAbstractButton | QLineEdit | QPlainTextEdit | QAbstractItemView | QComboBox | QSlider


def nameless(window: QWidget) -> list[str]:
    """Visible controls and charts that a screen reader couldn't name."""
    found = []
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or widget.objectName().startswith("qt_"):
            continue
        text = widget.text() if isinstance(widget, QAbstractButton) else ""
        if isinstance(widget, CONTROLS) and not (widget.accessibleName() or text).strip():
            found.append(f"{type(widget).__name__} in {type(widget.parentWidget()).__name__}")
    return found


def test_every_control_has_a_name(open_window: Open) -> None:
    window = open_window(start=False)
    assert nameless(window) == []
    window.by_kind["rate"].open(canned.entry(canned.rating()))
    assert nameless(window) == []
    window.show_tab("duel")
    window.by_kind["duel"].open(canned.entry(canned.duel(**canned.INCONSISTENT)))
    assert nameless(window) == []


@pytest.mark.parametrize("opener", ["settings_button", "models.button", "criteria.button"])
def test_every_control_of_a_dialog_has_a_name(open_window: Open, opener: str) -> None:
    window = open_window()
    operator.attrgetter(opener)(window).click()
    dialog = QApplication.activeModalWidget()
    assert nameless(dialog) == []
    dialog.close()


def test_charts_are_said_in_words(open_window: Open) -> None:
    window = open_window(start=False)
    window.by_kind["rate"].open(canned.entry(canned.read_rating()))
    assert "upper" in window.by_kind["rate"].page.line.accessibleName()
    window.by_kind["duel"].open(canned.entry(canned.duel()))
    assert "A, probably" in window.by_kind["duel"].answer.line.accessibleName()
    charts = [w for w in window.findChildren(Line) if w.isVisible() and not w.accessibleName()]
    assert [type(chart).__name__ for chart in charts if type(chart).__name__ not in ("Card", "Rule")] == []


def test_labels_show_plain_text_only(open_window: Open) -> None:
    window = open_window(start=False)
    window.by_kind["rate"].open(canned.entry(canned.rating()))
    formats = {label.textFormat() for label in window.findChildren(QLabel)}
    assert formats == {Qt.TextFormat.PlainText}


def chain(qtbot: QtBot, window: MainWindow, steps: int) -> list[QWidget]:
    """The controls that the Tab key visits, from the Rate segment on."""
    window.tabs.segment("rate").setFocus()
    visited: list[QWidget] = []
    for _ in range(steps):
        widget = QApplication.focusWidget()
        assert widget is not None
        visited.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    return visited


def test_tab_goes_from_tabs_to_editor_to_rate_to_actions_to_history(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    canned_profile.record(window.session.store, canned.rating("x"))
    window.pane.refresh()
    window.open_verdict("x")
    visited = chain(qtbot, window, 27)
    tab = window.by_kind["rate"]
    landmarks = [
        window.tabs.segment("rate"), tab.joke.editor, tab.buttons.run_button, tab.bar.first_button,
        *tab.vote.by_choice.values(),
        tab.bar.star_button, window.models.button,
        window.criteria.button, window.settings_button, window.pane.search, window.pane.view,
    ]  # fmt: skip
    assert [widget for widget in dict.fromkeys(visited) if widget in landmarks] == landmarks


def test_tab_never_gets_stuck_and_reaches_nothing_hidden(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    visited = chain(qtbot, window, 40)
    assert all(widget.isVisible() and widget.isEnabled() for widget in visited)
    assert visited.count(window.by_kind["rate"].joke.editor) >= 2


@pytest.mark.parametrize(
    ("key", "check"),
    [
        (Qt.Key.Key_2, lambda w: w.stack.currentWidget() is w.by_kind["duel"]),
        (Qt.Key.Key_1, lambda w: w.stack.currentWidget() is w.by_kind["rate"]),
        (Qt.Key.Key_3, lambda w: w.stack.currentWidget() is w.by_kind["contest"]),
        (Qt.Key.Key_4, lambda w: w.stack.currentWidget() is w.trust_tab),
        (Qt.Key.Key_B, lambda w: w.pane.folded),
        (Qt.Key.Key_K, lambda _w: QApplication.activeModalWidget() is not None),
        (Qt.Key.Key_Comma, lambda _w: QApplication.activeModalWidget() is not None),
    ],
)
def test_shortcuts_work_from_the_editor(
    open_window: Open, qtbot: QtBot, key: Qt.Key, check: Callable[[MainWindow], bool]
) -> None:
    window = open_window(start=False)
    window.by_kind["rate"].joke.editor.setFocus()
    qtbot.keyClick(window.by_kind["rate"].joke.editor, key, Qt.KeyboardModifier.ControlModifier)
    assert check(window)
    dialog = QApplication.activeModalWidget()
    if dialog is not None:
        dialog.close()


def test_a_question_mark_lists_the_keys_except_where_one_types(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(start=False)
    editor = window.by_kind["rate"].joke.editor
    qtbot.keyClicks(editor, "Why?")
    assert editor.toPlainText() == "Why?"
    assert QApplication.activeModalWidget() is None
    for segment in (window.tabs.segment("rate"), window.tabs.segment("trust")):
        segment.setFocus()
        qtbot.keyClicks(segment, "?")
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, Palette)
        dialog.close()


def test_the_keyboard_stays_where_it_is_when_the_columns_become_one(open_window: Open) -> None:
    window = open_window(start=False)
    window.resize(1360, 860)
    editor = window.by_kind["rate"].joke.editor
    editor.setFocus()
    for scale in (1.5, 1.0, 2.0):
        theme.theme().configure(scale=scale)
        QApplication.processEvents()
        assert QApplication.focusWidget() is editor
        assert editor.viewport().font().pixelSize() == editor.font().pixelSize()  # the placeholder's


def test_the_focus_moves_from_rate_to_stop_and_back(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = window.by_kind["rate"]
    tab.joke.set_text(canned.PARALLEL)
    tab.buttons.run_button.setFocus()
    qtbot.keyClick(tab.buttons.run_button, Qt.Key.Key_Space)
    assert tab.buttons.stop_button.hasFocus()
    qtbot.waitUntil(lambda: not tab.live, timeout=30_000)
    assert tab.buttons.run_button.hasFocus()


def test_targets_are_large_enough(open_window: Open) -> None:
    window = open_window(start=False)
    window.by_kind["rate"].open(canned.entry(canned.rating()))
    small = [
        button.accessibleName() or button.text()
        for button in window.findChildren(QAbstractButton)
        if button.isVisible() and (button.width() < 24 or button.height() < 24)
    ]
    assert small == []


@pytest.mark.parametrize(
    ("keys", "sizes"), [(("+", "+", "-"), [1.1, 1.2, 1.1]), (("-", "0"), [0.9, 1.0]), (("0",), [1.0])]
)
def test_the_text_grows_and_shrinks_with_keys(open_window: Open, qtbot: QtBot, keys: str, sizes: list[float]) -> None:
    window = open_window(start=False)
    named = {"+": Qt.Key.Key_Plus, "-": Qt.Key.Key_Minus, "0": Qt.Key.Key_0}
    found = []
    for key in keys:
        qtbot.keyClick(window, named[key], Qt.KeyboardModifier.ControlModifier)
        found.append(window.settings.text_scale)
    assert found == pytest.approx(sizes)
