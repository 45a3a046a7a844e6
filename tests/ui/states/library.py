"""States of the models' library."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtTest import QTest

from jokejudge_gui.engine.base import EngineInfo
from jokejudge_gui.library.finder import FoundModel
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.library.dialog import MAKE, Offer
from jokejudge_gui.ui.main_window import MainWindow

INFO = EngineInfo(
    "SmolLM2-135M-Instruct", "a" * 64, "x.gguf", 145_000_000, "llama", "Q8_0", 4096, 8192, "attention", True, 576
)
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


def slow_library(window: MainWindow) -> None:
    window.models.open_library()
    dialog = window.models.dialog
    assert dialog is not None
    dialog.current_text.set_content("In use: Some model · 98 MB · llama Q4_1")
    dialog.notes_text.show_text("Q4_1 has no fast kernels in llama.cpp; a copy of this model in Q8_0 is faster.")
    facts = (
        "The same model in Q8_0 reads prompts faster. It takes 145 MB more of the disk and is slightly less precise; "
        "Some model stays as it is."
    )
    copy = Offer("A faster copy", "of Some model", facts, Path("copy.gguf"), lambda _token: (), MAKE)
    copy.job, copy.note, copy.fraction = Job("fetch", lambda _token: ()), "Copying · 60 MB of 145 MB", 0.4
    dialog.copies = [copy]
    dialog._fill()
    dialog.select(copy)


def models_found(window: MainWindow) -> None:
    """The library with models that other programs keep."""
    window.models.open_library()
    dialog = window.models.dialog
    assert dialog is not None
    while window.side_worker.busy:
        QTest.qWait(10)
    dialog._show_found(FOUND)
    dialog.select(dialog.found[-1])


STATES: dict[str, Callable[[MainWindow], object]] = {
    "library_slow": slow_library,
    "library": lambda window: window.models.open_library(),
    "library_found": models_found,
}  # fmt: skip
