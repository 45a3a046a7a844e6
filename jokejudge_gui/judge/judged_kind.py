"""A kind of verdict with the judge that gives it."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Callable, Generator, Iterator
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ..core.errors import ErrorInfo, JokeJudgeError, info
from ..core.events import Event, Interim, Stage, StageProgress, StageStarted
from ..core.verdict_kinds import Request, VerdictKind
from ..core.verdicts import Earlier, VerdictResult

if TYPE_CHECKING:
    from .main_judge import MainJudge

Q = TypeVar("Q", bound=Request)
R = TypeVar("R", bound=VerdictResult)
T = TypeVar("T")


class Work(Protocol):
    """The context of a running verdict: the judge of the loaded model, which has the token that stops it, and the
    verdicts that it is made of."""

    @property
    def judge(self) -> MainJudge: ...

    def earlier(self, text: str) -> Earlier | None:
        """Return the text of the user's own history that this one is another version of; None if there is none, and
        where no verdict is kept."""
        ...

    def child(self, kind: JudgedKind[Q, R], request: Q) -> Generator[Event, None, R]:
        """Run a verdict of its own that belongs to this one: yields all its events but the last, and returns its
        result. Raises the error that stopped it."""
        ...


class JudgedKind(VerdictKind[Q, R], Generic[Q, R]):
    def asked(self, _request: Q) -> dict[str, Any]:
        """Return the result's fields that a request holds under another name or in another form; the inverse of
        ``given``."""
        return {}

    @abstractmethod
    def run(self, draft: R, request: Q, work: Work) -> Iterator[Event | R]:
        """Fill the draft, which begins ``empty``. Yields events, and the draft after each result worth storing; at the
        end it is complete."""

    def empty(self, request: Q, id: str) -> R:
        names = (type(request).model_fields.keys() & self.result.model_fields.keys()) - request.not_repeated
        fields = {name: getattr(request, name) for name in names}
        return self.result.model_validate({"id": id, **fields, **self.asked(request)})


def own_error(fault: JokeJudgeError) -> ErrorInfo:
    """Return the error of one of several texts. Raises an error again if it would stop every other one too."""
    error = info(fault)
    if error.ends_the_run:
        raise fault
    return error


def part_by_part(draft: R, field: str, note: str, read: Callable[[Any], Any]) -> Iterator[Event | R]:
    """Read those parts of a verdict, in this field of it, that have no ``rating`` yet; a part that can't be read has
    its own ``error``. Yields events, and the draft first, so that a crash loses no part, and after each part."""

    def steps() -> Generator[Event | R, None, None]:
        for place, part in enumerate(parts):
            if part.rating is not None:
                continue
            yield StageProgress(stage=Stage.READING, done=place, total=len(parts), note=note)
            try:
                parts[place] = read(part)
            except JokeJudgeError as fault:
                parts[place] = part.replaced(error=own_error(fault))
            setattr(draft, field, tuple(parts))
            yield draft
            yield Interim(result=draft.freeze())

    parts = list(getattr(draft, field))
    yield draft
    yield from staged(draft, Stage.READING, steps(), total=len(parts))


def without_events(steps: Generator[object, None, T]) -> T:
    """Return the result of steps such as those of ``Work.child``, without their events."""
    while True:
        try:
            next(steps)
        except StopIteration as end:
            result: T = end.value
            return result


def staged(
    draft: R, stage: Stage, steps: Generator[Event | R, None, T] | Callable[[], T], *, total: int | None = None
) -> Generator[Event | R, None, T]:
    """Run a stage of a verdict: yields its start, the events of its ``steps`` (a function, where there are none), and
    the draft with the time taken. Returns what the steps return."""
    yield StageStarted(stage=stage, total=total)
    begin = time.perf_counter()
    result = steps() if callable(steps) else (yield from steps)
    draft.stage_seconds[stage.value] = time.perf_counter() - begin
    yield draft
    return result
