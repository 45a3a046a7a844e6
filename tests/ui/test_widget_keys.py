"""Shared widgets by keyboard, and the editor."""

from __future__ import annotations

import gc

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from jokejudge_gui.ui.widgets.base import settle
from jokejudge_gui.ui.widgets.controls import PrimaryButton, SecondaryButton, Segmented
from jokejudge_gui.ui.widgets.fields import SearchField, TextEditor
from jokejudge_gui.ui.widgets.keyboard import FocusRing

pytestmark = pytest.mark.usefixtures("scale")


def window_with(qtbot, *widgets: QWidget) -> QWidget:
    window = QWidget()
    column = QVBoxLayout(window)
    for item in widgets:
        column.addWidget(item)
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    settle()
    return window


def test_segmented_moves_with_the_arrows_and_tab_stops_once(qtbot) -> None:
    switch = Segmented([("rate", "Rate"), ("duel", "Duel"), ("trust", "Trust")], "View")
    after = PrimaryButton("After")
    window = window_with(qtbot, switch, after)
    seen: list[str] = []
    switch.changed.connect(seen.append)
    switch.segment("rate").setFocus()
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Right)
    assert switch.current() == "duel"
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Right)
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Left)
    assert seen == ["duel", "trust", "duel"]
    qtbot.keyClick(window.focusWidget(), Qt.Key.Key_Tab)
    assert window.focusWidget() is after


def test_focus_ring_follows_the_keyboard_and_no_click(scale: float, qtbot) -> None:
    first, second, field = PrimaryButton("Rate"), SecondaryButton("Stop"), SearchField()
    window = window_with(qtbot, first, second, field)
    ring = FocusRing(window)
    qtbot.mousePress(first, Qt.MouseButton.LeftButton)
    qtbot.mouseRelease(first, Qt.MouseButton.LeftButton)
    assert ring.widget() is None
    second.setFocus()  # by the program, after the click
    assert ring.widget() is None
    qtbot.keyClick(second, Qt.Key.Key_Tab)
    assert ring.widget() is None  # a field thickens its own edge
    qtbot.keyClick(field, Qt.Key.Key_Backtab)
    assert ring.widget() is second
    reach = round(4 * scale)
    assert ring.geometry() == second.geometry().adjusted(-reach, -reach, reach, reach)
    first.setFocus()  # by the program, after the key
    assert ring.widget() is first
    assert ring.testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    qtbot.mouseClick(second, Qt.MouseButton.LeftButton)
    assert ring.widget() is None
    assert ring.isHidden()


def test_focus_ring_goes_when_its_control_goes(qtbot) -> None:
    first, second = PrimaryButton("Rate"), SecondaryButton("Stop")
    window = window_with(qtbot, first, second, SearchField())
    ring = FocusRing(window)
    second.setFocus()
    qtbot.keyClick(second, Qt.Key.Key_Backtab)
    assert ring.widget() is first
    with qtbot.waitSignal(first.destroyed):
        first.deleteLater()
    assert ring.widget() is None
    assert ring.isHidden()


# The editor


def pasted(editor: TextEditor, text: str | None = None, html: str | None = None) -> str:
    data = QMimeData()
    if text is not None:
        data.setText(text)
    if html is not None:
        data.setHtml(html)
    editor.insertFromMimeData(data)
    return editor.toPlainText()


def test_the_style_of_rings_outlives_their_windows(qtbot, qapp: QApplication) -> None:
    window = QWidget()
    style = FocusRing(window)._style
    del window
    gc.collect()
    assert style is FocusRing._style
    assert style.parent() is qapp


def test_tab_leaves_the_editor(qtbot) -> None:
    editor, button = TextEditor("Type"), PrimaryButton("Rate")
    window = window_with(qtbot, editor, button)
    editor.setFocus()
    qtbot.keyClick(editor, Qt.Key.Key_Tab)
    assert window.focusWidget() is button
    assert editor.toPlainText() == ""


def test_pasting_takes_the_plain_form_and_no_format(qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    assert pasted(editor, "plain <b>stays</b>", "<b>bold</b>") == "plain <b>stays</b>"
    editor.clear()
    assert pasted(editor, html="<p>A <b>bold</b> joke</p><p>and more</p>") == "A bold joke\nand more"


def test_pasting_drops_control_characters_and_keeps_every_script(qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    assert pasted(editor, "a\x00b\x1b[31m\r\nc\td") == "ab[31m\nc\td"
    editor.clear()
    assert pasted(editor, "日本語 👩‍👩‍👧 עברית é") == "日本語 👩‍👩‍👧 עברית é"


@pytest.mark.parametrize("text", ["word " * 24_000, "x" * 120_000, "😂" * 60_000, "a line\n" * 18_000])
def test_editor_takes_over_100_kilobytes_whole(text: str, qtbot) -> None:
    editor = TextEditor("Type")
    qtbot.addWidget(editor)
    editor.show()
    assert pasted(editor, text) == text
    assert not editor.grab().isNull()
