"""How a verdict of any kind runs: its row, its growing draft, the verdicts that it is made of, and its last event."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from .engine.base import CancelToken
from .errors import Cancelled as Stopped
from .errors import JokeJudgeError, info, restore
from .events import Cancelled, Event, Failed, Finished, Stage, StageFinished, Started
from .history.store import HistoryStore
from .history.verdict_row import VerdictRow
from .judging.judged_kind import JudgedKind
from .judging.main_judge import MainJudge
from .logs import log, where
from .verdict_kinds import Draft, Request
from .verdicts import Status, VerdictResult

_LOG = log("session")

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=VerdictResult)
D = TypeVar("D", bound=Draft[Any])
Ready = Callable[[CancelToken | None], Generator[Event, None, MainJudge]]
Cautions = Callable[[], tuple[str, ...]]

NO_DEEP = "Deep mode does no more than quick mode here."
"""Said, rather than silently judged quickly."""


@dataclass(frozen=True)
class Place:
    """Whether a verdict has a row in the history, and under which other one."""

    record: bool
    parent: str | None = None


@dataclass(frozen=True)
class _Work:
    """``Work`` of one verdict; ``place``: where its children belong."""

    giver: Giver
    judge: MainJudge
    place: Place
    cancel: CancelToken | None

    def child(self, kind: JudgedKind[Q, R, D], request: Q) -> Generator[Event, None, R]:
        return self.giver.part(kind, request, self.place, self.cancel)


class Giver:
    """Gives verdicts with the judge that ``ready`` has, and keeps them in the ``store``, which is only asked for where
    a verdict is to be kept. ``cautions``: what has to be said beside every verdict."""

    def __init__(
        self, store: Callable[[], HistoryStore], ready: Ready, cautions: Callable[[], tuple[str, ...]]
    ) -> None:
        self._store = store
        self._ready = ready
        self._cautions = cautions

    def give(self, kind: JudgedKind[Q, R, D], request: Q, place: Place, cancel: CancelToken | None) -> Iterator[Event]:
        """The events of one verdict; the last one ends the job."""
        draft = kind.draft(request, request.continues or new_id())
        draft.mode = request.mode
        if request.mode == "deep" and not kind.deep:
            draft.warn(NO_DEEP)

        def steps(row: VerdictRow) -> Iterator[Event]:
            judge = yield from self._ready(cancel)
            _made_by(draft, judge)
            for warning in self._cautions():
                draft.warn(warning)
            subjects = kind.subjects(request)
            if request.continues is None:
                row.begin(kind.name, subjects, draft.freeze(), place.parent)
            else:
                row.take_up(kind.name, subjects, draft.freeze())
            yield Started(id=draft.id, kind=kind.name, parent=place.parent)
            before = judge.engine.usage
            work = _Work(self, judge, Place(place.record, draft.id if place.record else None), cancel)
            for step in kind.run(draft, request, work):
                if isinstance(step, Draft):
                    draft.usage = judge.engine.usage - before
                    row.save(draft.freeze())
                    continue
                if isinstance(step, StageFinished) and step.stage is Stage.CALIBRATION:
                    before = judge.engine.usage  # paid once per model, not by this verdict
                yield step

        yield from written(kind.name, draft, self._store if place.record else None, steps)

    def part(
        self, kind: JudgedKind[Q, R, D], request: Q, place: Place, cancel: CancelToken | None
    ) -> Generator[Event, None, R]:
        """A verdict that another one is made of. See ``Work.child``."""
        for event in self.give(kind, request, place, cancel):
            if isinstance(event, Finished):
                assert isinstance(event.result, kind.result)
                return event.result
            if isinstance(event, Failed):
                raise restore(event.error)
            if isinstance(event, Cancelled):
                raise Stopped()
            yield event
        raise AssertionError("a verdict ended without a last event")


def written(
    kind: str,
    draft: Draft[Any],
    store: Callable[[], HistoryStore] | None,
    steps: Callable[[VerdictRow], Iterator[Event]],
) -> Iterator[Event]:
    """The events of a verdict whose ``steps`` begin its row and fill its ``draft``, and its one last event; however it
    ends, the row says so. ``store``: None where it is to leave no row."""
    row = VerdictRow(None)
    try:
        row = VerdictRow(store() if store is not None else None)
        yield from steps(row)
        result = draft.freeze()
        row.end(Status.FINISHED, result)
        _LOG.info("%s %s finished in %.2f s", kind, draft.id, result.usage.seconds)
        yield Finished(result=result)
    except Stopped:
        result = draft.freeze()
        row.end_quietly(Status.CANCELLED, result)
        yield Cancelled(result=result)
    except JokeJudgeError as error:
        draft.error = info(error)
        _LOG.warning("%s %s: %s", kind, draft.id, error.code)
        result = draft.freeze()
        row.end_quietly(Status.FAILED, result, draft.error)
        yield Failed(error=draft.error, result=result)
    except (GeneratorExit, KeyboardInterrupt):
        row.end_quietly(Status.CANCELLED, draft.freeze())
        raise
    except Exception as fault:
        _LOG.error("%s %s: %s", kind, draft.id, where(fault))
        # A fault of the program: the door shows it, and the row must not look as if it were still running.
        row.end_quietly(Status.FAILED, draft.freeze())
        raise


def ended(steps: Iterator[Event]) -> Iterator[Event]:
    """The events of a job that gives no verdict, and its one last event."""
    try:
        yield from steps
    except Stopped:
        yield Cancelled()
    except JokeJudgeError as error:
        yield Failed(error=info(error))
    else:
        yield Finished()


def new_id() -> str:
    """A new verdict's id: 32 hex digits."""
    return uuid.uuid4().hex


def _made_by(draft: Draft[Any], judge: MainJudge) -> None:
    """Say in a draft what its verdict is made with."""
    draft.model = judge.model
    draft.prompt_version, draft.criteria_version = judge.prompts.version, judge.criteria.version
    draft.head_version = judge.reader.version
