"""A line from 0 to 100 with a band, a ring and a tick: a value and its uncertainty."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import LEFT, Painted, box, disc, line, text_width, write

TRACK, TICK, RING = 6.0, 14.0, 12.0
_ABOVE, _BELOW = 20.0, 19.0
"""The distances from the line's middle to the middle of the labels above and below it; a triangle takes 8 px more."""
_APART = 8.0
_MIDDLE = 50.0
"""The position of the tick."""


@dataclass(frozen=True)
class LineLabels:
    """The labels of a line. ``ends``: at 0 and 100. ``tick``: under the tick; ``middle``: above the ring. ``rival``:
    another judge's name and figure 0…100, a triangle under the line."""

    ends: tuple[str, str] = ("0", "100")
    tick: str = ""
    middle: str = ""
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
    ring: str = "accent",
) -> None:
    """Paint the line in the middle of ``rect``, whose width is 0…100; also used by delegates. ``soft``: on a soft row;
    ``plain``: the band has one colour; ``ring``: the ring's."""
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
        disc(painter, QPointF(x, y), RING / 2, c.surface, theme().colour(ring).name(), 3)


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
        self._ring = "accent"
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
        quiet: bool = False,
    ) -> None:
        """Set the values from 0 to 100, None for a part that isn't drawn. ``quiet``: the ring has a text's colour."""
        self.low, self.high, self.middle, self._ring = low, high, middle, "text3" if quiet else "accent"
        self.say(accessible)
        self.update()

    def set_labels(self, labels: LineLabels | None) -> None:
        """Set the labels; None: none."""
        self.labels = labels
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        return 320, sum(self._reach())

    def _reach(self) -> tuple[float, float]:
        """Return the extents above and below the line's middle."""
        bare = TICK / 2 + 1
        if self.labels is None:
            return bare, bare
        return _ABOVE + 9 if self.labels.middle else bare, _BELOW + (17 if self.labels.middle else 9)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, _):
            above, _below = self._reach()
            half = TICK / 2 + 1
            rect = QRectF(0, above - half, width, 2 * half)
            paint_line(painter, rect, self.low, self.high, self.middle, plain=self._plain, ring=self._ring)
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
        if labels.middle and self.middle is not None:
            font = t.raw_font(12, 600)
            wide = text_width(labels.middle, font)
            start = min(max(self.middle / 100 * width - wide / 2, 0.0), max(0.0, width - wide))
            write(painter, QRectF(start, y - _ABOVE - 9, width, 18), labels.middle, font, c.accent)
        for start, text in placed(labels, width):
            write(painter, QRectF(start, y + self._reach()[1] - 18, width, 18), text, t.raw_font(12), c.text3, LEFT)


def placed(labels: LineLabels, width: float) -> list[tuple[float, str]]:
    """Return the labels below a line of ``width`` px, at least 8 px apart, and the left edge of each. A rival at the
    tick shares its label, and an end in the way is left out."""

    def wide(text: str) -> float:
        return text_width(text, theme().raw_font(12))

    def around(figure: float, text: str) -> tuple[float, str]:
        return min(max(figure / 100 * width - wide(text) / 2, 0.0), width - wide(text)), text

    shown = [around(_MIDDLE, labels.tick)] if labels.tick else []
    if labels.rival is not None:
        name, figure = labels.rival
        if shown and round(figure) == _MIDDLE:
            shown = [around(_MIDDLE, f"{labels.tick.removesuffix(f' {_MIDDLE:.0f}')} and “{name}” {figure:.0f}")]
        else:
            start, text = around(figure, f"{name} {figure:.0f}")
            if shown and figure < _MIDDLE:
                start = min(start, shown[0][0] - _APART - wide(text))
            elif shown:
                start = max(start, shown[0][0] + wide(labels.tick) + _APART)
            shown.append((start, text))
    left, right = labels.ends
    if left and all(start >= wide(left) + _APART for start, _ in shown):
        shown.append((0.0, left))
    if right and all(start + wide(text) + _APART <= width - wide(right) for start, text in shown):
        shown.append((width - wide(right), right))
    return shown
