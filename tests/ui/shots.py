"""The window in each of its states, at four sizes."""

from __future__ import annotations

from typing import Literal

import canned
import canned_profile
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget
from states import STATES

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.session.session import Session
from jokejudge_gui.ui.look import theme
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine

EXAMPLES = (canned.PARALLEL, canned.GRAVITY, canned.DOG)
SIZES = {
    "wide": (1360, 860, 1.0),
    "small": (1024, 700, 1.0),
    "big": (1024, 700, 1.5),
    "huge": (1360, 860, 2.0),
}


def engine(_file: ModelFile, settings: Settings, _cancel: CancelToken | None) -> FakeEngine:
    """An engine in name only: the embedded model's, or with a model set another one's."""
    if settings.model:
        return FakeEngine(name="Qwen2.5 Coder 0.5B Instruct Q4_K_M")
    return FakeEngine(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)


ALONE = (
    "rate_first", "rate_error", "rate_running", "duel_empty", "contest_running", "contest_missing",
    "trust",
)  # fmt: skip
"""What the names of states begin with that need a window of their own: they change its model, keep it at work, or show
a tab that wasn't used yet."""


def open_window(profile: Profile, state: str, size: str, mode: Literal["light", "dark"] = "light") -> MainWindow:
    """A window for a state: with verdicts in its history, but for the first start."""
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    width, height, scale = SIZES[size]
    theme.install(app, mode, scale)
    if state != "rate_first":
        canned_profile.fill_history(profile)
    settings = Settings(theme=mode, text_scale=scale)
    window = MainWindow(Session(profile, settings, loader=engine), EXAMPLES)
    window.resize(width, height)
    window.show()
    window.models.show_status("ready", "SmolLM2-135M-Instruct", "145 MB · offline")
    return window


def put_in(window: MainWindow, state: str) -> QWidget:
    """Put a window into a state; the dialog that it opens, or the window."""
    close_dialogs()
    STATES[state](window)
    for _ in range(5):
        QApplication.processEvents()
    dialog = QApplication.activeModalWidget()
    return dialog if dialog is not None else window


def close_dialogs() -> None:
    """Close what stands over the window, which may be several dialogs and a menu, the uppermost first. Each is
    destroyed before the next is asked for, as in the program's event loop."""
    for _ in range(6):
        over = QApplication.activePopupWidget() or QApplication.activeModalWidget()
        if over is None:
            break
        over.close()
        if over.isVisible():  # it asks what is to become of unsaved texts
            over.hide()
            over.deleteLater()
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
