"""Badges, chips and progress lines, and a layout of widgets that wraps like words."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from ..look.theme import theme
from ..look.wording import beginning
from .base import Themed, plain_tooltip
from .text import Label

_LONGEST = 36
"""Characters of a chip; the tooltip has the whole word."""

# Widgets side by side, which wrap to the next line like words.


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
            self._items.append(widget)
            widget.show()
        self._arrange()

    def set_items(self, widgets: Sequence[QWidget]) -> None:
        """Replace everything; the old ones are deleted."""
        self.clear()
        self.add(*widgets)

    def clear(self) -> None:
        for widget in self._items:
            widget.hide()
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
        lines: list[list[tuple[QWidget, int]]] = [[]]
        x = 0
        for item in self._items:
            if item.isHidden():
                continue
            wide = min(item.sizeHint().width(), width)
            if x and x + wide > width:
                lines.append([])
                x = 0
            lines[-1].append((item, x))
            x += wide + gap
        y = 0
        for line in lines:
            height = max((item.sizeHint().height() for item, _ in line), default=0)
            for item, left in line:
                hint = item.sizeHint()
                item.setGeometry(left, y + (height - hint.height()) // 2, min(hint.width(), width), hint.height())
            y += height + gap
        self.setFixedHeight(max(0, y - gap))
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        gap = theme().px(self._gap)
        wide = sum(item.sizeHint().width() + gap for item in self._items) - (gap if self._items else 0)
        return QSize(min(wide, theme().px(340)), self.height())

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
        self.setFixedHeight(theme().px(24))
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
        self.setValue(round(min(max(fraction, 0.0), 1.0) * self.maximum()))

    def restyle(self) -> None:
        self.setFixedHeight(theme().px(self._thick))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(40), theme().px(self._thick))
