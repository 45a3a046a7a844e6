"""Where a dialog stands: over the middle of its window, and whole on the screen."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, QPoint, QRect
from PySide6.QtWidgets import QDialog


def place_of(size: QRect, over: QRect, room: QRect) -> QPoint:
    """The top left corner for something of this size over the middle of ``over``, moved as far as it must be to lie
    within ``room``; where it is larger than that, its top left corner is seen."""
    spot = QRect(size)
    spot.moveCenter(over.center())
    x = max(room.left(), min(spot.left(), room.right() + 1 - spot.width()))
    y = max(room.top(), min(spot.top(), room.bottom() + 1 - spot.height()))
    return QPoint(x, y)


class OnScreen(QObject):
    """Keeps a dialog whole on the screen when it is shown and whenever it grows."""

    def __init__(self, dialog: QDialog) -> None:
        super().__init__(dialog)
        self._dialog = dialog
        dialog.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() in (QEvent.Type.Show, QEvent.Type.Resize) and self._dialog.isVisible():
            self._place()
        return super().eventFilter(watched, event)

    def _place(self) -> None:
        dialog = self._dialog
        parent = dialog.parentWidget()
        room = dialog.screen().availableGeometry()
        over = parent.window().frameGeometry() if parent is not None else room
        frame = dialog.frameGeometry()
        spot = place_of(frame, over, room)
        if spot != frame.topLeft():
            dialog.move(spot)


# How much room a window has.

Room = Literal["wide", "medium", "narrow"]
WIDE, MEDIUM = 1180, 820


def room_for(width: int, scale: float) -> Room:
    """Two columns with the history, two with its badges, or one; by the window's width in pixels at 100 %."""
    effective = width / scale
    return "wide" if effective >= WIDE else "medium" if effective >= MEDIUM else "narrow"
