"""The events of a running job."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from enum import StrEnum
from functools import wraps
from typing import Any, ParamSpec, TypeAlias

from .errors import Cancelled as Stopped
from .errors import ErrorInfo, JokeJudgeError, info, restore
from .verdicts import Frozen, ModelRef, VerdictResult

P = ParamSpec("P")


class Stage(StrEnum):
    """Stages in their order; a duel has PAIR, ALONE, EXPLANATION, a contest READING, ROUNDS, DUELS. REASONING occurs
    only in deep mode. FITTING isn't part of a verdict."""

    LOADING = "loading"
    CALIBRATION = "calibration"
    FITTING = "fitting"
    READING = "reading"
    ADMISSIBILITY = "admissibility"
    CATEGORIES = "categories"
    FACTORS = "factors"
    SCORES = "scores"
    REASONING = "reasoning"
    PAIR = "pair"
    ALONE = "alone"
    ROUNDS = "rounds"
    DUELS = "duels"
    EXPLANATION = "explanation"


class Event(Frozen):
    """Base of all events that a running job yields."""


class Started(Event):
    """The job has its row in the history; first event of a verdict. ``kind``: the name of its kind; ``parent``: the id
    of the verdict that it belongs to."""

    id: str
    kind: str
    parent: str | None = None


class StageStarted(Event):
    stage: Stage
    total: int | None = None


class StageProgress(Event):
    """``done`` of ``total`` items; ``note`` names the current work."""

    stage: Stage
    done: int
    total: int | None = None
    note: str = ""


class Interim(Event):
    """An incomplete verdict: the numbers of a rating or a duel before its explanation; the ranking of a contest or the
    versions of a workshop, each time that more of them are known."""

    result: VerdictResult


class ModelReady(Event):
    """The engine is loaded."""

    model: ModelRef
    bytes: int
    note: str = ""


class Finished(Event):
    """``result``: of a verdict, in the class of its kind; None for other jobs."""

    result: VerdictResult | None = None


class Failed(Event):
    error: ErrorInfo
    result: VerdictResult | None = None


class Cancelled(Event):
    result: VerdictResult | None = None


class RowBegun(Event):
    """The row ``id`` of a long run is being judged. ``done`` of ``total``: rows judged so far of those that had no
    result at the start, in ``seconds``."""

    id: str | None = None
    done: int
    total: int
    seconds: float


Last: TypeAlias = Finished | Failed | Cancelled
"""The last event of a job."""


def last_of(
    events: Iterable[Event], shown: Callable[[Event], bool] = lambda _event: True
) -> Generator[Event, None, Last]:
    """Follow a job and return its last event; pass on those of the others for which ``shown`` is true."""
    for event in events:
        if isinstance(event, Finished | Failed | Cancelled):
            return event
        if shown(event):
            yield event
    raise RuntimeError("a job ended without a last event")


def last_event(steps: Callable[P, Iterator[Event]]) -> Callable[P, Iterator[Event]]:
    """Decorate a job whose steps end with its last event: an error that they raise becomes that event."""

    @wraps(steps)
    def run(*args: P.args, **options: P.kwargs) -> Iterator[Event]:
        try:
            yield from steps(*args, **options)
        except Stopped:
            yield Cancelled()
        except JokeJudgeError as error:
            yield Failed(error=info(error))

    return run


def result_of(events: Iterator[Event], on_progress: Callable[[int, int, str], object] | None = None) -> Any:
    """Run a job to its end and return its result. ``on_progress``: called with the amount done, the total (0: unknown)
    and the current step. Raises the job's error, and ``core.errors.Cancelled``."""
    last: Last | None = None
    with closing(events):  # type: ignore[type-var]
        for event in events:
            if isinstance(event, StageStarted) and on_progress is not None:
                on_progress(0, event.total or 0, event.stage.value)
            if isinstance(event, StageProgress) and on_progress is not None:
                on_progress(event.done, event.total or 0, event.note or event.stage.value)
            if isinstance(event, Finished | Failed | Cancelled):
                last = event
    if isinstance(last, Failed):
        raise restore(last.error)
    if not isinstance(last, Finished):
        raise Stopped()
    return last.result
