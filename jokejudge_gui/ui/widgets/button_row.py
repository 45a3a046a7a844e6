"""Buttons and links side by side at the left of their card."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from ..look.theme import px, theme


class ButtonRow(QHBoxLayout):
    """What is given, from left to right, at the distance that the text size asks for; the rest of the row is empty."""

    def __init__(self, *widgets: QWidget) -> None:
        super().__init__()
        for widget in widgets:
            self.addWidget(widget)
        self.addStretch(1)
        self._scale()
        theme().changed.connect(self._scale)

    def _scale(self) -> None:
        self.setSpacing(px(12))
