"""A small turning ring: something is going on."""

from __future__ import annotations

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QWidget

from .base import Square, Turning, spinner_arc


class Spinner(Square):
    """Turns once a second as long as it is shown; stands still when motion is reduced."""

    def __init__(self, size: int = 16, name: str = "Working", parent: QWidget | None = None) -> None:
        super().__init__(size, parent)
        self._turning = Turning(self)
        self.say(name)
        self.follow_theme()

    def restyle(self) -> None:
        self._turning.run(True)
        super().restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, height):
            spinner_arc(painter, QPointF(width / 2, height / 2), self._size / 2 - 1.2, self._turning.turn)
