"""Chips and progress lines, and a layout of widgets that wraps like words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from ..look.theme import px
from ..look.wording import beginning
from .base import Themed, plain_tooltip
from .text import Label

_LONGEST = 36
"""Characters of a chip; the tooltip has the whole word."""


class Flow(Themed, QWidget):
    """Lays its widgets out in lines and fixes its own height, which wrapping layouts in scroll areas need."""

    def __init__(self, gap: int = 6) -> None:
        super().__init__()
        self._gap = gap
        self._items: list[QWidget] = []
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def add(self, *widgets: QWidget) -> None:
        for widget in widgets:
            widget.setParent(self)
            widget.show()
        self._items += widgets
        self.restyle()

    def set_items(self, widgets: Sequence[QWidget]) -> None:
        """Replace everything; the old ones are deleted."""
        for widget in self._items:
            widget.hide()
            widget.deleteLater()
        self._items = []
        self.add(*widgets)

    def items(self) -> list[QWidget]:
        return list(self._items)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.restyle()

    def event(self, event: QEvent) -> bool:
        # A child whose size hint changed asks its parent for a new layout.
        if event.type() == QEvent.Type.LayoutRequest:
            self.restyle()
        return super().event(event)

    def restyle(self) -> None:
        """Arrange the items anew, in lines of one height."""
        hints = {item: item.sizeHint() for item in self._items if not item.isHidden()}
        gap, high, x, y = px(self._gap), max((hint.height() for hint in hints.values()), default=0), 0, 0
        for item, hint in hints.items():
            wide = min(hint.width(), max(self.width(), 1))
            if x and x + wide > self.width():
                x, y = 0, y + high + gap
            item.setGeometry(x, y + (high - hint.height()) // 2, wide, hint.height())
            x += wide + gap
        self.setFixedHeight(y + high)
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        gap = px(self._gap)
        return QSize(min(sum(item.sizeHint().width() + gap for item in self._items), px(340)), self.height())

    def minimumSizeHint(self) -> QSize:
        widest = max((item.minimumSizeHint().width() for item in self._items), default=0)
        return QSize(widest, self.height())


class Chip(Label):
    """A word in a box, 24 px high. ``chosen``: by the program, for the joke; else by the user."""

    def __init__(self, label: str, *, chosen: bool = False) -> None:
        super().__init__(beginning(label, _LONGEST), 12, 500, "accent" if chosen else "text")
        self.label = label
        self.setProperty("chosen", chosen)
        self.setAccessibleName(label)
        self.setToolTip(plain_tooltip(label))

    def restyle(self) -> None:
        self.setFixedHeight(px(24))
        super().restyle()


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
