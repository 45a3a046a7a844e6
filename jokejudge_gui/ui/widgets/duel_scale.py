"""A duel's answer on a scale from A to B, and what both orders gave."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import CENTRE, LEFT, RIGHT, Painted, box, disc, hundredths, line, text_width, write

CLEAR, PROBABLE = 85, 65
"""Chances in 100 from which on one of two is said to be clearly, and probably, the funnier."""
_CUTS = (0.0, (100 - CLEAR) / 100, (100 - PROBABLE) / 100, PROBABLE / 100, CLEAR / 100, 1.0)
_NAMES = ("clearly A", "probably A", "can’t tell", "probably B", "clearly B")
_BAR, _TOP = 10.0, 7.0


def part_of(chance_a: int) -> int:
    """Which of the five parts holds, from 0 (clearly A) to 4 (clearly B), at a chance for A of so many in 100."""
    if chance_a > 50:
        return 0 if chance_a >= CLEAR else 1 if chance_a >= PROBABLE else 2
    return 4 - part_of(100 - chance_a) if chance_a < 50 else 2


class DuelScale(Painted):
    """Linear in the chance, from A 100 at the left over 50 to B 100; only the part that holds is filled."""

    LEAST = 240

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chance: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_chance(None)
        self.follow_theme()

    def set_chance(self, chance_a: int | None) -> None:
        """The chance for A, 0 to 100; None: it isn't known yet."""
        self.chance = chance_a
        if chance_a is None:
            self.say("Scale from A to B", "No verdict yet")
        else:
            likelier = f"{max(chance_a, 100 - chance_a)} in 100 for {'A' if chance_a >= 50 else 'B'}"
            part = part_of(chance_a)
            self.say(_NAMES[part] if part == 2 else f"{_NAMES[part]}, {likelier}")
        self.update()

    @property
    def part(self) -> str:
        """The name of the part that holds; empty while nothing is known."""
        return "" if self.chance is None else _NAMES[part_of(self.chance)]

    def extent(self) -> tuple[float, float]:
        return 480, _TOP + _BAR + 26

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        held = None if self.chance is None else part_of(self.chance)
        with self.painter() as (painter, width, _):
            painter.save()
            outline = QPainterPath()
            outline.addRoundedRect(QRectF(0, _TOP, width, _BAR), _BAR / 2, _BAR / 2)
            painter.setClipPath(outline)
            for number in range(5):
                left, right = _CUTS[number] * width, _CUTS[number + 1] * width - (2 if number < 4 else 0)
                fill = c.track if number != held else c.tint2 if number == 2 else c.accent
                painter.fillRect(QRectF(left, _TOP, right - left, _BAR), QColor(fill))
            painter.restore()
            middle = _TOP + _BAR / 2
            line(painter, QPointF(width / 2, middle - 11), QPointF(width / 2, middle + 11), c.text2, 1.2)
            self._name_parts(painter, width, held)
            if self.chance is not None:
                x = min(max((100 - self.chance) / 100 * width, 9.0), width - 9)
                disc(painter, QPointF(x, middle), 9, c.surface, c.text, 3)

    def _name_parts(self, painter: QPainter, width: float, held: int | None) -> None:
        """All names where each has room, else that of the part that holds, and of the middle."""
        t = theme()
        faces = [t.raw_font(13, 600 if number == held else 400) for number in range(5)]
        wide = [text_width(name, face) for name, face in zip(_NAMES, faces, strict=True)]
        room = [(_CUTS[number + 1] - _CUTS[number]) * width for number in range(5)]
        every = all(each + 8 <= part for each, part in zip(wide, room, strict=True))
        for number, name in enumerate(_NAMES):
            if not every and number != held and not (held is None and number == 2):
                continue
            at = (_CUTS[number] + _CUTS[number + 1]) / 2 * width - wide[number] / 2
            start = min(max(at, 0.0), width - wide[number])
            colour = t.tokens.text if number == held else t.tokens.text3
            write(painter, QRectF(start, _TOP + _BAR + 6, width, 18), name, faces[number], colour, LEFT)


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
