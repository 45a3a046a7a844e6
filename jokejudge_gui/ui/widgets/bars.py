"""A thin line that fills up, and agreement with people as bars."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from ..look.theme import theme
from .base import CENTRE, RIGHT, Painted, box, elided, line, text_width, write


class ProgressLine(Painted):
    """``fraction`` 0…1 on a track of ``thick`` px."""

    LEAST = 40

    def __init__(self, name: str = "Progress", *, thick: float = 4.0) -> None:
        super().__init__()
        self._name, self._thick = name, thick
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_fraction(0.0)
        self.follow_theme()

    def set_fraction(self, fraction: float) -> None:
        self.fraction = min(max(fraction, 0.0), 1.0)
        self.say(f"{self._name}: {round(self.fraction * 100)} percent")
        self.update()

    def extent(self) -> tuple[float, float]:
        return 120, 6

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme().tokens
        with self.painter() as (painter, width, height):
            y, half = height / 2, self._thick / 2
            box(painter, QRectF(0, y - half, width, self._thick), half, t.track)
            filled = width * self.fraction
            if filled > 0:
                box(painter, QRectF(0, y - half, max(self._thick, filled), self._thick), half, t.accent)


# Agreement with people as bars from the line of chance, each with its 95 % interval.

_ROW = 26.0
_CAPTION = 28.0
_AXIS = 24.0
_CHANCE = 0.5


@dataclass(frozen=True)
class BarRow:
    """``value`` 0…1 with its interval, if there is one; ``mine``: the judge itself, not what it is compared with."""

    name: str
    value: float
    low: float | None = None
    high: float | None = None
    mine: bool = False

    @property
    def figure(self) -> str:
        """``71 (67–75)``."""
        spread = "" if self.low is None or self.high is None else f" ({100 * self.low:.0f}–{100 * self.high:.0f})"
        return f"{100 * self.value:.0f}{spread}"


@dataclass(frozen=True)
class BarGroup:
    """Bars under one caption."""

    caption: str
    rows: tuple[BarRow, ...]


class AgreementBars(Painted):
    """Rows of 26 px. A bar to the right of the line is better than chance, one to the left worse."""

    LEAST = 240

    def __init__(self, groups: Sequence[BarGroup] = ()) -> None:
        super().__init__()
        self.groups: tuple[BarGroup, ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_groups(groups)
        self.follow_theme()

    def set_groups(self, groups: Sequence[BarGroup]) -> None:
        self.groups = tuple(group for group in groups if group.rows)
        said = []
        for group in self.groups:
            rows = "; ".join(f"{row.name} {row.figure}" for row in group.rows)
            said.append(f"{group.caption}: {rows}")
        self.say("Agreement with people, of 100 pairs; chance is 50", ". ".join(said))
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        rows = sum(len(group.rows) for group in self.groups)
        return 360, rows * _ROW + len(self.groups) * _CAPTION + _AXIS

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        rows = [row for group in self.groups for row in group.rows]
        if not rows:
            return
        names = max(text_width(row.name, t.raw_font(13, 600)) for row in rows)
        figures = max(text_width(row.figure, t.raw_font(13, 600, True)) for row in rows)
        lowest = min(0.4, *(value for row in rows for value in (row.value, row.low) if value is not None))
        begin = int(lowest * 10 + 1e-9) / 10
        with self.painter() as (painter, width, _):
            left = min(names + 14, width * 0.42)
            right = width - figures - 14

            def at(share: float) -> float:
                return left + (min(max(share, begin), 1.0) - begin) / (1 - begin) * (right - left)

            y = 0.0
            middle = at(_CHANCE)
            for group in self.groups:
                caption = elided(group.caption, t.raw_font(12), width)
                write(painter, QRectF(0, y + _CAPTION - 24, width, 20), caption, t.raw_font(12), t.tokens.text3)
                y += _CAPTION
                line(painter, QPointF(middle, y - 3), QPointF(middle, y + len(group.rows) * _ROW), t.tokens.field, 1.2)
                for row in group.rows:
                    ends = (middle, at(row.value), at(row.low or row.value), at(row.high or row.value))
                    self._paint_row(painter, row, y, ends, (left, right, width))
                    y += _ROW
            for tick in range(round(begin * 10), 11):
                # Every second one where there is little room.
                if (right - left) / (10 - begin * 10) >= 30 or tick in (5, 10):
                    label = QRectF(at(tick / 10) - 20, y + 2, 40, 18)
                    word = "chance" if tick == 5 and (right - left) / (10 - begin * 10) >= 48 else str(10 * tick)
                    write(painter, label, word, t.raw_font(12), t.tokens.text2, CENTRE)

    def _paint_row(
        self,
        painter: QPainter,
        row: BarRow,
        y: float,
        ends: tuple[float, float, float, float],
        columns: tuple[float, float, float],
    ) -> None:
        t = theme()
        c = t.tokens
        middle, end, low, high = ends
        left, right, width = columns
        face = t.raw_font(13, 600 if row.mine else 400)
        write(painter, QRectF(0, y, left - 8, _ROW), elided(row.name, face, left - 10), face, c.text)
        box(painter, QRectF(left, y + 7, right - left, 8), 3, c.track)
        start, stop = sorted((middle, end))
        box(painter, QRectF(start, y + 7, max(2.0, stop - start), 8), 2, c.accent if row.mine else c.tint2)
        if row.low is not None and row.high is not None:
            foot = y + 20
            line(painter, QPointF(low, foot), QPointF(high, foot), c.text2, 1.4)
            for x in (low, high):
                line(painter, QPointF(x, foot - 3), QPointF(x, foot + 3), c.text2, 1.4)
        numbers = t.raw_font(13, 600 if row.mine else 400, True)
        write(painter, QRectF(right, y, width - right, _ROW), row.figure, numbers, c.text, RIGHT)
