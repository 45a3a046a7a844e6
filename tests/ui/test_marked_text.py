"""A text with marks: what is drawn stays inside, spaces stay outside the marks, words are chosen by mouse and keys."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from jokejudge_gui.ui.widgets.base import settle
from jokejudge_gui.ui.widgets.marked_text import MarkedText, trimmed, woven

GOSSIP = "A gossip is someone with a great sense of rumor."


def shown(qtbot: QtBot, text: str = GOSSIP, width: int = 340, **options: object) -> MarkedText:
    widget = MarkedText()
    qtbot.addWidget(widget)
    widget.set_text(text, **options)  # type: ignore[arg-type]
    widget.resize(width, widget.height())
    widget.show()
    settle()
    return widget


def span(words: str, text: str = GOSSIP) -> tuple[int, int]:
    return text.index(words), text.index(words) + len(words)


def test_the_turn_ends_with_its_last_word() -> None:
    assert trimmed(GOSSIP, *span("sense of rumor.")) == span("sense of rumor")
    assert trimmed("…", 0, 1) == (0, 1)


def test_a_screen_reader_hears_text_and_marks(qtbot: QtBot) -> None:
    widget = shown(
        qtbot, turn=span("sense of rumor."), marks=[(*span("great"), "cut")], above=(*span("rumor"), "humor"), size=28
    )
    assert widget.accessibleName() == GOSSIP
    said = "Turns on: sense of rumor. Could go: great. “rumor” for “humor”."
    assert widget.accessibleDescription() == said


@pytest.mark.parametrize(
    ("before", "after", "text", "changes"),
    [
        ("a person who has it", "someone with it", "a person who has someone with it",
         [("a person who has", "gone"), ("someone with", "new")]),
        ("I went. No milk.", "I went home. No milk.", "I went home. No milk.", [("home", "new")]),
        ("I went home. No milk.", "I went. No milk.", "I went home. No milk.", [("home", "gone")]),
        ("one two", "two", "one two", [("one", "gone")]),
        ("two", "one two", "one two", [("one", "new")]),
        ("the same", "the same", "the same", []),
        ("", "new", "new", [("new", "new")]),
    ],
)  # fmt: skip
def test_two_texts_are_woven_with_spaces_outside_the_marks(
    before: str, after: str, text: str, changes: list[tuple[str, str]]
) -> None:
    found, marks = woven(before, after)
    assert found == text
    assert [(found[a:b], style) for a, b, style in marks] == changes


@pytest.mark.parametrize("width", [60, 200, 340, 600])
@pytest.mark.parametrize("size", [15, 20, 24, 28])
def test_marks_and_the_word_above_stay_inside(qtbot: QtBot, size: int, width: int) -> None:
    widget = shown(qtbot, above=(*span("A gossip"), "somebody who talks"), turn=span("rumor"), size=size, width=width)
    assert widget.height() == widget.minimumHeight() == widget.maximumHeight()
    for words in ("A gossip", "rumor"):
        rect = widget.rect_of(*span(words))
        assert rect.height() > 0
        assert rect.left() >= -4
        assert rect.right() <= width + 4
        assert rect.top() >= 0
        assert rect.bottom() <= widget.height() + 2
    assert not widget.grab().isNull()


@pytest.mark.parametrize("text", ["", "😂" * 500, "x" * 20_000, "word " * 3000, "one\n\ntwo\r\nthree", "<b>no</b> {x}"])
def test_any_text_can_be_drawn(qtbot: QtBot, text: str) -> None:
    marks = [(0, min(3, len(text)), "gone"), (5, 2, "cut"), (0, len(text) + 9, "new")]
    widget = shown(qtbot, text, marks=marks, turn=(0, len(text)) if text else None)
    assert widget.text() == text
    assert not widget.grab().isNull()


def test_words_are_chosen_with_the_arrow_keys_and_widened_with_shift(qtbot: QtBot) -> None:
    widget = shown(qtbot)
    widget.choose(True)
    assert widget.choice is None
    with qtbot.waitSignal(widget.chosen):
        qtbot.keyClick(widget, Qt.Key.Key_End)
    assert widget.choice == span("rumor")
    qtbot.keyClick(widget, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClick(widget, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert widget.choice == span("sense of rumor")
    qtbot.keyClick(widget, Qt.Key.Key_Right)
    assert widget.choice == span("of")
    widget.choose(False)
    qtbot.keyClick(widget, Qt.Key.Key_Left)
    assert widget.choice is None


def test_words_are_chosen_with_the_mouse(qtbot: QtBot) -> None:
    widget = shown(qtbot, width=900)
    widget.choose(True)
    middle = widget.rect_of(*span("great")).center().toPoint()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, pos=middle)
    assert widget.choice == span("great")
    end = widget.rect_of(*span("rumor")).center().toPoint()
    qtbot.mouseClick(widget, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.ShiftModifier, pos=end)
    assert widget.choice == span("great sense of rumor")


def test_the_pointer_says_which_letter_it_is_on(qtbot: QtBot) -> None:
    text = "😂 is funny"
    widget = shown(qtbot, text, width=600)
    place = widget.rect_of(*span("funny", text)).center().toPoint()
    assert text[widget.place_at(place.toPointF())] in "funny"
    assert widget.place_at(QPoint(590, 5).toPointF()) == -1
