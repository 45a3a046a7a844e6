"""Running a job: its progress on one line, Ctrl-C, and its output at the end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import contextmanager
from types import FrameType, SimpleNamespace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import ErrorInfo, restore
from ..core.events import Cancelled, Event, Failed, Finished, RowBegun, Stage, StageProgress, StageStarted, TextPiece
from ..core.texts import pace
from .console import Console

if TYPE_CHECKING:
    from ..core.verdicts import ModelRef
    from ..engine.base import CancelToken
    from ..session.session import Session
    from .context import Context

INTERRUPTED = 130
Last: TypeAlias = Finished | Failed | Cancelled


def stopped(sentence: str, hint: str = "") -> ErrorInfo:
    """Return the error of a job that was interrupted without a result, or with part of it."""
    return ErrorInfo(code="E_INTERRUPTED", sentence=sentence, hint=hint)


STOPPED = stopped("Stopped before the verdict was whole.")

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
_TOLD_S = 60.0


class Progress:
    """One line on stderr that is overwritten; nothing if stderr isn't a terminal. ``paced``: the stages that are long
    enough to show their speed."""

    def __init__(self, console: Console, paced: Collection[Stage] = ()) -> None:
        self._paced = paced
        self._first: tuple[int, float] | None = None
        self._live, self._note, self._line = console.live, console.note, console.line
        self._told = -_TOLD_S
        self._began = time.monotonic()
        self._total: int | None = None
        self._pieces = 0

    def show(self, event: Event) -> None:
        """Draw an event's progress."""
        if isinstance(event, StageStarted | StageProgress) and event.stage is Stage.CALIBRATION:
            self._measuring(event)
        match event:
            case StageStarted(stage=stage, total=total):
                self._total, self._pieces, self._first = total, 0, None
                self.line(_NAMES[stage], 0 if total else None, total, now=True)
            case StageProgress(stage=stage, done=done, total=total, note=note):
                if total and (stage in self._paced or stage is Stage.CALIBRATION):
                    done_first, began = self._first = self._first or (done, time.monotonic())
                    note = f"{pace(done - done_first, total - done_first, time.monotonic() - began)}{note}"
                self.line(note or _NAMES[stage], done, total or self._total)
            case RowBegun(id=id, done=done, total=total, seconds=seconds):
                self.line(f"{pace(done, total, seconds)}{id or ''}", done, total, now=done == 0)
            case TextPiece():
                self._pieces += 1
                self.line(f"{_NAMES[Stage.EXPLANATION]}{'.' * (self._pieces // 8 % 4)}", None, None)

    def _measuring(self, event: StageStarted | StageProgress) -> None:
        """Say what the first use of a model measures; where no line can be overwritten, say every minute how far it
        is."""
        moment = time.monotonic()
        done = event.done if isinstance(event, StageProgress) else 0
        if self._told < 0:
            self._note(
                f"This model's habits are measured now, once, in {event.total or 'some hundred'} steps, so that they "
                "can be taken out of its answers: about a minute for a model of the embedded one's size, ten for one "
                "ten times as large. jokejudge models calibrate does it beforehand."
            )
        elif not self._live and done and moment - self._told >= _TOLD_S:
            self._note(f"{_NAMES[Stage.CALIBRATION]}: {done} of {event.total}")
        else:
            return
        self._told = moment

    def line(self, text: str, done: int | None, total: int | None, *, now: bool = False) -> None:
        """Draw a line, with a bar if ``done`` of ``total`` is known."""
        self._line.show(text, done, total, began=self._began, now=now)

    def clear(self) -> None:
        """Remove the line."""
        self._line.clear()


@contextmanager
def waiting(console: Console, what: str) -> Iterator[None]:
    """Say what is being done on a line of its own, as long as it takes."""
    progress = Progress(console)
    progress.line(what, None, None, now=True)
    try:
        yield
    finally:
        progress.clear()


def follow(events: Iterator[Event], progress: Progress) -> Last:
    """Run a job to its end, showing its progress, and return its last event."""
    last: Last | None = None
    try:
        for event in events:
            progress.show(event)
            last = event if isinstance(event, Finished | Failed | Cancelled) else last
    finally:
        progress.clear()
    if last is None:
        raise RuntimeError("a job ended without a last event")
    return last


def run_job(context: Context, job: Callable[[Session, CancelToken], Iterator[Event]]) -> tuple[Last, ModelRef | None]:
    """Run a job of a session to its end; return its last event, and the session's model at the end."""
    with context.session() as session, interruptible() as cancel:
        return follow(job(session, cancel), Progress(context.console)), session.model


def noting(events: Iterator[Event], kinds: tuple[type[Event], ...], seen: list[Any]) -> Iterator[Event]:
    """Yield the events; those of some ``kinds`` are also added to ``seen``."""
    for event in events:
        if isinstance(event, kinds):
            seen.append(event)
        yield event


def failure(last: Last, stop: ErrorInfo = STOPPED) -> ErrorInfo | None:
    """Return a job's error; ``stop``: the error of an interrupted one."""
    return last.error if isinstance(last, Failed) else stop if isinstance(last, Cancelled) else None


def end(
    console: Console,
    last: Last,
    fields: dict[str, Any],
    show: Callable[[], object] | None = None,
    *,
    error: ErrorInfo | None = None,
    note: str = "",
) -> int:
    """Print a job's result, ``fields`` as JSON or through ``show``, and its error (``error``; None: its last event's)
    with ``note``, how to continue; return the exit status."""
    error = error or failure(last)
    put(console, fields, error, show)
    return fail(console, last, error, note)


def under(args: SimpleNamespace, measured: Iterable[tuple[str, float | None]]) -> ErrorInfo | None:
    """Return the error of ``--fail-under`` for the ``measured`` values, each with a name and as a percentage, None if
    it couldn't be measured; None if all reach the limit, or the option wasn't given. Without any value it fails,
    too."""
    least: float | None = args.fail_under
    if least is None:
        return None
    values = [(value, name) for name, value in measured if value is not None]
    if not values:
        sentence = f"Nothing was measured that could be compared with --fail-under {least:g}."
        return ErrorInfo(code="E_FAIL_UNDER", sentence=sentence, hint="Look at the report for what is missing.")
    value, name = min(values)
    if value >= least:
        return None
    sentence = f"{name} is {value:.1f} of 100, which is under the {least:g} of --fail-under."
    return ErrorInfo(code="E_FAIL_UNDER", sentence=sentence, hint="The report says what it is made of.")


def put(
    console: Console, fields: dict[str, Any], error: ErrorInfo | None, show: Callable[[], object] | None = None
) -> None:
    """Print ``fields`` with the error as JSON, or call ``show``."""
    if console.json:
        console.object(fields | {"error": error.model_dump() if error is not None else None})
    elif show is not None:
        show()


def fail(console: Console, last: Last, error: ErrorInfo | None, note: str = "") -> int:
    """Print the error, if there is one, and ``note``, how to continue; return the exit status."""
    if error is None:
        return 0
    console.error(restore(error))
    if note:
        console.note(note)
    return INTERRUPTED if isinstance(last, Cancelled) else 1


@contextmanager
def interruptible() -> Iterator[CancelToken]:
    """Yield a token that Ctrl-C or SIGTERM sets. The second one ends the process without cleaning up: native code that
    hangs can't block the terminal, and the history marks the verdict as interrupted at its next opening."""
    from ..engine.base import CancelToken  # with NumPy, which nothing needs that runs no job

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
