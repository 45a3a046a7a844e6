"""Base classes of painted widgets: they follow the theme and paint in pixels at 100 % at any scale."""

from __future__ import annotations

import re
from html import escape

from PySide6.QtCore import QCoreApplication, QEvent, QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QFont, QFontMetricsF, QPainter, QPen, QTextOption
from PySide6.QtWidgets import QSizePolicy, QWidget

from ..look.theme import theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter
_UNBROKEN = re.compile(r"\S{500}")


class Themed:
    """Mixin of a QWidget: ``restyle`` runs once at the start and whenever the theme changes."""

    _token = "text"
    """The colour of its text."""

    def follow_theme(self) -> None:
        theme().changed.connect(self.restyle)
        self.restyle()

    def set_token(self, token: str) -> None:
        """Change the colour."""
        if token != self._token:
            self._token = token
            self.restyle()

    def restyle(self) -> None:
        """Take fonts and sizes from the theme."""
        assert isinstance(self, QWidget)
        self.updateGeometry()
        self.update()


def restyle_within(widget: QWidget) -> None:
    """Set the fonts and colours of a widget and all its children again. With a style sheet, Qt restores those of an
    earlier theme when a widget gets another parent."""
    for part in (widget, *widget.findChildren(QWidget)):
        if isinstance(part, Themed):
            part.restyle()


class Surface(Themed, QWidget):
    """A box that contains other widgets, drawn by the style sheet. Its height is that of its content."""

    def __init__(self) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)


def settle(passes: int = 8) -> None:
    """Give nested layouts their final heights now instead of over the next few frames."""
    for _ in range(passes):
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)


# Painting


def text_width(text: str, font: QFont) -> float:
    return QFontMetricsF(font).horizontalAdvance(text)


def elided(text: str, font: QFont, width: float) -> str:
    return QFontMetricsF(font).elidedText(text, Qt.TextElideMode.ElideRight, width)


def write(painter: QPainter, rect: QRectF, text: str, font: QFont, colour: str, align: Qt.AlignmentFlag = LEFT) -> None:
    """Draw one line of plain text."""
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(rect, int(align | Qt.TextFlag.TextSingleLine | Qt.TextFlag.TextDontClip), text)


def box(
    painter: QPainter, rect: QRectF, radius: float, fill: str | None = None, edge: str | None = None, thick: float = 1.0
) -> None:
    """Draw a rounded box; the edge is inside ``rect``."""
    half = _ink(painter, fill, edge, thick)
    painter.drawRoundedRect(rect.adjusted(half, half, -half, -half), radius - half, radius - half)


def disc(
    painter: QPainter, centre: QPointF, radius: float, fill: str, edge: str | None = None, thick: float = 1.0
) -> None:
    """Draw a circle of the outer radius ``radius``; the edge is inside it."""
    inner = radius - _ink(painter, fill, edge, thick)
    painter.drawEllipse(centre, inner, inner)


def line(painter: QPainter, start: QPointF, end: QPointF, colour: str, thick: float = 1.0) -> None:
    painter.setPen(_pen(colour, thick))
    painter.drawLine(start, end)


def _pen(colour: str, thick: float) -> QPen:
    return QPen(QBrush(QColor(colour)), thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)


def _ink(painter: QPainter, fill: str | None, edge: str | None, thick: float) -> float:
    """Set pen and brush, and return half the thickness of the edge."""
    painter.setPen(_pen(edge, thick) if edge else Qt.PenStyle.NoPen)
    painter.setBrush(QColor(fill) if fill else Qt.BrushStyle.NoBrush)
    return thick / 2 if edge else 0.0


# Texts


def wrap_mode(text: str) -> QTextOption.WrapMode:
    """Return how to wrap ``text``. Qt takes seconds to find the end of a word in 100 KB without a space, so such text
    is broken anywhere."""
    if _UNBROKEN.search(text):
        return QTextOption.WrapMode.WrapAnywhere
    return QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


def plain_tooltip(text: str) -> str:
    """Return a tooltip that shows ``text`` literally, whatever it contains; empty without one."""
    return f"<qt>{escape(text, quote=False)}</qt>".replace("\n", "<br>") if text else ""
