"""Short messages over the page."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QWidget

from ..core.errors import ErrorInfo
from .look.theme import px
from .widgets.base import settle
from .widgets.cards import Banner
from .widgets.layout import VBox, single_shot

_INFO_MS = 4000
_OFFER_MS = 20_000
_WIDTH = 720
_ABOVE = 80
"""Distance from the lower edge, so that the actions under a verdict stay visible; pixels at 100 %."""


class Notices(QWidget):
    """One message at a time, over the page, so that nothing moves under the mouse. Information disappears by itself; an
    error stays until it is closed or replaced."""

    library_asked = Signal()
    copy_asked = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.banner: Banner | None = None
        self._about_model = False
        self._margin = 0
        self._placing = False
        self._layout = VBox(parent=self)
        self._timer = single_shot(self, self.clear)
        self.hide()

    @property
    def text(self) -> str:
        """The current message; empty without one."""
        return self.banner.text.text() if self.banner is not None else ""

    def lie_over(self, page: QWidget) -> None:
        """Show messages on ``page``, above its lower edge and over the upper edge of its actions."""
        self.setParent(page)
        page.installEventFilter(self)

    def set_margin(self, margin: int) -> None:
        """Set the room left and right, in pixels."""
        self._margin = margin
        self._place()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.parentWidget() and event.type() == QEvent.Type.Resize:
            self._place()
        return super().eventFilter(watched, event)

    def event(self, event: QEvent) -> bool:
        # The message needs more room, as when the text grows.
        if event.type() == QEvent.Type.LayoutRequest and not self._placing:
            self._place()
        return super().event(event)

    def _place(self) -> None:
        page = self.parentWidget()
        if page is None or self.banner is None:
            return
        self._placing = True
        width = max(1, min(px(_WIDTH), page.width() - 2 * self._margin))
        self.resize(width, self.height())
        settle()
        self._layout.activate()
        height = min(self.sizeHint().height(), page.height())
        y = max(0, page.height() - height - px(_ABOVE))
        self.setGeometry((page.width() - width) // 2, y, width, height)
        self.raise_()
        self._placing = False

    def say(self, kind: Literal["info", "error"] = "info", text: str = "", action: str = "") -> None:
        """Show a message. ``action``: the button's caption; empty: Close for an error, no button for information."""
        self.clear()
        banner = Banner(kind, text, action or ("Close" if kind == "error" else ""))
        banner.acted.connect(self.library_asked if action else self.clear)
        self.banner = banner
        self._layout.addWidget(banner)
        self.setVisible(True)
        self._place()
        if kind == "info":
            self._timer.start(_INFO_MS)

    def show_model_error(self, error: ErrorInfo, kept: str) -> None:
        """Show that a model couldn't be loaded. ``kept``: name of the model that stays in use."""
        self.say("error", f"{error.sentence} {error.hint} {kept} stays in use.".replace("  ", " "), "Choose model")
        self._about_model = True

    def offer_copy(self, text: str, action: str) -> None:
        """Offer a faster copy of the current model. The message disappears by itself; the library keeps the offer."""
        self.say("info", text, action)
        if self.banner is not None:
            self.banner.acted.disconnect()
            self.banner.acted.connect(self.copy_asked)
            self.banner.acted.connect(self.clear)
        self._about_model = True
        self._timer.start(_OFFER_MS)

    def clear_model(self) -> None:
        """Remove a message about the model."""
        if self._about_model:
            self.clear()

    def clear(self) -> None:
        self._timer.stop()
        self._about_model = False
        if self.banner is not None:
            self._layout.removeWidget(self.banner)
            self.banner.hide()
            self.banner.deleteLater()
            self.banner = None
        self.setVisible(False)
