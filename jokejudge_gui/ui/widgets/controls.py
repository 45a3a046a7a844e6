"""Buttons, painted from the tokens."""

from __future__ import annotations

from typing import ClassVar

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from ..look.theme import theme
from .base import LEFT, Themed, box, elided, line, plain_tooltip, text_width, write


class Button(Themed, QPushButton):
    """Base of the painted buttons. Sizes are in pixels at 100 %."""

    HEIGHT: ClassVar[int] = 34
    PADDING: ClassVar[int] = 13
    SIZE: ClassVar[int] = 14
    WEIGHT: ClassVar[int] = 500
    RADIUS: ClassVar[int] = 8
    ICON_GAP: ClassVar[int] = 7

    def __init__(self, text: str = "", icon: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self._icon_name = icon
        self._shown_state = ""
        self.setAutoDefault(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ringRadius", self.RADIUS)
        self.follow_theme()

    def show_state(self, state: str) -> None:
        """Paint as if in this state (``hover``, ``pressed``, or ``""`` for the real one); for the gallery."""
        self._shown_state = state
        self.update()

    def set_icon(self, name: str | None) -> None:
        """Change the icon, by its name in resources/icons."""
        self._icon_name = name
        self.updateGeometry()
        self.update()

    def setText(self, text: str) -> None:
        super().setText(text)
        self.updateGeometry()

    @property
    def state(self) -> str:
        """``disabled``, ``pressed``, ``hover`` or ``rest``."""
        if not self.isEnabled():
            return "disabled"
        if self._shown_state:
            return self._shown_state
        if self.isDown():
            return "pressed"
        return "hover" if self.underMouse() else "rest"

    def face(self) -> QFont:
        return theme().raw_font(self.SIZE, self.WEIGHT)

    def content_width(self) -> float:
        width = text_width(self.text(), self.face()) if self.text() else 0.0
        if self._icon_name:
            width += 16 + (self.ICON_GAP if self.text() else 0)
        return width

    def sizeHint(self) -> QSize:
        t = theme()
        return QSize(t.px(self.content_width() + 2 * self.PADDING + 0.5), t.px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def colours(self) -> tuple[str | None, str | None, str]:
        """Fill, edge and text colour in the present state."""
        raise AssertionError("each button has its colours")

    def paintEvent(self, event: QPaintEvent) -> None:
        t = theme()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(t.scale, t.scale)
        rect = QRectF(0, 0, self.width() / t.scale, self.height() / t.scale)
        fill, edge, text = self.colours()
        if fill or edge:
            box(painter, rect, self.RADIUS, fill, edge)
        self.paint_content(painter, rect, text)
        painter.end()

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        x = rect.center().x() - self.content_width() / 2
        if self._icon_name:
            theme().paint_icon(painter, self._icon_name, QRectF(x, rect.center().y() - 8, 16, 16), colour)
            x += 16 + self.ICON_GAP
        if self.text():
            write(painter, QRectF(x, 0, rect.right() - x, rect.height()), self.text(), self.face(), colour, LEFT)


class PrimaryButton(Button):
    """The one action of a view."""

    PADDING = 17
    WEIGHT = 600

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        fill = {"disabled": t.dis, "hover": t.accent_hover, "pressed": t.accent_pressed}.get(self.state, t.accent)
        return fill, None, t.dis_text if self.state == "disabled" else t.on_accent


class SecondaryButton(Button):
    """A button with an edge."""

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        return {
            "disabled": (None, t.line, t.dis_text),
            "hover": (t.bg if not theme().dark else t.sunken, t.field, t.text),
            "pressed": (t.track, t.line2, t.text),
        }.get(self.state, (t.surface, t.line2, t.text))


class GhostButton(Button):
    """A toolbar button: icon and label, no edge."""

    PADDING = 10

    def __init__(self, text: str, icon: str | None = None, parent: QWidget | None = None) -> None:
        super().__init__(text, icon, parent)

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        return {
            "disabled": (None, None, t.dis_text),
            "hover": (t.track, None, t.text),
            "pressed": (t.line2, None, t.text),
        }.get(self.state, (None, None, t.text2))


class LinkButton(Button):
    """Accent text, underlined under the pointer."""

    HEIGHT = 24
    PADDING = 2
    SIZE = 13

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        colour = {"disabled": t.dis_text, "hover": t.accent_hover, "pressed": t.accent_pressed}
        return None, None, colour.get(self.state, t.accent)

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        super().paint_content(painter, rect, colour)
        if self.state in ("hover", "pressed"):
            half = self.content_width() / 2
            y = rect.center().y() + 8
            middle = rect.center().x()
            line(painter, QPointF(middle - half, y), QPointF(middle + half, y), colour, 1)


class IconButton(Button):
    """An icon alone; its name is said by screen readers and shown as the tooltip."""

    PADDING = 9

    def __init__(self, icon: str, name: str, checkable: bool = False, parent: QWidget | None = None) -> None:
        super().__init__("", icon, parent)
        self.setCheckable(checkable)
        self.set_name(name)

    def set_name(self, name: str) -> None:
        self.setAccessibleName(name)
        self.setToolTip(name)

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        if self.isChecked() and self.isEnabled():
            return t.soft, None, t.accent
        return {
            "disabled": (None, None, t.dis_text),
            "hover": (t.track, None, t.text),
            "pressed": (t.line2, None, t.text),
        }.get(self.state, (None, None, t.text2))


class FilterChip(Button):
    """A filter that is on or off."""

    HEIGHT = 26
    PADDING = 10
    SIZE = 13
    RADIUS = 6

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, None, parent)
        self.setCheckable(True)

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        if self.state == "disabled":
            return None, t.line, t.dis_text
        if self.isChecked():
            return t.soft, t.accent, t.accent
        if self.state in ("hover", "pressed"):
            return (t.track if self.state == "pressed" else t.surface), t.field, t.text
        return None, t.line2, t.text2


class MenuButton(Button):
    """A button with an edge and a chevron at its right end: it opens something to choose from."""

    def colours(self) -> tuple[str | None, str | None, str]:
        t = theme().tokens
        return {
            "disabled": (None, t.line, t.dis_text),
            "hover": (t.surface, t.field, t.text),
            "pressed": (t.track, t.line2, t.text),
        }.get(self.state, (t.surface, t.line2, t.text))

    def paint_chevron(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        place = QRectF(rect.right() - self.PADDING - 14, rect.center().y() - 7, 14, 14)
        theme().paint_icon(painter, "chevron_down", place, theme().tokens.text2 if self.isEnabled() else colour)


class StatusButton(MenuButton):
    """A dot, a name, a note and a chevron: the button of the model menu.

    ``dot`` is a colour token (``good_fill``, ``mid_fill``, ``bad_fill``); a note in trouble takes ``note_token``.
    """

    PADDING = 10

    def __init__(
        self,
        name: str = "",
        note: str = "",
        dot: str = "good_fill",
        note_token: str = "text2",
        parent: QWidget | None = None,
    ) -> None:
        super().__init__("", None, parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._fraction: float | None = None
        self.set_status(name, note, dot, note_token)

    def set_progress(self, fraction: float | None) -> None:
        """A thin line along the foot, 0…1; None: no line. The note says the same in words."""
        self._fraction = fraction
        self.update()

    def set_status(self, name: str, note: str = "", dot: str = "good_fill", note_token: str = "text2") -> None:
        self._name, self._note, self._dot, self._note_token = name, note, dot, note_token
        self.setAccessibleName(f"Model: {name}" + (f", {note}" if note else ""))
        self.setToolTip(plain_tooltip(f"{name} {note}".strip()))
        self.updateGeometry()
        self.update()

    def content_width(self) -> float:
        t = theme()
        name = text_width(self._name, t.raw_font(13, 600))
        note = text_width(self._note, t.raw_font(13)) + 9 if self._note else 0
        return 16 + name + note + 8 + 16

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(52), theme().px(self.HEIGHT))

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        t = theme()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(getattr(t.tokens, self._dot)))
        painter.drawEllipse(QPointF(self.PADDING + 4, rect.center().y()), 4, 4)
        x, end = self.PADDING + 16.0, rect.right() - self.PADDING - 20
        name = elided(self._name, t.raw_font(13, 600), end - x)
        write(painter, QRectF(x, 0, end - x, rect.height()), name, t.raw_font(13, 600), colour)
        x += text_width(name, t.raw_font(13, 600)) + 9
        if self._note and x < end:
            note = elided(self._note, t.raw_font(13), end - x + 1)
            shade = getattr(t.tokens, self._note_token) if self.isEnabled() else colour
            write(painter, QRectF(x, 0, end - x, rect.height()), note, t.raw_font(13), shade)
        self.paint_chevron(painter, rect, colour)
        if self._fraction is not None:
            left, wide, y = self.PADDING, rect.width() - 2 * self.PADDING, rect.bottom() - 4.0
            box(painter, QRectF(left, y, wide, 2), 1, t.tokens.track)
            if self._fraction > 0:
                box(painter, QRectF(left, y, wide * self._fraction, 2), 1, t.tokens.accent)
