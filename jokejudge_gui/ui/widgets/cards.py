"""Cards and banners."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import px, theme
from ..look.wording import Run
from .base import Painted, Surface, line
from .controls import PrimaryButton, SecondaryButton
from .layout import HBox, Item, VBox
from .text import Caption, Heading, Label, Paragraph

_LOOK = {"warning": ("warning", "mid_text"), "error": ("warning", "bad_text"), "info": ("info", "accent")}


class Card(Surface):
    """A surface with an edge: a title row (title, caption, a widget at the right) over ``body``.

    ``padding`` is in pixels at 100 %. Without title, caption and right-hand widget there is no title row. ``fill``:
    grows with its row, so that cards side by side have the same height; content stays at the top.
    """

    RADIUS = 12
    title_last = False
    """Whether the Tab key visits the widgets of the title row after those below it."""

    def __init__(
        self,
        title: str = "",
        caption: str = "",
        right: QWidget | None = None,
        padding: int = 20,
        fill: bool = False,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._padding = padding
        self._row = QWidget(self)
        self._left: QWidget | None = None
        self._right: QWidget | None = None
        self.title_label = Label(title, 15, 600)
        self.caption_label = Caption(caption)
        self._row_layout = HBox(self.title_label, self.caption_label, 1, parent=self._row, gap=9)
        self.body = VBox(gap=10)
        self._outer = VBox(self._row, self.body, parent=self, gap=10)
        if fill:
            self._outer.addStretch(1)
            self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        if right is not None:
            self.set_right(right)
        self.setAccessibleName(title)
        self._show_row()
        self.follow_theme()

    def add(self, *items: Item) -> None:
        """Add widgets and layouts below the existing ones, each alone or with its stretch and alignment."""
        self.body.add(*items)

    def set_left(self, widget: QWidget) -> None:
        """Set a widget before the title, such as a side badge."""
        self._left = widget
        self._row_layout.insertWidget(0, widget)
        self._show_row()

    def set_right(self, widget: QWidget) -> None:
        """Set a widget at the right end of the title row."""
        self._right = widget
        self._row_layout.addWidget(widget)
        self._show_row()

    def _show_row(self) -> None:
        self.title_label.setVisible(bool(self.title_label.text()))
        self.caption_label.setVisible(bool(self.caption_label.text()))
        titled = bool(self.title_label.text() or self.caption_label.text() or self._left or self._right)
        self._row.setVisible(titled)
        side = self._padding
        self._outer.set_margins(side, side - 4 if titled else side, side, side)

    def restyle(self) -> None:
        self._row.setMinimumHeight(px(24))
        super().restyle()

    def shades(self) -> tuple[str | None, str | None]:
        return theme().tokens.surface, theme().tokens.line


class Rule(Painted):
    """A hairline across a card."""

    def __init__(self, token: str = "line2") -> None:
        super().__init__()
        self._token = token
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def sizeHint(self) -> QSize:
        return QSize(0, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, height):
            y = height / 2
            line(painter, QPointF(0, y), QPointF(width, y), getattr(theme().tokens, self._token), height)


class StateIcon(Painted):
    """The icon before a state's heading: ``warning``, ``error`` or ``info``, in its colour."""

    def __init__(self, kind: str, size: int) -> None:
        super().__init__()
        self._name, self._token = _LOOK[kind]
        self._size = size
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.say({"warning": "Warning", "error": "Error", "info": "Note"}[kind])
        self.follow_theme()

    def extent(self) -> tuple[float, float]:
        return self._size, self._size

    def paintEvent(self, event: QPaintEvent) -> None:
        with self.painter() as (painter, width, height):
            colour = getattr(theme().tokens, self._token)
            theme().paint_icon(painter, self._name, QRectF(0, 0, width, height), colour)


class Banner(Surface):
    """A message across the top: ``warning`` (amber), ``error`` (red) or ``info``; at most one action.

    ``acted`` is sent when the action's button is pressed.
    """

    RADIUS = 10
    acted = Signal()

    def __init__(
        self, kind: Literal["warning", "error", "info"] = "info", text: str = "", action: str = "", title: str = ""
    ) -> None:
        super().__init__()
        self.kind = kind
        self.title = Paragraph("", 14, 600, "text")
        self.text = Paragraph("", 14, 400, "text", gap=4)
        self.button = SecondaryButton(action, act=self.acted)
        message, middle = QWidget(), Qt.AlignmentFlag.AlignVCenter
        # The icon is beside the first line.
        icon = VBox(StateIcon(kind, 18), 1, margins=(0, 1, 0, 0))
        HBox(icon, (VBox(self.title, self.text, gap=0), 1), parent=message, gap=13)
        HBox((message, 1, middle), (self.button, 0, middle), parent=self, gap=13, margins=(17, 12, 12, 12))
        self.set_message(text, title, action)
        self.follow_theme()

    def set_message(self, text: str | list[Run], title: str = "", action: str = "") -> None:
        """Change the texts; without ``action`` there is no button."""
        self.title.show_text(title)
        self.text.set_content(text)
        self.text.set_token("text2" if title else "text")
        self.text.setVisible(bool(text))
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.say(f"{title} {self.text.text()}".strip())

    def shades(self) -> tuple[str | None, str | None]:
        t = theme().tokens
        return {"warning": t.mid_soft, "error": t.bad_soft, "info": t.soft}[self.kind], None


# A card with a message and at most one action.

IconKind = Literal["none", "warning", "error", "info"]


class StateCard(Card):
    """Icon, heading, sentence, room for more (``extra``), and a button. ``acted``: the button was pressed."""

    acted = Signal()

    def __init__(self, icon: IconKind = "none", heading: str = "", text: str = "", *, primary: bool = False) -> None:
        super().__init__(padding=28)
        self.heading = Heading(heading, 3)
        self.text = Paragraph(text)
        self.button = PrimaryButton() if primary else SecondaryButton()
        self.button.clicked.connect(self.acted)
        self.extra = VBox()
        self._foot = HBox(self.button, 1)
        content = HBox((VBox(self.heading, self.text, self.extra, self._foot, gap=4), 1), gap=15)
        if icon != "none":
            content.insertWidget(0, StateIcon(icon, 22), 0, Qt.AlignmentFlag.AlignTop)
        self.add(content)
        self.set_message(heading, text)

    def set_message(self, heading: str, text: str, action: str = "") -> None:
        """Change the texts; empty ones aren't shown."""
        self.heading.set_content(heading)
        self.text.show_text(text)
        self.button.setText(action)
        self.button.setVisible(bool(action))
        self.setAccessibleName(heading)
        self._foot.set_margins(0, 14 if action else 0, 0, 0)
