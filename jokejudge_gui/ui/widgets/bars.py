"""A thin progress line."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from ..look.theme import theme
from .base import Painted, box


class ProgressLine(Painted):
    """A progress line: ``fraction`` 0…1 on a track of ``thick`` px."""

    LEAST = 40

    def __init__(self, name: str = "Progress", *, thick: float = 4.0) -> None:
        super().__init__()
        self._name, self._thick = name, thick
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.set_fraction(0.0)
        self.follow_theme()

    def set_fraction(self, fraction: float) -> None:
        self.fraction = min(max(fraction, 0.0), 1.0)
        self.say(f"{self._name}: {round(self.fraction * 100)} percent")
        self.update()

    def extent(self) -> tuple[float, float]:
        return 120, 6

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme().tokens
        with self.painter() as (painter, width, height):
            y, half = height / 2, self._thick / 2
            box(painter, QRectF(0, y - half, width, self._thick), half, t.track)
            filled = width * self.fraction
            if filled > 0:
                box(painter, QRectF(0, y - half, max(self._thick, filled), self._thick), half, t.accent)
