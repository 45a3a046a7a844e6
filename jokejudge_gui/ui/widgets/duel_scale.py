"""The confidence factor on a mirrored logarithmic scale."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import CENTRE, LEFT, RIGHT, Painted, box, disc, hundredths, line, text_width, write

_END = 20.0
_EDGES = (1.1, 2.0, 5.0, 10.0, _END)
_BANDS = ("slight", "clear", "strong", "overwhelming")
_BAR_TOP, _BAR = 45.0, 14.0


class DuelScale(Painted):
    """Factor 1 in the middle, 20 and more at both ends; A is left. Only the band of the result is filled.

    A result that was capped shows what was measured as a dotted marker.
    """

    HEIGHT = 96

    LEAST = 260

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.factor: float | None = None
        self.winner = "tie"
        self.measured_factor: float | None = None
        self.band = ""
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_empty()
        self.follow_theme()

    def set_empty(self) -> None:
        """Only the scale."""
        self.factor, self.winner, self.measured_factor, self.band = None, "tie", None, ""
        self.say("Confidence scale, from A funnier to B funnier", "No result yet")
        self.update()

    def set_result(
        self, factor: float, winner: str, measured_factor: float | None = None, band: str | None = None
    ) -> None:
        """``factor`` ≥ 1, ``winner`` A, B or tie; ``measured_factor`` where it is larger than a capped ``factor``.

        ``band`` is the name to light; without it the factor's own.
        """
        self.factor, self.winner = max(1.0, factor), winner
        self.measured_factor = measured_factor if measured_factor and measured_factor > factor * 1.005 else None
        self.band = band or band_of(self.factor)
        words = f"{self.band}, factor {factor:.1f}"
        words = f"{winner} is funnier: {words}" if winner in ("A", "B") else f"A tie: {words}"
        if self.measured_factor:
            words += f", capped; {self.measured_factor:.1f} measured"
        self.say(words)
        self.update()

    def extent(self) -> tuple[float, float]:
        return 480, self.HEIGHT

    def _x(self, factor: float, side: str, width: float) -> float:
        part = min(math.log(max(factor, 1.0)) / math.log(_END), 1.0) * width / 2
        return width / 2 + (part if side == "B" else -part)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, _):
            self._paint_ends(painter, width)
            self._paint_bars(painter, width)
            self._paint_numbers(painter, width)
            self._paint_names(painter, width)
            self._paint_markers(painter, width)

    def _paint_ends(self, painter: QPainter, width: float) -> None:
        t = theme()
        c = t.tokens
        for side, align in (("A", LEFT), ("B", RIGHT)):
            colour = c.text2
            if self.winner == side:
                colour = c.accent if side == "A" else c.text
            write(painter, QRectF(0, 0, width, 20), f"{side} funnier", t.raw_font(13, 600), colour, align)

    def _paint_bars(self, painter: QPainter, width: float) -> None:
        c = theme().tokens
        spans: list[tuple[float, float, str, str]] = [
            (self._x(1.1, "A", width), self._x(1.1, "B", width), "nearly identical", "")
        ]
        for side in ("A", "B"):
            for low, high, name in zip(_EDGES, _EDGES[1:], _BANDS, strict=False):
                left, right = sorted((self._x(low, side, width), self._x(high, side, width)))
                spans.append((left, right, name, side))
        for left, right, name, side in spans:
            active = name == self.band and side in ("", self.winner)
            colour = {"A": c.accent, "B": c.text2}.get(self.winner, c.tint2) if active else c.track
            rect = QRectF(left + 1, _BAR_TOP, right - left - 2, _BAR)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(colour))
            if name == "overwhelming":
                painter.drawRoundedRect(rect, 3, 3)
                inner = 3 if side == "A" else 0
                painter.drawRect(rect.adjusted(inner, 0, inner - 3, 0))
            else:
                painter.drawRect(rect)

    def _paint_numbers(self, painter: QPainter, width: float) -> None:
        t = theme()
        font, colour, top = t.raw_font(12), t.tokens.text2, _BAR_TOP + _BAR + 3
        write(painter, QRectF(0, top, width, 18), "20+", font, colour, LEFT)
        write(painter, QRectF(0, top, width, 18), "20+", font, colour, RIGHT)
        write(painter, QRectF(width / 2 - 15, top, 30, 18), "1", font, colour, CENTRE)
        reserved = text_width("20+", font) + 6
        for side in ("A", "B"):
            last = width / 2
            for factor in (2, 5, 10):
                x = self._x(factor, side, width)
                half = text_width(str(factor), font) / 2
                free = half + reserved <= x <= width - half - reserved
                if free and abs(x - last) > half + 8:
                    write(painter, QRectF(x - 15, top, 30, 18), str(factor), font, colour, CENTRE)
                    last = x

    def _paint_names(self, painter: QPainter, width: float) -> None:
        t = theme()
        c, top = t.tokens, _BAR_TOP + _BAR + 19
        taken: list[tuple[float, float]] = []
        names = []
        for side in ("A", "B"):
            for low, high, name in zip(_EDGES, _EDGES[1:], _BANDS, strict=False):
                left, right = sorted((self._x(low, side, width), self._x(high, side, width)))
                names.append((name != self.band or side != self.winner, left, right, name))
        for other, left, right, name in sorted(names):
            font = t.raw_font(12, 400 if other else 600)
            wide = text_width(name, font)
            if other and wide > right - left - 4:
                continue
            middle = min(max((left + right) / 2, wide / 2), width - wide / 2)
            start, end = middle - wide / 2, middle + wide / 2
            if any(start < b + 4 and end > a - 4 for a, b in taken):
                continue
            taken.append((start, end))
            write(painter, QRectF(start, top, wide, 18), name, font, c.text3 if other else c.text)

    def _paint_markers(self, painter: QPainter, width: float) -> None:
        t = theme()
        c, middle, label_top = t.tokens, _BAR_TOP + _BAR / 2, _BAR_TOP - 28
        taken: tuple[float, float] | None = None
        if self.factor is not None:
            side = self.winner if self.winner in ("A", "B") else "A"
            x = self._x(self.factor if self.winner in ("A", "B") else 1.0, side, width)
            if self.measured_factor:
                self._paint_measured(painter, width, side, x)
            x = min(max(x, 9.0), width - 9)
            disc(painter, QPointF(x, middle), 9, c.surface, c.text, 3)
            label, font = factor_text(self.factor), t.raw_font(14, 600, tabular=True)
            taken = _write_over(painter, label, font, c.text, x, label_top, width)
        label, font = "nearly identical", t.raw_font(12)
        half = text_width(label, font) / 2
        if taken is None or taken[1] + 6 < width / 2 - half or taken[0] - 6 > width / 2 + half:
            line(painter, QPointF(width / 2, _BAR_TOP - 6), QPointF(width / 2, _BAR_TOP - 1), c.line2)
            _write_over(painter, label, font, c.text3, width / 2, label_top + 3, width)

    def _paint_measured(self, painter: QPainter, width: float, side: str, beside: float) -> None:
        t = theme()
        c = t.tokens
        assert self.measured_factor is not None
        assert self.factor is not None
        x = min(max(self._x(self.measured_factor, side, width), 8.0), width - 8)
        pen = QPen(QColor(c.mid_text), 1.8)
        pen.setCapStyle(Qt.PenCapStyle.FlatCap)
        pen.setDashPattern([1.6, 1.3])
        painter.setPen(pen)
        painter.setBrush(QColor(c.track))
        painter.drawEllipse(QPointF(x, _BAR_TOP + _BAR / 2), 7, 7)
        label, font = f"{self.measured_factor:.1f} measured", t.raw_font(12, 500)
        wide, factor_half = text_width(label, font), text_width(factor_text(self.factor), t.raw_font(14, 600)) / 2
        # Beyond the marker's own label, away from the middle, unless there is room over the dotted one.
        if side == "A":
            start = max(0.0, min(x - wide / 2, beside - factor_half - 10 - wide))
        else:
            start = min(width - wide, max(x - wide / 2, beside + factor_half + 10))
        write(painter, QRectF(start, _BAR_TOP - 27, wide, 18), label, font, c.mid_text)


def factor_text(factor: float) -> str:
    """``3.8×``; from 20 on ``20+×`` would claim more than is known."""
    return "20+" if factor >= _END else f"{factor:.1f}×"


def band_of(factor: float) -> str:
    """The band of a confidence factor ≥ 1."""
    for edge, name in zip(_EDGES[:-1], ("nearly identical", *_BANDS), strict=False):
        if factor <= edge:
            return name
    return "overwhelming"


def _write_over(
    painter: QPainter, label: str, font: QFont, colour: str, x: float, top: float, width: float
) -> tuple[float, float]:
    wide = text_width(label, font)
    start = min(max(x - wide / 2, 0.0), width - wide)
    write(painter, QRectF(start, top, wide, 20), label, font, colour)
    return start, start + wide


# Both orders of a duel: the probability of A when A stood first, and when B did.

_FIRST, _SECOND = 16.0, 48.0


class OrdersPlot(Painted):
    """Two dots, a band between them, the .5 line; below it whether they agree, and the position bias."""

    HEIGHT = 120

    LEAST = 200

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

    def extent(self) -> tuple[float, float]:
        return 300, self.HEIGHT

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
