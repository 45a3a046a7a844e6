"""A thin line that fills up; and the line of a percentile."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import Painted, box, disc


class ProgressLine(Painted):
    """``fraction`` 0…1 on a track of 4 px; with ``knob`` a position on a scale instead of progress."""

    def __init__(
        self, fraction: float = 0.0, name: str = "Progress", knob: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name, self._knob = name, knob
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_fraction(fraction)
        self.follow_theme()

    def set_fraction(self, fraction: float) -> None:
        self.fraction = min(max(fraction, 0.0), 1.0)
        self.say(f"{self._name}: {round(self.fraction * 100)} percent")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(120), theme().px(14 if self._knob else 6))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(40), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme().tokens
        with self.painter() as (painter, width, height):
            y = height / 2
            box(painter, QRectF(0, y - 2, width, 4), 2, t.track)
            filled = width * self.fraction
            if filled > 0:
                box(painter, QRectF(0, y - 2, max(4.0, filled), 4), 2, t.accent)
            if self._knob:
                disc(painter, QPointF(min(max(filled, 6), width - 6), y), 6, t.surface, t.accent, 2.5)
