"""Buttons and choices, drawn by the style sheet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QIcon, QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QComboBox,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionButton,
    QStylePainter,
    QWidget,
)

from ..look.theme import font, px, theme
from .base import Themed, plain_tooltip, text_width
from .keyboard import keyed
from .layout import HBox

Act = Callable[..., object] | SignalInstance


class Button(Themed, QPushButton):
    """The base of the buttons; the style sheet selects by the names of the classes."""

    INK: ClassVar[str] = "text"
    """The icon's colour."""

    def __init__(
        self, text: str = "", icon: str | None = None, parent: QWidget | None = None, *, act: Act | None = None,
        name: str = "", tip: str = "", key: str = "",
    ) -> None:  # fmt: skip
        """``icon``: its name in resources/icons; ``act``: called on a press; ``name``: the name for screen readers, if
        it differs from the text; ``tip``: the tooltip; ``key``: shown behind the text."""
        super().__init__(keyed(text, key), parent)
        self._icon = icon
        if act is not None:
            self.clicked.connect(act)
        self.setAccessibleName(name or (text if key else ""))
        self.setToolTip(tip)
        self.setAutoDefault(False)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def set_icon(self, name: str | None) -> None:
        """Change the icon."""
        self._icon = name
        self.restyle()

    def setText(self, text: str) -> None:
        super().setText(text)
        self.restyle()

    def restyle(self) -> None:
        gap = 3 if self.text() else 0  # besides Qt's own 4 px
        self.setIcon(theme().icon(self._icon, self.INK, "accent", gap) if self._icon is not None else QIcon())
        self.setIconSize(QSize(px(16 + gap), px(16)))


class PrimaryButton(Button):
    """The main action of a view."""

    INK = "on_accent"


class SecondaryButton(Button):
    """A button with an edge."""


class SmallButton(SecondaryButton):
    """A square button of 24 px with only an icon."""


class GhostButton(Button):
    """A toolbar button: icon and label, no edge."""

    INK = "text2"


class LinkButton(Button):
    """A link: accent text."""

    INK = "accent"


class IconButton(GhostButton):
    """An icon alone; its name is the screen reader's text and the tooltip."""

    def __init__(self, icon: str, name: str, checkable: bool = False, *, act: Act | None = None) -> None:
        super().__init__("", icon, act=act)
        self.setCheckable(checkable)
        self.set_name(name)

    def set_name(self, name: str) -> None:
        self.setAccessibleName(name)
        self.setToolTip(name)


class FilterChip(Button):
    """A filter that is on or off."""

    INK = "text2"

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setCheckable(True)


class StatusButton(Button):
    """A dot, a name and a note: the button of the model library. Where there is little room it has the name alone,
    elided if need be; the tooltip has all."""

    def __init__(self, name: str, note: str, dot: str) -> None:
        super().__init__()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.set_status(name, note, dot)

    def set_status(self, name: str, note: str, dot: str) -> None:
        """Show a name and a note. ``dot``: the colour's token."""
        self.INK = dot  # type: ignore[misc]
        self.setText("   ".join(filter(None, (name, note))))
        self.setAccessibleName(f"Model: {name}" + (f", {note}" if note else ""))
        self.setToolTip(plain_tooltip(f"{name} {note}".strip()))
        self.set_icon("dot")

    def minimumSizeHint(self) -> QSize:
        return QSize(px(52), self.sizeHint().height())

    def fitting(self) -> str:
        """Return what of the text there is room for."""
        metrics, text = self.fontMetrics(), self.text()
        room = self.width() - (super().sizeHint().width() - metrics.horizontalAdvance(text)) + 1
        name = text.partition("   ")[0]
        return (
            text
            if metrics.horizontalAdvance(text) <= room
            else metrics.elidedText(name, Qt.TextElideMode.ElideRight, room)
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, option = QStylePainter(self), QStyleOptionButton()
        self.initStyleOption(option)
        option.text = self.fitting()  # type: ignore[attr-defined]
        painter.drawControl(QStyle.ControlElement.CE_PushButton, option)
        painter.end()


class ChoiceButton(Themed, QComboBox):
    """A choice of names, as wide as its longest one. ``small``: as high as a chip, and as wide as the current name, at
    most ``most`` px at 100 %. A longer name is elided and shown whole in the tooltip. ``chosen`` carries the place that
    the user chose."""

    chosen = Signal(int)
    most = 1000

    def __init__(self, name: str, *, small: bool = False) -> None:
        super().__init__()
        self._name, self._small = name, small
        self.setProperty("small", small)
        self.setSizePolicy(QSizePolicy.Policy.Minimum, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.activated.connect(self.choose)
        self.set_options((), -1)
        self.follow_theme()

    @property
    def options(self) -> tuple[str, ...]:
        return tuple(self.itemText(place) for place in range(self.count()))

    def set_options(self, options: Sequence[str], current: int) -> None:
        """Replace the names; the one at ``current`` is shown, −1: none."""
        if self.options != tuple(options):
            self.clear()
            self.addItems(list(options))
        self.setCurrentIndex(current)
        self.setAccessibleName(f"{self._name}: {self.currentText() or 'none'}")
        self.setToolTip(plain_tooltip(self.currentText()))
        self.updateGeometry()

    def choose(self, place: int) -> None:
        """Show another name and send ``chosen``."""
        self.set_options(self.options, place)
        self.chosen.emit(place)

    def wheelEvent(self, event: QWheelEvent) -> None:
        event.ignore()  # it scrolls the column

    def sizeHint(self) -> QSize:
        current = QSize(min(round(text_width(self.currentText(), self.font())) + px(46), px(self.most)), px(24))
        return current if self._small else super().sizeHint()

    def minimumSizeHint(self) -> QSize:
        return QSize(min(px(120), self.sizeHint().width()), self.sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter, side, colour = QPainter(self), px(14), theme().tokens
        rect = QRectF(self.width() - px(24), (self.height() - side) / 2, side, side)
        theme().paint_icon(painter, "chevron_down", rect, colour.text2 if self.isEnabled() else colour.dis_text)
        painter.end()


class Segment(Button):
    """An option of a ``Segmented``: a pill in front if it is the chosen one."""


class Segmented(Themed, QWidget):
    """A switch between named options: a track behind, a pill in front. Arrow keys change the option; Tab stops at it
    once. ``changed`` carries the key of the newly chosen option."""

    changed = Signal(str)

    def __init__(self, options: list[tuple[str, str]], name: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._group = QButtonGroup(self)
        self._segments = {key: Segment(label, name=f"{name}: {label}" if name else label) for key, label in options}
        HBox(*self._segments.values(), parent=self, gap=0, margins=(3, 3, 3, 3))
        for key, segment in self._segments.items():
            segment.setCheckable(True)
            segment.setChecked(key == options[0][0])
            self._group.addButton(segment)
            segment.toggled.connect(lambda on, key=key: self.changed.emit(key) if on else None)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def restyle(self) -> None:
        # Nothing moves with the choice: a segment is as wide as its text in bold.
        for segment in self._segments.values():
            segment.setFixedWidth(round(text_width(segment.text(), font(14, 600))) + px(20))

    def current(self) -> str:
        """Return the key of the chosen option."""
        return next((key for key, segment in self._segments.items() if segment.isChecked()), "")

    def set_current(self, key: str) -> None:
        """Choose an option; ``changed`` is sent if it differs from the current one."""
        self._segments[key].setChecked(True)

    def segment(self, key: str) -> QPushButton:
        """Return the button of one option."""
        return self._segments[key]
