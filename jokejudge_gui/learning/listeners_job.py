"""Measuring which listeners a model tells apart, and keeping it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..engine.base import CancelToken
from ..events import Event
from ..judging.main_judge import MainJudge
from ..judging.plan.listeners import TEXTS, ListenerFiles
from .editor_data import read_readings


def measure_listeners(
    judge: MainJudge, readings: Path, files: ListenerFiles, cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Ask for every listener on sixty of the ``readings``, spread over all of them, and on the texts that listeners
    like. Raises what the engine, the readings and the files raise."""
    texts = read_readings(readings).texts
    step = max(1, len(texts) // TEXTS)
    found = yield from judge.listener_asker.measure(judge.model.sha256, texts[::step][:TEXTS], cancel)
    files.save(found)
