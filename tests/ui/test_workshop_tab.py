"""The Versions tab over the fake engine, as a user works with it."""

from __future__ import annotations

from itertools import groupby

import pytest
from driving import LONG, Gate, Open, gated
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from jokejudge_gui.judge.workshop.types import ReadVersion
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.workshop.tab import WorkshopTab, marked_runs

FIRST = "I bought some really nice shoes from a drug dealer. I was tripping all day."
SECOND = "I bought shoes from a drug dealer. I was tripping all day."


def tab_of(window: MainWindow) -> WorkshopTab:
    tab = window.by_kind["workshop"]
    assert isinstance(tab, WorkshopTab)
    return tab


def read(qtbot: QtBot, window: MainWindow, text: str) -> WorkshopTab:
    """Type a version and press the keys that read it, and wait for the end."""
    window.show_tab("workshop")
    tab = tab_of(window)
    tab.focus_editor()
    tab.joke.set_text(text)
    QTest.keyClick(tab.joke.editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert tab.live
    qtbot.waitUntil(lambda: not tab.live and tab.state.phase == "finished", timeout=LONG)
    return tab


def test_a_joke_is_read_changed_and_read_again(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    tab = read(qtbot, window, FIRST)
    assert [card.accessibleName() for card in tab.cards] == ["Version 1"]
    assert not tab.buttons.run_button.isEnabled()  # nothing was changed yet
    read(qtbot, window, SECOND)
    names = [card.accessibleName() for card in tab.cards]
    assert [name.partition(",")[0] for name in names] == ["Version 2", "Version 1"]
    assert sum("the best so far" in name for name in names) == 1
    assert tab.cards[0].text.accessibleDescription() == "Taken away: some really nice."
    assert "made from version 1" in tab.cards[0].caption_label.text()
    (row,) = window.pane.model.rows()
    assert row.texts == (FIRST, SECOND)


def test_one_goes_back_to_a_version_and_branches(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    read(qtbot, window, FIRST)
    tab = read(qtbot, window, SECOND)
    QTest.mouseClick(tab.cards[-1].from_button, Qt.MouseButton.LeftButton)
    assert tab.joke.text() == FIRST
    assert "made from version 1" in tab.made_from.text()
    read(qtbot, window, "Shoes from a dealer: I was tripping all day.")
    assert tab.state.result is not None
    assert [version.parent for version in tab.state.result.versions] == [None, "1", "1"]


def test_a_stored_joke_opens_with_its_versions_and_goes_on(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    read(qtbot, window, FIRST)
    tab = read(qtbot, window, SECOND)
    identity = tab.state.id
    assert identity is not None
    QTest.mouseClick(tab.joke.link, Qt.MouseButton.LeftButton)
    assert tab.joke.text() == ""
    assert not tab.cards
    window.open_verdict(identity)
    assert [card.title_label.text() for card in tab.cards] == ["Version 2", "Version 1"]
    assert tab.joke.text() == SECOND
    read(qtbot, window, "I bought shoes from a dealer.")
    assert tab.state.id == identity
    assert len(window.pane.model.rows()) == 1


def test_the_same_text_again_can_not_be_asked_for(open_window: Open, qtbot: QtBot) -> None:
    window = open_window()
    read(qtbot, window, FIRST)
    tab = read(qtbot, window, SECOND)
    tab.joke.set_text(FIRST)
    assert not tab.buttons.run_button.isEnabled()
    window.run_current()
    assert not tab.live


@pytest.mark.parametrize("second", [False, True])
def test_a_stopped_version_waits_and_is_read_later(open_window: Open, qtbot: QtBot, second: bool) -> None:
    gate = Gate()
    window = open_window(gated(gate))
    tab = read(qtbot, window, FIRST) if second else tab_of(window)
    gate.closed.set()
    gate.held.clear()
    window.show_tab("workshop")
    tab.joke.set_text(SECOND)
    window.run_current()
    qtbot.waitUntil(gate.held.is_set, timeout=LONG)
    assert [card.title_label.text() for card in tab.cards] == (["Version 1"] if second else [])
    window.escape()
    gate.closed.clear()
    gate.opened.set()
    qtbot.waitUntil(lambda: tab.state.phase == "stopped", timeout=LONG)
    assert "still to be read" in tab.summary.text()
    assert tab.buttons.run_button.isEnabled()
    window.run_current()
    qtbot.waitUntil(lambda: tab.state.phase == "finished", timeout=LONG)
    assert tab.cards[0].title_label.text() == ("Version 2" if second else "Version 1")


@pytest.mark.parametrize(
    ("before", "after", "runs"),
    [
        (
            "A man walks into a bar.",
            "A man runs into a bar.",
            [("A man ", "normal"), ("walks", "cut"), (" ", "normal"), ("runs", "quote"), (" into a bar.", "normal")],
        ),
        ("I like big cats.", "I like cats.", [("I like ", "normal"), ("big", "cut"), (" cats.", "normal")]),
        ("I like cats.", "I like big cats.", [("I like ", "normal"), ("big", "quote"), (" cats.", "normal")]),
        ("One.", "One. Two.", [("One.", "normal"), (" ", "normal"), ("Two.", "quote")]),
        ("One. Two.", "One.", [("One.", "normal"), (" ", "normal"), ("Two.", "cut")]),
        (
            "no\nlast word",
            "no other end",
            [
                *(("no\n", "normal"), ("last", "cut"), (" ", "normal"), ("word", "cut"), (" ", "normal")),
                ("other end", "quote"),
            ],
        ),
    ],
)
def test_spaces_stand_outside_the_marks_so_that_no_words_run_together(
    before: str, after: str, runs: list[tuple[str, str]]
) -> None:
    found = marked_runs(ReadVersion(id="2", text=after, parent="1"), ReadVersion(id="1", text=before))
    assert joined(found) == joined(runs)


def joined(runs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Runs of one style as one."""
    return [("".join(text for text, _ in group), style) for style, group in groupby(runs, key=lambda run: run[1])]
