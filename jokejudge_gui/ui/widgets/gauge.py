"""The gauge: the mean score on an arc of 270°."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from ..look.tokens import score_grade
from .base import CENTRE, Grow, Painted, disc, line, write

_RADIUS, _THICK, _BRACKET = 62.0, 10.0, 70.5


class Gauge(Painted):
    """0…5 with its spread. States: empty (a question mark), running (a dash), a value."""

    WIDTH, HEIGHT = 150, 144

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.state = "empty"
        self.value: float | None = None
        self.spread: float | None = None
        self._grow = Grow(self)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_empty()
        self.follow_theme()

    def set_empty(self) -> None:
        """Nothing judged yet."""
        self._set("empty", None, None, "No score yet")

    def set_running(self) -> None:
        """A verdict is on its way."""
        self._set("running", None, None, "Scoring")

    def set_value(self, value: float, spread: float | None = None) -> None:
        """The mean 0…5 and its spread (one standard deviation, in points)."""
        words = f"Mean {value:.1f} of 5" + (f", plus or minus {spread:.1f}" if spread is not None else "")
        grew = self.state != "value" or self.value != value
        self._set("value", min(max(value, 0.0), 5.0), spread, words)
        if grew:
            self._grow.start()

    def _set(self, state: str, value: float | None, spread: float | None, words: str) -> None:
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
            for score in range(1, 5):
                line(painter, _at(middle, score, 49.5), _at(middle, score, 54.5), c.line2, 1.2)
            self._arc(painter, middle, 5.0, c.track)
            if self.value is None:
                sign = "?" if self.state == "empty" else "–"
                write(painter, _around(middle, -6), sign, t.raw_font(24, 600), c.text2, CENTRE)
            else:
                self._paint_value(painter, middle, self.value)
            for score, label in ((0, "0"), (5, "5")):
                end = _at(middle, score, _RADIUS)
                write(painter, QRectF(end.x() - 15, middle.y() + 50, 30, 18), label, t.raw_font(12), c.text2, CENTRE)

    def _paint_value(self, painter: QPainter, middle: QPointF, value: float) -> None:
        t = theme()
        c = t.tokens
        colour = getattr(c, f"{score_grade(round(value, 1))}_fill")
        grown = value * self._grow.value()
        self._arc(painter, middle, grown, colour)
        disc(painter, _at(middle, grown, _RADIUS), 7, c.surface, colour, 2.5)
        lift = -7.0
        if self.spread is not None:
            self._paint_bracket(painter, middle, value, self.spread)
            write(painter, _around(middle, 22), f"± {self.spread:.1f}", t.raw_font(14, 500), c.text2, CENTRE)
        write(painter, _around(middle, lift), f"{value:.1f}", t.raw_font(38, 600), c.text, CENTRE)

    def _arc(self, painter: QPainter, middle: QPointF, score: float, colour: str) -> None:
        pen = QPen(QColor(colour), _THICK)
        pen.setCapStyle(Qt.PenCapStyle.RoundCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(_square(middle, _RADIUS), 225 * 16, -round(score / 5 * 270 * 16) or -1)

    def _paint_bracket(self, painter: QPainter, middle: QPointF, value: float, spread: float) -> None:
        colour = theme().tokens.text2
        low, high = max(0.0, value - spread), min(5.0, value + spread)
        pen = QPen(QColor(colour), 1.5)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawArc(_square(middle, _BRACKET), round((225 - low * 54) * 16), -round((high - low) * 54 * 16) or -1)
        for end in (low, high):
            line(painter, _at(middle, end, _BRACKET - 3), _at(middle, end, _BRACKET + 3), colour, 1.5)


def _at(middle: QPointF, score: float, radius: float) -> QPointF:
    """The point of a score: 0 at the lower left, 5 at the lower right."""
    angle = math.radians(225 - score * 54)
    return QPointF(middle.x() + radius * math.cos(angle), middle.y() - radius * math.sin(angle))


def _square(middle: QPointF, radius: float) -> QRectF:
    return QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius)


def _around(middle: QPointF, dy: float) -> QRectF:
    return QRectF(middle.x() - 50, middle.y() + dy - 25, 100, 50)
