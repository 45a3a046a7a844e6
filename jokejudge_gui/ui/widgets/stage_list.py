"""The stages of a verdict, one under the other, as they happen."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .bars import ProgressLine
from .base import CENTRE, Painted, Themed, Turning, disc, line, spinner_arc, write
from .labels import Chip, ChipFlow
from .layout import HBox, VBox
from .text import Label, Paragraph

_LEAST_SECONDS = 0.05
"""A shorter time would be shown as 0.0 s: it was spent in another stage, as in verdicts of older versions."""
State = Literal["idle", "running", "done", "failed", "not run", "stopped"]


class StageItem(Painted):
    """One stage: its number or sign, title, seconds, and a body of chips, a sentence, a line of progress."""

    def __init__(self, number: int, title: str, hint: str, last: bool) -> None:
        super().__init__()
        self.number, self.hint, self._last = number, hint, last
        self.state: State = "idle"
        self.title = Label(title, 14, 500)
        self.seconds = Label("", 12, 400, "text3", tabular=True)
        self.chips = ChipFlow()
        self.text = Paragraph(hint, 13)
        self.progress = ProgressLine(name=title)
        self.body = VBox()
        for widget in (self.chips, self.text, self.progress):
            self.body.add(widget)
            widget.hide()
        self._outer = VBox(HBox(self.title, 1, self.seconds), self.body, parent=self)
        self._turning = Turning(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.set_state("idle")
        self.follow_theme()

    def set_state(self, state: State, seconds: float | None = None) -> None:
        self.state = state
        if seconds is not None and seconds < _LEAST_SECONDS:
            seconds = None
        if state == "not run":
            self.seconds.setText("not run")
        else:
            self.seconds.setText("" if seconds is None else f"{seconds:.1f} s")
        self.title.set_token("text" if state in ("running", "done", "failed") else "text2")
        self._turning.run(state == "running")
        time = f", {seconds:.1f} seconds" if seconds is not None else ""
        self.say(f"Stage {self.number}, {self.title.text()}: {state}{time}")
        if state == "idle":
            self.set_text(self.hint)
            self.chips.clear()
            self.chips.hide()
            self.set_progress(None)
        elif self.text.text() == self.hint:
            self.set_text("")
        self._pad()
        self.update()

    def set_chips(self, chips: list[Chip]) -> None:
        self.chips.set_chips(chips)
        self.chips.setVisible(bool(chips))
        self._pad()

    def set_text(self, text: str) -> None:
        self.text.show_text(text)
        self._pad()

    def set_progress(self, fraction: float | None) -> None:
        self.progress.set_fraction(fraction or 0.0)
        self.progress.setVisible(fraction is not None)
        self._pad()

    def _pad(self) -> None:
        t = theme()
        filled = not all(widget.isHidden() for widget in (self.chips, self.text, self.progress))
        bottom = 0 if self._last else 13 if filled else 10
        self._outer.setContentsMargins(t.px(34), 0, 0, t.px(bottom))
        self._outer.setSpacing(t.px(3) if filled else 0)
        self.body.setContentsMargins(0, 0, 0, 0)
        self.body.setSpacing(t.px(5))
        self.title.setFixedHeight(t.px(22))
        self.updateGeometry()

    def restyle(self) -> None:
        self._pad()
        super().restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c, middle = t.tokens, QPointF(11, 11)
        with self.painter() as (painter, _, height):
            if not self._last:
                line(painter, QPointF(11, 26), QPointF(11, height - 3), c.line2, 1.6)
            if self.state in ("done", "failed"):
                soft, colour, icon = (
                    (c.good_soft, c.good_text, "check") if self.state == "done" else (c.bad_soft, c.bad_text, "cross")
                )
                disc(painter, middle, 10, soft)
                t.paint_icon(painter, icon, QRectF(4.5, 4.5, 13, 13), colour)
                return
            if self.state == "running":
                spinner_arc(painter, middle, 9, self._turning.turn)
            else:
                disc(painter, middle, 10, c.surface, c.line2, 1.4)
            colour = c.accent if self.state == "running" else c.text2
            write(painter, QRectF(0, 0, 22, 22), str(self.number), t.raw_font(12, 600), colour, CENTRE)


class StageList(Themed, QWidget):
    """Numbered stages on a line. ``stages`` are ``(key, title, hint)``; the hint shows while a stage is idle."""

    def __init__(self, stages: list[tuple[str, str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._outer = VBox(parent=self, gap=0)
        self._items: dict[str, StageItem] = {}
        for number, (key, title, hint) in enumerate(stages, 1):
            item = StageItem(number, title, hint, number == len(stages))
            self._items[key] = item
            self._outer.addWidget(item)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Maximum)
        self.setAccessibleName("Stages")
        self.follow_theme()

    def keys(self) -> list[str]:
        return list(self._items)

    def item(self, key: str) -> StageItem:
        return self._items[key]

    def reset(self) -> None:
        """Everything idle and empty."""
        for item in self._items.values():
            item.set_state("idle")

    def set_state(self, key: str, state: State, seconds: float | None = None) -> None:
        """``idle`` empties the stage and shows its hint; ``seconds`` stand at the right, if they are worth saying."""
        self._items[key].set_state(state, seconds)

    def set_chips(self, key: str, chips: list[Chip]) -> None:
        self._items[key].set_chips(chips)

    def set_text(self, key: str, text: str) -> None:
        self._items[key].set_text(text)

    def set_progress(self, key: str, fraction: float | None) -> None:
        """A line filled to ``fraction`` 0…1; none with None."""
        self._items[key].set_progress(fraction)
