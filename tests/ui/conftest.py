"""Fixtures of the window's tests: the theme, a session over the fake engine, a main window that is closed properly."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QFileDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.session.session import EngineLoader, Session
from jokejudge_gui.ui.judge_worker import Collector, JudgeWorker
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(autouse=True, scope="module")
def collector(qapp: QApplication) -> Iterator[Collector]:
    """As in the program: no widget is destroyed by a thread that happens to collect garbage. None does meanwhile, and
    no worker is left that could do so later."""
    turn, thresholds = sys.getswitchinterval(), gc.get_threshold()
    made, where = Collector(qapp), set[threading.Thread]()

    def watch(_phase: str, _facts: dict[str, int]) -> None:
        where.add(threading.current_thread())

    gc.callbacks.append(watch)
    yield made
    gc.callbacks.remove(watch)
    assert where <= {threading.main_thread()}
    assert "judge worker" not in [thread.name for thread in threading.enumerate()]
    made.timer.stop()
    made.deleteLater()
    gc.set_threshold(*thresholds)
    gc.collect()  # not in a thread of a later test
    gc.enable()
    sys.setswitchinterval(turn)


@pytest.fixture(autouse=True, scope="session")
def look(qapp: QApplication) -> None:
    theme.install(qapp, "light", 1.0)


@pytest.fixture(autouse=True)
def dressed(qapp: QApplication) -> Iterator[None]:
    """Light, 100 %; put back after each test, when its windows are gone. Windows that were left would
    be laid out anew whenever a later test changes the theme, and so would what a window never put anywhere. What Qt
    made belongs to a part of Qt: a completer would destroy its popup once more, which ends the process."""
    wear(qapp)
    yield
    for widget in qapp.topLevelWidgets():
        if widget.parent() is None and shiboken6.createdByPython(widget):
            widget.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    wear(qapp)


def wear(app: QApplication, scale: float = 1.0) -> None:
    """Nothing where that is worn already: every widget that there is would be laid out anew."""
    worn = theme.theme()
    if (worn.mode, worn.scale) != ("light", scale):
        theme.install(app, "light", scale)


@pytest.fixture(params=[1.0, 1.5], ids=["100%", "150%"])
def scale(request: pytest.FixtureRequest, qapp: QApplication) -> float:
    """The size of the text: each test that asks for it runs at both."""
    wear(qapp, request.param)
    return request.param


@pytest.fixture
def settings() -> Settings:
    return Settings(theme="light")


@pytest.fixture
def open_window(qtbot: QtBot, profile: Profile, settings: Settings) -> Iterator[Callable[..., MainWindow]]:
    """Opens main windows over fake engines; each is closed at the end and its thread awaited."""
    windows: list[MainWindow] = []

    def open_one(
        loader: EngineLoader | None = None, size: tuple[int, int] = (1360, 860), start: bool = True
    ) -> MainWindow:
        session = Session(profile, settings, loader=loader or (lambda _file, _settings, _cancel: FakeEngine()))
        window = MainWindow(session, ("First example.", "Second example.", "Third example."))
        windows.append(window)
        window.resize(*size)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        if start:
            window.start()
            qtbot.waitUntil(lambda: window.models.state != "loading", timeout=10_000)
        return window

    yield open_one
    for window in windows:
        close_window(qtbot, window)


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    """A file of eight pairs with their winners."""
    file = tmp_path / "votes.csv"
    rows = "".join(f"first joke {n},second one {n},{'AB'[n % 2]}\n" for n in range(8))
    file.write_text(f"text_a,text_b,winner\n{rows}", encoding="utf-8")
    return file


@pytest.fixture
def worker(qtbot: QtBot) -> Iterator[JudgeWorker]:
    made = JudgeWorker()
    yield made
    made.stop()
    qtbot.waitUntil(lambda: not made.running, timeout=10_000)


def close_window(qtbot: QtBot, window: MainWindow) -> None:
    """Close a window and wait until its threads have ended."""
    window.close()
    qtbot.waitUntil(lambda: not window.worker.running and not window.side_worker.running, timeout=20_000)
    qtbot.waitUntil(window.is_closed, timeout=20_000)
    window.deleteLater()


@pytest.fixture(autouse=True)
def no_file_dialogs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A dialog that a test doesn't answer would wait for ever."""

    def unanswered(*_args: object, **_options: object) -> None:
        raise AssertionError("a file dialog was opened that the test doesn't answer")

    for name in ("getOpenFileName", "getOpenFileNames", "exec", "getExistingDirectory"):
        monkeypatch.setattr(QFileDialog, name, unanswered)
