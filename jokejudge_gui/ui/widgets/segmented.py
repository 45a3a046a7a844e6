"""The segmented control: a switch between named options."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QRectF, Signal
from PySide6.QtGui import QEnterEvent, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QPushButton, QSizePolicy, QWidget

from ..look.theme import theme
from .base import CENTRE, Themed, box, text_width, write
from .controls import Button

_PADDING, _COMPACT_PADDING = 15, 5
"""At both sides of an option's name, in pixels at 100 %."""


class _Segment(Button):
    """One segment: a surface pill when it is the chosen one."""

    HEIGHT = 28
    RADIUS = 6

    def __init__(self, key: str, text: str, size: int) -> None:
        self.SIZE = size  # type: ignore[misc]
        self.PADDING = _PADDING  # type: ignore[misc]
        super().__init__(text)
        self.key = key
        self.setCheckable(True)
        self.toggled.connect(self.updateGeometry)

    def set_padding(self, padding: int) -> None:
        self.PADDING = padding  # type: ignore[misc]
        self.updateGeometry()

    def face(self) -> QFont:
        return theme().raw_font(self.SIZE, 600 if self.isChecked() else 500)

    def content_width(self) -> float:
        # As wide as when chosen, so that nothing moves.
        return text_width(self.text(), theme().raw_font(self.SIZE, 600))

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        if self.state == "disabled":
            return (t.surface, t.line2, t.dis_text) if self.isChecked() else (None, None, t.dis_text)
        if self.isChecked():
            return t.surface, t.line2, t.text
        return None, None, t.text if self.state in ("hover", "pressed") else t.text2

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        write(painter, rect, self.text(), self.face(), colour, CENTRE)


class Segmented(Themed, QWidget):
    """A switch between named options: a track behind, a pill in front. Arrow keys move, and Tab stops once.

    ``changed`` carries the key of the newly chosen option.
    """

    changed = Signal(str)

    def __init__(
        self, options: list[tuple[str, str]], name: str = "", size: int = 14, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._row = QHBoxLayout(self)
        self._segments: dict[str, _Segment] = {}
        for key, label in options:
            segment = _Segment(key, label, size)
            segment.setAccessibleName(f"{name}: {label}" if name else label)
            self._segments[key] = segment
            self._group.addButton(segment)
            self._row.addWidget(segment)
        if options:
            self._segments[options[0][0]].setChecked(True)
        self._group.buttonToggled.connect(self._toggled)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def current(self) -> str:
        """The key of the chosen option."""
        segment = self._group.checkedButton()
        return segment.key if isinstance(segment, _Segment) else ""

    def set_current(self, key: str) -> None:
        """Choose an option; ``changed`` is sent when that is another one than before."""
        self._segments[key].setChecked(True)

    def offer(self, keys: Collection[str]) -> None:
        """Show these options alone; one of them must be chosen."""
        for key, segment in self._segments.items():
            segment.setVisible(key in keys)

    def segment(self, key: str) -> QPushButton:
        """The button of one option."""
        return self._segments[key]

    def set_compact(self, compact: bool) -> None:
        """Whether the options stand closer together, for where there is little room."""
        for segment in self._segments.values():
            segment.set_padding(_COMPACT_PADDING if compact else _PADDING)

    def _toggled(self, segment: _Segment, checked: bool) -> None:
        if checked:
            self.changed.emit(segment.key)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def enterEvent(self, event: QEnterEvent) -> None:
        super().enterEvent(event)
        self.update()

    def restyle(self) -> None:
        edge = theme().px(3)
        self._row.setContentsMargins(edge, edge, edge, edge)
        self._row.setSpacing(0)
        super().restyle()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box(painter, QRectF(self.rect()), theme().px(8), theme().tokens.track)
        painter.end()
