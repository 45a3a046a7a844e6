"""``jokejudge evaluate``: the judge on rows that people judged, and how far it can be trusted."""

from __future__ import annotations

from argparse import Namespace
from contextlib import ExitStack
from pathlib import Path

from ..errors import JokeJudgeError, UsageError, info, restore
from ..evaluation.evaluation_types import Evaluation
from ..evaluation.items import items_csv
from ..evaluation.report_html import document, page
from ..events import Cancelled, Failed, Finished
from ..files import atomic_write
from ..history.writing import keep_foreign
from ..runs.answers import AnswersFile
from ..runs.evaluation import Evaluated, Measuring, Plan, RowsDone
from ..runs.evaluation import evaluate as run
from ..runs.pace import pace
from ..verdicts import ErrorInfo
from .batch import same_file
from .compare_command import compare_runs
from .context import Context
from .evaluate_text import show_evaluation
from .judge_commands import INTERRUPTED
from .running import Progress, interruptible

_STOPPED = ErrorInfo(code="E_INTERRUPTED", sentence="Stopped before all rows were judged.")


def evaluate(context: Context) -> int:
    """Judge the rows, measure, and print or write the report.

    Exit status 0 when all rows drawn have an answer or an error of their own; 1 when a fault stopped the run, 130 when
    interrupted: the report is then about what there is so far, and with ``--out`` the same command goes on from there.
    """
    args = context.args
    if args.compare is not None:
        return compare_runs(context)
    _check_arguments(context)
    plan = Plan.read(args.pairs or (), args.ratings or (), args.limit, args.seed, args.reference or ())
    for file in plan.files:
        if file.bad:
            count = len(file.bad)
            context.console.note(f"{file.name}: {count} row{'s' * (count > 1)} left out; {file.bad[0]}.")
    with ExitStack() as stack:
        answers = None
        if args.out is not None:
            answers = AnswersFile(Path(args.out))
            stack.callback(answers.close)
        found, last = _run(context, plan, answers)
    return _report(context, plan, found, last)


def _check_arguments(context: Context) -> None:
    args = context.args
    if not args.pairs and not args.ratings and not args.reference:
        raise UsageError(
            "E_USAGE",
            "evaluate needs a file that people judged, or one of readings.",
            "For instance: jokejudge evaluate --pairs pairs.csv --html report.html",
        )
    written = [Path(name) for name in (args.out, args.html, args.items) if name is not None]
    if "-" in map(str, written):
        raise UsageError(
            "E_USAGE", "--out, --html and --items need the names of files.", "The report itself goes to stdout."
        )
    sources = [Path(name) for name in _sources(args) if name != "-"]
    for place, path in enumerate(written):
        if any(same_file(path, other) for other in [*sources, *written[:place]]):
            raise UsageError("E_BATCH_SAME", f"{path} is named twice.", "Give each file a name of its own.")
    for option, name in (("--html", args.html), ("--items", args.items)):
        if name is not None and Path(name).is_dir():
            raise UsageError("E_USAGE", f"{name} is a folder.", f"Give {option} the name of a file.")
    if args.html is not None:
        keep_foreign(Path(args.html), document("JokeJudge:", ()).encode("utf-8"))
    if args.items is not None:
        keep_foreign(Path(args.items), next(iter(items_csv(()))))


def _sources(args: Namespace) -> list[str]:
    return [*(args.pairs or ()), *(args.ratings or ()), *(args.reference or ())]


def _run(context: Context, plan: Plan, answers: AnswersFile | None) -> tuple[Evaluation, Finished | Failed | Cancelled]:
    """Follow the run; returns what was measured and the last event."""
    progress = Progress(context.console)
    found: Evaluation | None = None
    with context.session() as session, interruptible() as cancel:
        if context.settings.mode != session.mode:
            context.console.note(
                f"Deep mode isn't part of this version yet, so this is measured in {session.mode} mode."
            )
        try:
            for event in run(session, plan, answers=lambda _session: answers, cancel=cancel):
                match event:
                    case RowsDone(done=done, total=total, seconds=seconds):
                        progress.line(pace(done, total, seconds), done, total, now=done == 0)
                    case Measuring():
                        progress.line("Learning the baselines from the files", None, None, now=True)
                    case Evaluated():
                        found = event.found
                    case Finished() | Failed() | Cancelled() if found is not None:
                        return found, event
                    case _:
                        progress.show(event)
        finally:
            progress.clear()
    raise RuntimeError("an evaluation ended without a report")


def _report(context: Context, plan: Plan, found: Evaluation, last: Finished | Failed | Cancelled) -> int:
    console, args = context.console, context.args
    error = last.error if isinstance(last, Failed) else _STOPPED if isinstance(last, Cancelled) else None
    try:
        if args.html is not None and found.judged:
            atomic_write(Path(args.html), page(found))
        if args.items is not None:
            atomic_write(Path(args.items), b"".join(items_csv(plan.items())))
    except JokeJudgeError as fault:
        error = error or info(fault)
    if console.json:
        console.object(found.model_dump(mode="json") | {"error": error.model_dump() if error else None})
    elif found.judged:
        show_evaluation(console, found)
    if error is not None:
        console.error(restore(error))
    if not isinstance(last, Finished) and args.out is not None:
        console.note("Run the same command again to go on from there.")
    if error is None:
        return 0
    return INTERRUPTED if isinstance(last, Cancelled) else 1
