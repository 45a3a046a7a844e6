"""Cards, and messages across them."""

from __future__ import annotations

import math
from typing import Literal

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from ..look.theme import font, px, theme
from ..look.wording import Run
from .base import Surface, text_width
from .controls import PrimaryButton, SecondaryButton
from .layout import HBox, Item, VBox
from .text import Label, Paragraph, curly

_LOOK = {
    "warning": ("warning", "mid_text", "Warning"),
    "error": ("warning", "bad_text", "Error"),
    "info": ("info", "accent", "Note"),
    "quiet": ("info", "text3", "Note"),
}
"""Icon, colour and name of each kind of message."""
Message = Literal["warning", "error", "info", "quiet"]


class Card(Surface):
    """A surface with an edge: a title row (title, a widget at the right) over ``body``; no such row without both.
    ``padding`` is in pixels at 100 %."""

    title_last = False
    """Whether the Tab key visits the widgets of the title row after those below it."""

    def __init__(self, title: str = "", right: QWidget | None = None, padding: int = 20) -> None:
        super().__init__()
        self._row = QWidget(self)
        self.title_label = Label(title, 15, 600)
        self._row_layout = HBox(self.title_label, 1, *([right] if right is not None else []), parent=self._row, gap=9)
        self.title_label.setVisible(bool(title))
        titled = bool(title or right)
        self._row.setVisible(titled)
        self.body = VBox(gap=10)
        top = padding - 4 if titled else padding
        self._outer = VBox(self._row, self.body, parent=self, gap=10, margins=(padding, top, padding, padding))
        self.setAccessibleName(title)
        self.follow_theme()

    def add(self, *items: Item) -> None:
        """Add widgets and layouts below the existing ones, each alone or with its stretch and alignment."""
        self.body.add(*items)

    def restyle(self) -> None:
        self._row.setMinimumHeight(px(24))
        super().restyle()


class Rule(QFrame):
    """A hairline across a card; ``faint``: in the colour of the card's edge."""

    def __init__(self, *, faint: bool = False) -> None:
        super().__init__()
        self.setProperty("faint", faint)
        self.setFixedHeight(1)


class Banner(Surface):
    """A message across the column: icon, title, text and at most one action. ``acted``: its button was pressed."""

    acted = Signal()

    def __init__(
        self, kind: Message = "info", text: str = "", action: str = "", title: str = "", *, primary: bool = False
    ) -> None:
        super().__init__()
        self.kind = kind
        self.setProperty("kind", kind)
        self._icon, self._token, words = _LOOK[kind]
        self.icon = QLabel()
        self.icon.setTextFormat(Qt.TextFormat.PlainText)
        self.icon.setAccessibleName(words)
        self.title = Paragraph("", 14, 600, "text")
        self.text = Paragraph("", 14, 400, "text", gap=4)
        self.button = (PrimaryButton if primary else SecondaryButton)(act=self.acted)
        message, middle = QWidget(), Qt.AlignmentFlag.AlignVCenter
        # The icon is beside the first line.
        icon = VBox(self.icon, 1, margins=(0, 1, 0, 0))
        HBox(icon, (VBox(self.title, self.text, gap=0), 1), parent=message, gap=13)
        HBox((message, 1, middle), (self.button, 0, middle), parent=self, gap=13, margins=(17, 12, 12, 12))
        self.set_message(text, title, action)
        self.follow_theme()

    def restyle(self) -> None:
        self.icon.setPixmap(theme().icon(self._icon, self._token).pixmap(px(18)))
        self.icon.setFixedSize(px(18), px(18))

    def set_message(self, text: str | list[Run], title: str = "", action: str = "") -> None:
        """Change the texts; empty ones aren't shown, and without ``action`` there is no button."""
        self.title.show_text(title)
        self.text.show_text(text)
        self.text.set_token("text2" if title else "text")
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(f"{title} {self.text.text()}".strip())

    def natural_width(self) -> int:
        """Return the width in which the message is one line."""
        beside = self.button.sizeHint().width() + px(13) if self.button.text() else 0
        return math.ceil(text_width(curly(self.text.text()), font(14))) + beside + px(17 + 18 + 13 + 13 + 12 + 4)
