"""The window without a model, and with one that fails."""

from __future__ import annotations

import threading
from collections.abc import Callable

import canned
import pytest
from driving import LONG, Open, rate
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QDialog
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings, load_settings
from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.finder import ModelFile
from tests.fake_engine import FakeEngine

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


def failing_loader(code: str) -> Callable[..., FakeEngine]:
    def load(_file: ModelFile, _settings: Settings, _cancel: CancelToken | None) -> FakeEngine:
        raise ModelError(code, "The model file is missing.", "Choose another model.")

    return load


def test_without_a_model_the_window_says_so_and_offers_the_library(open_window: Open, qtbot: QtBot) -> None:
    window = open_window(failing_loader("E_MODEL_MISSING"))
    assert window.models.state == "error"
    assert "file missing" in window.models.button.accessibleName()
    window.by_kind["rate"].joke.set_text(canned.PARALLEL)
    assert not window.by_kind["rate"].buttons.run_button.isEnabled()
    qtbot.mouseClick(window.by_kind["rate"].failed.button, Qt.MouseButton.LeftButton)
    dialog = QApplication.activeModalWidget()
    assert isinstance(dialog, QDialog)
    assert dialog.windowTitle() == "Model library"
    dialog.close()


def test_a_model_that_fails_leaves_the_one_before_in_use(open_window: Open, qtbot: QtBot, profile: Profile) -> None:
    broken = threading.Event()

    def load(_file: ModelFile, _settings: Settings, _cancel: CancelToken | None) -> FakeEngine:
        if broken.is_set():
            raise ModelError("E_MODEL_CORRUPT", "broken.gguf is damaged.", "Choose another model.")
        return FakeEngine()

    window = open_window(load)
    broken.set()
    window.models.choose("broken.gguf")
    qtbot.waitUntil(lambda: window.models.state != "loading", timeout=LONG)
    assert window.models.state == "ready"
    assert window.notices.text == "broken.gguf is damaged. Choose another model. fake-model stays in use."
    assert load_settings(profile).model is None
    rate(qtbot, window, canned.PARALLEL)
    assert window.by_kind["rate"].state.phase in ("finished", "rejected")
