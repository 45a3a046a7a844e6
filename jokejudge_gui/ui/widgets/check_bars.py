"""The admissibility checks against the line that they must reach: the rejected state."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from ..look.wording import probability
from .base import CENTRE, RIGHT, Painted, box, elided, hundredths, line, text_width, write

_ROW = 26.0


@dataclass(frozen=True)
class CheckRow:
    """One check: its name, ``p`` 0…1 and whether it passed."""

    name: str
    p: float
    passed: bool


class CheckBars(Painted):
    """Rows of 26 px, and a line at ``threshold`` 0…1."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[CheckRow] = []
        self.threshold = 0.1
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.say("Checks")
        self.follow_theme()

    def set_rows(self, rows: list[CheckRow], threshold: float = 0.1) -> None:
        self.rows, self.threshold = list(rows), threshold
        words = [f"{row.name}: {'passed' if row.passed else 'failed'}, {row.p:.2f}" for row in rows]
        self.say("Checks", ". ".join([*words, f"Needs {threshold:.2f}"]))
        self.updateGeometry()
        self.update()

    def _height(self) -> int:
        return theme().px(len(self.rows) * _ROW + 24)

    def sizeHint(self) -> QSize:
        return QSize(theme().px(360), self._height())

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(220), self._height())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        widest = max((text_width(row.name, t.raw_font(14, 600)) for row in self.rows), default=0)
        with self.painter() as (painter, width, _):
            left, right = min(22 + widest + 22, width * 0.45), width - 44
            for number, row in enumerate(self.rows):
                self._paint_row(painter, row, number * _ROW, left, right, width)
            x = left + self.threshold * (right - left)
            bottom = len(self.rows) * _ROW
            line(painter, QPointF(x, 1), QPointF(x, bottom + 3), t.tokens.text2, 1.4)
            label = f"needs {hundredths(self.threshold)}"
            half = text_width(label, t.raw_font(12)) / 2 + 1
            x = min(max(x, half), width - half)
            write(painter, QRectF(x - half, bottom + 3, 2 * half, 18), label, t.raw_font(12), t.tokens.text2, CENTRE)

    def _paint_row(self, painter: QPainter, row: CheckRow, top: float, left: float, right: float, width: float) -> None:
        t = theme()
        c, middle = t.tokens, top + _ROW / 2
        icon, shade = ("check", c.good_text) if row.passed else ("cross", c.bad_text)
        t.paint_icon(painter, icon, QRectF(0, middle - 7, 14, 14), shade)
        font = t.raw_font(14, 400 if row.passed else 600)
        write(painter, QRectF(22, top, left, _ROW), elided(row.name, font, left - 26), font, c.text)
        box(painter, QRectF(left, middle - 3, right - left, 6), 3, c.track)
        filled = max(6.0, (right - left) * min(max(row.p, 0.0), 1.0))
        box(painter, QRectF(left, middle - 3, filled, 6), 3, c.field if row.passed else c.bad_fill)
        number = QRectF(right, top, width - right, _ROW)
        shade = c.text if row.passed else c.bad_text
        write(painter, number, probability(row.p), t.raw_font(14, 600, True), shade, RIGHT)
