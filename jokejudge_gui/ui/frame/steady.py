"""What keeps the window drawing while jobs compute: Python's own pauses are kept short."""

from __future__ import annotations

import gc
import sys

from PySide6.QtCore import QObject

from ..library.controller import ModelController

_TURN_S = 0.001


class Steady(QObject):
    """Lives as long as the program. Threads take turns at the interpreter every millisecond: with Python's 5 ms the
    window, which gives it up with every call into Qt, would take several times as long to draw. And what is there once
    the first model is loaded stays for good, so the garbage collector needn't look through it again, which holds every
    thread for a tenth of a second."""

    def __init__(self, models: ModelController) -> None:
        super().__init__(models)
        self._models = models
        sys.setswitchinterval(_TURN_S)
        models.changed.connect(self._on_model)

    def _on_model(self) -> None:
        self._models.changed.disconnect(self._on_model)
        gc.freeze()
