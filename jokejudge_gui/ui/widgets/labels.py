"""Badges, chips and progress lines, and a layout of widgets that wraps like words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QProgressBar, QSizePolicy, QWidget

from ..look.theme import theme
from .base import Painted, Themed, box, elided, plain_tooltip, text_width, write

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


class Chip(Painted):
    """A word in a box, 24 px high. ``chosen``: by the program, for the joke; else by the user."""

    LEAST: ClassVar[float | None] = 80
    SIZE, WEIGHT = 12, 500

    def __init__(self, label: str, *, chosen: bool = False) -> None:
        super().__init__()
        self.label, self.chosen = label, chosen
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(plain_tooltip(label))
        self.say(label)
        self.follow_theme()

    def extent(self) -> tuple[float, float]:
        return 14.5 + text_width(self.label, theme().raw_font(self.SIZE, self.WEIGHT)), 24

    def shades(self) -> tuple[str, str]:
        """Return the colours of the box and the word."""
        c = theme().tokens
        return (c.soft, c.accent) if self.chosen else (c.sunken, c.text)

    def paintEvent(self, event: QPaintEvent) -> None:
        face, (fill, ink) = theme().raw_font(self.SIZE, self.WEIGHT), self.shades()
        with self.painter() as (painter, width, height):
            box(painter, QRectF(0, 0, width, height), 6, fill)
            room = QRectF(7, 0, width - 13, height)
            write(painter, room, elided(self.label, face, room.width()), face, ink)


class SideBadge(Chip):
    """A (accent) or B (neutral), in the titles of the duel's cards."""

    SIZE, WEIGHT = 14, 600

    def __init__(self, side: Literal["A", "B"]) -> None:
        super().__init__(side, chosen=side == "A")
        self.say(f"Joke {side}")
        self.setToolTip("")

    def shades(self) -> tuple[str, str]:
        c = theme().tokens
        return (c.accent, c.on_accent) if self.chosen else (c.text2, c.surface)


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
