"""Measuring which listeners a model tells apart, and keeping it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..engine.base import CancelToken
from ..events import Event
from ..judging.main_judge import MainJudge
from ..judging.plan.listeners import TEXTS, ListenerFiles
from ..judging.rating.listeners import who
from ..paths import models_dir
from .editor_data import read_readings


def measure_listeners(
    judge: MainJudge, files: ListenerFiles, wanted: Sequence[str] = (), cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Ask for listeners on sixty of the readings that ship, spread over all of them, and on the texts that listeners
    like. ``wanted``: names or descriptions; without any, all listeners that there are. Those that ship are measured
    together, and also where one of the user's own can't be judged without them. Raises what the engine, the readings
    and the files raise."""
    asker, sha256 = judge.listener_asker, judge.model.sha256
    readings = read_readings(models_dir() / "readings" / "readings.jsonl").texts
    texts = readings[:: max(1, len(readings) // TEXTS)][:TEXTS]
    asked = who(asker.audiences, wanted) if wanted else asker.audiences.listeners
    own = [each for each in asked if each.own]
    described = judge.listener_worths() is None and any(not each.likes for each in own)
    if not wanted or described or len(own) < len(asked):
        files.save((yield from asker.measure(sha256, texts, cancel)))
    if own:
        files.save_own(sha256, asker.version, (yield from asker.measure_own(texts, own, cancel)))
