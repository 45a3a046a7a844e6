"""Widgets side by side, wrapping to the next line like words."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import Themed


class Flow(Themed, QWidget):
    """Lays its widgets out in lines and fixes its own height, which wrapping layouts in scroll areas need."""

    def __init__(self, parent: QWidget | None = None, gap: int = 6) -> None:
        super().__init__(parent)
        self._gap = gap
        self._items: list[QWidget] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def add(self, widget: QWidget) -> None:
        widget.setParent(self)
        self._items.append(widget)
        widget.show()
        self._arrange()

    def set_items(self, widgets: list[QWidget]) -> None:
        """Replace everything; the old ones are deleted."""
        self.clear()
        for widget in widgets:
            widget.setParent(self)
            self._items.append(widget)
            widget.show()
        self._arrange()

    def clear(self) -> None:
        for widget in self._items:
            widget.hide()
            widget.setParent(None)
            widget.deleteLater()
        self._items = []
        self._arrange()

    def items(self) -> list[QWidget]:
        return list(self._items)

    def restyle(self) -> None:
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def event(self, event: QEvent) -> bool:
        # A child whose size hint changed asks its parent for a new layout.
        if event.type() == QEvent.Type.LayoutRequest:
            self._arrange()
        return super().event(event)

    def _arrange(self) -> None:
        gap, width = theme().px(self._gap), max(self.width(), 1)
        x = y = line_height = 0
        for item in self._items:
            hint = item.sizeHint()
            item_width = min(hint.width(), width)
            if x and x + item_width > width:
                x, y, line_height = 0, y + line_height + gap, 0
            item.setGeometry(x, y, item_width, hint.height())
            x += item_width + gap
            line_height = max(line_height, hint.height())
        if self.height() != y + line_height or self.minimumHeight() != y + line_height:
            self.setFixedHeight(y + line_height)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        gap = theme().px(self._gap)
        wide = sum(item.sizeHint().width() + gap for item in self._items) - (gap if self._items else 0)
        return QSize(min(wide, theme().px(340)), self.height())

    def minimumSizeHint(self) -> QSize:
        widest = max((item.minimumSizeHint().width() for item in self._items), default=0)
        return QSize(widest, self.height())
