"""What the program needs before its window opens, and signals that come meanwhile."""

from __future__ import annotations

import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.ui import app
from jokejudge_gui.ui.app import Desktop


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
    printed = " ".join(capsys.readouterr().err.split())
    assert f"The window can't open: Qt lacks a system library ({lacks}" in printed
    assert "sudo apt install libxcb-cursor0 " in printed


@pytest.mark.parametrize(("platform", "wayland"), [("offscreen", ""), ("wayland", ""), ("", "wayland-0")])
def test_no_library_of_x11_is_asked_for_elsewhere(monkeypatch: pytest.MonkeyPatch, platform: str, wayland: str) -> None:
    monkeypatch.setenv("DISPLAY", ":99")
    monkeypatch.setenv("WAYLAND_DISPLAY", wayland)
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert not app._under_x11()


def test_the_libraries_are_those_that_set_up_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parents[2] / "packaging")
    assert sorted(import_module("machine").X11_LIBRARIES.values()) == app.X11_PACKAGES.split()


def test_the_program_ends_in_order_after_words_were_copied(tmp_path: Path) -> None:
    """In a process of its own: Qt deleted what was copied after Python had ended, which was a segmentation fault."""
    program = """
import sys
from pathlib import Path
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.ui import app
from tests.fake_engine import FakeEngine
open_window = app.Desktop.open
def opened(desktop):
    open_window(desktop)
    def act():
        editor = desktop.main.by_kind["rate"].findChildren(app_text.QPlainTextEdit)[0]
        editor.setPlainText("I used to be a banker, but I lost interest.")
        editor.selectAll()
        editor.copy()
        assert QApplication.clipboard().text()
        desktop.main.close()
    QTimer.singleShot(500, act)
import PySide6.QtWidgets as app_text
app.Desktop.open = opened
sys.exit(app.run(Profile.at(Path(sys.argv[1])), loader=lambda *_: FakeEngine()))
"""
    done = subprocess.run([sys.executable, "-c", program, str(tmp_path)], timeout=120, check=False, capture_output=True)
    assert (done.returncode, b"Error" in done.stderr) == (0, False), done.stderr


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
