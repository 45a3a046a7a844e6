"""The run of a verdict of any kind: its row, its growing draft, its child verdicts, and its last event."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass
from functools import partial, wraps
from typing import Any, ParamSpec, Protocol, TypeVar

from ..core.errors import Cancelled as Stopped
from ..core.errors import JokeJudgeError, info, restore
from ..core.events import Cancelled, Event, Failed, Finished, Stage, StageProgress, Started, last_event, last_of
from ..core.logs import log, report_of
from ..core.verdict_kinds import Request
from ..core.verdicts import Earlier, ModelRef, Status, VerdictResult
from ..engine.base import CancelToken, EngineInfo
from ..heads.near_duplicates import LEAST_OWN, LONGEST, likeness_of, same_ending, signature
from ..history.store import HistoryStore
from ..judge.judged_kind import JudgedKind
from ..judge.kinds import KINDS
from ..judge.main_judge import MainJudge
from .judge_files import JudgeFiles

_LOG = log("session")

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=VerdictResult)
P = ParamSpec("P")
NO_DEEP = "Deep mode does no more than quick mode here."
"""The warning for a deep verdict of a kind that has no deep mode."""


class Judges(Protocol):
    """What gives verdicts: ``OneModel``, or an ``Ensemble`` of several."""

    @property
    def judge(self) -> MainJudge:
        """The judge of the one model. Raises ``UsageError`` ``E_PANEL_KIND`` for several."""
        ...

    def sign(self, draft: VerdictResult) -> None:
        """Write the versions of the model and its files into a draft."""

    def run(self, kind: JudgedKind[Q, R], draft: R, request: Q, work: Work) -> Iterator[Event | R]:
        """Fill the draft. Yields the same as ``JudgedKind.run``."""
        ...


Versions = dict[str, tuple[str, ...]]
"""The versions on which verdicts depend beside the model: of its heads, of the plan of questions, and of criteria and
prompts."""


def versions_of(judge: MainJudge) -> Versions:
    criteria = judge.criteria.version, judge.prompts.version
    return {"heads": (judge.reader.version,), "plan": (judge.plan.model_dump_json(),), "criteria": criteria}


class OneModel:
    """One loaded model. ``notes``: for the user, on the loaded files."""

    def __init__(self, judge: MainJudge, files: JudgeFiles) -> None:
        self.judge, self._files = judge, files

    @property
    def model(self) -> ModelRef:
        return self.judge.model

    @property
    def info(self) -> EngineInfo:
        return self.judge.engine.info

    @property
    def versions(self) -> Versions:
        return versions_of(self.judge)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.info.notes, *self._files.faults(self.model.sha256))

    def take_up_criteria(self) -> None:
        """Judge by the criteria that the ``JudgeFiles`` has read since. Raises ``CriteriaError``."""
        self.judge = self._files.judge(self.judge.engine)

    def sign(self, draft: VerdictResult) -> None:
        judge = self.judge
        draft.model = judge.model
        draft.prompt_version, draft.criteria_version = judge.prompts.version, judge.criteria.version
        draft.head_version, draft.build = judge.reader.version, judge.engine.info.build
        for fault in self._files.faults(judge.model.sha256):
            draft.warn(fault)

    def run(self, kind: JudgedKind[Q, R], draft: R, request: Q, work: Work) -> Iterator[Event | R]:
        judge = self.judge
        before = judge.usage
        with judge.under(work.cancel):
            for step in kind.run(draft, request, work):
                if isinstance(step, VerdictResult):
                    draft.usage = judge.usage - before
                elif isinstance(step, StageProgress) and step.stage is Stage.CALIBRATION:
                    before = judge.usage  # paid once per model, not by each verdict
                yield step

    def close(self) -> None:
        self.judge.engine.close()


Ready = Callable[[CancelToken | None], Generator[Event, None, Judges]]


@dataclass(frozen=True)
class Work:
    """The ``judged_kind.Work`` of one verdict; ``row``: its id in the history, None where it has no row."""

    recorder: Recorder
    judges: Judges
    row: str | None
    cancel: CancelToken | None

    @property
    def judge(self) -> MainJudge:
        return self.judges.judge

    def earlier(self, text: str) -> Earlier | None:
        return own_version(self.recorder.store(), text) if self.row is not None else None

    def child(self, kind: JudgedKind[Q, R], request: Q) -> Generator[Event, None, R]:
        give = self.recorder.give(kind, request, record=self.row is not None, parent=self.row, cancel=self.cancel)
        last = yield from last_of(give)
        if isinstance(last, Failed):
            raise restore(last.error)
        if isinstance(last, Cancelled):
            raise Stopped()
        assert isinstance(last.result, kind.result)
        return last.result


class Recorder:
    """Gives verdicts with the judge that ``ready`` loads, and keeps them in the ``store``, which is only opened if a
    verdict is to be kept."""

    def __init__(self, store: Callable[[], HistoryStore], ready: Ready) -> None:
        self.store = store
        self._ready = ready

    def give(
        self, kind: JudgedKind[Q, R], request: Q, *, record: bool, parent: str | None, cancel: CancelToken | None
    ) -> Iterator[Event]:
        """Yield the events of one verdict: exactly one last one, and by then its row has its status. ``record``:
        whether it has a row; ``parent``: the id of the parent verdict there."""
        draft = kind.empty(request, request.continues or new_id())
        if request.mode == "deep" and not kind.deep:
            draft.warn(NO_DEEP)
        row: HistoryStore | None = None

        def ended(status: Status) -> R:
            """End the row after a failure, whose own sentence matters more than an error of the history."""
            result = draft.freeze()
            try:
                if row is not None:
                    row.end(result.id, status, result)
            except JokeJudgeError as second:
                _LOG.warning("the history row could not be ended: %s", second.code)
            return result

        try:
            store = self.store() if record else None
            judges = yield from self._ready(cancel)
            judges.sign(draft)
            if store is not None:
                names = ("id", "mode", "model", "prompt_version", "criteria_version", "seed")
                given: dict[str, Any] = {name: getattr(draft, name) for name in names}
                begin = store.take_up if request.continues is not None else partial(store.begin, parent=parent)
                begin(kind=kind.name, subjects=kind.subjects(request), **given)
                row = store
            yield Started(id=draft.id, kind=kind.name, parent=parent)
            work = Work(self, judges, draft.id if record else None, cancel)
            for step in judges.run(kind, draft, request, work):
                if not isinstance(step, VerdictResult):
                    yield step
                elif row is not None:
                    row.save_partial(draft.id, draft.freeze())
            result = draft.freeze()
            if row is not None:
                row.end(result.id, Status.FINISHED, result)
                row = None
            _LOG.info("%s %s finished in %.2f s", kind.name, draft.id, result.usage.seconds)
            yield Finished(result=result)
        except Stopped:
            yield Cancelled(result=ended(Status.CANCELLED))
        except JokeJudgeError as error:
            draft.error = info(error)
            _LOG.warning("%s %s: %s", kind.name, draft.id, error.code)
            yield Failed(error=draft.error, result=ended(Status.FAILED))
        except (GeneratorExit, KeyboardInterrupt):
            ended(Status.CANCELLED)
            raise
        except Exception as fault:
            # A bug in the program: the caller shows it, and the row must not look as if it were still running.
            _LOG.error("%s %s: %s", kind.name, draft.id, report_of(fault))
            ended(Status.FAILED)
            raise


_SEARCHED, _LOOKED_AT = 8, 30
"""The number of words by which an earlier version is searched, the longest ones, and of verdicts that are compared."""


def own_version(store: HistoryStore, text: str) -> Earlier | None:
    """Return the stored text that this one is most probably another version of, a line of a list too."""
    mine, nearest = signature(text[:LONGEST]), None
    for row in store.sharing(sorted(mine.telling, key=lambda word: (-len(word), word))[:_SEARCHED], _LOOKED_AT):
        kind = KINDS.get(row.kind)
        lines = row.texts if kind is None or kind.fields else row.text_a.split("\n")[1:]  # a list, under its name
        for line in (line for line in dict.fromkeys(lines) if len(line) <= LONGEST and line != text):
            theirs = signature(line)
            near, least = likeness_of(mine, theirs), LEAST_OWN if nearest is None else nearest.likeness
            if near >= least and (nearest is None or near > least) and same_ending(mine, theirs):
                day = row.created.astimezone().date().isoformat()
                nearest = Earlier(id=row.id, day=day, text=line, likeness=round(near, 3))
    return nearest


def job(steps: Callable[P, Iterator[Event]]) -> Callable[P, Iterator[Event]]:
    """Decorate a method that yields events, but gives no verdict, to make a job of it, with its one last event."""

    @last_event
    @wraps(steps)
    def run(*args: P.args, **options: P.kwargs) -> Iterator[Event]:
        yield from steps(*args, **options)
        yield Finished()

    return run


def new_id() -> str:
    """Return a new verdict's id: 32 hex digits."""
    return uuid.uuid4().hex
