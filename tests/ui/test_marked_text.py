"""A text with marks: what is drawn stays inside, spaces are outside the marks, words are selected by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.pages import Mark
from jokejudge_gui.ui.widgets.base import settle
from jokejudge_gui.ui.widgets.marked_text import MarkedText, cursor_over, shortened, woven

GOSSIP = "A gossip is someone with a great sense of rumor."


def shown(
    qtbot: QtBot, text: str = GOSSIP, width: int = 340, *, selectable: bool = False, **options: object
) -> MarkedText:
    widget = MarkedText(selectable=selectable)
    qtbot.addWidget(widget)
    widget.set_text(text, **options)  # type: ignore[arg-type]
    widget.resize(width, widget.height())
    widget.show()
    settle()
    return widget


def span(words: str, text: str = GOSSIP) -> tuple[int, int]:
    return text.index(words), text.index(words) + len(words)


def rect_of(widget: MarkedText, words: str) -> QRect:
    ends = (cursor_over(widget.document(), widget.text(), at, at) for at in span(words, widget.text()))
    first, last = map(widget.cursorRect, ends)
    return first.united(last)


def mark(words: str, kind: str) -> Mark:
    return Mark(*span(words), kind)  # type: ignore[arg-type]


def test_a_screen_reader_hears_text_and_marks_and_the_turn_ends_with_its_last_word(qtbot: QtBot) -> None:
    marks = [mark("sense of rumor.", "turn"), mark("great", "cut"), mark("rumor", "wordplay")]
    widget = shown(qtbot, marks=marks, above="humor", size=28)
    assert widget.accessibleName() == GOSSIP
    assert widget.accessibleDescription() == "Turns on: sense of rumor. Struck: great. “rumor” for “humor”."


@pytest.mark.parametrize(
    ("before", "after", "text", "changes"),
    [
        ("a person who has it", "someone with it", "a person who has someone with it",
         [("a person who has", "cut"), ("someone with", "differs")]),
        ("I went. No milk.", "I went home. No milk.", "I went home. No milk.", [("home", "differs")]),
        ("I went home. No milk.", "I went. No milk.", "I went home. No milk.", [("home", "cut")]),
        ("one two", "two", "one two", [("one", "cut")]),
        ("two", "one two", "one two", [("one", "differs")]),
        ("the same", "the same", "the same", []),
        ("", "new", "new", [("new", "differs")]),
    ],
)  # fmt: skip
def test_two_texts_are_woven_with_spaces_outside_the_marks(
    before: str, after: str, text: str, changes: list[tuple[str, str]]
) -> None:
    found, marks = woven(before, after)
    assert found == text
    assert [(found[mark.start : mark.end], mark.kind) for mark in marks] == changes


@pytest.mark.parametrize("width", [60, 200, 340, 600])
@pytest.mark.parametrize("size", [15, 20, 24, 28])
def test_marks_stay_inside(qtbot: QtBot, size: int, width: int) -> None:
    widget = shown(qtbot, marks=[mark("A gossip", "wordplay"), mark("rumor", "turn")], size=size, width=width)
    assert widget.height() == widget.minimumHeight() == widget.maximumHeight()
    for words in ("A gossip", "rumor"):
        rect = rect_of(widget, words)
        assert rect.height() > 0
        assert rect.left() >= -4
        assert rect.right() <= width + 4
        assert rect.top() >= 0
        assert rect.bottom() <= widget.height() + 2
    assert not widget.grab().isNull()


@pytest.mark.parametrize("text", ["", "😂" * 500, "x" * 20_000, "word " * 3000, "one\n\ntwo\r\nthree", "<b>no</b> {x}"])
def test_any_text_can_be_drawn(qtbot: QtBot, text: str) -> None:
    marks = [Mark(0, min(3, len(text)), "cut"), Mark(5, 2, "cut"), Mark(0, len(text), "turn")]
    widget = shown(qtbot, text, marks=[*marks, Mark(0, len(text) + 9, "differs")])
    assert widget.text() == text
    assert not widget.grab().isNull()


def test_a_text_that_became_wide_enough_is_drawn_from_its_first_line(qtbot: QtBot) -> None:
    widget = shown(qtbot, size=14)
    widget.verticalScrollBar().setRange(0, 24)
    widget.verticalScrollBar().setValue(6)
    assert widget.verticalScrollBar().value() == 0


def test_words_are_selected_with_the_keys_and_copied(qtbot: QtBot) -> None:
    widget = shown(qtbot, selectable=True)
    control = Qt.KeyboardModifier.ControlModifier
    qtbot.keyClick(widget, Qt.Key.Key_End, control)
    for _ in range(4):
        qtbot.keyClick(widget, Qt.Key.Key_Left, control | Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(widget, Qt.Key.Key_C, control)
    assert QApplication.clipboard().text() == "sense of rumor."
    assert shown(qtbot).focusPolicy() == Qt.FocusPolicy.NoFocus


def test_a_long_text_is_shortened_around_its_marks() -> None:
    words = [f"word{number}" for number in range(80)]
    text = " ".join(words)
    at = text.index("word40")
    short, marks = shortened(text, [Mark(at, at + 6, "differs")])
    assert len(short) < 180
    assert short.startswith("… ")
    assert short.endswith(" …")
    assert [short[mark.start : mark.end] for mark in marks] == ["word40"]
    assert shortened(text, [])[0].startswith("word0 word1 ")
    assert shortened("short", []) == ("short", ())
