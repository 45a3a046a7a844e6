"""The window while an old history is migrated: the activity, its progress, and a way to stop."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from ..core.errors import Cancelled, JokeJudgeError, restore
from ..core.events import Failed
from ..engine.base import CancelToken
from ..session.session import Session
from .judge_worker import JobEvent, JobSteps, JudgeWorker
from .look.theme import px, theme
from .widgets.base import Themed
from .widgets.cards import StateCard
from .widgets.controls import LinkButton
from .widgets.dialog import open_file
from .widgets.focus_ring import FocusRing
from .widgets.layout import ColumnScroll, HBox, VBox
from .widgets.text import Paragraph


class StartWindow(Themed, QWidget):
    """A card before the main window; ``HEIGHT``: in pixels at 100 %. Ctrl+Q closes it."""

    HEIGHT: ClassVar[int]

    def __init__(self, card: StateCard) -> None:
        super().__init__()
        self.setWindowTitle("JokeJudge")
        self.card = card
        scroll = ColumnScroll()
        scroll.add(card)
        VBox(scroll, parent=self, margins=(24, 24, 12, 24))
        QShortcut(QKeySequence("Ctrl+Q"), self, activated=self.close)
        theme().dress_window(self)
        self.follow_theme()

    def restyle(self) -> None:
        self.resize(px(720), px(self.HEIGHT))


class OpeningWindow(StartWindow):
    """Opens a session's history in a separate thread, and shows the progress. Closing the window stops that and leaves
    the file unchanged. It ends with one of ``closed``: quit; ``opened``; and ``failed``, with an error whose code is
    ``E_INTERNAL`` for a bug, which the crash dialog shows."""

    HEIGHT = 300
    opened = Signal()
    failed = Signal(object)
    closed = Signal()
    notice = Signal(str)

    def __init__(self) -> None:
        super().__init__(StateCard("info"))
        self._token = CancelToken()
        self._last: object = None
        self._worker = JudgeWorker(parent=self)
        self._worker.stopped.connect(self._on_stopped)
        self.card.acted.connect(self.close)
        remark = "If you stop, your history stays as it was, and the program closes."
        self.card.extra.add(Paragraph(remark, 13, token="text3"))
        self._say("Your history is being converted to the new format.")
        self.notice.connect(self._say, Qt.ConnectionType.QueuedConnection)

    def open(self, session: Session) -> None:
        """Open the session's history."""

        def start(_token: CancelToken) -> JobSteps:
            _ = session.store
            return ()

        self._worker.submit("opening", start, self._on_event)

    def say(self, sentence: str) -> None:
        """Show a sentence of the session while it opens its history, from any thread. Raises ``Cancelled`` once the
        window was closed."""
        if self._token.cancelled:
            raise Cancelled
        self.notice.emit(sentence)

    def closeEvent(self, event: QCloseEvent) -> None:
        self._token.cancel()
        event.accept()

    def _say(self, sentence: str) -> None:
        self.card.set_message(
            sentence,
            "An earlier version of the program wrote it. This is done once, after a copy of it is made.",
            "Stop",
        )

    def _on_event(self, item: JobEvent) -> None:
        self._last = item.event
        self._worker.stop()

    def _on_stopped(self) -> None:
        if self._token.cancelled:
            # The history may be migrated already, but the user closed the window.
            self.closed.emit()
        elif isinstance(self._last, Failed):
            self.failed.emit(restore(self._last.error))
        else:
            self.opened.emit()


# The window when the program can't start: the error, a hint, and a button to try again.


class StartErrorWindow(StartWindow):
    """Shows an error of the history or the settings. Nothing is written while it is open.

    ``retry`` repeats the failed operation and raises ``JokeJudgeError`` if it still fails; then ``fixed`` is
    emitted."""

    HEIGHT = 360
    fixed = Signal()

    def __init__(self, error: JokeJudgeError, folder: Path, retry: Callable[[], None]) -> None:
        super().__init__(StateCard("error", primary=True))
        self._retry = retry
        self.card.acted.connect(self.try_again)
        self.folder_link = LinkButton("Open the data folder", act=lambda: open_file(folder))
        self.card.extra.addLayout(HBox(self.folder_link, 1))
        self.ring = FocusRing(self)
        self.show_error(error)

    def show_error(self, error: JokeJudgeError) -> None:
        self.card.set_message(error.sentence, f"{error.hint} Nothing was changed.".strip(), "Try again")

    def try_again(self) -> None:
        try:
            self._retry()
        except JokeJudgeError as error:
            self.show_error(error)
            return
        self.fixed.emit()
