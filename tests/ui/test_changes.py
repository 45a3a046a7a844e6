"""One stack of changes for the window, and the palette of its actions."""

from __future__ import annotations

import canned_profile
import pytest
from driving import Open, rate
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.errors import UsageError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.ui.changes import Changes
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.palette import Palette
from jokejudge_gui.ui.widgets.keyboard import keys_of

CTRL, SHIFT = Qt.KeyboardModifier.ControlModifier, Qt.KeyboardModifier.ShiftModifier


@pytest.fixture
def window(open_window: Open, profile: Profile) -> MainWindow:
    canned_profile.fill_history(profile)
    return open_window(start=False)


def press_undo(qtbot: QtBot, part: QWidget) -> None:
    qtbot.keyClick(part, Qt.Key.Key_Z, CTRL)


def press_redo(qtbot: QtBot, part: QWidget) -> None:
    qtbot.keyClick(part, Qt.Key.Key_Z, CTRL | SHIFT)


def ids(window: MainWindow) -> list[str]:
    return [row.id for row in window.pane.model.rows()]


def delete(qtbot: QtBot, window: MainWindow, identity: str) -> None:
    window.pane.select(identity)
    window.pane.view.setFocus()
    qtbot.keyClick(window.pane.view, Qt.Key.Key_Delete)
    assert identity not in ids(window)


def test_each_of_two_deletions_is_undone_and_made_again(window: MainWindow, qtbot: QtBot) -> None:
    view = window.pane.view
    first, second, *_ = ids(window)
    delete(qtbot, window, first)
    delete(qtbot, window, second)
    assert window.notices.text.startswith("Deleted “")
    press_undo(qtbot, view)
    assert second in ids(window)
    assert first not in ids(window)
    assert window.notices.text.startswith("Undone: deleted “")
    press_undo(qtbot, view)
    assert first in ids(window)
    press_redo(qtbot, view)
    assert first not in ids(window)
    assert second in ids(window)
    press_undo(qtbot, view)
    press_undo(qtbot, view)
    assert window.notices.text == "Nothing to undo."


def test_star_and_vote_are_undone_in_their_order(window: MainWindow, qtbot: QtBot) -> None:
    window.open_verdict("h10")
    store, tab = window.session.store, window.by_kind["rate"]
    tab.bar.star_toggled.emit(True)
    tab.vote.voted.emit("up")
    tab.vote.voted.emit("down")
    assert store.votes.get("h10").choice == "down"
    press_undo(qtbot, window.pane.view)
    assert store.votes.get("h10").choice == "up"
    press_undo(qtbot, window.pane.view)
    assert store.votes.get("h10") is None
    assert not tab.vote.by_choice["up"].isChecked()
    assert store.row("h10").starred
    press_undo(qtbot, window.pane.view)
    assert not store.row("h10").starred


def test_undo_in_the_field_takes_back_an_accepted_edit_and_never_swaps_the_joke(
    open_window: Open, qtbot: QtBot
) -> None:
    window = open_window()
    tab = window.by_kind["rate"]
    edited, first = "My doctor gave me six months to pay.", "I think my doctor really gave me six months to pay."
    for text in ("Nobody laughs on the last ferry.", first):
        rate(qtbot, window, text)
    tab.page.accepted.emit(edited)
    qtbot.waitUntil(lambda: not tab.live)
    row = window.pane.model.index_of(tab.state.id)
    assert tab.versions.texts() == (first, edited)
    for _ in range(2):
        press_undo(qtbot, tab.joke.editor)
        assert (tab.joke.text(), tab.state.result.text, row.data()) == (first, first, first)
        assert tab.versions.texts() == (first, edited)
    assert window.notices.text == "Nothing to undo."
    press_redo(qtbot, tab.joke.editor)
    assert tab.state.result.text == row.data() == edited
    press_undo(qtbot, tab.joke.editor)
    assert window.notices.text == "Undone: accepted an edit."


def test_a_field_undoes_its_own_text_first(window: MainWindow, qtbot: QtBot) -> None:
    gone = ids(window)[0]
    delete(qtbot, window, gone)
    editor = window.by_kind["rate"].joke.editor
    editor.setFocus()
    qtbot.keyClicks(editor, "word")
    press_undo(qtbot, editor)
    assert editor.toPlainText() == ""
    assert gone not in ids(window)
    press_undo(qtbot, editor)
    assert gone in ids(window)


def test_a_change_that_fails_leaves_the_stack() -> None:
    changes, errors, done = Changes(), [], []
    changes.failed.connect(errors.append)
    changes.done.connect(lambda words, undone: done.append((words, undone)))

    def fail() -> None:
        raise UsageError("E_TEST", "No.", "")

    assert not changes.do("Nothing", fail, fail)
    assert changes.do("Something", lambda: None, fail, quiet=True)
    changes.undo()
    assert [error.code for error in errors] == ["E_TEST", "E_TEST"]
    assert not changes.canUndo()
    assert done == []


def palette(qtbot: QtBot, part: QWidget, key: Qt.Key, modifier: Qt.KeyboardModifier = CTRL) -> Palette:
    qtbot.keyClick(part, key, modifier)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, Palette)
    return dialog


def test_the_palette_finds_an_action_and_runs_it(window: MainWindow, qtbot: QtBot) -> None:
    dialog = palette(qtbot, window.by_kind["rate"].joke.editor, Qt.Key.Key_K)
    rows = {item.text(0): item.text(1) for item in dialog.shown()}
    assert rows["Show Trust"] == "Ctrl+4"
    assert rows["Search the history"] == "Ctrl+F"
    qtbot.keyClicks(dialog.search, "trust")
    assert [item.text(0) for item in dialog.shown()] == ["Show Trust"]
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.tabs.current() == "trust")


def test_the_palette_marks_the_selected_jokes_and_lists_the_keys_of_the_history(
    window: MainWindow, qtbot: QtBot
) -> None:
    window.pane.select("h10")
    dialog = palette(qtbot, window, Qt.Key.Key_K)
    assert {"Enter", "S", "Del"} <= {item.text(1) for item in dialog.shown()}
    qtbot.keyClicks(dialog.search, "as draft")
    qtbot.keyClick(dialog.search, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.session.store.row("h10").progress == "draft")
    menu = window.pane.build_menu(window.pane.view.selected_rows())
    keys = {action.text(): action.shortcut().toString() for action in menu.actions()}
    assert (keys["Open"], keys["Delete"]) == ("Enter", "Del")


def test_no_two_actions_share_a_key(window: MainWindow) -> None:
    keys = [key for action in window.actions() for key in keys_of(action).split(", ") if key]
    assert len(keys) == len(set(keys))


def test_escape_empties_the_search_before_it_does_anything_else(window: MainWindow, qtbot: QtBot) -> None:
    search = window.pane.search
    qtbot.keyClick(window, Qt.Key.Key_F, CTRL)
    qtbot.keyClicks(search, "gravity")
    qtbot.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    assert search.hasFocus()
