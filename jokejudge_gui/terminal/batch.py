"""``--batch``: every row of a CSV file, one JSON line each, resumable."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..engine.base import CancelToken
from ..errors import JokeJudgeError, UsageError, info, restore
from ..events import Cancelled, Event, Failed, Finished
from ..runs.pace import pace
from ..verdicts import ErrorInfo, Kind
from .batch_files import OutFile, Row, read_rows
from .context import Context
from .judge_commands import INTERRUPTED, contract, failed_object
from .running import Progress, follow, interruptible

if TYPE_CHECKING:
    from ..session import Session


@dataclass
class _Tally:
    rows: int
    skipped: int = 0
    judged: int = 0
    errors: int = 0

    @property
    def done(self) -> int:
        return self.judged + self.errors


def run_batch(context: Context, kind: Kind) -> int:
    """Judge the rows of ``--batch`` into ``--out``.

    Exit status 0 when every row has its line, an error line among them or not; 1 when a fault stopped the run (no
    model, disk full); 130 when interrupted. After 1 and 130 the same command goes on where it stopped.
    """
    args = context.args
    out = _checked_out(context, kind)
    rows = read_rows(args.batch, kind)
    ids = {row.id for row in rows if row.id is not None}
    file = OutFile(out, kind, retry_errors=args.retry_errors, ids=ids)
    try:
        todo = [row for row in rows if not file.has(row)]
        tally = _Tally(rows=len(rows), skipped=len(rows) - len(todo))
        stop = _run(context, kind, todo, file, tally) if todo else None
    finally:
        file.close()
    return _summary(context, out, tally, stop)


def _checked_out(context: Context, kind: Kind) -> Path:
    args = context.args
    if args.out is None or args.out == "-":
        raise UsageError(
            "E_USAGE",
            "--batch needs --out with the name of a file.",
            f"For instance: jokejudge {kind} --batch in.csv --out out.jsonl",
        )
    extra = ("texts", "file", "file_a", "file_b", "anyway") if kind == "duel" else ("texts", "file")
    if any(getattr(args, name, None) for name in extra):
        raise UsageError("E_USAGE", "--batch takes its jokes from the CSV file alone.", "Leave the other texts out.")
    out = Path(args.out)
    if args.batch != "-" and same_file(Path(args.batch), out):
        raise UsageError("E_BATCH_SAME", "--batch and --out are the same file.", "Give --out another name.")
    return out


def same_file(one: Path, other: Path) -> bool:
    """Whether two names lead to one file, which need not be there."""
    try:
        return one.samefile(other)
    except OSError:
        return one.absolute() == other.absolute()


def _run(context: Context, kind: Kind, todo: list[Row], file: OutFile, tally: _Tally) -> ErrorInfo | Cancelled | None:
    """Judge rows; returns what stopped the run before its end."""
    progress = Progress(context.console)
    record = not (context.args.no_history or context.settings.batch_no_history)
    with context.session() as session, interruptible() as cancel:
        loaded = follow(session.load(cancel=cancel), progress)
        if isinstance(loaded, Failed):
            return loaded.error
        if isinstance(loaded, Cancelled):
            return loaded
        began = time.monotonic()
        for row in todo:
            _show(progress, row, tally, len(todo), began)
            line, stop = _line(session, kind, row, context, record=record, cancel=cancel)
            if stop is not None:
                progress.clear()
                return stop
            assert line is not None
            file.append(line)
            if line["error"] is None:
                tally.judged += 1
            else:
                tally.errors += 1
        progress.clear()
    return None


def _line(
    session: Session, kind: Kind, row: Row, context: Context, *, record: bool, cancel: CancelToken
) -> tuple[dict[str, Any] | None, ErrorInfo | Cancelled | None]:
    """A row's line, or what stops the run."""
    if row.problem is not None:
        return failed_object(kind, row.texts, row.problem, id=row.id), None
    texts = [text or "" for text in row.texts]
    events: Iterator[Event] = (
        session.rate(texts[0], force=context.args.anyway, record=record, cancel=cancel)
        if kind == "rate"
        else session.duel(texts[0], texts[1], record=record, cancel=cancel)
    )
    try:
        last = _last(events)
    except JokeJudgeError as error:
        return None, info(error)
    if isinstance(last, Cancelled):
        return None, last
    if isinstance(last, Failed):
        if last.error.ends_the_run:
            return None, last.error
        known = contract(last.result) if last.result else failed_object(kind, row.texts, last.error)
        return known | {"id": row.id, "error": last.error.model_dump()}, None
    assert last.result is not None
    return contract(last.result) | {"id": row.id}, None


def _last(events: Iterator[Event]) -> Finished | Failed | Cancelled:
    last = None
    for event in events:
        if isinstance(event, Finished | Failed | Cancelled):
            last = event
    if last is None:
        raise RuntimeError("a job ended without a last event")
    return last


def _show(progress: Progress, row: Row, tally: _Tally, total: int, began: float) -> None:
    text = f"{pace(tally.done, total, time.monotonic() - began)}{row.id or ''}"
    progress.line(text, tally.done, total, now=tally.done == 0)


def _summary(context: Context, out: Path, tally: _Tally, stop: ErrorInfo | Cancelled | None) -> int:
    console = context.console
    interrupted = isinstance(stop, Cancelled)
    error = ErrorInfo(code="E_INTERRUPTED", sentence="Stopped.") if interrupted else stop
    if console.json:
        console.object(
            {
                "rows": tally.rows,
                "judged": tally.judged,
                "skipped": tally.skipped,
                "errors": tally.errors,
                "out": str(out),
                "error": error.model_dump() if isinstance(error, ErrorInfo) else None,
            }
        )
    if isinstance(stop, ErrorInfo):
        console.error(restore(stop))
    if tally.rows == 0:
        console.note("There are no rows to judge.")
    else:
        console.note(_sentence(out, tally))
    if stop is not None:
        console.note("Run the same command again to go on from there.")
    return 0 if stop is None else INTERRUPTED if interrupted else 1


def _sentence(out: Path, tally: _Tally) -> str:
    parts = [f"{tally.judged} judged"]
    if tally.errors:
        parts.append(f"{tally.errors} with an error (their lines say which)")
    if tally.skipped:
        parts.append(f"{tally.skipped} skipped, they were in {out} already")
    left = tally.rows - tally.skipped - tally.done
    if left:
        parts.append(f"{left} left")
    return f"{tally.rows} rows: {', '.join(parts)}."
