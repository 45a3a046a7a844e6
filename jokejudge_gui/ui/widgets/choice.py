"""A button that shows one of several names and opens a menu of all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRectF, QSize, Signal
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from ..look.theme import theme
from .base import elided, plain_tooltip, text_width, write
from .controls import MenuButton


class ChoiceButton(MenuButton):
    """As wide as it may be, or (``fitted``) as its longest name; a name that is longer than the button is elided and
    whole in the tooltip. ``chosen`` carries a place."""

    PADDING = 12
    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None, *, fitted: bool = False) -> None:
        super().__init__("", None, parent)
        self._name, self._fitted = name, fitted
        self.options: tuple[str, ...] = ()
        self.current = -1
        self.setSizePolicy(
            QSizePolicy.Policy.Preferred if fitted else QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed
        )
        self.clicked.connect(self._open)
        self.set_options((), -1)

    def set_options(self, options: Sequence[str], current: int) -> None:
        """Replace the names; ``current`` is shown, −1: none."""
        self.options, self.current = tuple(options), current
        shown = self.shown
        self.setAccessibleName(f"{self._name}: {shown or 'none'}")
        self.setToolTip(plain_tooltip(shown))
        self.updateGeometry()
        self.update()

    @property
    def shown(self) -> str:
        """The name that is shown."""
        return self.options[self.current] if 0 <= self.current < len(self.options) else ""

    def menu_of_all(self) -> QMenu:
        """The menu; choosing sends ``chosen``."""
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
        """Show another name and tell so."""
        self.set_options(self.options, place)
        self.chosen.emit(place)

    def _open(self) -> None:
        self.menu_of_all().popup(self.mapToGlobal(QPoint(0, self.height())))

    def sizeHint(self) -> QSize:
        width = 240
        if self._fitted:
            longest = max((text_width(option, self.face()) for option in self.options), default=0.0)
            width = math.ceil(longest) + 2 * self.PADDING + 24
        return QSize(theme().px(width), theme().px(self.HEIGHT))

    def minimumSizeHint(self) -> QSize:
        return QSize(theme().px(120), theme().px(self.HEIGHT))

    def paint_content(self, painter: QPainter, rect: QRectF, colour: str) -> None:
        room = rect.width() - 2 * self.PADDING - 22
        name = elided(self.shown, self.face(), room)
        write(painter, QRectF(self.PADDING, 0, room, rect.height()), name, self.face(), colour)
        self.paint_chevron(painter, rect, colour)
