"""The rows of the settings: as tall as they are, until the screen is full; then they scroll."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QWidget

from ..look.theme import px
from ..widgets.scroll import ColumnScroll

_REST = 190
"""What a dialog needs besides: its title, its foot, its frame; pixels at 100 %."""
_LEAST = 120


class RowsScroll(ColumnScroll):
    """Takes its height from its content, which needn't be of a known height before it is shown."""

    def __init__(self, content: QWidget) -> None:
        super().__init__(content)
        content.installEventFilter(self)
        self.fit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        done = super().eventFilter(watched, event)
        if watched is self.widget() and event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Resize):
            self.fit()
        return done

    def fit(self) -> None:
        """Take the height that the content has now, as far as the screen allows."""
        content = self.widget()
        if content is None:
            return
        room = max(px(_LEAST), self.screen().availableGeometry().height() - px(_REST))
        height = min(content.sizeHint().height(), room)
        if height != self.maximumHeight():
            self.setFixedHeight(height)
