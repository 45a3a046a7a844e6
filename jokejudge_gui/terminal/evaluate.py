"""``jokejudge evaluate``: the judge on rows that people judged, and how far it can be trusted."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ..engine.base import CancelToken
from ..errors import JokeJudgeError, UsageError
from ..files import atomic_write
from ..judging.evaluation import draw, measure_pairs, measure_ratings
from ..judging.evaluation_types import Evaluation, PairAnswer, TextAnswer
from ..judging.report_html import page
from ..judging.validation import macro, validation
from ..models import (
    CHECKS,
    Cancelled,
    CheckDone,
    CheckResult,
    DuelResult,
    ErrorInfo,
    Event,
    Failed,
    Finished,
    ModelRef,
    RatingResult,
    Result,
    Stage,
    StageProgress,
)
from .batch import ENDS_THE_RUN, same_file
from .context import Context
from .evaluate_files import PairsFile, RatingsFile, RawFile, key_of, line_of, read_pairs, read_ratings
from .evaluate_text import show_evaluation
from .judge_commands import INTERRUPTED, as_error, as_info
from .running import Progress, follow, interruptible, pace

if TYPE_CHECKING:
    from ..session import Session

Asked = Literal["duel", "rate", "check"]
_STOPPED = ErrorInfo(code="E_INTERRUPTED", sentence="Stopped before all rows were judged.")


@dataclass(frozen=True)
class _Task:
    """One question to the judge; ``check``: only whether the text is admitted."""

    asked: Asked
    texts: tuple[str, ...]
    row: str | None

    @property
    def key(self) -> str:
        return key_of(self.asked, *self.texts)


@dataclass
class _Plan:
    """The rows drawn from each file, by place, and the answers so far, by key."""

    pairs: list[tuple[PairsFile, list[int]]] = field(default_factory=list)
    ratings: list[tuple[RatingsFile, list[int]]] = field(default_factory=list)
    known: dict[str, Result] = field(default_factory=dict)

    def tasks(self) -> Iterator[_Task]:
        """The questions in the order drawn, one from each file in turn, so that a run cut short has some of each."""
        columns: list[list[_Task]] = [[pair_task(file, place) for place in drawn] for file, drawn in self.pairs]
        columns += [[text_task(file, place) for place in drawn] for file, drawn in self.ratings]
        for turn in range(max(map(len, columns), default=0)):
            yield from (column[turn] for column in columns if turn < len(column))


def pair_task(file: PairsFile, place: int) -> _Task:
    row = file.rows[place]
    return _Task("duel", (row.text_a, row.text_b), file.ids[place])


def text_task(file: RatingsFile, place: int) -> _Task:
    row = file.rows[place]
    return _Task("check" if row.rating is None else "rate", (row.text,), file.ids[place])


def evaluate(context: Context) -> int:
    """Judge the rows, measure, and print or write the report.

    Exit status 0 when all rows drawn have an answer or an error of their own; 1 when a fault stopped the run, 130 when
    interrupted: the report is then about what there is so far, and with ``--out`` the same command goes on from there.
    """
    args = context.args
    _check_arguments(context)
    plan = _Plan()
    for file in [read_pairs(source) for source in args.pairs or ()]:
        plan.pairs.append((file, draw(len(file.rows), args.limit, args.seed)))
    for ratings in [read_ratings(source) for source in args.ratings or ()]:
        plan.ratings.append((ratings, draw(len(ratings.rows), args.limit, args.seed)))
    _tell_bad_rows(context, plan)
    with ExitStack() as stack:
        raw = None
        if args.out is not None:
            raw = RawFile(Path(args.out))
            stack.callback(raw.close)
            plan.known.update(raw.results)
        model, stop = _judge(context, plan, raw)
    return _report(context, plan, model, stop)


def _check_arguments(context: Context) -> None:
    args = context.args
    if not args.pairs and not args.ratings:
        raise UsageError(
            "E_USAGE",
            "evaluate needs a file that people judged.",
            "For instance: jokejudge evaluate --pairs pairs.csv --html report.html",
        )
    written = [Path(name) for name in (args.out, args.html) if name is not None]
    if "-" in map(str, written):
        raise UsageError("E_USAGE", "--out and --html need the names of files.", "The report itself goes to stdout.")
    sources = [Path(name) for name in [*(args.pairs or ()), *(args.ratings or ())] if name != "-"]
    for place, path in enumerate(written):
        if any(same_file(path, other) for other in [*sources, *written[:place]]):
            raise UsageError("E_BATCH_SAME", f"{path} is named twice.", "Give --out and --html names of their own.")
    if args.html is not None and Path(args.html).is_dir():
        raise UsageError("E_USAGE", f"{args.html} is a folder.", "Give --html the name of a file.")


def _tell_bad_rows(context: Context, plan: _Plan) -> None:
    found = [(file.name, file.bad) for file, _ in plan.pairs] + [(file.name, file.bad) for file, _ in plan.ratings]
    for name, bad in found:
        if bad:
            count = len(bad)
            context.console.note(f"{name}: {count} row{'s' * (count > 1)} left out; {bad[0]}.")


# -- asking the judge ------------------------------------------------------------------------------------------------


def _judge(context: Context, plan: _Plan, raw: RawFile | None) -> tuple[ModelRef | None, ErrorInfo | Cancelled | None]:
    """Ask what isn't known yet; returns the model and what stopped the run before its end."""
    progress = Progress(context.console)
    tasks = list({task.key: task for task in plan.tasks()}.values())
    with context.session() as session, interruptible() as cancel:
        loaded = follow(session.load(cancel=cancel), progress)
        if isinstance(loaded, Failed):
            return None, loaded.error
        if isinstance(loaded, Cancelled):
            return None, loaded
        if raw is not None:
            raw.check(session.model, context.settings.mode)
        todo = [task for task in tasks if task.key not in plan.known]
        began = time.monotonic()
        try:
            for done, task in enumerate(todo):
                progress.line(pace(done, len(todo), time.monotonic() - began), done, len(todo), now=done == 0)
                last = _ask(session, task, progress, cancel)
                if isinstance(last, Cancelled):
                    return session.model, last
                if isinstance(last, Failed) and last.error.code.startswith(ENDS_THE_RUN):
                    return session.model, last.error
                error = last.error if isinstance(last, Failed) else None
                result = (last.result or _empty(task)).model_copy(
                    update={"id": task.key, "error": error, "mode": context.settings.mode}
                )
                if raw is not None:
                    raw.append(line_of(task.key, task.row, result, error))
                plan.known[task.key] = result
        except JokeJudgeError as error:
            return session.model, as_info(error)
        finally:
            progress.clear()
        return session.model, None


def _empty(task: _Task) -> Result:
    if task.asked == "duel":
        return DuelResult(id=task.key, text_a=task.texts[0], text_b=task.texts[1])
    return RatingResult(id=task.key, text=task.texts[0])


def _ask(session: Session, task: _Task, progress: Progress, cancel: CancelToken) -> Finished | Failed | Cancelled:
    if task.asked == "duel":
        return _last(session.duel(*task.texts, explain=False, record=False, cancel=cancel), progress)
    events = session.rate(task.texts[0], explain=False, record=False, cancel=cancel)
    return _last(events, progress) if task.asked == "rate" else _admission(events, session, task, progress)


def _last(events: Iterator[Event], progress: Progress) -> Finished | Failed | Cancelled:
    for event in events:
        if isinstance(event, StageProgress) and event.stage is Stage.CALIBRATION:
            progress.show(event)
        if isinstance(event, Finished | Failed | Cancelled):
            return event
    raise RuntimeError("a job ended without a last event")


def _admission(
    events: Iterator[Event], session: Session, task: _Task, progress: Progress
) -> Finished | Failed | Cancelled:
    """Follow a rating as far as its five checks: scores that nothing is held against aren't worth their time."""
    checks: list[CheckResult] = []

    def until_checked() -> Iterator[Event]:
        for event in events:
            if isinstance(event, CheckDone):
                checks.append(event.check)
            yield event
            if len(checks) == len(CHECKS):
                admitted = all(check.passed for check in checks)
                known = RatingResult(
                    id=task.key,
                    text=task.texts[0],
                    admissible=admitted,
                    admissibility=tuple(checks),
                    model=session.model,
                    mode=session.settings.mode,
                )
                yield Finished(result=known)

    last = _last(until_checked(), progress)
    close = getattr(events, "close", None)
    if close is not None:
        close()
    return last


# -- measuring -------------------------------------------------------------------------------------------------------


def _report(context: Context, plan: _Plan, model: ModelRef | None, stop: ErrorInfo | Cancelled | None) -> int:
    console, args = context.console, context.args
    progress = Progress(console)
    progress.line("Learning the baselines from the files", None, None, now=True)
    found = _measured(context, plan, model, whole=stop is None)
    progress.clear()
    error = _STOPPED if isinstance(stop, Cancelled) else stop
    if args.html is not None and found.judged:
        try:
            atomic_write(Path(args.html), page(found))
        except JokeJudgeError as fault:
            error = error or as_info(fault)
    if console.json:
        console.object(found.model_dump(mode="json") | {"error": error.model_dump() if error else None})
    elif found.judged:
        show_evaluation(console, found)
    if error is not None:
        console.error(as_error(error))
    if stop is not None and args.out is not None:
        console.note("Run the same command again to go on from there.")
    if error is None:
        return 0
    return INTERRUPTED if isinstance(stop, Cancelled) else 1


def _measured(context: Context, plan: _Plan, model: ModelRef | None, *, whole: bool) -> Evaluation:
    args = context.args
    pairs, ratings = [], []
    for file, drawn in plan.pairs:
        duels: dict[int, PairAnswer] = {}
        failed = 0
        for place in drawn:
            result = plan.known.get(pair_task(file, place).key)
            answer = PairAnswer.of(result) if isinstance(result, DuelResult) and result.error is None else None
            if answer is not None:
                duels[place] = answer
            elif result is not None:
                failed += 1
        pairs.append(
            measure_pairs(file.name, file.rows, duels, ties=file.ties, bad=len(file.bad), errors=failed, seed=args.seed)
        )
    for table, drawn in plan.ratings:
        texts: dict[int, TextAnswer] = {}
        failed = 0
        for place in drawn:
            result = plan.known.get(text_task(table, place).key)
            if isinstance(result, RatingResult) and result.error is None:
                texts[place] = TextAnswer.of(result)
            elif result is not None:
                failed += 1
        ratings.append(
            measure_ratings(
                table.name, table.column, table.rows, texts, bad=len(table.bad), errors=failed, seed=args.seed
            )
        )
    return Evaluation(
        model=model,
        mode=context.settings.mode,
        seed=args.seed,
        limit=args.limit,
        whole=whole,
        pairs=tuple(pairs),
        ratings=tuple(ratings),
        macro=macro(pairs),
        validation=validation(pairs, ratings),
    )
