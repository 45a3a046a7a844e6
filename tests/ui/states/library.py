"""States of the models' library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest

from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow

FOUND = (
    FoundModel(Path("/models/qwen2.5-coder-0.5b-instruct-q4_k_m.gguf"), "Qwen2.5 Coder 0.5B Instruct Q4_K_M", "Jan", 1),
    FoundModel(Path("/models/llama-3.2-3b-instruct-q4_k_m.gguf"), "Llama 3.2 3B Instruct Q4_K_M", "LM Studio", 1),
    FoundModel(
        Path("/models/long.gguf"),
        "A model whose maker gave it a name that goes on for much longer than it has to",
        "Jan",
        1,
    ),
)


def fetching(window: MainWindow) -> None:
    """A model of the catalogue is on its way."""
    window.models.open_library()
    dialog = window.models.dialog
    while window.side_worker.busy:
        QTest.qWait(10)
    offer = next(offer for offer in dialog.offers if offer.action == "Get")
    offer.job, offer.note, offer.fraction = Job("fetch", lambda _token: ()), "Fetching · 60 MB of 145 MB", 0.4
    dialog.select(offer)


def models_found(window: MainWindow) -> None:
    """The library with models that other programs keep."""
    window.models.open_library()
    dialog = window.models.dialog
    while window.side_worker.busy:
        QTest.qWait(10)
    dialog._found = FOUND
    dialog._show_found(None)
    dialog.select(dialog.offers[len(FOUND) - 1])


STATES: dict[str, Callable[[MainWindow], object]] = {
    "library_fetching": fetching,
    "library": lambda window: window.models.open_library(),
    "library_found": models_found,
}  # fmt: skip
