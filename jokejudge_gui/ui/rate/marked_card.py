"""The joke as an editor would hand it back: its turn underlined, what could go struck through."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QHelpEvent
from PySide6.QtWidgets import QToolTip, QWidget

from ...verdicts import RatingResult
from ..look import wording
from ..widgets.base import plain_tooltip
from ..widgets.cards import Card
from ..widgets.text import Paragraph, Run

_MOST_CHARACTERS = 4000
"""Longer texts are shown by their beginning: the whole stands in the field."""
REASONS = {"turn": "The joke turns on “{}”.", "cut": "“{}” could go."}


class MarkedText(Paragraph):
    """Plain text with marks; each says its reason under the pointer, all of them to a screen reader."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", 18, 400, "text", 1.45, parent)

    def set_runs(self, runs: list[Run]) -> None:
        self.set_content(runs)
        self.setAccessibleDescription(" ".join(filter(None, map(reason, runs))))

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = self.run_at(event.pos().toPointF())
            words = reason(self._runs[number]) if number is not None else ""
            if words:
                QToolTip.showText(event.globalPos(), plain_tooltip(words), self)
            else:
                QToolTip.hideText()
            return True
        return super().event(event)


class MarkedCard(Card):
    """The text that the verdict is of."""

    def __init__(self) -> None:
        super().__init__(padding=20)
        self.setAccessibleName("The joke as an editor reads it")
        self.text = MarkedText()
        self.add(self.text)
        self._shown: list[Run] = []

    def show_result(self, result: RatingResult) -> None:
        runs = marked_runs(result)
        if runs != self._shown:
            self._shown = runs
            self.text.set_runs(runs)


def reason(run: Run) -> str:
    """Why a run is marked; empty for one that isn't."""
    text, style = run
    words = REASONS.get(style, "")
    return words.format(wording.one_line(text)) if words else ""


def marked_runs(result: RatingResult) -> list[Run]:
    """The text in runs. Where marks meet, the turn goes first, then the earlier one."""
    text = result.text
    marks = [(result.turn.start, result.turn.end, "turn")] if result.turn else []
    for cut in sorted(result.cuts, key=lambda span: span.start):
        if all(cut.end <= start or end <= cut.start for start, end, _ in marks):
            marks.append((cut.start, cut.end, "cut"))
    runs: list[Run] = []
    at = 0
    for start, end, style in sorted(marks):
        runs += [(text[at:start], "normal"), (text[start:end], style)]  # type: ignore[list-item]
        at = end
    runs.append((text[at:] if len(text) <= _MOST_CHARACTERS else text[at:_MOST_CHARACTERS] + "…", "normal"))
    return [run for run in runs if run[0]]
