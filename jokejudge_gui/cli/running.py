"""Running a job: its progress on one line, Ctrl-C, and its output at the end."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import TYPE_CHECKING, Any, TypeAlias

from ..core.errors import ErrorInfo, JokeJudgeError, UsageError, info, restore
from ..core.events import Cancelled, Event, Failed, Finished, RowBegun, Stage, StageProgress, StageStarted
from ..core.texts import pace
from .console import Console

if TYPE_CHECKING:
    from ..core.verdicts import ModelRef, VerdictResult
    from ..engine.base import CancelToken
    from ..history.store import HistoryStore
    from ..session.session import Session
    from .context import Context

INTERRUPTED = 130
GO_ON = "Run the same command again to go on from there."
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


class Progress:
    """Draws a job's events on the console's line. ``paced``: the stages that are long enough to show their speed."""

    def __init__(self, console: Console, paced: Collection[Stage] = ()) -> None:
        self._console, self._line, self._paced = console, console.line, paced
        self._line.began = time.monotonic()
        self._first: tuple[int, float] | None = None
        self._total: int | None = None

    def show(self, event: Event) -> None:
        """Draw an event's progress."""
        if isinstance(event, StageStarted) and event.stage is Stage.CALIBRATION:
            self._console.note(
                f"This model's habits are measured now, once, in {event.total or 'some hundred'} steps, so that they "
                "can be taken out of its answers: about a minute for a model of the embedded one's size, ten for one "
                "ten times as large. jokejudge models calibrate does it beforehand."
            )
        match event:
            case StageStarted(stage=stage, total=total):
                self._total, self._first = total, None
                self._line.show(_NAMES[stage], 0, total, now=True)
            case StageProgress(stage=stage, done=done, total=total, note=note):
                if total and (stage in self._paced or stage is Stage.CALIBRATION):
                    done_first, began = self._first = self._first or (done, time.monotonic())
                    note = f"{pace(done - done_first, total - done_first, time.monotonic() - began)}{note}"
                self._line.show(note or _NAMES[stage], done, total or self._total)
            case RowBegun(id=id, done=done, total=total, seconds=seconds):
                self._line.show(f"{pace(done, total, seconds)}{id or ''}", done, total, now=done == 0)


@contextmanager
def waiting(console: Console, what: str) -> Iterator[None]:
    """Say what is being done on a line of its own, as long as it takes."""
    console.line.began = time.monotonic()
    console.line.show(what, now=True)
    try:
        yield
    finally:
        console.line.clear()


def follow(
    events: Iterator[Event], console: Console, paced: Collection[Stage] = (), seen: list[Event] | None = None
) -> Last:
    """Run a job to its end, showing its progress, and return its last event; ``seen`` gets its other ones."""
    progress, last = Progress(console, paced), None
    try:
        for event in events:
            progress.show(event)
            if seen is not None and not isinstance(event, StageStarted | StageProgress):
                seen.append(event)
            last = event if isinstance(event, Finished | Failed | Cancelled) else last
    finally:
        console.line.clear()
    if last is None:
        raise RuntimeError("a job ended without a last event")
    return last


def run_job(
    context: Context, job: Callable[[Session, CancelToken], Iterator[Event]], seen: list[Event] | None = None
) -> tuple[Last, ModelRef | None]:
    """Run a job of a session to its end; return its last event, and the session's model at the end. See ``follow``."""
    with context.session() as session, interruptible() as cancel:
        return follow(job(session, cancel), context.console, seen=seen), session.model


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
    if console.json:
        console.object(fields | {"error": error.model_dump() if error is not None else None})
    elif show is not None:
        show()
    if error is None:
        return 0
    fault = restore(error)
    console.error(fault)
    if note and not isinstance(fault, UsageError):  # after which the same command can't go on
        console.note(note)
    return INTERRUPTED if isinstance(last, Cancelled) else fault.exit_status


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


# -- verdicts ----------------------------------------------------------------------------------------------------------


def judge(
    context: Context,
    name: str,
    ask: Callable[..., Iterator[Event]],
    texts: tuple[str, ...] = (),
    *,
    usable: Callable[[Any], object] | None = None,
    write: Callable[[Any], object] | None = None,
    note: str | Callable[[Any], str] = "",
    paced: Collection[Stage] = (),
    brief: bool = False,
) -> int:
    """Run a verdict of a kind that ``ask`` starts in a session, write its files, print it, and return the exit status.
    ``texts``: the texts of a verdict that has only an error; ``usable``: whether a result is worth printing, else it is
    once a stage is done; ``write``: called with a result before it is printed; ``note``: how to go on where it
    failed."""
    # Imported here: errors in arguments are told without loading the judges.
    from ..judge.kinds import KINDS

    console, kind = context.console, KINDS[name]
    with context.session() as session, interruptible() as cancel:
        last = follow(ask(session, record=not context.args.no_history, cancel=cancel), console, paced)
        result, error = last.result, failure(last)
        if result is None:
            return end(console, last, kind.unread(texts, error or STOPPED))
        shown = usable(result) if usable else isinstance(last, Finished) or result.stage_seconds
        taste = taste_line(context, lambda: session.store, result) if isinstance(last, Finished) else ""
    try:
        if write is not None and shown:
            write(result)
    except JokeJudgeError as fault:
        error = error or info(fault)
    show = (lambda: show_verdict(console, result, taste, brief=brief)) if shown else None
    note = note(result) if callable(note) else note
    return end(console, last, kind.contract(result), show, error=error, note=note)


def taste_line(context: Context, store: Callable[[], HistoryStore], result: VerdictResult | None) -> str:
    """Return the line on the user's own taste, if it is enabled and known; empty otherwise. Never an error: the verdict
    matters more. With ``--no-history`` the file of the votes isn't opened: it may not exist, or be locked."""
    unasked = context.console.json or context.args.no_history or not context.settings.use_taste
    if unasked or result is None or result.model is None:
        return ""
    from ..judge.kinds import kind_of
    from ..learning.taste import taste_of
    from ..learning.words import about

    try:
        line = about(kind_of(result).vote_score(result), taste_of(store(), result.model.sha256))
    except JokeJudgeError:
        return ""
    return "".join(line) if line else ""


def show_verdict(console: Console, result: VerdictResult, taste: str = "", *, brief: bool = False) -> None:
    """Print a verdict, whole or partial; ``taste``: the line on the user's own taste; ``brief``: without its texts."""
    from ..core.pages import Row
    from ..judge.kinds import kind_of

    page = kind_of(result).words(result)
    yours = (Row(taste.removeprefix("Your taste: "), "Yours"),) if taste else ()
    page = replace(page, rows=(*page.rows, *yours), texts=() if brief else page.texts)
    console.page(page, f"verdict {result.id}" if console.kept else "not kept")
