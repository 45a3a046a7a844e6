"""A set in the window: made, put in order, printed, deleted and opened again."""

from __future__ import annotations

from pathlib import Path

import pytest
from contest_driving import JOKES, drag, tab_of
from driving import LONG, Open, rate, save_as
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from jokejudge_gui.judge.set.words import page
from jokejudge_gui.ui.contest import set_page as module
from jokejudge_gui.ui.contest.set_page import SetPage
from jokejudge_gui.ui.main_window import MainWindow

Key, Alt, Ctrl = Qt.Key, Qt.KeyboardModifier.AltModifier, Qt.KeyboardModifier.ControlModifier
BITS = [
    *JOKES[:8],
    "My dentist has a waiting list. It hangs in the room where we wait.",
    "I told the lift my secret. It let me down.",
    "Our cat ran for mayor, and nobody could get her down.",
    "The library was quiet, so I checked out.",
]


def press(key: Qt.Key, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
    holder = QApplication.focusWidget()
    assert holder is not None
    QTest.keyClick(holder, key, modifiers)


def shown(window: MainWindow) -> list[str]:
    """The texts of the set that is shown, in their order."""
    assert tab_of(window).page == "set"
    return [bit.text for bit in set_page(window).result.bits]


def set_page(window: MainWindow) -> SetPage:
    return window.sets


def test_a_set_of_12_bits_is_ordered_printed_and_opened_after_a_restart_by_keyboard_alone(
    open_window: Open, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    QGuiApplication.clipboard().setText("\n".join(BITS))
    press(Key.Key_3, Ctrl)
    press(Key.Key_V, Ctrl)
    tab = tab_of(window)
    qtbot.waitUntil(lambda: tab.list_page.set_link.isVisible())
    while QApplication.focusWidget() is not tab.list_page.set_link:
        press(Key.Key_Tab)
    press(Key.Key_Space)
    qtbot.waitUntil(lambda: tab.page == "set" and all(bit.rating for bit in set_page(window).result.bits), timeout=LONG)
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    assert shown(window) == BITS
    for _ in range(3):
        press(Key.Key_Down, Alt)  # the first becomes the fourth
    press(Key.Key_Down)
    press(Key.Key_Delete)
    press(Key.Key_Z, Ctrl)
    press(Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    QTest.keyClicks(editor, "CLOSER")
    press(Key.Key_Return)
    qtbot.waitUntil(lambda: "CLOSER" in [bit.title for bit in set_page(window).result.bits])
    order = [*BITS[1:4], BITS[0], *BITS[4:]]
    assert shown(window) == order
    sheet = tmp_path / "sheet.pdf"
    save_as(monkeypatch, sheet)
    press(Key.Key_P, Ctrl)
    assert sheet.read_bytes().startswith(b"%PDF")
    assert f"Wrote the stage sheet to {sheet}" in window.notices.text
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)

    window = open_window()
    qtbot.waitUntil(lambda: tab_of(window).page == "set", timeout=LONG)  # what was open comes back
    assert shown(window) == order
    while QApplication.focusWidget() is not set_page(window).back_link:
        press(Key.Key_Tab)
    press(Key.Key_Space)
    assert tab_of(window).page == "list"
    press(Key.Key_F, Ctrl)
    press(Key.Key_Down)
    press(Key.Key_Return)
    assert shown(window) == order
    assert [bit.title for bit in set_page(window).result.bits if bit.title] == ["CLOSER"]
    press(Key.Key_F, Ctrl)
    sheet.unlink()
    press(Key.Key_P, Ctrl)
    assert sheet.exists()  # with the focus in the history
    set_page(window).list.setFocus()
    press(Key.Key_Up, Alt)
    assert shown(window) == order  # the first one can't go up
    press(Key.Key_Down, Alt)
    press(Key.Key_Z, Ctrl)
    assert shown(window) == order


def test_a_set_of_chosen_verdicts_keeps_their_titles_and_rooms_and_is_deleted_with_undo(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    rate(qtbot, window, f"{BITS[0]} [laugh 3]")
    rate(qtbot, window, BITS[5])
    newest, oldest = window.pane.model.rows()
    window.session.store.set_note(oldest.id, "# OPENER\n")
    window.pane.refresh()
    window.pane.view.selectAll()
    menu = window.pane.build_menu(window.pane.view.selected_rows())
    next(act for act in menu.actions() if act.text() == "Make a set of these 2 jokes").trigger()
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    result = set_page(window).result
    assert [bit.text for bit in result.bits] == [newest.text_a, oldest.text_a]
    assert [laugh.strength for laugh in result.bits[1].room] == [3]
    assert set_page(window).findings.text().startswith("Your room: 1 laugh, in 1 of 2 bits.")
    row = next(row for row in window.pane.model.rows() if row.kind == "set")
    window.pane.delete_rows([row])
    assert tab_of(window).page == "list"  # its page is left
    window.undo()
    window.open_verdict(row.id)
    assert set_page(window).result == result
    assert page(result).headline in set_page(window).facts.text()


def test_bits_are_dragged_and_the_time_to_fill_is_chosen(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    window.sets.make(BITS[:3], "Friday")
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    view = set_page(window)
    drag(view.list, 2, 0)
    qtbot.waitUntil(lambda: shown(window) == [BITS[2], BITS[0], BITS[1]])
    view.minutes.choose(view.minutes.options.index("1 min to fill"))
    assert "s under 1 minute" in view.facts.text()
    window.undo()
    window.undo()
    assert shown(window) == BITS[:3]
    stored = window.session.store.get(view.result.id).result
    assert stored == view.result
    next(action for action in view.list.actions() if "out of its set" in action.text()).trigger()
    assert len(shown(window)) == 2


def test_what_is_kept_in_a_list_becomes_a_set(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = tab_of(window)
    window.show_tab("contest")
    tab.list_page.set_text("\n".join(BITS[:5]))
    window.run_current()
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    for key in (Key.Key_K, Key.Key_K, Key.Key_S):
        press(key)
    kept = [entry.text for entry in tab.state.desk.rows("kept")]
    qtbot.waitUntil(lambda: tab.page == "set" and not window.worker.busy, timeout=LONG)
    assert shown(window) == kept
    press(Key.Key_Return)
    assert window.tabs.current() == "rate"
    assert window.by_kind["rate"].joke.text() == kept[0]
    contest, made = tab.state.id, set_page(window).result.id
    window.open_verdict(made)
    assert window.pane.view.selected_ids() == [made]
    set_page(window).back_link.click()
    assert window.pane.view.selected_ids() == [contest]
    press(Key.Key_S)
    assert (set_page(window).result.id, set_page(window).live) == (made, False)  # the same bits, the same set
    assert window.pane.view.selected_ids() == [made]
    window.close()
    qtbot.waitUntil(window.is_closed, timeout=LONG)

    window = open_window()
    qtbot.waitUntil(lambda: tab_of(window).page == "set", timeout=LONG)
    assert set_page(window).back_link.text() == "New list"
    window.open_verdict(contest)
    qtbot.waitUntil(lambda: tab_of(window).page == "desk", timeout=LONG)
    window.open_verdict(set_page(window).result.id)
    assert set_page(window).back_link.text() == "Back to the list"
    set_page(window).back_link.click()
    assert tab_of(window).page == "desk"


def test_where_the_room_laughed_is_typed_by_a_key_judged_without_the_marks_and_typed_again_when_opened(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    tab = window.by_kind["rate"]
    window.show_tab("rate")
    tab.joke.editor.setFocus()
    QTest.keyClicks(tab.joke.editor, "I told the lift my secret.")
    press(Key.Key_L, Ctrl)
    QTest.keyClicks(tab.joke.editor, " It let me down.")
    press(Key.Key_L, Ctrl)
    press(Key.Key_L, Ctrl)
    typed = "I told the lift my secret. [laugh] It let me down. [laugh 2]"
    assert tab.joke.text() == typed
    assert tab.joke.facts.text().startswith("10 words")
    press(Key.Key_Return, Ctrl)
    qtbot.waitUntil(lambda: not tab.live, timeout=LONG)
    assert tab.page.text.text() == "I told the lift my secret. It let me down."
    assert "Your room: 2 laughs" in tab.page.rows.text()
    assert not tab.stale
    (row,) = window.pane.model.rows()
    tab.set_texts("another one")
    assert tab.stale
    window.open_verdict(row.id)
    assert (tab.joke.text(), tab.stale) == (typed, False)


def test_the_sheets_file_is_named_by_whole_words_and_one_thing_is_shown_where_there_is_little_room(
    open_window: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = open_window()
    window.sets.make(["My flatmate labels everything in the fridge, including me.", *BITS[:2]])
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    names: list[str] = []
    monkeypatch.setattr(module, "ask_file", lambda _parent, _title, name, _endings: names.append(name))
    view = set_page(window)
    view.write()
    assert names == ["My flatmate labels everything in the.pdf"]
    view.set_room("narrow")
    assert (view.list.isVisible(), view.text.isVisible()) == (True, False)
    press(Key.Key_T)
    assert (view.list.isVisible(), view.text.isVisible()) == (False, True)
    tab_of(window).stop()  # Esc
    assert view.list.isVisible()
