"""Both orders of a duel: the probability of A when A stood first, and when B did."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import CENTRE, RIGHT, Painted, box, disc, hundredths, line, write

_FIRST, _SECOND = 16.0, 48.0


class OrdersPlot(Painted):
    """Two dots, a band between them, the .5 line; below it whether they agree, and the position bias."""

    HEIGHT = 120

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.a_first: float | None = None
        self.b_first: float | None = None
        self.consistent: bool | None = None
        self.bias: float | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_orders(None, None)
        self.follow_theme()

    def set_orders(
        self,
        a_first: float | None,
        b_first: float | None,
        consistent: bool | None = None,
        bias: float | None = None,
    ) -> None:
        """p(A) 0…1 of each order, None while unknown; ``bias`` in probability, positive: the first place gains."""
        self.a_first, self.b_first, self.consistent, self.bias = a_first, b_first, consistent, bias
        words = [
            f"{name} first: {'not measured yet' if p is None else f'{p:.2f}'}"
            for name, p in (("A", a_first), ("B", b_first))
        ]
        if consistent is not None:
            words.append("The orders are consistent" if consistent else "The orders are inconsistent")
        if bias is not None:
            words.append(f"Position bias {bias:+.2f}")
        self.say("Probability of A in both orders", ". ".join(words))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(300), theme().px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(200), theme().px(self.HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        with self.painter() as (painter, width, _):
            left, right = 63.0, width - 38

            def at(p: float) -> float:
                return left + min(max(p, 0.0), 1.0) * (right - left)

            line(painter, QPointF(at(0.5), 0), QPointF(at(0.5), 66), c.line2, 1.3)
            if self.a_first is not None and self.b_first is not None:
                ends = sorted((at(self.a_first), at(self.b_first)))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(QColor(c.mid_soft if self.consistent is False else c.soft))
                painter.drawRect(QRectF(ends[0], 4, ends[1] - ends[0], 58))
            for name, p, y in (("A first", self.a_first, _FIRST), ("B first", self.b_first, _SECOND)):
                box(painter, QRectF(left, y - 1.5, right - left, 3), 1.5, c.track)
                write(painter, QRectF(0, y - 10, left, 20), name, t.raw_font(13), c.text2)
                shown = "–" if p is None else hundredths(p)
                number = QRectF(right, y - 10, width - right, 20)
                write(painter, number, shown, t.raw_font(13, 600, True), c.text, RIGHT)
                if p is not None:
                    disc(painter, QPointF(at(p), y), 7.5, c.accent if p >= 0.5 else c.text2, c.surface, 2)
            for p, label in ((0.0, "0"), (0.5, ".5"), (1.0, "1")):
                x = min(max(at(p), left + 4), right - 4)
                write(painter, QRectF(x - 15, 69, 30, 18), label, t.raw_font(12), c.text2, CENTRE)
            if self.consistent is not None:
                icon, colour, word = (
                    ("check", c.good_text, "consistent") if self.consistent else ("warning", c.mid_text, "inconsistent")
                )
                t.paint_icon(painter, icon, QRectF(0, 101, 15, 15), colour)
                write(painter, QRectF(22, 98, width - 22, 20), word, t.raw_font(13, 600), colour)
            if self.bias is not None:
                sign = "+" if self.bias >= 0 else "−"
                text = f"bias {sign}{hundredths(abs(self.bias))}"
                write(painter, QRectF(0, 98, width, 20), text, t.raw_font(13, 400, True), c.text2, RIGHT)
