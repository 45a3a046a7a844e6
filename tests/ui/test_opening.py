"""An old history is converted to the new format in a thread of its own, with its own window."""

from __future__ import annotations

import gzip
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from importlib import import_module
from pathlib import Path

import pytest
from driving import LONG
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.migrations import STEPS, copy_name
from jokejudge_gui.ui import app
from jokejudge_gui.ui.app import Desktop
from jokejudge_gui.ui.judge_worker import JudgeWorker
from jokejudge_gui.ui.main_window import MainWindow
from jokejudge_gui.ui.opening import OpeningWindow, StartErrorWindow
from tests.fake_engine import FakeEngine

SAVED = Path(__file__).parents[1] / "unit" / "history" / "data" / "version_4.sqlite3.gz"


def version(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        return int(connection.execute("PRAGMA user_version").fetchone()[0])


@pytest.fixture
def old(profile: Profile) -> Path:
    """A history as the version before wrote it."""
    profile.data.mkdir(parents=True)
    profile.database.write_bytes(gzip.decompress(SAVED.read_bytes()))
    return profile.database


@pytest.fixture
def desktop(qapp: QApplication, qtbot: QtBot, profile: Profile) -> Iterator[Desktop]:
    made = Desktop(qapp, profile, Settings(reduced_motion=True), lambda *_: FakeEngine())
    yield made
    if made.window is not None:
        made.window.close()
    if made.main is not None:
        qtbot.waitUntil(made.main.is_closed, timeout=LONG)


def test_an_old_history_is_brought_to_the_new_form_behind_a_window(
    desktop: Desktop, old: Path, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[str] = []
    say = OpeningWindow.say
    monkeypatch.setattr(OpeningWindow, "say", lambda window, text: (said.append(text), say(window, text)))
    desktop.open()
    window = desktop.window
    assert isinstance(window, OpeningWindow)
    assert window.isVisible()
    assert window.card.heading.text() == "Your history is being converted to the new format."
    qtbot.waitUntil(lambda: desktop.main is not None, timeout=LONG)
    assert said == ["Your history is being converted to the new format: 5 of 5 verdicts."]
    assert isinstance(desktop.window, MainWindow)
    assert len(desktop.window.pane.model.rows()) == 5
    assert (version(old), copy_name(old, len(STEPS)).exists()) == (len(STEPS), True)


def test_a_history_of_this_version_opens_without_that_window(desktop: Desktop) -> None:
    desktop.open()
    assert isinstance(desktop.window, MainWindow)


def test_a_history_that_cannot_be_brought_to_the_new_form_is_a_sentence_with_a_next_step(
    desktop: Desktop, old: Path, qtbot: QtBot
) -> None:
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("DROP TABLE votes")
        connection.commit()
    desktop.open()
    qtbot.waitUntil(lambda: isinstance(desktop.window, StartErrorWindow), timeout=LONG)
    window = desktop.window
    assert isinstance(window, StartErrorWindow)
    assert "is damaged (its table votes is missing)" in window.card.heading.text()
    assert window.card.text.text()
    assert version(old) == 4
    window.try_again()
    qtbot.waitUntil(lambda: desktop.window is not window and isinstance(desktop.window, StartErrorWindow), timeout=LONG)


def test_closing_that_window_leaves_the_history_as_it_was(desktop: Desktop, old: Path, qtbot: QtBot) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as other:
        # As long as another program writes, the history has to wait.
        other.execute("BEGIN IMMEDIATE")
        desktop.open()
        window = desktop.window
        assert isinstance(window, OpeningWindow)
        window.card.button.click()
        other.execute("ROLLBACK")
        with qtbot.waitSignal(window.closed, timeout=LONG):
            pass
    assert version(old) == 4
    assert desktop.main is None
    assert not window.isVisible()


def test_quitting_meanwhile_waits_for_the_thread(desktop: Desktop, old: Path, qapp: QApplication) -> None:
    with closing(sqlite3.connect(old, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        desktop.open()
        window = desktop.window
        assert isinstance(window, OpeningWindow)

        def leave() -> None:
            qapp.quit()
            other.execute("ROLLBACK")

        QTimer.singleShot(0, window, leave)
        assert desktop.exec() == 0
    assert not any(worker.running for worker in window.findChildren(JudgeWorker))
    assert (version(old), desktop.main) == (4, None)


@pytest.mark.parametrize("platform", ["", "xcb"])
def test_a_library_that_x11_needs_is_named_with_its_package_before_qt_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path, platform: str
) -> None:
    lacks = "libxcb-cursor.so.0"

    def load(name: str) -> None:
        if name == lacks or name.endswith("libqxcb.so"):
            raise OSError(f"{lacks}: cannot open shared object file: No such file or directory")

    def starts(*_: object) -> None:
        raise AssertionError("Qt would end the process")

    monkeypatch.setattr("ctypes.CDLL", load)
    monkeypatch.setattr(Desktop, "open", starts)
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert main(["--data-dir", str(tmp_path)]) == 1
    said = " ".join(capsys.readouterr().err.split())
    assert f"The window can't open: Qt lacks {lacks}" in said
    assert "sudo apt install libxcb-cursor0. " in said


@pytest.mark.parametrize(("platform", "wayland"), [("offscreen", ""), ("wayland", ""), ("", "wayland-0")])
def test_no_library_of_x11_is_asked_for_elsewhere(monkeypatch: pytest.MonkeyPatch, platform: str, wayland: str) -> None:
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("WAYLAND_DISPLAY", wayland)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert not app._under_x11()


def test_the_libraries_are_those_that_set_up_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "packaging")
    assert import_module("machine").X11_LIBRARIES == app.X11_LIBRARIES


@pytest.mark.parametrize("early", [True, False], ids=["before the window", "after it"])
def test_a_signal_that_comes_while_the_window_opens_ends_the_program(tmp_path: Path, early: bool) -> None:
    """In a process of its own: closed before the event loop runs, the window once left that loop without an end."""
    program = """
import signal, sys
from pathlib import Path
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.ui import app
from tests.fake_engine import FakeEngine
open_window = app.Desktop.open
def opened(desktop):
    if sys.argv[2] == "True":
        signal.raise_signal(signal.SIGTERM)
    open_window(desktop)
    if sys.argv[2] == "False":
        signal.raise_signal(signal.SIGTERM)
app.Desktop.open = opened
sys.exit(app.run(Profile.at(Path(sys.argv[1])), loader=lambda *_: FakeEngine()))
"""
    command = [sys.executable, "-c", program, str(tmp_path), str(early)]
    assert subprocess.run(command, timeout=120, check=False).returncode == 0
