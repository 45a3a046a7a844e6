"""Preparing the prompts in the background: shown, giving way to a verdict, going on after it; and what is kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

import canned
import pytest
from driving import LONG, Open
from pytestqt.qtbot import QtBot

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import EngineError
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.ui.judge_worker import Job
from jokejudge_gui.ui.main_window import MainWindow
from tests.fake_engine import FakeEngine

pytestmark = pytest.mark.qt_log_ignore("^This plugin does not support")


class Steps:
    """Lets the engine read so many prompts, and tells that it waits at the next one."""

    def __init__(self, free: int) -> None:
        self.free = threading.Semaphore(free)
        self.waiting = threading.Event()
        self.failing = False

    def __call__(self, method: str) -> None:
        if method != "warm":
            return
        if self.failing:
            raise EngineError("E_DECODE", "The model could not read the text.", "Choose another.")
        if not self.free.acquire(blocking=False):
            self.waiting.set()
            assert self.free.acquire(timeout=20)

    def release(self) -> None:
        self.waiting.clear()
        self.free.release(1000)


def loader(steps: Steps) -> Callable[..., FakeEngine]:
    return lambda _file, _settings, _cancel: FakeEngine(gate=steps)


def said(window: MainWindow) -> str:
    return window.models.button.accessibleName()


def test_that_it_is_prepared_stands_beside_the_models_name(open_window: Open, qtbot: QtBot) -> None:
    steps = Steps(2)
    window = open_window(loader(steps))
    qtbot.waitUntil(lambda: said(window) == "Model: fake-model, preparing", timeout=LONG)
    assert window.models.state == "ready"
    assert window.by_kind["rate"].buttons.run_button.isEnabled() or not window.by_kind["rate"].joke.text()
    steps.release()
    qtbot.waitUntil(lambda: "ready" in said(window), timeout=LONG)
    assert "offline" in said(window)


def test_a_verdict_goes_first_and_preparing_goes_on_after_it(open_window: Open, qtbot: QtBot) -> None:
    steps = Steps(2)
    window = open_window(loader(steps))
    qtbot.waitUntil(steps.waiting.is_set, timeout=LONG)
    ended: list[str] = []

    def note(job: Job, event: object) -> None:
        if type(event).__name__ in ("Finished", "Cancelled", "Failed"):
            ended.append(f"{job.name} {type(event).__name__}")

    window.worker.happened.connect(note)
    shown: list[str] = []
    window.worker.happened.connect(lambda *_item: shown.append(said(window)))
    window.verdicts.ask("rate", {"text": canned.PARALLEL})
    steps.release()
    qtbot.waitUntil(lambda: "ready" in said(window), timeout=LONG)
    assert ended == ["warm Cancelled", "rate Finished", "warm Finished"]
    assert "Model: fake-model, preparing" in shown
    assert not window.worker.busy


def test_another_model_is_prepared_anew_and_the_one_before_let_go(open_window: Open, qtbot: QtBot) -> None:
    steps = Steps(1)
    made: list[FakeEngine] = []

    def load(_file: ModelFile, _settings: Settings, _cancel: CancelToken | None) -> FakeEngine:
        made.append(FakeEngine(gate=steps, name=f"model-{len(made)}"))
        return made[-1]

    window = open_window(load)
    qtbot.waitUntil(steps.waiting.is_set, timeout=LONG)
    window.models.choose("other.gguf")
    assert said(window) == "Model: other.gguf, loading…"
    steps.release()
    qtbot.waitUntil(lambda: said(window).startswith("Model: model-1, ready"), timeout=LONG)
    assert made[0].closed


def test_a_failure_is_left_to_the_verdict_that_meets_it(open_window: Open, qtbot: QtBot) -> None:
    steps = Steps(0)
    steps.failing = True
    window = open_window(loader(steps))
    qtbot.waitUntil(lambda: not window.worker.busy, timeout=LONG)
    assert window.models.state == "ready"
    assert "preparing" not in said(window)
    assert "ready" not in said(window)
    assert not window.notices.text
