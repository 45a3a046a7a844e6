"""Renders the window's states to PNG, light and dark, at four sizes, to be looked at: shots.py FOLDER [WORD…]."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import canned
import canned_profile
from PySide6.QtGui import QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from states import STATES, library

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
SIZES = {"wide": (1360, 860, 1.0), "small": (1024, 700, 1.0), "big": (1024, 700, 1.5), "large": (1360, 860, 1.5)}


def engine(_file: ModelFile, settings: Settings, _cancel: CancelToken | None) -> FakeEngine:
    """An engine in name only: the embedded model's, or with a model set another one's."""
    if settings.model:
        return FakeEngine(name="Qwen2.5 Coder 0.5B Instruct Q4_K_M")
    return FakeEngine(name="SmolLM2 135M Instruct Q8_0", sha256=EMBEDDED_SHA256)


def main(folder: Path, words: list[str]) -> None:
    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    folder.mkdir(parents=True, exist_ok=True)
    for size, (width, height, scale) in SIZES.items():
        for mode in ("light", "dark"):
            for name, act in STATES.items():
                label = f"{name}_{size}_{mode}"
                if words and not all(word in label for word in words):
                    continue
                theme.install(app, mode, scale, reduced_motion=True)  # type: ignore[arg-type]
                with tempfile.TemporaryDirectory() as place:
                    profile = Profile.at(Path(place))
                    if name != "rate_first":
                        canned_profile.fill_history(profile)
                    settings = Settings(theme=mode, text_scale=scale, reduced_motion=True)  # type: ignore[arg-type]
                    window = MainWindow(Session(profile, settings, loader=engine), EXAMPLES)
                    window.resize(width, height)
                    window.show()
                    window.models.show_status("ready", library.INFO.name, "145 MB · offline")
                    act(window)
                    QTest.qWait(150)
                    dialog = app.activeModalWidget()
                    picture = (dialog or window).grab()
                    menu = app.activePopupWidget()
                    if menu is not None:
                        painter = QPainter(picture)
                        painter.drawPixmap(window.mapFromGlobal(menu.pos()), menu.grab())
                        painter.end()
                        menu.close()
                    picture.save(str(folder / f"{label}.png"))
                    if dialog is not None:
                        dialog.close()
                    window.close()
                    while not window.is_closed():
                        QTest.qWait(10)
                    window.deleteLater()
                    QTest.qWait(1)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
