"""Starts the window."""

from __future__ import annotations

import ctypes
import gc
import os
import signal
import sys
from pathlib import Path

from PySide6.QtCore import QLibraryInfo, Qt, QTimer
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from .. import __version__
from ..core.config import Settings, load_settings
from ..core.errors import CriteriaError, JokeJudgeError
from ..core.paths import Profile
from ..rubric.xml_parser import parse_first_examples
from ..session.session import EngineLoader, Session
from .crash import CrashReporter
from .judge_worker import Collector, JudgeWorker
from .look.theme import install, theme
from .main_window import MainWindow

X11_PACKAGES = "libxcb-cursor0 libxcb-icccm4 libxcb-keysyms1 libxcb-shape0 libxcb-xkb1 libxkbcommon-x11-0"
"""Debian's packages of the libraries that Qt needs under X11 and doesn't include (packaging/machine.py)."""
_SIZE = (1360, 860)
_SIGNAL_MS = 200


class Desktop:
    """The windows of one run, one after the other: an error until the profile is usable, then the main window.
    ``main``: the current one."""

    def __init__(
        self, app: QApplication, profile: Profile, settings: Settings | None, loader: EngineLoader | None
    ) -> None:
        self._app, self._profile, self._settings, self._loader = app, profile, settings, loader
        self.main: QWidget | None = None

    def open(self) -> None:
        """Show the main window. While settings or history can't be used, nothing is written; a dialog offers Retry."""
        while True:
            try:
                self._show_main(self._session())
                return
            except JokeJudgeError as error:
                buttons = QMessageBox.StandardButton.Retry | QMessageBox.StandardButton.Close
                dialog = QMessageBox(QMessageBox.Icon.Critical, "JokeJudge", error.sentence, buttons)
                folder = f"The program's data is in {self._profile.data}."
                dialog.setInformativeText(f"{error.hint} Nothing was changed. {folder}".strip())
                theme().dress_window(dialog)
                self.main = dialog
                if dialog.exec() != QMessageBox.StandardButton.Retry:
                    return

    def exec(self) -> int:
        """Run the event loop until the window's threads have ended, and return its exit status. Qt leaves the loop
        before that if it is told to quit, for example at the end of the desktop session."""
        status = self._app.exec() if isinstance(self.main, MainWindow) else 0
        while self.main is not None and any(worker.running for worker in self.main.findChildren(JudgeWorker)):
            self.main.close()
            status = self._app.exec()
        return status

    def _session(self) -> Session:
        """Return a session of the profile. Raises ``JokeJudgeError`` where settings or history can't be used."""
        settings = self._settings if self._settings is not None else load_settings(self._profile)
        install(self._app, settings.theme, settings.text_scale)
        session = Session(self._profile, settings, loader=self._loader)
        try:
            _ = session.store  # opened here, so that its error is shown at the start
        except BaseException:
            session.close()
            raise
        return session

    def _show_main(self, session: Session) -> None:
        # The judge's thread may outlast the window, which emits ``closed`` when it has ended.
        self._app.setQuitOnLastWindowClosed(False)
        window = MainWindow(session, first_examples(), load=True)
        window.closed.connect(self._app.quit)
        screen = self._app.primaryScreen().availableGeometry()
        window.resize(min(_SIZE[0], screen.width()), min(_SIZE[1], screen.height()))
        # All current objects are permanent; collecting them again would block every thread for a tenth of a second.
        gc.freeze()
        window.models.changed.connect(lambda *_: gc.freeze(), Qt.ConnectionType.SingleShotConnection)
        self.main = window
        window.show()


def first_examples() -> tuple[str, ...]:
    """Return the example jokes; none if their file is unreadable, since the program works without them."""
    try:
        return tuple(parse_first_examples())
    except CriteriaError:
        return ()


def run(profile: Profile, settings: Settings | None = None, loader: EngineLoader | None = None) -> int:
    """Open the window and return the exit status once it is closed. ``settings`` None: those of the profile. Raises
    ``JokeJudgeError`` ``E_WINDOW_QT`` where Qt would end the process: under X11, if a required library is missing."""
    if _under_x11():
        _check_x11()
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    app.setApplicationName("jokejudge")
    app.setApplicationDisplayName("JokeJudge")
    app.setApplicationVersion(__version__)
    app.setDesktopFileName("jokejudge")
    first = settings or Settings()
    collector = Collector(app)
    install(app, first.theme, first.text_scale)
    reporter = CrashReporter(profile.log)
    reporter.install()
    desktop = Desktop(app, profile, settings, loader)
    old_handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number in old_handlers:
        # In the event loop: a window closed before the loop runs couldn't end it.
        signal.signal(number, lambda *_: QTimer.singleShot(0, app, lambda: _close(desktop)))
    # Python runs signal handlers between its own instructions only; an idle event loop executes none.
    pulse = QTimer()
    pulse.timeout.connect(lambda: None)
    pulse.start(_SIGNAL_MS)
    try:
        desktop.open()
        return desktop.exec()
    finally:
        pulse.stop()
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
        reporter.uninstall()
        collector.timer.stop()
        if app.platformName() in ("offscreen", "minimal"):
            # Qt would delete what was copied only after Python has ended, and crash there.
            app.clipboard().clear()


def _under_x11() -> bool:
    """Whether Qt will probably use X11."""
    given = os.environ.get("QT_QPA_PLATFORM", "").partition(";")[0].partition(":")[0]
    by_default = not given and bool(os.environ.get("DISPLAY")) and not os.environ.get("WAYLAND_DISPLAY")
    return sys.platform.startswith("linux") and (given == "xcb" or by_default)


def _check_x11() -> None:
    """Load Qt's X11 plugin, so that a missing library is told. Raises ``JokeJudgeError`` ``E_WINDOW_QT``."""
    plugin = Path(QLibraryInfo.path(QLibraryInfo.LibraryPath.PluginsPath), "platforms", "libqxcb.so")
    try:
        if plugin.is_file():
            ctypes.CDLL(str(plugin))
    except OSError as error:
        raise JokeJudgeError(
            "E_WINDOW_QT",
            f"The window can't open: Qt lacks a system library ({error}).",
            f"On Debian and Ubuntu: sudo apt install {X11_PACKAGES}. "
            "The terminal works without it: jokejudge rate TEXT.",
        ) from None


def _close(desktop: Desktop) -> None:
    if desktop.main is not None:
        desktop.main.close()
