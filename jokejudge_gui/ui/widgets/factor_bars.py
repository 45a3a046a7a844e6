"""One bar of five cells for each factor, with its spread and the user's own average."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QHelpEvent, QPainter, QPaintEvent, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from ..look.theme import theme
from .base import RIGHT, Grow, Painted, Turning, box, elided, line, plain_tooltip, spinner_arc, text_width, write

_ROW, _NUMBER, _PENCIL = 29.0, 32.0, 20.0


@dataclass(frozen=True)
class FactorRow:
    """A factor as it stands. ``score`` 0…5 (None when done: the model gave no answer), ``expected`` and ``sd`` in
    points, ``average`` the user's own so far; ``written``: written for this joke."""

    name: str
    written: bool = False
    score: int | None = None
    expected: float | None = None
    sd: float | None = None
    average: float | None = None
    state: Literal["waiting", "running", "done"] = "waiting"
    note: str = ""

    def words(self) -> str:
        """The row for a screen reader."""
        if self.state == "waiting":
            return f"{self.name}: not scored yet"
        if self.state == "running":
            return f"{self.name}: being scored"
        if self.score is None:
            return f"{self.name}: no answer"
        words = f"{self.name}: {self.score} of 5"
        if self.expected is not None and self.sd is not None:
            words += f", expected {self.expected:.1f}, plus or minus {self.sd:.1f}"
        if self.average is not None:
            words += f", your average {self.average:.1f}"
        return words


class FactorBars(Painted):
    """Rows of 29 px. With ``best`` the highest factor is bold and in the accent colour, the rest paler."""

    LEAST = 220

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.rows: list[FactorRow] = []
        self._best = False
        self._grow = Grow(self)
        self._turning = Turning(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.say("Factors", "No factors yet")
        self.follow_theme()

    def set_rows(self, rows: list[FactorRow], best: bool = False) -> None:
        """Show these rows; newly done ones grow. ``best`` when all are scored."""
        before = {row.name: row.state for row in self.rows}
        self.rows, self._best = list(rows), best
        for row in rows:
            if row.state == "done" and row.score and before.get(row.name) not in (None, "done"):
                self._grow.start(row.name)
        self._turning.run(any(row.state == "running" for row in rows))
        self.say("Factors, 0 to 5", ". ".join(row.words() for row in rows) or "No factors yet")
        self.updateGeometry()
        self.update()

    def best_row(self) -> int | None:
        """Which row is highlighted: the highest score, then the highest expectation."""
        if not self._best:
            return None
        scored = [(row.score, row.expected or 0.0, -i) for i, row in enumerate(self.rows) if row.score is not None]
        return -max(scored)[2] if scored else None

    def extent(self) -> tuple[float, float]:
        return 360, len(self.rows) * _ROW

    def _names_width(self, width: float) -> float:
        t = theme()
        font = t.raw_font(14, 600)
        widest = max((text_width(row.name, font) + (_PENCIL if row.written else 0) for row in self.rows), default=0)
        return min(widest + 21, width * 0.45)

    def paintEvent(self, event: QPaintEvent) -> None:
        best = self.best_row()
        with self.painter() as (painter, width, _):
            names = self._names_width(width)
            for number, row in enumerate(self.rows):
                self._paint_row(painter, row, number == best, number * _ROW, names, width)

    def _paint_row(self, painter: QPainter, row: FactorRow, best: bool, top: float, names: float, width: float) -> None:
        t = theme()
        c = t.tokens
        middle = top + _ROW / 2
        font = t.raw_font(14, 600 if best else 400)
        room = names - 12 - (_PENCIL if row.written else 0)
        name = elided(row.name, font, room)
        colour = c.text if row.state == "done" else c.text3
        write(painter, QRectF(0, top, room, _ROW), name, font, colour)
        if row.written:
            x = text_width(name, font) + 7
            t.paint_icon(painter, "pencil", QRectF(x, middle - 6.5, 14, 14), c.accent)

        left, right = names, width - _NUMBER
        point = (right - left) / 5
        grown = (row.score or 0) * self._grow.value(row.name) if row.state == "done" else 0.0
        for cell in range(5):
            rect = QRectF(left + cell * point + 1, middle - 4, point - 2, 8)
            box(painter, rect, 2, c.track)
            part = min(max(grown - cell, 0.0), 1.0)
            if part > 0:
                rect.setWidth(rect.width() * part)
                box(painter, rect, 2, c.accent if best else c.tint2)
        if row.average is not None:
            _caret(painter, left + row.average * point, middle - 6.5, c.text2)
        if row.state == "done" and row.expected is not None and row.sd is not None:
            low, high = max(0.0, row.expected - row.sd), min(5.0, row.expected + row.sd)
            whisker(painter, left + low * point, left + high * point, middle + 10, c.text2)
        box_right = QRectF(right, top, width - right, _ROW)
        if row.state == "running":
            spinner_arc(painter, QPointF(width - 8, middle), 6.8, self._turning.turn)
        elif row.state == "done" and row.score is not None:
            write(painter, box_right, str(row.score), t.raw_font(14, 600, tabular=True), c.text, RIGHT)
        else:
            write(painter, box_right, "–", t.raw_font(14, 500), c.text2, RIGHT)

    def event(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent):
            number = int(event.pos().y() / theme().scale // _ROW)
            if 0 <= number < len(self.rows):
                row = self.rows[number]
                # A name may come from the model: shown as it is, since tooltips guess at HTML.
                words = row.words() + (f"\n{row.note}" if row.note else "")
                QToolTip.showText(event.globalPos(), plain_tooltip(words), self)
                return True
        return super().event(event)


class FactorLegend(Painted):
    """What the whisker and the caret mean."""

    def __init__(self, average: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._average = average
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.say("Line under a bar: spread." + (" Triangle above: your average." if average else ""))
        self.follow_theme()

    def set_average(self, shown: bool) -> None:
        self._average = shown
        self.updateGeometry()
        self.update()

    def extent(self) -> tuple[float, float]:
        font = theme().raw_font(12)
        width = 22 + text_width("spread", font)
        if self._average:
            width += 16 + 14 + text_width("your average", font)
        return width + 1, 20

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c, font = t.tokens, t.raw_font(12)
        with self.painter() as (painter, width, height):
            whisker(painter, 1, 15, height / 2, c.text2, 1.8)
            write(painter, QRectF(22, 0, width, height), "spread", font, c.text2)
            if self._average:
                x = 22 + text_width("spread", font) + 16
                _caret(painter, x + 4, height / 2 + 3, c.text2, 4)
                write(painter, QRectF(x + 13, 0, width, height), "your average", font, c.text2)


def whisker(painter: QPainter, left: float, right: float, y: float, colour: str, thickness: float = 1.3) -> None:
    """A line with a small bar at both ends."""
    line(painter, QPointF(left, y), QPointF(right, y), colour, thickness)
    for x in (left + thickness / 2, right - thickness / 2):
        line(painter, QPointF(x, y - 3), QPointF(x, y + 3), colour, thickness)


def _caret(painter: QPainter, x: float, tip: float, colour: str, half: float = 4.0) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colour))
    painter.drawPolygon(QPolygonF([QPointF(x - half, tip - 5.5), QPointF(x + half, tip - 5.5), QPointF(x, tip)]))
