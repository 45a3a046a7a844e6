"""Buttons, painted from the tokens."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import ClassVar

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, Signal, SignalInstance
from PySide6.QtGui import QFont, QPainter, QPaintEvent
from PySide6.QtWidgets import QButtonGroup, QMenu, QPushButton, QSizePolicy, QWidget

from ..look.theme import theme
from .base import CENTRE, LEFT, Themed, box, disc, elided, line, plain_tooltip, text_width, write
from .layout import HBox


class Button(Themed, QPushButton):
    """Base of the painted buttons. Sizes are in pixels at 100 %."""

    HEIGHT, PADDING, SIZE, WEIGHT, RADIUS, ICON_GAP = 34, 13, 14, 500, 8, 7
    LOOK: ClassVar[Mapping[str, tuple[str | None, str | None, str]]]
    """The colour tokens of fill, edge and text by state."""

    def __init__(
        self,
        text: str = "",
        icon: str | None = None,
        parent: QWidget | None = None,
        *,
        act: Callable[..., object] | SignalInstance | None = None,
        name: str = "",
        tip: str = "",
    ) -> None:
        """``act``: called on a press; ``name``: the name for screen readers, if it differs from the text; ``tip``: the
        tooltip."""
        super().__init__(text, parent)
        self._icon_name = icon
        if act is not None:
            self.clicked.connect(act)
        if name:
            self.setAccessibleName(name)
        if tip:
            self.setToolTip(tip)
        self.setAutoDefault(False)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setProperty("ringRadius", self.RADIUS)
        self.follow_theme()

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
        return "pressed" if self.isDown() else "hover" if self.underMouse() else "rest"

    def face(self) -> QFont:
        return theme().raw_font(self.SIZE, self.WEIGHT)

    def content_width(self) -> float:
        words = text_width(self.text(), self.face()) if self.text() else 0.0
        return words + (16 + (self.ICON_GAP if self.text() else 0) if self._icon_name else 0)

    def sizeHint(self) -> QSize:
        t = theme()
        return QSize(t.px(self.content_width() + 2 * self.PADDING + 0.5), t.px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def colours(self) -> tuple[str | None, str | None, str]:
        """Return the colours of fill, edge and text in the current state."""
        tokens = theme().tokens
        state = "checked" if self.isChecked() and self.isEnabled() else self.state
        fill, edge, text = self.LOOK.get(state) or self.LOOK.get(self.state, self.LOOK["rest"])
        return fill and getattr(tokens, fill), edge and getattr(tokens, edge), getattr(tokens, text)

    def paintEvent(self, event: QPaintEvent) -> None:
        scale = theme().scale
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.scale(scale, scale)
        rect = QRectF(0, 0, self.width() / scale, self.height() / scale)
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
    """The main action of a view."""

    PADDING, WEIGHT = 17, 600
    LOOK = {
        "rest": ("accent", None, "on_accent"),
        "disabled": ("dis", None, "dis_text"),
        "hover": ("accent_hover", None, "on_accent"),
        "pressed": ("accent_pressed", None, "on_accent"),
    }


class SecondaryButton(Button):
    """A button with an edge."""

    LOOK = {
        "rest": ("surface", "line2", "text"),
        "disabled": (None, "line", "dis_text"),
        "hover": ("bg", "field", "text"),
        "pressed": ("track", "line2", "text"),
    }

    def colours(self) -> tuple[str | None, str | None, str]:
        fill, edge, text = super().colours()
        return theme().tokens.sunken if self.state == "hover" and theme().dark else fill, edge, text


class GhostButton(Button):
    """A toolbar button: icon and label, no edge."""

    PADDING = 10
    LOOK = {
        "rest": (None, None, "text2"),
        "disabled": (None, None, "dis_text"),
        "hover": ("track", None, "text"),
        "pressed": ("line2", None, "text"),
    }


class LinkButton(Button):
    """A link: accent text, underlined under the pointer."""

    HEIGHT, PADDING, SIZE = 24, 0, 13
    LOOK = {
        "rest": (None, None, "accent"),
        "disabled": (None, None, "dis_text"),
        "hover": (None, None, "accent_hover"),
        "pressed": (None, None, "accent_pressed"),
    }

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        super().paint_content(painter, rect, colour)
        if self.state in ("hover", "pressed"):
            half, below = self.content_width() / 2, rect.center() + QPointF(0, 8)
            line(painter, below - QPointF(half, 0), below + QPointF(half, 0), colour, 1)


class IconButton(GhostButton):
    """An icon alone; its name is the screen reader's text and the tooltip."""

    PADDING = 9
    LOOK = GhostButton.LOOK | {"checked": ("soft", None, "accent")}

    def __init__(
        self,
        icon: str,
        name: str,
        checkable: bool = False,
        *,
        act: Callable[..., object] | SignalInstance | None = None,
    ) -> None:
        super().__init__("", icon, act=act)
        self.setCheckable(checkable)
        self.set_name(name)

    def set_name(self, name: str) -> None:
        self.setAccessibleName(name)
        self.setToolTip(name)


class FilterChip(Button):
    """A filter that is on or off."""

    HEIGHT, PADDING, SIZE, RADIUS = 26, 10, 13, 6
    LOOK = {
        "rest": (None, "line2", "text2"),
        "disabled": (None, "line", "dis_text"),
        "hover": ("surface", "field", "text"),
        "pressed": ("track", "field", "text"),
        "checked": ("soft", "accent", "accent"),
    }

    def __init__(self, text: str) -> None:
        super().__init__(text, None)
        self.setCheckable(True)


class MenuButton(Button):
    """A button with an edge and a chevron at its right end, which opens a menu or a dialog."""

    LOOK = SecondaryButton.LOOK | {"hover": ("surface", "field", "text")}

    def paint_chevron(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        place = QRectF(rect.right() - self.PADDING - 14, rect.center().y() - 7, 14, 14)
        theme().paint_icon(painter, "chevron_down", place, theme().tokens.text2 if self.isEnabled() else colour)


class StatusButton(MenuButton):
    """A dot, a name, a note and a chevron: the button of the model menu.

    ``dot`` is a colour token (``good_fill``, ``mid_fill``, ``bad_fill``); a note on an error uses ``note_token``.
    """

    PADDING = 10

    def __init__(self, name: str = "", note: str = "", dot: str = "good_fill") -> None:
        super().__init__("", None)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.set_status(name, note, dot)

    def set_status(self, name: str, note: str = "", dot: str = "good_fill", note_token: str = "text2") -> None:
        self._name, self._note, self._dot, self._note_token = name, note, dot, note_token
        self.setAccessibleName(f"Model: {name}" + (f", {note}" if note else ""))
        self.setToolTip(plain_tooltip(f"{name} {note}".strip()))
        self.updateGeometry()
        self.update()

    def content_width(self) -> float:
        small = theme().raw_font(13)
        note = text_width(self._note, small) + 9 if self._note else 0
        return 40 + text_width(self._name, theme().raw_font(13, 600)) + note

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(52), theme().px(self.HEIGHT))

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        t, bold, small = theme(), theme().raw_font(13, 600), theme().raw_font(13)
        disc(painter, QPointF(self.PADDING + 4, rect.center().y()), 4, getattr(t.tokens, self._dot))
        x, end = self.PADDING + 16.0, rect.right() - self.PADDING - 20
        name = elided(self._name, bold, end - x)
        write(painter, QRectF(x, 0, end - x, rect.height()), name, bold, colour)
        x += text_width(name, bold) + 9
        if self._note and x < end:
            note = elided(self._note, small, end - x + 1)
            shade = getattr(t.tokens, self._note_token) if self.isEnabled() else colour
            write(painter, QRectF(x, 0, end - x, rect.height()), note, small, shade)
        self.paint_chevron(painter, rect, colour)


class ChoiceButton(MenuButton):
    """A button with a menu of names. It is as wide as its layout allows, or (``fitted``) as its longest name, or
    (``snug``) as the current name, up to ``most`` px at 100 %; a longer name is elided and shown whole in the tooltip.
    ``chosen`` carries an index."""

    PADDING = 12
    snug = False
    most = 1000
    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None, *, fitted: bool = False) -> None:
        super().__init__("", None, parent, act=self._open)
        self._name, self._fitted = name, fitted
        self.options: tuple[str, ...] = ()
        self.current = -1
        wide = QSizePolicy.Policy.Minimum if fitted else QSizePolicy.Policy.Expanding
        self.setSizePolicy(wide, QSizePolicy.Policy.Fixed)
        self.set_options((), -1)

    def set_options(self, options: Sequence[str], current: int) -> None:
        """Replace the names; the one at ``current`` is shown, −1: none."""
        self.options, self.current = tuple(options), current
        self.setAccessibleName(f"{self._name}: {self.shown or 'none'}")
        self.setToolTip(plain_tooltip(self.shown))
        self.updateGeometry()
        self.update()

    @property
    def shown(self) -> str:
        """The current name."""
        return self.options[self.current] if 0 <= self.current < len(self.options) else ""

    def menu_of_all(self) -> QMenu:
        """Return the menu of all names; choosing one sends ``chosen``."""
        menu = QMenu(self)
        menu.setFont(theme().font(14))
        for place, option in enumerate(self.options):
            # An ampersand would underline the next letter.
            action = menu.addAction(option.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(place == self.current)
            action.triggered.connect(lambda _checked, place=place: self.choose(place))
        menu.aboutToHide.connect(menu.deleteLater)
        return menu

    def choose(self, place: int) -> None:
        """Show another name and send ``chosen``."""
        self.set_options(self.options, place)
        self.chosen.emit(place)

    def _open(self) -> None:
        self.menu_of_all().popup(self.mapToGlobal(QPoint(0, self.height())))

    def sizeHint(self) -> QSize:
        width = 240.0
        if self._fitted:
            names = (self.shown,) if self.snug else self.options
            longest = max((text_width(option, self.face()) for option in names), default=0.0)
            width = min(math.ceil(longest) + 2 * self.PADDING + 24, self.most)
        return QSize(theme().px(width), theme().px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(theme().px(120), self.sizeHint().width()), theme().px(self.HEIGHT))

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        room = rect.width() - 2 * self.PADDING - 22
        name = elided(self.shown, self.face(), room)
        write(painter, QRectF(self.PADDING, 0, room, rect.height()), name, self.face(), colour)
        self.paint_chevron(painter, rect, colour)


class _Segment(Button):
    """One segment: a pill in the surface colour if it is the chosen one."""

    HEIGHT, PADDING, RADIUS = 28, 15, 6
    LOOK = {
        "rest": (None, None, "text2"),
        "disabled": (None, None, "dis_text"),
        "hover": (None, None, "text"),
        "pressed": (None, None, "text"),
        "checked": (None, None, "text"),
    }

    def __init__(self, key: str, text: str, size: int, name: str) -> None:
        self.SIZE = size  # type: ignore[misc]
        super().__init__(text, name=name)
        self.key = key
        self.setCheckable(True)

    def set_padding(self, padding: int) -> None:
        self.PADDING = padding  # type: ignore[misc]
        self.updateGeometry()

    def colours(self) -> tuple[str | None, str | None, str]:
        _, _, ink = super().colours()
        return (theme().tokens.surface, theme().tokens.line2, ink) if self.isChecked() else (None, None, ink)

    def content_width(self) -> float:
        # As wide as when chosen, so that nothing moves.
        return text_width(self.text(), theme().raw_font(self.SIZE, 600))

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        face = theme().raw_font(self.SIZE, 600 if self.isChecked() else 500)
        write(painter, rect, self.text(), face, colour, CENTRE)


class Segmented(Themed, QWidget):
    """A switch between named options: a track behind, a pill in front. Arrow keys change the option; Tab stops at it
    once. ``changed`` carries the key of the newly chosen option."""

    changed = Signal(str)

    def __init__(self, options: list[tuple[str, str]], name: str = "", size: int = 14) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self._group = QButtonGroup(self)
        self._segments = {
            key: _Segment(key, label, size, f"{name}: {label}" if name else label) for key, label in options
        }
        HBox(*self._segments.values(), parent=self, gap=0, margins=(3, 3, 3, 3))
        for segment in self._segments.values():
            self._group.addButton(segment)
        if options:
            self._segments[options[0][0]].setChecked(True)
        self._group.buttonToggled.connect(lambda segment, on: self.changed.emit(segment.key) if on else None)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.follow_theme()

    def current(self) -> str:
        """Return the key of the chosen option."""
        segment = self._group.checkedButton()
        return segment.key if isinstance(segment, _Segment) else ""

    def set_current(self, key: str) -> None:
        """Choose an option; ``changed`` is sent if it differs from the current one."""
        self._segments[key].setChecked(True)

    def offer(self, keys: Collection[str]) -> None:
        """Show only these options; the chosen one must be among them."""
        for key, segment in self._segments.items():
            segment.setVisible(key in keys)

    def segment(self, key: str) -> QPushButton:
        """Return the button of one option."""
        return self._segments[key]

    def set_compact(self, compact: bool) -> None:
        """Set whether the options are closer together, for little room."""
        for segment in self._segments.values():
            segment.set_padding(5 if compact else _Segment.PADDING)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box(painter, QRectF(self.rect()), theme().px(8), theme().tokens.track)
        painter.end()
