"""One of each shared widget, filled."""

from __future__ import annotations

from jokejudge_gui.ui.rate.page import FactorRows
from jokejudge_gui.ui.rate.state import FactorLine
from jokejudge_gui.ui.widgets.duel_scale import DuelScale
from jokejudge_gui.ui.widgets.line import Line, LineLabels
from jokejudge_gui.ui.widgets.marked_text import MarkedText

LONG = "A rather long name that a model thought of for its very own factor"


def factor_rows() -> FactorRows:
    widget = FactorRows()
    widget.set_rows(
        [
            FactorLine("Wordplay", 4.8, "stronger than in 9 of 10 jokes", "strong"),
            FactorLine(LONG, 2.2, "2.2 of 5"),
            FactorLine("Clarity", 0.3, "weaker than in 8 of 10 jokes", "weak"),
            FactorLine("Economy", 0.0, "no answer"),
        ]
    )
    return widget


def line() -> Line:
    widget = Line()
    widget.set_values(52.0, 95.0, 76.0, accessible="between 52 and 95 of 100, middle 76")
    widget.set_labels(LineLabels(ends=("funnier than none", "than all"), tick="than half of jokes"))
    return widget


def marked_text() -> MarkedText:
    widget = MarkedText(size=24)
    text = "A gossip is someone with a great sense of rumor."
    widget.set_text(text, turn=(33, 48), marks=((27, 32, "cut"),), above=(42, 47, "humor"))
    return widget


def duel_scale() -> DuelScale:
    widget = DuelScale()
    widget.set_chance(72)
    return widget
