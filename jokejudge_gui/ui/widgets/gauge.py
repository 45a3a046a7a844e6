"""The gauge on an arc of 270°: how many of a hundred jokes a joke is funnier than, or its mean score."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.stylesheet import score_grade
from ..look.theme import theme
from .base import CENTRE, Grow, Painted, disc, line, write

_RADIUS, _THICK, _BRACKET = 62.0, 10.0, 70.5


class Gauge(Painted):
    """A place among a hundred jokes with its interval, or 0…5 with its spread. States: empty (a question mark),
    running (a dash), a value."""

    WIDTH, HEIGHT = 150, 144

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = "empty"
        self.value: float | None = None
        self.spread: float | None = None
        self.most = 100.0
        """The end of the scale: 5 for a mean, 100 for a place among jokes."""
        self.ends: tuple[float, float] | None = None
        """The interval on that scale."""
        self._grow = Grow(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_empty()
        self.follow_theme()

    def set_empty(self) -> None:
        """Nothing judged yet."""
        self.most = 100.0
        self._set("empty", None, None, "No verdict yet")

    def set_running(self, most: float = 100.0) -> None:
        """A verdict is on its way, on a scale of ``most``: 100, or 5 for a mean."""
        self.most = most
        self._set("running", None, None, "Judging")

    def set_value(self, value: float, spread: float | None = None) -> None:
        """The mean 0…5 and its spread (one standard deviation, in points)."""
        words = f"Mean {value:.1f} of 5" + (f", plus or minus {spread:.1f}" if spread is not None else "")
        ends = None if spread is None else (max(0.0, value - spread), min(5.0, value + spread))
        self._show(5.0, min(max(value, 0.0), 5.0), spread, ends, words)

    def set_place(self, value: float, low: float | None = None, high: float | None = None) -> None:
        """How many of a hundred jokes it is funnier than, 0…100, and the interval in which people would put it."""
        ends = None if low is None or high is None else (max(0.0, low), min(100.0, high))
        words = f"Funnier than {in_hundred(value)} in 100"
        words += f", between {in_hundred(ends[0])} and {in_hundred(ends[1])}" if ends else ""
        self._show(100.0, min(max(value, 0.0), 100.0), None, ends, words)

    def _show(
        self, most: float, value: float, spread: float | None, ends: tuple[float, float] | None, words: str
    ) -> None:
        grew = self.state != "value" or (self.value, self.most) != (value, most)
        self.most, self.ends = most, ends
        self._set("value", value, spread, words)
        if grew:
            self._grow.start()

    def _set(self, state: str, value: float | None, spread: float | None, words: str) -> None:
        if value is None:
            self.ends = None
        self.state, self.value, self.spread = state, value, spread
        self.say(words)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(self.WIDTH), theme().px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        with self.painter() as (painter, width, _):
            middle = QPointF(width / 2, 74)
            for score in range(1, 5) if self.most == 5 else ():
                line(painter, _at(middle, score, 49.5), _at(middle, score, 54.5), c.line2, 1.2)
            self._arc(painter, middle, 1.0, c.track)
            if self.value is None:
                sign = "?" if self.state == "empty" else "–"
                write(painter, _around(middle, -6), sign, t.raw_font(24, 600), c.text2, CENTRE)
            elif self.most == 5:
                self._paint_mean(painter, middle, self.value)
            else:
                self._paint_place(painter, middle, self.value)
            for score, label in ((0, "0"), (5, f"{self.most:.0f}")):
                end = _at(middle, score, _RADIUS)
                write(painter, QRectF(end.x() - 15, middle.y() + 50, 30, 18), label, t.raw_font(12), c.text2, CENTRE)

    def _paint_mean(self, painter: QPainter, middle: QPointF, value: float) -> None:
        t = theme()
        c = t.tokens
        self._paint_value(painter, middle, value / 5, getattr(c, f"{score_grade(round(value, 1))}_fill"))
        if self.spread is not None:
            write(painter, _around(middle, 22), f"± {self.spread:.1f}", t.raw_font(14, 500), c.text2, CENTRE)
        write(painter, _around(middle, -7), f"{value:.1f}", t.raw_font(38, 600), c.text, CENTRE)

    def _paint_place(self, painter: QPainter, middle: QPointF, value: float) -> None:
        t = theme()
        c = t.tokens
        self._paint_value(painter, middle, value / 100, c.accent)
        write(painter, _around(middle, 24), "in 100", t.raw_font(13), c.text2, CENTRE)
        write(painter, _around(middle, -6), str(in_hundred(value)), t.raw_font(38, 600), c.text, CENTRE)

    def _paint_value(self, painter: QPainter, middle: QPointF, share: float, colour: str) -> None:
        """The arc up to ``share`` 0…1, its knob, and the interval's bracket."""
        grown = share * self._grow.value()
        self._arc(painter, middle, grown, colour)
        disc(painter, _at(middle, 5 * grown, _RADIUS), 7, theme().tokens.surface, colour, 2.5)
        if self.ends is not None:
            low, high = (5 * end / self.most for end in self.ends)
            self._paint_bracket(painter, middle, low, high)

    def _arc(self, painter: QPainter, middle: QPointF, share: float, colour: str) -> None:
        pen = QPen(QColor(colour), _THICK)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(_square(middle, _RADIUS), 225 * 16, -round(share * 270 * 16) or -1)

    def _paint_bracket(self, painter: QPainter, middle: QPointF, low: float, high: float) -> None:
        """From ``low`` to ``high``, in fifths of the arc."""
        colour = theme().tokens.text2
        pen = QPen(QColor(colour), 1.5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(_square(middle, _BRACKET), round((225 - low * 54) * 16), -round((high - low) * 54 * 16) or -1)
        for end in (low, high):
            line(painter, _at(middle, end, _BRACKET - 3), _at(middle, end, _BRACKET + 3), colour, 1.5)


def in_hundred(percentile: float) -> int:
    """A percentile as it is said: 0 and 100 are never claimed."""
    return min(99, max(1, round(percentile)))


def _at(middle: QPointF, score: float, radius: float) -> QPointF:
    """The point of a score: 0 at the lower left, 5 at the lower right."""
    angle = math.radians(225 - score * 54)
    return QPointF(middle.x() + radius * math.cos(angle), middle.y() - radius * math.sin(angle))


def _square(middle: QPointF, radius: float) -> QRectF:
    return QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)


def _around(middle: QPointF, dy: float) -> QRectF:
    return QRectF(middle.x() - 50, middle.y() + dy - 25, 100, 50)
