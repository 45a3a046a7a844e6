"""How much room a window has."""

from __future__ import annotations

from typing import Literal

Room = Literal["wide", "medium", "narrow"]
WIDE, MEDIUM = 1180, 820


def room_for(width: int, scale: float) -> Room:
    """Two columns with the history, two with its badges, or one; by the window's width in pixels at 100 %."""
    effective = width / scale
    return "wide" if effective >= WIDE else "medium" if effective >= MEDIUM else "narrow"
