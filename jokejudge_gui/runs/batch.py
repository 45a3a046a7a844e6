"""Many rows judged one after another, a line in a file for each: a job like any other, for every door."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..engine.base import CancelToken
from ..errors import ErrorInfo, JokeJudgeError, info
from ..events import Cancelled, Event, Failed, Finished
from ..logs import log
from ..session import Session
from .batch_files import OutFile
from .batch_rows import Row
from .failed import contract, failed_object, kind_named
from .made import made_by

_LOG = log("runs")

Asker: TypeAlias = Callable[[Row], Iterator[Event]]


class RowBegun(Event):
    """The row ``id`` is being judged: ``done`` of the ``total`` rows without a line had theirs in ``seconds``."""

    id: str | None
    done: int
    total: int
    seconds: float


@dataclass
class Tally:
    """What became of the rows. ``skipped``: had a line already; ``errors``: have a line that says what went wrong."""

    rows: int
    skipped: int = 0
    judged: int = 0
    errors: int = 0

    @property
    def done(self) -> int:
        return self.judged + self.errors

    @property
    def left(self) -> int:
        return self.rows - self.skipped - self.done


def counted(rows: Iterable[Row], file: OutFile) -> Tally:
    """How many rows there are, and how many of them have a line."""
    tally = Tally(rows=0)
    for row in rows:
        tally.rows += 1
        tally.skipped += file.has(row)
    return tally


def batch(
    session: Session,
    kind: str,
    rows: Iterable[Row],
    file: OutFile,
    tally: Tally,
    *,
    ask: Asker | None = None,
    force: bool = False,
    listeners: tuple[str, ...] | None = None,
    record: bool = True,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """Judge the rows that have no line in ``file`` yet; ``tally``, as ``counted`` made it, is kept as it goes on.
    ``ask``: gives a row's verdict, where a row is more than the texts of its kind; ``listeners``: who else is asked of
    each joke, None as set.

    Yields the model's loading, ``RowBegun`` before each row, and one last event: ``Finished`` when every row has its
    line, an error of its own among them or not; ``Failed`` when what went wrong concerns every further row;
    ``Cancelled``. After the last two the same call goes on where this one stopped."""
    todo = tally.left
    _LOG.info("batch %s: %d rows, %d of them have a line", kind, tally.rows, tally.skipped)
    try:
        # A file that has every line may be another model's, so that is loaded to compare it, too.
        if (todo or tally.skipped) and session.model is None:
            last = None
            for event in session.load(cancel=cancel):
                last = event
                if not isinstance(event, Finished | Failed | Cancelled):
                    yield event
            if not isinstance(last, Finished):
                assert last is not None
                yield last
                return
        made = batch_made_by(session, kind, listeners) if todo or tally.skipped else {}
        # Where nothing is added, another build of the program changes nothing.
        file.check(made if todo else {name: value for name, value in made.items() if name != "build"})
        began = time.monotonic()
        for row in rows if todo else ():
            if file.has(row):
                continue
            yield RowBegun(id=row.id, done=tally.done, total=todo, seconds=time.monotonic() - began)
            given = ask(row) if ask is not None and row.problem is None else None
            found = judged_line(
                session, kind, row, given, force=force, listeners=listeners, record=record, cancel=cancel
            )
            if isinstance(found, Failed | Cancelled):
                yield found
                return
            file.append(found | {"made_by": made})
            if found["error"] is None:
                tally.judged += 1
            else:
                tally.errors += 1
    except JokeJudgeError as error:
        _LOG.warning("batch: %s after %d rows", error.code, tally.done)
        yield Failed(error=info(error))
        return
    yield Finished()


def batch_made_by(session: Session, kind: str, listeners: tuple[str, ...] | None) -> dict[str, str]:
    """What the lines of a batch depend on: the model and all that belongs to it, and who else is asked. Raises
    ``ModelError`` ``E_MODEL_MISSING``."""
    made = made_by(session)
    if "listeners" not in kind_named(kind).request.model_fields:
        return made
    wanted = tuple(session.settings.listeners) if listeners is None else listeners
    return {**made, "listeners": "; ".join(wanted) or "nobody"}


def judged_line(
    session: Session,
    kind: str,
    row: Row,
    given: Iterator[Event] | None,
    *,
    force: bool,
    listeners: tuple[str, ...] | None,
    record: bool,
    cancel: CancelToken | None,
) -> dict[str, Any] | Failed | Cancelled:
    """A row's line, or what stops the run. ``given``: the events of its verdict, if they aren't a text's."""
    if row.problem is not None:
        return unread_line(kind, row, row.problem)
    texts = [text or "" for text in row.texts]
    about = kind_named(kind)
    options: dict[str, Any] = {"forced": force} if "forced" in about.request.model_fields else {}
    if listeners is not None and "listeners" in about.request.model_fields:
        options["listeners"] = listeners
    if row.generator:
        options["generator"] = row.generator
    if row.context:
        options["context"] = row.context
    last = _last(given or session.ask(about, texts, record=record, cancel=cancel, **options))
    if isinstance(last, Cancelled):
        return last
    if isinstance(last, Failed):
        if last.error.ends_the_run:
            return Failed(error=last.error)
        return _failed_line(kind, row, last, last.error)
    assert last.result is not None
    return contract(last.result) | {"id": row.id} | _of_row(row)


def unread_line(kind: str, row: Row, error: ErrorInfo) -> dict[str, Any]:
    """The line of a row that wasn't judged."""
    return failed_object(kind, row.texts, error, id=row.id) | _of_row(row)


def _of_row(row: Row) -> dict[str, Any]:
    """What a line carries of its row beside the texts."""
    topic = {"context": row.context} if row.context else {}
    return topic | ({"columns": dict(row.columns)} if row.columns else {})


def _failed_line(kind: str, row: Row, last: Failed, error: ErrorInfo) -> dict[str, Any]:
    known = contract(last.result) if last.result else failed_object(kind, row.texts, error)
    return known | {"id": row.id, "error": error.model_dump()} | _of_row(row)


def _last(events: Iterator[Event]) -> Finished | Failed | Cancelled:
    last = None
    for event in events:
        if isinstance(event, Finished | Failed | Cancelled):
            last = event
    if last is None:
        raise RuntimeError("a job ended without a last event")
    return last
