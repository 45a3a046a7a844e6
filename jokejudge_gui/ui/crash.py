"""The handling of unexpected exceptions: a dialog with the report, after which the program goes on."""

from __future__ import annotations

import platform
import sys
import threading
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMessageBox

from .. import __version__
from ..core.logs import log, report_of
from .look.theme import theme


def report_text(value: BaseException) -> str:
    """Return versions and the traceback, without any text of the user: see ``report_of``."""
    system = f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
    return f"JokeJudge {__version__}\n{system}\n\n{report_of(value)}\n"


class CrashReporter(QObject):
    """Catches unhandled exceptions of any thread, and shows the first one in the window's thread; the log has all.
    ``log_file``: where they are."""

    caught = Signal(str)

    def __init__(self, log_file: Path) -> None:
        super().__init__()
        self._log_file = log_file
        self.dialog: QMessageBox | None = None
        self._old_hooks = sys.excepthook, threading.excepthook
        self.caught.connect(self.show_report, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    def uninstall(self) -> None:
        sys.excepthook, threading.excepthook = self._old_hooks

    def _hook(self, kind: type[BaseException], value: BaseException, trace: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt):
            QGuiApplication.exit(130)
            return
        if value.__traceback__ is None:
            value = value.with_traceback(trace)
        report = report_text(value)
        if sys.stderr is not None:
            # Desktops store this output, so it holds no more than the report.
            print(report, file=sys.stderr)
        log("window").error("%s", report_of(value))
        self.caught.emit(report)

    def _thread_hook(self, args: threading.ExceptHookArgs) -> None:
        if args.exc_value is not None:
            self._hook(args.exc_type, args.exc_value, args.exc_traceback)

    def show_report(self, report: str) -> None:
        """Show a report, unless one is open."""
        if self.dialog is not None:
            return
        self.dialog = dialog = QMessageBox(
            QMessageBox.Icon.Warning, "JokeJudge made a mistake", "Something went wrong."
        )
        dialog.setInformativeText(
            "The program made a mistake and goes on. Your history is safe. The details help to fix it: they say where "
            f"the program was, and hold none of your texts. They are also in {self._log_file}."
        )
        dialog.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        dialog.setDetailedText(report)
        theme().dress_window(dialog)
        dialog.finished.connect(lambda: setattr(self, "dialog", None))
        dialog.show()
