"""Lines: of progress, and of a value from 0 to 100 with its uncertainty."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from ..look.theme import font, px, theme
from .base import CENTRE, Themed, text_width, write
from .layout import HBox
from .text import Caption


class ProgressLine(Themed, QProgressBar):
    """A thin progress line on a track of ``thick`` px. ``name``: for screen readers."""

    def __init__(self, name: str = "Progress", *, thick: float = 4) -> None:
        super().__init__()
        self._thick = thick
        self.setRange(0, 1000)
        self.setTextVisible(False)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_fraction(0.0)
        self.follow_theme()

    @property
    def fraction(self) -> float:
        return self.value() / self.maximum()

    def set_fraction(self, fraction: float) -> None:
        self.setValue(round(1000 * min(max(fraction, 0.0), 1.0)))

    def restyle(self) -> None:
        self.setFixedHeight(px(self._thick))

    def minimumSizeHint(self) -> QSize:
        return QSize(px(40), px(self._thick))


class Line(Themed, QWidget):
    """A band and a ring, each where it is given, on a track with a tick in its middle. ``ends``: the words below 0 and
    100; ``words``: those between them; ``above``: the ring's name, if it has one."""

    def __init__(self, ends: tuple[str, str] = ("0", "100"), words: str = "") -> None:
        super().__init__()
        self.low: float | None = None
        self.high: float | None = None
        self.middle: float | None = None
        self._ring, self.above = "accent", ""
        self.words, last = Caption(words), Caption(ends[1])
        last.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._row = HBox((Caption(ends[0]), 1), self.words, (last, 1), parent=self, gap=6, margins=(0, 18, 0, 0))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_values(
        self, low: float | None, high: float | None, middle: float | None = None, *, accessible: str = "",
        quiet: bool = False, above: str = "",
    ) -> None:  # fmt: skip
        """Set the values from 0 to 100, None for a part that isn't drawn. ``accessible``: the figures in words, for a
        screen reader; ``quiet``: the ring has a text's colour."""
        self.low, self.high, self.middle, self._ring = low, high, middle, "text3" if quiet else "accent"
        self.above = above
        self._row.set_margins(0, 36 if above else 18, 0, 0)
        self.setAccessibleName(accessible)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, middle, radius, wide = QPainter(self), px(26 if self.above else 8), px(6), self.width()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        low, high, value = (at and at * wide / 100 for at in (self.low, self.high, self.middle))
        for start, end, token in ((0.0, wide, "track"), (low, high, "tint3")):
            if start is not None and end is not None:
                painter.setBrush(theme().colour(token))
                painter.drawRoundedRect(
                    QRectF(start, middle - radius / 2, max(end - start, radius), radius), px(3), px(3)
                )
        painter.fillRect(QRectF(wide / 2, middle - px(7), max(1, px(1)), px(14)), theme().colour("text3"))
        if value is not None:
            painter.setPen(QPen(theme().colour(self._ring), px(3)))
            painter.setBrush(theme().colour("surface"))
            inner = radius - px(3) / 2
            painter.drawEllipse(QPointF(min(max(value, radius), wide - radius), middle), inner, inner)
            half = text_width(self.above, font(12, 600)) / 2 + 1
            name = QRectF(min(max(value, half), wide - half) - half, 0, 2 * half, px(18))
            write(painter, name, self.above, font(12, 600), theme().tokens.accent, CENTRE)
        painter.end()
