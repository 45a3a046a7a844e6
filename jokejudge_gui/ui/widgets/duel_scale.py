"""A duel's answer on a scale from A to B."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QPainter, QPainterPath, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from ...judge.duel.words import CLEAR, PROBABLE
from ..look.theme import theme
from .base import LEFT, Painted, disc, line, text_width, write

_CUTS = (0.0, (100 - CLEAR) / 100, (100 - PROBABLE) / 100, PROBABLE / 100, CLEAR / 100, 1.0)
_NAMES = ("clearly A", "probably A", "can't tell", "probably B", "clearly B")
_BAR, _TOP = 10.0, 7.0


def part_of(chance_a: int) -> int:
    """Return which of the five parts, from 0 (clearly A) to 4 (clearly B), contains this chance for A in 100."""
    if chance_a > 50:
        return 0 if chance_a >= CLEAR else 1 if chance_a >= PROBABLE else 2
    return 4 - part_of(100 - chance_a) if chance_a < 50 else 2


class DuelScale(Painted):
    """A scale linear in the chance, from A 100 at the left over 50 to B 100; only the current part is filled."""

    LEAST = 240

    def __init__(self) -> None:
        super().__init__()
        self.chance: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_chance(None)
        self.follow_theme()

    def set_chance(self, chance_a: int | None) -> None:
        """Set the chance for A, 0 to 100; None: not known yet."""
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
        """The name of the current part; empty while nothing is known."""
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
        """Draw all names if each has room, else those of the current part and of the middle."""
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
