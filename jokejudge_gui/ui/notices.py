"""Short messages over the page; how far a long run is, in the title; and whether somebody sees its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QApplication, QWidget

from .look.theme import px
from .widgets.base import Themed, settle
from .widgets.cards import Banner
from .widgets.layout import Grid, VBox, single_shot

_INFO_MS = 4000
_OFFER_MS = 8000
_WIDTH = 560
"""The greatest width; a shorter message is only as wide as its text."""
_ABOVE = 80
"""Distance from the lower edge, so that the actions under a verdict stay visible; pixels at 100 %."""


class Notices(Themed, QWidget):
    """One message at a time, over the page, so that nothing moves under the mouse. Information disappears by itself, an
    offer later; an error stays until it is closed or replaced."""

    def __init__(self) -> None:
        super().__init__()
        self.banner: Banner | None = None
        self.topic = ""
        self._grid, self._layout = Grid(gaps=(0, 0)), VBox(parent=self, margins=(12, 0, 0, 0))
        self._timer = single_shot(self, lambda: self.clear())
        self.hide()
        self.follow_theme()

    @property
    def text(self) -> str:
        """The current message; empty without one."""
        return self.banner.text.text() if self.banner is not None else ""

    def over(self, page: QWidget) -> Grid:
        """Return a layout with the page, and the messages above its lower edge at the left, where least is hidden."""
        self._grid.addWidget(page, 0, 0, 2, 1)
        self._grid.addWidget(self, 0, 0, Qt.AlignmentFlag.AlignBottom | Qt.AlignmentFlag.AlignLeft)
        self._grid.setRowStretch(0, 1)
        return self._grid

    def restyle(self) -> None:
        self._grid.setRowMinimumHeight(1, px(_ABOVE))
        super().restyle()

    def sizeHint(self) -> QSize:
        """As wide as the message in one line, up to a limit."""
        wide = min(px(_WIDTH), self.banner.natural_width() + px(12)) if self.banner is not None else 0
        return QSize(wide, super().sizeHint().height())

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
        self.raise_()
        settle()
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
