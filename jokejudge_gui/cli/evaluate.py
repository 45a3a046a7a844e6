"""``jokejudge evaluate``, which compares the judge with people's judgements of the same rows, and ``jokejudge audit``:
changes of a text that change its verdict though they shouldn't."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..batch.lines import RowsFile
from ..core.errors import JokeJudgeError, info
from ..core.events import Event, Finished, Stage
from ..core.files import atomic_write
from ..core.outputs import keep_foreign
from ..core.pages import as_html
from ..judge.audit.record import MOST_ASKED, AuditResult
from ..judge.audit.words import AUDIT
from ..measure.audit import SHIPPED, USUAL, own_cases, shipped_cases
from ..measure.audit import audit as run_audit
from ..measure.evaluating import Plan, ask
from ..measure.evaluation import judged
from ..measure.labelled import LabelledFile
from ..measure.words import evaluation_pages
from ..session.session import Session
from . import options
from .console import Console
from .context import Context, refuse, written
from .options import command, option
from .running import GO_ON, end, failure, judge, run_job, stopped


@command("evaluate", judges=True)
@options.labelled
@option("-n --limit N", "Judge at most N rows of each file, drawn at random.")
@option("--seed S", "The seed with which those rows are drawn (1).", type=options.count, default=1)
@options.html
@option("-o --out OUT.jsonl", "Keep every answer; run again to go on where it stopped.")
def evaluate(context: Context) -> int:
    """Judge the rows, measure, and print or write the report.

    Exit status 0 when all sampled rows have an answer or an error of their own; 1 when an error stopped the run, 130
    when interrupted: the report then covers the rows so far, and with ``--out`` the same command continues from there.
    """
    args, console = context.args, context.console
    example = "For instance: jokejudge evaluate --pairs pairs.csv --html report.html"
    refuse((not args.pairs and not args.ratings, "evaluate needs a file that people judged.", example))
    kept = written("out", args.out, *args.pairs, *args.ratings)
    html = report_file(args.html, *args.pairs, *args.ratings, kept)
    plan = Plan.read(args.pairs or (), args.ratings or (), args.limit, args.seed)
    for file in plan.files:
        note_bad_rows(console, file)
    out = None if kept is None else RowsFile(kept, "evaluate")
    last, model = run_job(context, lambda session, cancel: ask(session, plan, out=out, cancel=cancel))
    report = plan.measured(model, context.settings.mode, whole=isinstance(last, Finished))
    error = failure(last, stopped("Stopped before all rows were judged."))
    pages = tuple(evaluation_pages(report)) if judged(report) else ()
    try:
        if html is not None and pages:
            atomic_write(html, as_html(pages, "How far to trust this judge"))
    except JokeJudgeError as fault:
        error = error or info(fault)
    note = GO_ON if args.out is not None else ""
    return end(console, last, report, lambda: console.answer({}, "", *pages), error=error, note=note)


def report_file(name: str | None, *others: str | Path | None) -> Path | None:
    """Return the file of ``--html``, which isn't anybody else's."""
    path = written("html", name, *others)
    if path is not None:
        keep_foreign(path, as_html([], "JokeJudge").encode("utf-8"))
    return path


def note_bad_rows(console: Console, file: LabelledFile) -> None:
    """Print the number of rows of a file that can't be used, and the error of the first of them."""
    for note in file.notes:
        console.note(note)
    if file.bad:
        console.note(f"{file.name}: {len(file.bad)} row{'s' * (len(file.bad) > 1)} left out; {file.bad[0]}.")


@command("audit", judges=True)
@option("--pairs FILE", "Pairs that people judged, as for evaluate; without it, jokes that come with the program.")
@option("-n --limit N", "Audit on at most N pairs (200; of a file, all).")
@option("--asked N", "Pairs that the model itself is asked about, where it is asked (60).", default=MOST_ASKED)
@options.html
@options.ask
def audit(context: Context) -> int:
    """Audit the model. Exit status 0 when the audit is complete, 1 for a failure, 130 when it was stopped."""
    args = context.args
    html = report_file(args.html)
    if args.pairs is None:
        cases, source = shipped_cases(args.limit or USUAL), SHIPPED
    else:
        cases = own_cases(args.pairs, args.limit)
        source = "standard input" if args.pairs == "-" else Path(args.pairs).name

    def start(session: Session, **how: Any) -> Iterator[Event]:
        request = session.request(AUDIT, cases=cases, source=source, most_asked=args.asked)
        return run_audit(session, request, **how)

    def write(result: AuditResult) -> None:
        if html is not None:
            atomic_write(html, as_html([AUDIT.words(result)], "JokeJudge: audit"))

    return judge(
        context, "audit", start, usable=lambda result: result.voices, write=write,
        paced=(Stage.READING, Stage.DUELS, Stage.SCORES),
    )  # fmt: skip
