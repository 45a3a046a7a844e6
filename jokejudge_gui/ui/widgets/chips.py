"""Small labels for checks, categories and factors."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QRectF, QSize
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme
from .base import Painted, box, elided, text_width, write
from .flow import Flow

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

    def sizeHint(self) -> QSize:
        return QSize(theme().px(self._width()), theme().px(24))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(self.sizeHint().width(), theme().px(80)), theme().px(24))

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
