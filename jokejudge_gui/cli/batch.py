"""``--batch``: judges every row of a file, one JSON line each, resumable, with progress and a summary."""

from __future__ import annotations

from contextlib import ExitStack, closing
from functools import partial
from pathlib import Path
from typing import Any

from ..batch.batch import batch, own_table, write_table
from ..batch.cluster import cluster_batch, judge_row, local_workers
from ..batch.lines import Out, RowsFile, Shard, StandardOut, Tally, counted
from ..batch.rows import COLUMNS, Rows
from ..core.events import Finished
from ..core.verdicts import Kind
from ..engine.loader import physical_cores
from ..judge.rating.record import clean_listeners
from . import options
from .context import Context, refuse, written
from .running import GO_ON, Last, end, failure, follow, interruptible, stopped


def run_batch(context: Context, kind: Kind) -> int:
    """Judge the rows of ``--batch`` into ``--out``.

    Exit status 0 when every row has its line, an error line among them or not; 1 when an error stopped the run (no
    model, disk full), and with ``--fail-on-error`` where a line is an error; 130 when interrupted. After 1 and 130 the
    same command continues where it stopped.
    """
    args, console = context.args, context.console
    out = _checked_out(context, kind)
    # The run goes on with a file of lines: OUT itself, or one beside it if that is a table.
    table = out.suffix.lower() == ".csv"
    kept = out.with_name(f"{out.name}.jsonl") if table else out
    for name in () if args.out == "-" else (out, kept):
        written("out", str(name), args.batch)
    shard = Shard.parse(args.shard) if args.shard is not None else None
    if table:
        own_table(out)
    rows = Rows(args.batch, kind, shard, args.generator, args.context, choices=options.choices(args))
    for note in (*rows.notes, *options.first(rows.left_out)):
        console.note(note)
    file: Out = (
        StandardOut() if args.out == "-" else RowsFile(kept, kind, COLUMNS[kind], rows, retry_errors=args.retry_errors)
    )
    with closing(file):
        tally = counted(rows, file)
        compared = tally.skipped and args.cluster is None
        last = _run(context, kind, rows, file, tally) if tally.left or compared else Finished()
        earlier = (file.earlier(row) for row in rows if file.has(row)) if args.fail_on_error else ()
        failed = args.fail_on_error and (tally.errors > 0 or any(line["error"] is not None for line in earlier))
    if table:
        write_table(kept, out)
    console.note(tally_line(tally))
    error = failure(last, stopped("Stopped."))
    status = end(console, last, tally_object(tally, out), error=error, note=GO_ON if args.out != "-" else "")
    return status or int(failed)


def _checked_out(context: Context, kind: Kind) -> Path:
    args = context.args
    texts = any(getattr(args, name, None) for name in ("texts", "file", "picture"))
    example = f"For instance: jokejudge {kind} --batch in.csv --out out.jsonl"
    piped = args.out == "-" and (args.json or args.retry_errors)
    refuse(
        (args.out is None, "--batch needs --out with the name of a file, or - for standard output.", example),
        (piped, "--json and --retry-errors need --out with the name of a file.", example),
        (texts, "--batch takes its jokes from its file alone.", "Leave the other texts out."),
    )
    if args.cluster is not None:
        local_workers(args.cluster)
    return Path(args.out)


def _run(context: Context, kind: Kind, rows: Rows, file: Out, tally: Tally) -> Last:
    """Run the batch and return its last event."""
    args = context.args
    given = getattr(args, "listeners", None)
    asked: dict[str, Any] = {
        "forced": bool(getattr(args, "anyway", False)),
        "edits": bool(getattr(args, "edits", False)),
        "listeners": clean_listeners(given) if given else None,
    }
    with ExitStack() as stack:
        if args.cluster is not None:
            cancel = stack.enter_context(interruptible())
            job = _cluster_job(context, kind, asked)
            events = cluster_batch(args.cluster, job, kind, rows, file, tally, cancel)
        else:
            session = stack.enter_context(context.session())
            cancel = stack.enter_context(interruptible())
            events = batch(session, kind, rows, file, tally, options=asked, record=context.keeps_batches, cancel=cancel)
        return follow(events, context.console)


def _cluster_job(context: Context, kind: Kind, options: dict[str, Any]) -> partial[Any]:
    """Return the job of the workers of ``--cluster``; processes on this machine share its cores."""
    settings, count = context.settings, local_workers(context.args.cluster)
    if count and not settings.threads:
        settings = settings.for_this_call(threads=max(1, physical_cores() // count))
    own = context.profile if count or context.args.data_dir is not None else None
    return partial(judge_row, context.open_session, own, settings, kind, options)


def tally_object(tally: Tally, out: Path) -> dict[str, Any]:
    """Return the counts of a run's rows as a JSON object."""
    counts = {name: getattr(tally, name) for name in ("rows", "judged", "skipped", "errors")}
    return {**counts, "out": str(out)}


def tally_line(tally: Tally) -> str:
    """Return the counts of a run's rows in a sentence."""
    if not tally.rows:
        return "There are no rows to judge."
    if tally.errors == tally.rows == 1:
        return "1 row: it failed (its line says why)."
    if tally.errors == tally.rows:
        return f"{tally.rows} rows: none was judged, every row failed (their lines say why)."
    parts = (
        (tally.errors, "with an error (their lines say which)"),
        (tally.skipped, "skipped, they had their line already"),
        (tally.left, "left"),
    )
    more = "".join(f", {count} {what}" for count, what in parts if count)
    return f"{tally.rows} row{'s' * (tally.rows != 1)}: {tally.judged} judged{more}."
