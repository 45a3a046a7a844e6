"""One of each shared widget, filled."""

from __future__ import annotations

from jokejudge_gui.core.pages import Mark
from jokejudge_gui.ui.widgets.line import Line
from jokejudge_gui.ui.widgets.marked_text import MarkedText

LONG = "A rather long name that a model thought of for its very own factor"


def line() -> Line:
    widget = Line(("funnier than none", "than all"), "than half of jokes")
    widget.set_values(52.0, 95.0, 76.0, accessible="between 52 and 95 of 100, middle 76")
    return widget


def marked_text() -> MarkedText:
    widget = MarkedText(size=24)
    text = "A gossip is someone with a great sense of rumor."
    widget.set_text(text, [Mark(33, 48, "turn"), Mark(27, 32, "cut"), Mark(42, 47, "wordplay")])
    return widget
