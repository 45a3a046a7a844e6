"""The window's look in one place: scheme, text size, fonts, icons, palette and style sheet."""

from __future__ import annotations

from functools import lru_cache
from typing import Literal
from weakref import WeakSet

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QIcon, QPainter, QPalette, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QStyleFactory, QWidget
from shiboken6 import isValid

from ...core.errors import SettingsError
from ...core.paths import resources_dir
from .stylesheet import DARK, LIGHT, Tokens, stylesheet

Mode = Literal["system", "light", "dark"]
FAMILY = "Inter"
SCALES = (0.8, 2.0)


_ROLES = {
    "Window": "bg", "WindowText": "text", "Base": "surface", "AlternateBase": "sunken", "Text": "text",
    "PlaceholderText": "text3", "Button": "surface", "ButtonText": "text", "BrightText": "bad_text",
    "Highlight": "accent", "HighlightedText": "on_accent", "Accent": "accent", "Link": "accent",
    "LinkVisited": "accent", "ToolTipBase": "text", "ToolTipText": "bg", "Light": "surface", "Midlight": "line",
    "Mid": "line2", "Dark": "field", "Shadow": "text3",
}  # fmt: skip
"""The tokens of Qt's colour roles."""


class Theme(QObject):
    """Tokens and scale of the whole window. ``changed`` makes every widget lay out and paint anew.

    There is one: ``install`` sets it up, ``theme()`` returns it.
    """

    changed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.mode: Mode = "light"
        self.tokens: Tokens = LIGHT
        self.scale = 1.0
        self._windows: WeakSet[QWidget] = WeakSet()

    def configure(self, mode: Mode | None = None, scale: float | None = None) -> None:
        """Change the given settings and show them at once. ``scale`` is limited to 0.8…2.0."""
        self.mode = mode or self.mode
        self.scale = min(max(scale, SCALES[0]), SCALES[1]) if scale is not None else self.scale
        hints = QGuiApplication.styleHints()
        # The frame of native windows follows too; the signal that this sends matters for "system" only.
        if self.mode == "system":
            hints.unsetColorScheme()
        else:
            hints.setColorScheme(Qt.ColorScheme.Dark if self.mode == "dark" else Qt.ColorScheme.Light)
        self._show()

    def follow_system(self) -> None:
        """Show the system's scheme now, if the settings say so."""
        if self.mode == "system":
            self._show()

    def _show(self) -> None:
        system = QGuiApplication.styleHints().colorScheme() == Qt.ColorScheme.Dark
        self.tokens = DARK if self.mode == "dark" or (self.mode == "system" and system) else LIGHT
        QApplication.setFont(self.font(14))
        QApplication.setPalette(self.palette())
        for window in self._windows:
            if isValid(window) and window.styleSheet() != self.sheet:
                window.setStyleSheet(self.sheet)
        self.changed.emit()

    def dress_window(self, window: QWidget) -> None:
        """Set the style sheet of a window without a parent, now and after every change. The application has none: Qt
        would go through all of a part whenever the part gets another parent, which takes half of the building time."""
        self._windows.add(window)
        window.setStyleSheet(self.sheet)

    @property
    def sheet(self) -> str:
        """The style sheet of every window."""
        return stylesheet(self.tokens, self.scale)

    def palette(self) -> QPalette:
        """Return the tokens as Qt's colour roles, for widgets that Qt paints."""
        palette, disabled = QPalette(), QPalette.ColorGroup.Disabled
        for role, token in _ROLES.items():
            palette.setColor(QPalette.ColorRole[role], self.colour(token))
        for role in ("Text", "WindowText", "ButtonText"):
            palette.setColor(disabled, QPalette.ColorRole[role], self.colour("dis_text"))
        palette.setColor(disabled, QPalette.ColorRole.Highlight, self.colour("line2"))
        return palette

    def px(self, n: float) -> int:
        """Return ``n`` pixels at 100 % as whole pixels at the current text scale."""
        return round(n * self.scale)

    def colour(self, token: str) -> QColor:
        """Return a token's colour by its name."""
        return QColor(getattr(self.tokens, token))

    def font(self, size: float = 14, weight: int = 400, tabular: bool = False) -> QFont:
        """Return Inter at ``size`` px (at 100 %) and weight 400, 500 or 600; ``tabular`` gives figures of one width."""
        return _font(max(1, round(size * self.scale)), weight, tabular)

    def paint_icon(self, painter: QPainter, name: str, rect: QRectF, colour: str) -> None:
        """Paint an icon into ``rect`` in the colour ``#RRGGBB``."""
        _renderer(name, colour).render(painter, rect)

    def icon(self, name: str, token: str, checked: str = "", gap: int = 0) -> QIcon:
        """Return an icon of 16 px at 100 % in the colour ``token``, in ``checked`` on a checked button,
        with a ``gap`` at its right."""
        icon, ratio = QIcon(), QApplication.instance().devicePixelRatio()  # type: ignore[union-attr]
        for mode, state, ink in (
            (QIcon.Mode.Normal, QIcon.State.Off, token),
            (QIcon.Mode.Normal, QIcon.State.On, checked or token),
            (QIcon.Mode.Disabled, QIcon.State.Off, "dis_text"),
        ):
            icon.addPixmap(_pixmap(name, getattr(self.tokens, ink), self.px(16), self.px(gap), ratio), mode, state)
        return icon


@lru_cache(maxsize=128)
def _font(pixels: int, weight: int, tabular: bool) -> QFont:
    font = QFont(FAMILY)
    font.setPixelSize(pixels)
    font.setWeight(QFont.Weight(weight))
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    if tabular:
        font.setFeature(QFont.Tag("tnum"), 1)
    return font


@lru_cache(maxsize=256)
def _renderer(name: str, colour: str) -> QSvgRenderer:
    source = (resources_dir() / "icons" / f"{name}.svg").read_text(encoding="utf-8")
    return QSvgRenderer(QByteArray(source.replace("currentColor", colour).encode()))


@lru_cache(maxsize=256)
def _pixmap(name: str, colour: str, side: int, gap: int, ratio: float) -> QPixmap:
    pixmap = QPixmap(round((side + gap) * ratio), round(side * ratio))
    pixmap.fill(Qt.GlobalColor.transparent)
    painter = QPainter(pixmap)
    _renderer(name, colour).render(painter, QRectF(0, 0, side * ratio, side * ratio))
    painter.end()
    pixmap.setDevicePixelRatio(ratio)
    return pixmap


def load_fonts() -> None:
    """Register the three weights of the shipped font. Raises ``SettingsError`` ``E_FONT`` if a file is missing or no
    font."""
    for weight in ("Regular", "Medium", "SemiBold"):
        file = resources_dir() / "fonts" / f"Inter-{weight}.ttf"
        if QFontDatabase.addApplicationFont(str(file)) < 0:
            raise SettingsError("E_FONT", f"The font file {file} can't be read.", "Install the program again.")


_THEME = Theme()
px, font = _THEME.px, _THEME.font
"""The functions of the one theme."""


def theme() -> Theme:
    """Return the one theme; light at 100 % until ``install`` was called."""
    return _THEME


def install(app: QApplication, mode: Mode = "system", scale: float = 1.0) -> Theme:
    """Load the fonts and dress the application; may be called again with other values."""
    if QFontDatabase.families().count(FAMILY) == 0:
        load_fonts()
    if app.property("dressed") is None:
        app.setProperty("dressed", True)
        app.setStyle(QStyleFactory.create("Fusion"))
        app.styleHints().colorSchemeChanged.connect(_THEME.follow_system)
    _THEME.configure(mode, scale)
    return _THEME


Room = Literal["wide", "medium", "narrow"]
"""The layout for a window's width."""
WIDE, MEDIUM = 1180, 820


def room_for(width: int, scale: float) -> Room:
    """Return the layout for a window's width: two columns with the history, two with its badges, or one; the limits are
    in pixels at 100 %."""
    effective = width / scale
    return "wide" if effective >= WIDE else "medium" if effective >= MEDIUM else "narrow"
