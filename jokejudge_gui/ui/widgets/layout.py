"""Rows, columns, lines that wrap and scrolling columns, whose gaps and margins follow the text size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QGridLayout, QLayout, QScrollArea, QScrollBar, QSizePolicy, QWidget

from ..look.theme import px, theme
from .base import Themed

Item = QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]

_END = 14
"""The space below a column, in pixels at 100 %."""
_DIRECT = Qt.FindChildOption.FindDirectChildrenOnly


class Box(QBoxLayout):
    """``items``: widgets and layouts in order, each alone or with its stretch and alignment; a number is an empty space
    with that stretch. ``gap`` and ``margins`` are in pixels at 100 %; a gap of None: that of Qt's style."""

    DIRECTION: ClassVar[QBoxLayout.Direction]

    def __init__(
        self, *items: Item, parent: QWidget | None = None, gap: float | None = None,
        margins: tuple[float, float, float, float] = (0, 0, 0, 0),
    ) -> None:  # fmt: skip
        super().__init__(self.DIRECTION, parent)
        self._gap, self._margins = gap, margins
        self.add(*items)
        theme().changed.connect(self._scale)
        self._scale()

    def add(self, *items: Item) -> None:
        """Add items after the existing ones."""
        for item in items:
            what, *how = item if isinstance(item, tuple) else (item,)
            if isinstance(what, int):
                self.addStretch(what)
            elif isinstance(what, QLayout):
                self.addLayout(what, *how)  # type: ignore[arg-type]
            else:
                self.addWidget(what, *how)  # type: ignore[arg-type]

    def show_only(self, *widgets: QWidget) -> None:
        """Replace all widgets by these; the others are deleted."""
        # Not by takeAt: PySide keeps its objects, and takes them for others that Qt makes at the same address later.
        for old in self.parentWidget().findChildren(QWidget, options=_DIRECT):
            if self.indexOf(old) >= 0:
                self.removeWidget(old)
                if old not in widgets:
                    old.hide()
                    old.deleteLater()
        self.add(*widgets)
        for widget in widgets:
            widget.show()

    def set_margins(self, left: float, top: float, right: float, bottom: float) -> None:
        """Set the margins, in pixels at 100 %."""
        self._margins = left, top, right, bottom
        self._scale()

    def _scale(self) -> None:
        if self._gap is not None:
            self.setSpacing(px(self._gap))
        self.setContentsMargins(*map(px, self._margins))


class HBox(Box):
    """A layout from left to right."""

    DIRECTION = QBoxLayout.Direction.LeftToRight

    def stack(self, stacked: bool) -> None:
        """Set whether its items are below each other instead."""
        self.setDirection(QBoxLayout.Direction.TopToBottom if stacked else QBoxLayout.Direction.LeftToRight)


class VBox(Box):
    """A layout from top to bottom."""

    DIRECTION = QBoxLayout.Direction.TopToBottom


class Grid(QGridLayout):
    """A grid. ``gaps``: between columns and between rows, in pixels at 100 %; ``wide``: the column that takes the
    remaining width."""

    def __init__(self, parent: QWidget | None = None, *, gaps: tuple[float, float], wide: int | None = None) -> None:
        super().__init__(parent)  # type: ignore[arg-type]
        self._gaps = gaps
        self.setContentsMargins(0, 0, 0, 0)
        if wide is not None:
            self.setColumnStretch(wide, 1)
        theme().changed.connect(self._scale)
        self._scale()

    def _scale(self) -> None:
        self.setHorizontalSpacing(px(self._gaps[0]))
        self.setVerticalSpacing(px(self._gaps[1]))


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
        # A child whose size hint changed asks its parent for a new layout, unless the parent is hidden.
        if event.type() in (QEvent.Type.LayoutRequest, QEvent.Type.Show):
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


def controls_of(part: QWidget | QLayout | None) -> Iterator[QWidget]:
    """Yield the controls of a part that take the keyboard focus, hidden or not, in layout order; if a part is
    ``title_last``, its first row comes after the others."""
    takes = isinstance(part, QWidget) and bool(part.focusPolicy() & Qt.FocusPolicy.TabFocus)
    if isinstance(part, QWidget) and takes:
        yield part
    inside: list[QWidget | QLayout | None] = []
    layout = part.layout() if isinstance(part, QWidget) else part
    if isinstance(part, QScrollArea):
        inside = [part.widget()]
    elif layout is not None:
        owner = layout.parentWidget()
        parts: list[QWidget | QLayout] = [*(owner.findChildren(QWidget, options=_DIRECT) if owner else [])]
        parts += layout.findChildren(QLayout, options=_DIRECT)
        places = {layout.indexOf(one): one for one in parts}
        inside = [places[place] for place in sorted(places) if place >= 0]
    elif isinstance(part, QWidget) and not takes:
        inside = [*part.findChildren(QWidget, options=_DIRECT)]
    if getattr(part, "title_last", False):
        inside.reverse()
    for child in inside:
        yield from controls_of(child)


def keep_place(widget: QWidget) -> None:
    """Keep a widget's place while it is hidden, so that nothing beside it moves."""
    policy = widget.sizePolicy()
    policy.setRetainSizeWhenHidden(True)
    widget.setSizePolicy(policy)


def single_shot(parent: QObject, act: object, milliseconds: int = 0) -> QTimer:
    """Return a timer that calls ``act`` once, so many milliseconds after it was last started."""
    timer = QTimer(parent)
    timer.setSingleShot(True)
    timer.setInterval(milliseconds)
    timer.timeout.connect(act)  # type: ignore[arg-type]
    return timer


class ThinBar(QScrollBar):
    """A bar that isn't painted while there is nothing to scroll."""

    def __init__(self) -> None:
        super().__init__(Qt.Orientation.Vertical)

    def paintEvent(self, event: QPaintEvent) -> None:
        if self.maximum() > self.minimum():
            super().paintEvent(event)


class ColumnScroll(Themed, QScrollArea):
    """A scrolling column with ``body`` to fill: gaps of 14 px, and a gutter that keeps the cards' edges still."""

    def __init__(self, widget: QWidget | None = None) -> None:
        super().__init__()
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBar(ThinBar())
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.viewport().setAutoFillBackground(False)
        content = widget or QWidget()
        if widget is None:
            self.body = VBox(parent=content, gap=14, margins=(0, 0, 0, _END))
            self.body.setAlignment(Qt.AlignmentFlag.AlignTop)
        content.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.setWidget(content)
        content.setAutoFillBackground(False)
        self.follow_theme()

    def add(self, *items: Item) -> None:
        """Add widgets below the existing ones."""
        self.body.add(*items)

    def leave_below(self, space: int) -> None:
        """Leave more space below the last widget, in pixels."""
        self.body.set_margins(0, 0, 0, _END + max(0, space) / theme().scale)

    def minimumSizeHint(self) -> QSize:
        content = self.widget()
        wide = content.minimumSizeHint().width() if content is not None else 0
        return QSize(max(wide, 0) + px(12), px(80))
