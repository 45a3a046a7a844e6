"""Short messages over the page; how far a long run is, in the title; and whether somebody sees its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget

from .look.theme import px
from .widgets.base import settle
from .widgets.cards import Banner
from .widgets.layout import VBox, single_shot

_INFO_MS = 4000
_OFFER_MS = 8000
_WIDTH = 560
"""The greatest width; a shorter message is only as wide as its text."""
_ABOVE = 80
"""Distance from the lower edge, so that the actions under a verdict stay visible; pixels at 100 %."""


class Notices(QWidget):
    """One message at a time, over the page, so that nothing moves under the mouse. Information disappears by itself, an
    offer later; an error stays until it is closed or replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.banner: Banner | None = None
        self.topic = ""
        self._margin = 0
        self._placing = False
        self._layout = VBox(parent=self)
        self._timer = single_shot(self, lambda: self.clear())
        self.hide()

    @property
    def text(self) -> str:
        """The current message; empty without one."""
        return self.banner.text.text() if self.banner is not None else ""

    def lie_over(self, page: QWidget) -> None:
        """Show messages on ``page``, above its lower edge at the left, where least is hidden."""
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
        width = max(1, min(px(_WIDTH), page.width() - 2 * self._margin, self.banner.natural_width()))
        self.resize(width, self.height())
        settle()
        self._layout.activate()
        height = min(self.sizeHint().height(), page.height())
        self.setGeometry(self._margin, max(0, page.height() - height - px(_ABOVE)), width, height)
        self.raise_()
        self._placing = False

    def say(
        self, kind: Literal["info", "error"], text: str, action: str = "", act: Callable[[], object] | None = None,
        topic: str = "",
    ) -> None:  # fmt: skip
        """Show a message. ``action``: the caption of a button that calls ``act``; an error without one can be closed.
        ``topic``: what to ``clear`` it by."""
        self.clear()
        self.topic = topic
        self.banner = Banner(kind, text, action or ("Close" if kind == "error" else ""))
        self.banner.acted.connect(lambda: self.clear())
        if act is not None:
            self.banner.acted.connect(act)
        self._layout.addWidget(self.banner)
        self.show()
        self._place()
        if kind == "info":
            self._timer.start(_OFFER_MS if action else _INFO_MS)

    def clear(self, topic: str = "") -> None:
        """Remove the message, or only one on a topic."""
        if topic in ("", self.topic):
            self._timer.stop()
            self._layout.show_only()
            self.banner = None
            self.hide()


_TITLE = "JokeJudge"


def show_progress(window: QWidget, done: int, total: int) -> None:
    """Show that ``done`` of ``total`` are done, in the title and on the window's button in the task bar (Plasma, Ubuntu
    and others read ``LauncherEntry``); a ``total`` of 0: nothing runs."""
    window.setWindowTitle(f"{done:,} of {total:,} – {_TITLE}" if total else _TITLE)
    from PySide6.QtDBus import QDBusConnection, QDBusMessage  # not while the window opens

    entry = QDBusMessage.createSignal("/", "com.canonical.Unity.LauncherEntry", "Update")
    look = {"progress": done / total if total else 0.0, "progress-visible": total > 0}
    entry.setArguments(["application://jokejudge.desktop", look])
    QDBusConnection.sessionBus().send(entry)


def watched(part: QWidget) -> bool:
    """Whether somebody may be looking at a part of the window; otherwise the window asks for attention."""
    if part.isVisible() and part.isActiveWindow():
        return True
    QApplication.alert(part.window())
    return False
