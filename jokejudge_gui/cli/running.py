"""Following a running job: its progress on one line, and Ctrl-C."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from ..core.events import Cancelled, Event, Failed, Finished, Stage, StageProgress, StageStarted, TextPiece
from ..engine.base import CancelToken
from .console import Console, printable, shorten, tell

_NAMES = {
    Stage.LOADING: "Loading the model",
    Stage.CALIBRATION: "Measuring the model's habits (once)",
    Stage.FITTING: "Learning",
    Stage.READING: "Reading the joke",
    Stage.ADMISSIBILITY: "Is it a joke?",
    Stage.CATEGORIES: "Categories",
    Stage.FACTORS: "Choosing factors",
    Stage.SCORES: "Scores",
    Stage.REASONING: "Reasoning on",
    Stage.PAIR: "Comparing in both orders",
    Stage.ALONE: "Each joke alone",
    Stage.ROUNDS: "Shuffled rounds",
    Stage.DUELS: "Duels",
    Stage.EXPLANATION: "Explanation",
}
_REDRAW_S = 0.1


class Progress:
    """One line on stderr that is written over; nothing where stderr isn't a terminal."""

    def __init__(self, console: Console) -> None:
        self._live = console.live
        self._style = console.notes_style
        self._began = time.monotonic()
        self._drawn = 0.0
        self._stage: Stage | None = None
        self._total: int | None = None
        self._pieces = 0

    def show(self, event: Event) -> None:
        """Draw what an event tells."""
        if isinstance(event, StageStarted):
            self._stage, self._total, self._pieces = event.stage, event.total, 0
            self.line(_NAMES[event.stage], 0 if event.total else None, event.total, now=True)
        elif isinstance(event, StageProgress):
            name = event.note or _NAMES[event.stage]
            self.line(name, event.done, event.total or self._total)
        elif isinstance(event, TextPiece):
            self._pieces += 1
            self.line(f"{_NAMES[Stage.EXPLANATION]}{'.' * (self._pieces // 8 % 4)}", None, None)

    def line(self, text: str, done: int | None, total: int | None, *, now: bool = False) -> None:
        """A line with a bar if ``done`` of ``total`` is known; drawn at most ten times a second."""
        moment = time.monotonic()
        if not self._live or (not now and moment - self._drawn < _REDRAW_S):
            return
        self._drawn = moment
        seconds = f"{moment - self._began:5.0f} s"
        bar = f"{self._style.bar(done / total, 20)} {done}/{total}  " if done is not None and total else ""
        columns = max(20, _columns() - 1)
        tell("\r\x1b[K" + shorten(f"{seconds}  {bar}{printable(text, lines=False)}", columns).rstrip())

    def clear(self) -> None:
        """Leave no trace."""
        if self._live and self._drawn:
            tell("\r\x1b[K")
            self._drawn = 0.0


def _columns() -> int:
    try:
        return os.get_terminal_size(sys.stderr.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def follow(events: Iterator[Event], progress: Progress) -> Finished | Failed | Cancelled:
    """Run a job to its end and return its last event."""
    last: Finished | Failed | Cancelled | None = None
    try:
        for event in events:
            progress.show(event)
            if isinstance(event, Finished | Failed | Cancelled):
                last = event
    finally:
        progress.clear()
    if last is None:
        raise RuntimeError("a job ended without a last event")
    return last


@contextmanager
def interruptible() -> Iterator[CancelToken]:
    """A token that Ctrl-C or SIGTERM sets. The second one ends the process as if nothing caught it: native code that
    hangs can't hold the terminal, and the history marks the verdict as interrupted at its next opening."""
    token = CancelToken()
    if threading.current_thread() is not threading.main_thread():
        yield token
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        token.cancel()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, signal.SIG_DFL)

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield token
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
