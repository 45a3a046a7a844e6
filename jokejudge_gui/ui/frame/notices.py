"""Short messages across the top of the window."""

from __future__ import annotations

from typing import Literal

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QSizePolicy, QVBoxLayout, QWidget

from ...verdicts import ErrorInfo
from ..widgets.cards import Banner

_INFO_MS = 4000
_OFFER_MS = 20_000


class Notices(QWidget):
    """One message at a time. Information goes by itself; an error stays until it is closed or replaced."""

    library_asked = Signal()
    copy_asked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.banner: Banner | None = None
        self._about_model = False
        self._layout = QVBoxLayout(self)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.clear)
        self.hide()

    @property
    def text(self) -> str:
        """What is said now; empty when nothing is."""
        return self.banner.text.text() if self.banner is not None else ""

    def set_right_margin(self, margin: int) -> None:
        self._layout.setContentsMargins(0, 0, margin, 0)

    def say(self, kind: Literal["info", "error"] = "info", text: str = "", action: str = "") -> None:
        """Say something; ``action``: the button's word, else errors have Close and information none."""
        self.clear()
        banner = Banner(kind, text, action or ("Close" if kind == "error" else ""))
        banner.acted.connect(self.library_asked if action else self.clear)
        self.banner = banner
        self._layout.addWidget(banner)
        self.setVisible(True)
        if kind == "info":
            self._timer.start(_INFO_MS)

    def show_model_error(self, error: ErrorInfo, kept: str) -> None:
        """A model couldn't be loaded; ``kept``: the one that stays in use."""
        self.say("error", f"{error.sentence} {error.hint} {kept} stays in use.".replace("  ", " "), "Choose model")
        self._about_model = True

    def offer_copy(self, text: str, action: str) -> None:
        """Offer a faster copy of the model in use; it goes by itself, and stays in the library."""
        self.say("info", text, action)
        if self.banner is not None:
            self.banner.acted.disconnect()
            self.banner.acted.connect(self.copy_asked)
            self.banner.acted.connect(self.clear)
        self._about_model = True
        self._timer.start(_OFFER_MS)

    def clear_model(self) -> None:
        """Take back what was said about a model that couldn't be loaded."""
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
