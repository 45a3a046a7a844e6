"""``jokejudge evaluate``: compares the judge with people's judgements of the same rows."""

from __future__ import annotations

from pathlib import Path

from ..core.errors import JokeJudgeError, info
from ..core.events import Finished
from ..core.files import atomic_write
from ..core.outputs import keep_foreign, write_export
from ..core.pages import as_html
from ..measure.evaluating import AnswersFile, Plan, ask, read_run
from ..measure.evaluation import Answer, Report, compare, judged
from ..measure.labelled import LabelledFile
from ..measure.words import comparison_pages, evaluation_pages
from . import options
from .console import Console
from .context import Context, refuse, written
from .options import command, option
from .running import GO_ON, end, failure, run_job, stopped


@command("evaluate", judges=True)
@options.labelled
@option("-n --limit N", "Judge at most N rows of each file, drawn at random.")
@option("--seed S", "The seed with which those rows are drawn (1).", type=options.count, default=1)
@options.html
@option("-o --out OUT.jsonl", "Keep every answer; run again to go on where it stopped.")
@option("--compare RUN1.jsonl RUN2.jsonl", "Compare two files that --out wrote, row by row; asks nothing.", nargs=2)
def evaluate(context: Context) -> int:
    """Judge the rows, measure, and print or write the report.

    Exit status 0 when all sampled rows have an answer or an error of their own; 1 when an error stopped the run, 130
    when interrupted: the report then covers the rows so far, and with ``--out`` the same command continues from there.
    """
    args, console = context.args, context.console
    if args.compare is not None:
        return _compare(context)
    example = "For instance: jokejudge evaluate --pairs pairs.csv --html report.html"
    refuse((not args.pairs and not args.ratings, "evaluate needs a file that people judged.", example))
    kept = written("out", args.out, *args.pairs, *args.ratings)
    html = report_file(args.html, *args.pairs, *args.ratings, kept)
    plan = Plan.read(args.pairs or (), args.ratings or (), args.limit, args.seed)
    for file in plan.files:
        note_bad_rows(console, file)
    out = None if kept is None else AnswersFile(kept)
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


def _compare(context: Context) -> int:
    """Print the comparison of two runs. No model is loaded. Exit status 0."""
    args = context.args
    refuse((args.out is not None, "--out doesn't go with --compare.", "Nothing is asked; --html writes a report."))
    paths = [Path(name) for name in args.compare]
    first, second = map(read_run, paths)
    described = {"first": _described(paths[0], first), "second": _described(paths[1], second)}
    comparison = described | compare(first, second, args.limit, args.seed)
    pages = tuple(comparison_pages(comparison))
    if (html := written("html", args.html, *paths)) is not None:
        write_export(html, [as_html(pages, "JokeJudge: two judges").encode("utf-8")])
    return context.console.answer(comparison, "", *pages)


def _described(path: Path, answers: dict[str, Answer]) -> Report:
    last = list(answers.values())[-1]
    return {"file": path.name, **{name: last[name] for name in ("model", "mode", "program")}, "answers": len(answers)}


def note_bad_rows(console: Console, file: LabelledFile) -> None:
    """Print the number of rows of a file that can't be used, and the error of the first of them."""
    for note in file.notes:
        console.note(note)
    if file.bad:
        console.note(f"{file.name}: {len(file.bad)} row{'s' * (len(file.bad) > 1)} left out; {file.bad[0]}.")
