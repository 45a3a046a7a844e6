"""The handling of unexpected exceptions: a dialog with details to copy, after which the program goes on."""

from __future__ import annotations

import platform
import sys
import threading
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QObject, Qt, Signal, qVersion
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit

from .. import __version__
from ..core.logs import log, report_of
from .look.theme import font
from .widgets.controls import LinkButton, SecondaryButton
from .widgets.dialog import Dialog, open_file
from .widgets.text import Paragraph

_MOST_REPORTS = 20


def report_text(value: BaseException) -> str:
    """Return versions and the traceback, without any text of the user: see ``report_of``."""
    system = f"Python {platform.python_version()}, Qt {qVersion()}, {platform.platform()}"
    return f"JokeJudge {__version__}\n{system}\n\n{report_of(value)}\n"


class CrashDialog(Dialog):
    """Shows a report, to which later ones are added while it is open. ``log_file``: the program's log, offered if it
    exists."""

    def __init__(self, report: str, log_file: Path | None = None) -> None:
        super().__init__("JokeJudge made a mistake", None, (640, 460), gap=12, heading="Something went wrong.")
        self._reports = [report]
        about = (
            "The program made a mistake and goes on. Your history is safe. The details below help to fix it. "
            "They say where the program was, and hold none of your texts."
        )
        self._view = QPlainTextEdit(report)
        self._view.setReadOnly(True)
        self._view.setAccessibleName("Details of the mistake")
        self._view.setFont(font(12, 400))
        self._view.setTabChangesFocus(True)
        self.body.add(Paragraph(about), (self._view, 1))
        self.log_link = LinkButton("Open the log", tip="What the program did before. It holds none of your texts.")
        self.log_link.clicked.connect(lambda: open_file(log_file or Path()))
        self.copy_button = SecondaryButton("Copy", act=self._copy)
        self.close_button = self.add_foot("Go on", self.log_link, 1, self.copy_button)
        self.log_link.setVisible(log_file is not None and log_file.is_file())

    @property
    def text(self) -> str:
        return "\n\n".join(self._reports)

    def add(self, report: str) -> None:
        if len(self._reports) < _MOST_REPORTS and report not in self._reports:
            self._reports.append(report)
            self._view.setPlainText(self.text)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self.copy_button.setText("Copied")


class CrashReporter(QObject):
    """Catches unhandled exceptions of any thread, and shows them in the window's thread."""

    caught = Signal(str)

    def __init__(self, log_file: Path | None = None) -> None:
        super().__init__()
        self._log_file = log_file
        self.dialog: CrashDialog | None = None
        self._old_hook = sys.excepthook
        self._old_thread_hook = threading.excepthook
        self.caught.connect(self.show_report, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        sys.excepthook = self._hook
        threading.excepthook = self._thread_hook

    def uninstall(self) -> None:
        sys.excepthook = self._old_hook
        threading.excepthook = self._old_thread_hook

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
        if self.dialog is not None:
            self.dialog.add(report)
            return
        self.dialog = CrashDialog(report, log_file=self._log_file)
        self.dialog.finished.connect(self._forget)
        self.dialog.show()

    def _forget(self) -> None:
        self.dialog = None
