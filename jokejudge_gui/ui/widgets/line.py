"""A line from 0 to 100 with a band, a ring and a tick in the middle: a value and its uncertainty."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import px, theme
from .base import CENTRE, LEFT, RIGHT, Themed, box, disc, line, painting, text_width, write

_TRACK, _TICK, _RING = 6.0, 14.0, 12.0
_LABEL = 20.0
"""The distance from the line's middle to that of the labels."""


class Line(Themed, QWidget):
    """Draws a band ``low`` to ``high`` and a ring at ``middle``, each of them if it is given. ``ends``: the labels at 0
    and 100, left out where there is no room. ``tick``: the label under the tick; ``above``: above the ring. The screen
    reader's text is ``accessible``, which should give the figures in words."""

    def __init__(self, ends: tuple[str, str] = ("0", "100"), tick: str = "") -> None:
        super().__init__()
        self.ends, self.tick, self.above = ends, tick, ""
        self.low: float | None = None
        self.high: float | None = None
        self.middle: float | None = None
        self._ring = "accent"
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_values(
        self, low: float | None, high: float | None, middle: float | None = None, *, accessible: str = "",
        quiet: bool = False,
    ) -> None:  # fmt: skip
        """Set the values from 0 to 100, None for a part that isn't drawn. ``quiet``: the ring has a text's colour."""
        self.low, self.high, self.middle, self._ring = low, high, middle, "text3" if quiet else "accent"
        self.setAccessibleName(accessible)
        self.update()

    def set_labels(self, tick: str, above: str) -> None:
        """Set the labels under the tick and above the ring."""
        self.tick, self.above = tick, above
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(px(320), px(self._y + _LABEL + 9))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(120), self.sizeHint().height())

    @property
    def _y(self) -> float:
        return _LABEL + 9 if self.above else _TICK / 2 + 1

    def paintEvent(self, event: QPaintEvent) -> None:
        c, y, face = theme().tokens, self._y, theme().raw_font(12)
        with painting(self) as (painter, width, _height):
            box(painter, QRectF(0, y - _TRACK / 2, width, _TRACK), _TRACK / 2, c.track)
            if self.low is not None and self.high is not None:
                start, end = (min(max(value, 0.0), 100.0) / 100 * width for value in (self.low, self.high))
                box(painter, QRectF(start, y - _TRACK / 2, max(end - start, _TRACK), _TRACK), _TRACK / 2, c.tint3)
            line(painter, QPointF(width / 2, y - _TICK / 2), QPointF(width / 2, y + _TICK / 2), c.text3, 1.2)
            if self.middle is not None:
                x = min(max(self.middle / 100 * width, _RING / 2), width - _RING / 2)
                disc(painter, QPointF(x, y), _RING / 2, c.surface, theme().colour(self._ring).name(), 3)
                wide = text_width(self.above, theme().raw_font(12, 600)) / 2 + 1
                middle = min(max(x, wide), max(width - wide, wide))
                label = QRectF(middle - wide, y - _LABEL - 9, 2 * wide, 18)
                write(painter, label, self.above, theme().raw_font(12, 600), c.accent, CENTRE)
            below = QRectF(0, y + _LABEL - 9, width, 18)
            write(painter, below, self.tick, face, c.text3, CENTRE)
            if max(text_width(end, face) for end in self.ends) < (width - text_width(self.tick, face)) / 2 - 8:
                for words, side in zip(self.ends, (LEFT, RIGHT), strict=True):
                    write(painter, below, words, face, c.text3, side)
