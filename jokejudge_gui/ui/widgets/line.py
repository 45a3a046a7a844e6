"""A line from 0 to 100 with a band, a ring and a tick: a value and its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import LEFT, Painted, box, disc, line, text_width, write

TRACK, TICK, RING = 6.0, 14.0, 12.0
_ABOVE, _BELOW, _RIVAL = 20.0, 19.0, 27.0
"""The distances from the line's middle to the middle of the labels above it, below it, and below it under a
triangle."""
_APART = 8.0
_MIDDLE = 50.0
"""The position of the tick."""


@dataclass(frozen=True)
class LineLabels:
    """The labels of a line. ``ends``: at 0 and 100. ``tick``: under the tick; ``middle``: at the ring, above the line
    in the accent colour, or (``under``) below it. ``rival``: another judge's name and figure 0…100, a triangle under
    the line."""

    ends: tuple[str, str] = ("0", "100")
    tick: str = ""
    middle: str = ""
    under: bool = False
    rival: tuple[str, float] | None = None


def paint_line(
    painter: QPainter,
    rect: QRectF,
    low: float | None,
    high: float | None,
    middle: float | None = None,
    tick: float | None = _MIDDLE,
    soft: bool = False,
    plain: bool = False,
) -> None:
    """Paint the line in the middle of ``rect``, whose width is 0…100; also used by delegates. ``soft``: on a soft row;
    ``plain``: the band has one colour."""
    c = theme().tokens
    y = rect.center().y()

    def at(value: float) -> float:
        return rect.left() + min(max(value, 0.0), 100.0) / 100 * rect.width()

    box(painter, QRectF(rect.left(), y - TRACK / 2, rect.width(), TRACK), TRACK / 2, c.surface if soft else c.track)
    if low is not None and high is not None:
        start, end = at(low), max(at(high), at(low) + TRACK)
        middling = c.tint3 if plain else c.tint2
        tint = QLinearGradient(start, 0, end, 0)
        for stop, shade in ((0.0, c.tint3), (0.3, middling), (0.7, middling), (1.0, c.tint3)):
            tint.setColorAt(stop, QColor(shade))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(tint)
        painter.drawRoundedRect(QRectF(start, y - TRACK / 2, end - start, TRACK), TRACK / 2, TRACK / 2)
    if tick is not None:
        line(painter, QPointF(at(tick), y - TICK / 2), QPointF(at(tick), y + TICK / 2), c.text3, 1.2)
    if middle is not None:
        x = min(max(at(middle), rect.left() + RING / 2), rect.right() - RING / 2)
        disc(painter, QPointF(x, y), RING / 2, c.surface, c.accent, 3)


class Line(Painted):
    """Draws a band ``low`` to ``high`` and a ring at ``middle``, each of them if it is given. The screen reader's text
    is ``accessible``, which should give the figures in words: "between 52 and 95 of 100, middle 76"."""

    LEAST = 120

    def __init__(self, parent: QWidget | None = None, *, plain: bool = False) -> None:
        super().__init__(parent)
        self._plain = plain
        self.low: float | None = None
        self.high: float | None = None
        self.middle: float | None = None
        self.labels: LineLabels | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_values(
        self,
        low: float | None,
        high: float | None,
        middle: float | None = None,
        *,
        accessible: str = "",
    ) -> None:
        """Set the values from 0 to 100, None for a part that isn't drawn."""
        self.low, self.high, self.middle = low, high, middle
        self.say(accessible)
        self.update()

    def set_labels(self, labels: LineLabels | None) -> None:
        """Set the labels; None: none."""
        self.labels = labels
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        above, below = self._reach()
        return 320, above + below

    def _reach(self) -> tuple[float, float]:
        """Return the extents above and below the line's middle."""
        if self.labels is None:
            return TICK / 2 + 1, TICK / 2 + 1
        above = _ABOVE + 9 if self.labels.middle and not self.labels.under else TICK / 2 + 1
        return above, self._foot + 9

    @property
    def _foot(self) -> float:
        """The distance from the line's middle to that of the labels below it, with room for a triangle if there may be
        one."""
        return _BELOW if self.labels is None or self.labels.under or not self.labels.middle else _RIVAL

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, _):
            above, _below = self._reach()
            half = TICK / 2 + 1
            rect = QRectF(0, above - half, width, 2 * half)
            paint_line(painter, rect, self.low, self.high, self.middle, plain=self._plain)
            if self.labels is not None:
                self._write(painter, self.labels, width, above)

    def _write(self, painter: QPainter, labels: LineLabels, width: float, y: float) -> None:
        t = theme()
        c = t.tokens
        if labels.rival is not None:
            x = min(max(labels.rival[1] / 100 * width, 5.0), width - 5)
            painter.setPen(QPen(QColor(c.text2), 1.5))
            painter.setBrush(QColor(c.surface))
            painter.drawPolygon(QPolygonF([QPointF(x, y + 7), QPointF(x - 4.5, y + 14.5), QPointF(x + 4.5, y + 14.5)]))
        if labels.middle and self.middle is not None and not labels.under:
            font = t.raw_font(12, 600)
            wide = text_width(labels.middle, font)
            start = min(max(self.middle / 100 * width - wide / 2, 0.0), max(0.0, width - wide))
            write(painter, QRectF(start, y - _ABOVE - 9, width, 18), labels.middle, font, c.accent)
        foot = y + self._foot - 9
        for start, text, strong in placed(labels, self.middle, width):
            font = t.raw_font(12, 600 if strong else 400)
            write(painter, QRectF(start, foot, width, 18), text, font, c.text if strong else c.text3, LEFT)


def placed(labels: LineLabels, middle: float | None, width: float) -> list[tuple[float, str, bool]]:
    """Return the labels below a line of ``width`` px, at least 8 px apart: the left edge of each, its text, and whether
    it is the ring's. Those at the same figure are joined, and an end in the way is left out."""
    plain, strong = theme().raw_font(12), theme().raw_font(12, 600)
    wanted: list[tuple[float, str, bool]] = [(_MIDDLE, labels.tick, False)] if labels.tick else []
    if labels.rival is not None:
        name, figure = labels.rival
        if wanted and round(figure) == _MIDDLE:
            word = labels.tick.removesuffix(f" {_MIDDLE:.0f}")
            wanted = [(_MIDDLE, f"{word} and “{name}” {figure:.0f}", False)]
        else:
            wanted.append((figure, f"{name} {figure:.0f}", False))
    if labels.under and labels.middle and middle is not None:
        wanted.append((middle, labels.middle, True))
    wanted.sort(key=lambda label: label[0])
    wide = [text_width(text, strong if ring else plain) for _, text, ring in wanted]
    starts = [value / 100 * width - size / 2 for (value, _, _), size in zip(wanted, wide, strict=True)]
    for place in range(1, len(starts)):  # two that are too near move apart by half of what is missing each
        missing = starts[place - 1] + wide[place - 1] + _APART - starts[place]
        if missing > 0:
            starts[place - 1] -= missing / 2
            starts[place] += missing / 2
    end = width
    for place in reversed(range(len(starts))):
        starts[place] = min(starts[place], end - wide[place])
        end = starts[place] - _APART
    begin = 0.0
    for place in range(len(starts)):
        starts[place] = max(starts[place], begin)
        begin = starts[place] + wide[place] + _APART
    shown = [(start, text, ring) for start, (_, text, ring) in zip(starts, wanted, strict=True)]
    left, right = labels.ends
    if left and (not starts or starts[0] >= text_width(left, plain) + _APART):
        shown.insert(0, (0.0, left, False))
    if right and begin <= width - text_width(right, plain):
        shown.append((width - text_width(right, plain), right, False))
    return shown
