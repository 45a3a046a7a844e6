"""A column that scrolls up and down, never sideways."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QFrame,
    QScrollArea,
    QScrollBar,
    QSizePolicy,
    QStyle,
    QStyleOptionSlider,
    QWidget,
)

from ..look.theme import theme
from .base import Themed, box
from .layout import Item, VBox


class ThinBar(Themed, QScrollBar):
    """A bar of 6 px in a gutter of 12; nothing is painted when there is nothing to scroll."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.follow_theme()

    def sizeHint(self) -> QSize:
        return QSize(theme().px(12), super().sizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() <= self.minimum():
            return
        option = QStyleOptionSlider()
        self.initStyleOption(option)
        handle = self.style().subControlRect(
            QStyle.ComplexControl.CC_ScrollBar, option, QStyle.SubControl.SC_ScrollBarSlider, self
        )
        t = theme()
        thick = t.px(6)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = t.tokens.field if self.underMouse() or self.isSliderDown() else t.tokens.line2
        rect = QRectF(self.width() - thick - t.px(1), handle.y(), thick, handle.height())
        box(painter, rect, thick / 2, colour)
        painter.end()


class ColumnScroll(Themed, QScrollArea):
    """A scrolling column with ``body`` to fill: gaps of 14 px, and a gutter that keeps the cards' edges still."""

    def __init__(self, widget: QWidget | None = None, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBar(ThinBar())
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        content = widget or QWidget()
        content.setAutoFillBackground(False)
        self.body = VBox(gap=14)
        if widget is None:
            content.setLayout(self.body)
            self.body.setAlignment(Qt.AlignmentFlag.AlignTop)
        content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self.follow_theme()

    def add(self, *items: Item) -> None:
        """Put widgets under what is there."""
        self.body.add(*items)

    def minimumSizeHint(self) -> QSize:
        content = self.widget()
        wide = content.minimumSizeHint().width() if content is not None else 0
        return QSize(max(wide, 0) + theme().px(12), theme().px(80))
