"""The window while an old history is brought to the new form: what is done, how far it has come, and a way to stop."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QWidget

from ..core.errors import Cancelled, JokeJudgeError
from ..session.session import Session
from .look.theme import px
from .widgets.base import Themed
from .widgets.cards import StateCard
from .widgets.controls import LinkButton
from .widgets.dialog import open_file
from .widgets.focus_ring import FocusRing
from .widgets.layout import ColumnScroll, HBox, VBox
from .widgets.text import Paragraph


class Opening(QObject):
    """Opens a session's history in a thread of its own. Ends, in the window's thread, with exactly one of ``opened``,
    ``failed`` (a ``JokeJudgeError``, or None for a mistake of the program, which the crash dialog shows) and
    ``stopped``."""

    opened = Signal()
    failed = Signal(object)
    stopped = Signal()
    _ended = Signal(object)

    def __init__(self, session: Session, parent: QObject) -> None:
        super().__init__(parent)
        self._session = session
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._work, name="opening")
        self._ended.connect(self._tell, Qt.ConnectionType.QueuedConnection)

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Ask it to end."""
        self._stop.set()

    def check(self) -> None:
        """Raise ``Cancelled`` after ``stop``. Called by the thread at each step."""
        if self._stop.is_set():
            raise Cancelled

    def _work(self) -> None:
        error: BaseException | None = None
        try:
            _ = self._session.store
        except (Cancelled, JokeJudgeError) as known:
            error = known
        except BaseException as mistake:
            error = mistake
            raise
        finally:
            self._ended.emit(error)

    def _tell(self, error: BaseException | None) -> None:
        self._thread.join()
        if self._stop.is_set():
            # Perhaps too late, and the history is in the new form; whoever closed the window wants none.
            self.stopped.emit()
        elif error is None:
            self.opened.emit()
        else:
            self.failed.emit(error if isinstance(error, JokeJudgeError) else None)


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
        self.follow_theme()

    def restyle(self) -> None:
        self.resize(px(720), px(self.HEIGHT))


class OpeningWindow(StartWindow):
    """Says how far the history has come. Closing it stops that and leaves the file as it was. ``closed``: it is over
    and nothing is to follow."""

    HEIGHT = 300
    closed = Signal()
    notice = Signal(str)

    def __init__(self) -> None:
        super().__init__(StateCard("info"))
        self.opening: Opening | None = None
        self.card.acted.connect(self.close)
        remark = "If you stop, your history stays as it was, and the program closes."
        self.card.extra.add(Paragraph(remark, 13, token="text3"))
        self._show("Your history is being brought to the new form.")
        self.notice.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def open(self, session: Session) -> Opening:
        """Begin; the signals of what is returned say how it ends."""
        self.opening = Opening(session, self)
        self.opening.stopped.connect(self.closed)
        return self.opening

    def say(self, sentence: str) -> None:
        """What the session says while it opens its history, from any thread. Raises ``Cancelled`` once the window was
        closed."""
        if self.opening is not None:
            self.opening.check()
        self.notice.emit(sentence)

    def closeEvent(self, event: QCloseEvent) -> None:
        if self.opening is not None:
            self.opening.stop()
        event.accept()

    def _show(self, sentence: str) -> None:
        self.card.set_message(
            sentence,
            "An earlier version of the program wrote it. This is done once, after a copy of it is made.",
            "Stop",
        )


# The window when the program can't begin: what happened, what to do, and another try.


class StartErrorWindow(StartWindow):
    """Shows an error of the history or the settings. Nothing is written while it is open.

    ``retry`` does again what failed and raises ``JokeJudgeError`` if it still fails; then ``fixed`` is emitted."""

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
