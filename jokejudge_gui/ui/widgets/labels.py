"""Badges: a score in its colour, and the side that won."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QRectF, QSize
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import CENTRE, Painted, Themed, box, elided, text_width, write


def paint_side_badge(painter: QPainter, rect: QRectF, side: str, size: float = 12) -> None:
    """The badge of joke A (accent), B (neutral) or ``=`` for a tie, in pixels at 100 %."""
    t = theme()
    c = t.tokens
    fill, text = {"A": (c.accent, c.on_accent), "B": (c.text2, c.surface)}.get(side, (c.sunken, c.text2))
    box(painter, rect, 5 if rect.height() < 22 else 6, fill)
    write(painter, rect, side, t.raw_font(size, 600), text, CENTRE)


class SideBadge(Painted):
    """A or B; large in the titles of the duel's cards."""

    def __init__(self, side: Literal["A", "B"], large: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side, self.large = side, large
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.say(f"Joke {side}")
        self.follow_theme()

    def extent(self) -> tuple[float, float]:
        return (26, 24) if self.large else (21, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, height):
            paint_side_badge(painter, QRectF(0, 0, width, height), self.side, 14 if self.large else 12)


# Widgets side by side, wrapping to the next line like words.


class Flow(Themed, QWidget):
    """Lays its widgets out in lines and fixes its own height, which wrapping layouts in scroll areas need."""

    def __init__(self, parent: QWidget | None = None, gap: int = 6) -> None:
        super().__init__(parent)
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

    def set_items(self, widgets: list[QWidget]) -> None:
        """Replace everything; the old ones are deleted."""
        self.clear()
        self.add(*widgets)

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
        placed: list[tuple[QWidget, int, int, QSize]] = []
        lines: dict[int, int] = {}
        for item in self._items:
            if item.isHidden():
                continue
            hint = item.sizeHint()
            item_width = min(hint.width(), width)
            if x and x + item_width > width:
                x, y, line_height = 0, y + line_height + gap, 0
            placed.append((item, x, y, QSize(item_width, hint.height())))
            x += item_width + gap
            line_height = lines[y] = max(line_height, hint.height())
        for item, left, top, size in placed:
            item.setGeometry(left, top + (lines[top] - size.height()) // 2, size.width(), size.height())
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


# Small labels for checks, categories and factors.

Kind = Literal["plain", "passed", "failed", "chosen", "outline", "dashed", "written"]

_WORDS = {
    "passed": "passed",
    "failed": "failed",
    "chosen": "chosen",
    "outline": "not chosen",
    "written": "",
    "plain": "",
    "dashed": "",
}
_ICONS = {"passed": "check", "failed": "cross", "written": "pencil"}


class Chip(Painted):
    """24 px high: a label, and a value behind it. The kind is also said in words to screen readers."""

    LEAST = 80

    def __init__(self, kind: Kind = "plain", label: str = "", value: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.kind, self.label = kind, label
        self.value = value or ("written for this joke" if kind == "written" else "")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.say(" ".join(part for part in (label, _WORDS[kind], self.value) if part))
        self.follow_theme()

    def _width(self) -> float:
        t = theme()
        width = 14 + text_width(self.label, t.raw_font(12, 500))
        if self.value:
            width += 5 + text_width(self.value, t.raw_font(12))
        if self.kind in _ICONS:
            width += 15
        return width + 0.5

    def extent(self) -> tuple[float, float]:
        return self._width(), 24

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        c = t.tokens
        fill, edge, label, value = {
            "plain": (c.sunken, None, c.text, c.text2),
            "passed": (c.sunken, None, c.text2, c.text3),
            "failed": (c.bad_soft, None, c.bad_text, c.bad_text),
            "chosen": (c.soft, None, c.accent, c.accent),
            "outline": (c.surface, c.line2, c.text2, c.text3),
            "dashed": (None, c.text3, c.text2, c.text3),
            "written": (c.surface, c.accent, c.text, c.text2),
        }[self.kind]
        with self.painter() as (painter, width, height):
            box(painter, QRectF(0, 0, width, height), 6, fill, edge, dashed=self.kind == "dashed")
            x = 7.0
            if self.kind in _ICONS:
                shade = {"passed": c.good_text, "failed": c.bad_text, "written": c.accent}[self.kind]
                t.paint_icon(painter, _ICONS[self.kind], QRectF(x - 1, height / 2 - 6.5, 13, 13), shade)
                x += 15
            font = t.raw_font(12, 500)
            shown = elided(self.label, font, width - x - 6)
            write(painter, QRectF(x, 0, width - x, height), shown, font, label)
            x += text_width(shown, font) + 5
            if self.value and shown == self.label:
                font = t.raw_font(12)
                shown = elided(self.value, font, width - x - 6)
                write(painter, QRectF(x, 0, width - x, height), shown, font, value)


class ChipFlow(Flow):
    """Chips side by side, wrapping."""

    def set_chips(self, chips: list[Chip]) -> None:
        """Replace the chips."""
        self.set_items(list(chips))
