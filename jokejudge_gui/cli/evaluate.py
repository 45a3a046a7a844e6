"""``jokejudge evaluate``: the judge on rows that people judged, and how far it can be trusted."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import groupby
from pathlib import Path
from typing import Any

from ..core.errors import JokeJudgeError, UsageError, info
from ..core.events import Event, Finished
from ..core.files import atomic_write
from ..core.pages import document
from ..core.statistics import Bin, Correlation, Difference, Fraction
from ..engine.base import CancelToken
from ..history.database import keep_foreign, write_export
from ..measure.comparison import (
    COMPARED,
    Comparison,
    Labels,
    Paired,
    PairedRank,
    RunRef,
    SavedRun,
    compare,
    compared_csv,
    comparison_words,
    drawn,
    rank_words,
    read_labels,
)
from ..measure.evaluating import AnswersFile, Evaluated, Measuring, Plan, items_csv
from ..measure.evaluating import evaluate as run
from ..measure.evaluation import BeyondChance, Evaluation, PairsReport, RatingsReport, Validation
from ..measure.labelled import LabelledFile
from ..measure.reference import ReferenceItem, ReferenceReport
from ..measure.report.html import comparison_page, evaluation_page
from ..measure.validation import (
    CAUTION,
    LEARNED,
    REFERENCE_CAUTION,
    SECTIONS,
    hundred,
    in_words,
    interval,
    item_worth,
    named_words,
)
from ..session.session import Session
from .batch import same_file
from .console import Console, printable, shorten
from .context import Context, misuse
from .running import Last, end, failure, noting, put, run_job, stopped, under

_NAME = 22


def show_reference(console: Console, report: ReferenceReport) -> None:
    """One file of readings on stdout."""
    _judged(console, report, "texts", "lines")
    if report.learned:
        console.paragraph(LEARNED.format(count=f"{report.learned:,}"), paint="amber")
    for title, part in (("Kinds", report.kinds), ("Faults", report.faults)):
        if part.precision.n or part.recall.n:
            console.paragraph(f"{title}: {named_words(part)}")
    console.text(f"  The likeliest kind is a reader's in {_reference_share(report.first_kind)} of 100 jokes")
    console.text(f"  The words on which it turns are found in {_reference_share(report.turn)} of 100 jokes")
    for section, items in groupby(report.items, key=lambda item: item.section):
        console.section(SECTIONS[section])
        for item in items:
            console.text(_item(item))
    console.text("")


def _judged(console: Console, report: PairsReport | RatingsReport | ReferenceReport, what: str, bad: str) -> None:
    """How many rows of a file were judged, and why the others weren't."""
    left = [f"{report.ties} ties among people left out"] if isinstance(report, PairsReport) and report.ties else []
    left += [f"{report.bad} {bad} that can't be used"] if report.bad else []
    left += [f"{report.errors} without an answer"] if report.errors else []
    name = printable(report.name, lines=False)
    console.heading(", ".join((f"{name}: {report.judged} of {report.rows} {what} judged", *left)))


def _item(item: ReferenceItem) -> str:
    name = shorten(printable(item.id, lines=False), _NAME)
    parts = [f"  {name:<{_NAME}}  {item_worth(item):<20}  {item.n:>5} texts"]
    if item.precision is not None and item.recall is not None:
        parts.append(
            f"named {item.named:>4}  right {_reference_share(item.precision)}  found {_reference_share(item.recall)}"
        )
    return "  ".join(parts)


def _reference_share(share: Fraction) -> str:
    return f"{hundred(share)} ({interval(share)})" if share.share is not None else "-"


def show_evaluation(console: Console, found: Evaluation) -> None:
    """The whole report on stdout."""
    if not found.whole:
        console.paragraph("Not finished: this is about the rows judged so far.", paint="amber")
        console.text("")
    for pairs in found.pairs:
        if pairs.judged:
            _pairs(console, pairs)
    if found.macro is not None and found.macro.sets > 1:
        whole = found.macro
        console.heading(f"Mean of {whole.sets} files, each counted once")
        _label(console, "Agreement", f"judge {_cents(whole.agreement)}   longer {_cents(whole.length)}   "
               f"wording {_cents(whole.ngrams)}   chance 50 of 100")  # fmt: skip
        _label(console, "Calibration error", f"{whole.ece:.3f}   log-loss {whole.log_loss:.3f}")
        console.text("")
    for ratings in found.ratings:
        if ratings.judged:
            _ratings(console, ratings)
    for reference in found.reference:
        if reference.judged:
            show_reference(console, reference)
    if found.pairs or found.ratings:
        console.heading("Validation table")
        for row in found.validation:
            console.text(_validation(console, row))
        console.text("")
    if found.pairs or found.ratings:
        console.paragraph(CAUTION, paint="dim")
    if found.reference:
        console.paragraph(REFERENCE_CAUTION, paint="dim")
    model = printable(found.model.name, lines=False) if found.model else "no model"
    console.painted(f"{model} · {found.mode} · seed {found.seed}", "dim")


def _label(console: Console, name: str, text: str) -> None:
    console.text(f"  {console.style.paint(f'{name:<24}', 'dim')}{text}")


def _cents(value: float) -> str:
    return f"{100 * value:.0f}"


def _share(share: Fraction) -> str:
    return f"{hundred(share):>3} ({interval(share)})"


def _pairs(console: Console, report: PairsReport) -> None:
    _judged(console, report, "pairs", "rows")
    console.paragraph(in_words(report))
    console.text("")
    heads = f"{'judge':>15}{'longer':>15}{'wording':>15}{'chance':>8}{'pairs':>8}"
    console.painted(f"  {'of 100 pairs, right':<28}{heads}", "dim")
    for row in report.agreement:
        name = {"all": "all", "clear": "≥ 4 votes, ≥ 80 % agreed"}[row.margin]
        shares = "".join(f"{_share(share):>15}" for share in (row.judge, row.length, row.ngrams))
        console.text(f"  {name:<28}{shares}{'50':>8}{row.judge.n:>8}")
    console.text("")
    if report.parts:
        _label(console, "Its parts alone", "   ".join(f"{k} {_share(v).strip()}" for k, v in report.parts.items()))
    _beyond(console, ("Cohen's kappa", report.kappa), ("Krippendorff's alpha", report.alpha),
            ("Alpha among people", report.alpha_people))  # fmt: skip
    trust = report.trust
    if trust.ece is not None and trust.log_loss is not None:
        _label(console, "Calibration error", f"{trust.ece:.3f}   log-loss {trust.log_loss:.3f} (a coin: 0.693)")
    for band in trust.bands:
        _label(console, _band_name(band), f"says {_cents(band.stated)} of 100, right in {_share(band.found).strip()}, "
               f"{band.found.n} pair{'s' * (band.found.n != 1)}")  # fmt: skip
    _label(console, "The orders disagree", f"in {_share(report.flips).strip()} of 100")
    if report.position_bias is not None:
        _label(console, "Mean position bias", f"{report.position_bias:+.3f} in probability (plus: the first place)")
    pull = report.length
    _label(console, "Pull of length", f"judge {_correlation(pull.raw)}   controlled {_correlation(pull.controlled)}   "
           f"people {_correlation(pull.people)}")  # fmt: skip
    console.text("")


def _beyond(console: Console, *rows: tuple[str, BeyondChance | None]) -> None:
    for name, found in rows:
        if found is not None:
            _label(console, name, f"{_correlation(found)}, {found.n:,} rows")


def _band_name(band: Bin) -> str:
    low, high = band.low / (1 - band.low), band.high / (1 - band.high) if band.high < 1 else 0.0
    return f"Odds {low:.3g} to {high:.3g}" if high else f"Odds over {low:.3g}"


def _correlation(found: Correlation | BeyondChance) -> str:
    if found.value is None:
        return "-"
    spread = f" ({found.low:+.2f} to {found.high:+.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:+.2f}{spread}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"


def _ratings(console: Console, report: RatingsReport) -> None:
    _judged(console, report, "texts", "rows")
    if report.column is not None:
        for name, part in (("score", report.score), ("audience", report.audience)):
            if part is not None:
                _label(console, f"People and the {name}", f"Spearman {_correlation(part.spearman)}   Pearson "
                       f"{_correlation(part.pearson)}   mean error {_number(part.mae)} of the scale")  # fmt: skip
        _label(console, "People and length", f"Spearman {_correlation(report.length)}")
        _label(console, "People and wording", f"Spearman {_correlation(report.ngrams)}")
    _beyond(console, ("Kappa, funnier half", report.kappa_half), ("Kappa, admission", report.kappa_humor),
            ("Krippendorff's alpha", report.alpha))  # fmt: skip
    for name, share in (
        ("Humour rejected", report.admission.false_reject),
        ("No humour, accepted", report.admission.false_accept),
        ("Funnier half rejected", report.admission.funny_rejected),
    ):
        if share is not None:
            _label(console, name, f"{share.right:.0f} of {share.n}: {_share(share).strip()} of 100")
    console.text("")


def _validation(console: Console, row: Validation) -> str:
    outcome, colour = {True: ("pass", "green"), False: ("fail", "red"), None: ("not measured", "dim")}[row.passed]
    sign = "≥" if row.at_least else "≤"
    verdict = console.style.paint(outcome, colour)
    return f"  {row.measure:<36}{_number(row.value):>6}   {sign} {row.threshold:.2f}   {verdict}"


def compare_runs(context: Context) -> int:
    """Print how two runs compare, and write the report and the rows where they are wanted. No model is loaded. Exit
    status 0."""
    args, console = context.args, context.console
    if args.out is not None:
        raise misuse("--out doesn't go with --compare.", "Nothing is asked; --items writes the rows, --html a report.")
    first, second = (SavedRun.read(Path(name)) for name in args.compare)
    first = drawn(first, second, args.limit, args.seed)
    labels = read_labels(args.pairs or (), args.ratings or (), args.reference or ())
    found = compare(first, second, labels)
    write_comparison(found, first, second, labels, html=args.html, items=args.items)
    put(console, found.model_dump(mode="json"), None, lambda: show_comparison(console, found))
    return 0


def write_comparison(
    found: Comparison, first: SavedRun, second: SavedRun, labels: Labels, *, html: str | None, items: str | None
) -> None:
    """Write the report as one web page, and the rows as CSV. Raises ``UsageError`` for what is no file name, and
    ``SettingsError`` ``E_WRITE``."""
    for option, name in (("--html", html), ("--items", items)):
        if name is not None and (name == "-" or Path(name).is_dir() or Path(name) in (first.path, second.path)):
            raise misuse(f"{option} can't be {name}.", f"Give {option} the name of a file of its own.")
    if html is not None:
        write_export(Path(html), [comparison_page(found).encode("utf-8")])
    if items is not None:
        write_export(Path(items), compared_csv(first, second, labels))


def show_comparison(console: Console, found: Comparison) -> None:
    """A comparison for people to read."""
    for name, kept in (("First", found.first), ("Second", found.second)):
        console.text(f"{console.style.paint(f'{name:<8}', 'dim')}{_run_comparison(kept)}")
    for title, part in found.parts:
        _paired(console, title, part)
    if found.ratings is not None:
        _ranked(console, found.ratings)
    console.text("")
    console.paragraph(COMPARED, paint="dim")


def _run_comparison(run: RunRef) -> str:
    model = printable(run.model.name, lines=False) if run.model is not None else "no model"
    unused = f", {run.unused:,} of them not compared" if run.unused else ""
    return f"{printable(run.file, lines=False)}: {model} · {run.mode} · {run.answers:,} answers{unused}"


def _paired(console: Console, title: str, part: Paired) -> None:
    console.section(title)
    console.paragraph(comparison_words(part))
    console.text(f"  better on a row: the first on {part.only_first:,}, the second on {part.only_second:,}")
    if part.difference is not None:
        console.text(f"  difference {_difference(part.difference, 100, 1)} of 100")


def _ranked(console: Console, part: PairedRank) -> None:
    console.section("People's ratings, rank correlation")
    console.paragraph(rank_words(part))
    first, second = _correlation(part.first), _correlation(part.second)
    console.text(f"  first {first}   second {second}   {part.first.n:,} texts")
    if part.difference is not None:
        console.text(f"  difference {_difference(part.difference, 1, 2)}")


def _difference(found: Difference, times: int, digits: int) -> str:
    value, low, high = (f"{times * end:+.{digits}f}" for end in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


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
        note_bad_rows(context.console, file)
    with ExitStack() as stack:
        answers = None
        if args.out is not None:
            answers = AnswersFile(Path(args.out))
            stack.callback(answers.close)
        found, last = _run(context, plan, answers)
    return _report(context, plan, found, last)


def note_bad_rows(console: Console, file: LabelledFile[Any]) -> None:
    """Say how many rows of a file can't be used, and what is wrong with the first of them."""
    if file.bad:
        console.note(f"{file.name}: {len(file.bad)} row{'s' * (len(file.bad) > 1)} left out; {file.bad[0]}.")


def _check_arguments(context: Context) -> None:
    args = context.args
    if args.fail_under is not None and not args.pairs and not args.ratings:
        raise misuse("--fail-under is about what people judged.", "Give --pairs or --ratings.")
    if not args.pairs and not args.ratings and not args.reference:
        raise misuse(
            "evaluate needs a file that people judged, or one of readings.",
            "For instance: jokejudge evaluate --pairs pairs.csv --html report.html",
        )
    written = [Path(name) for name in (args.out, args.html, args.items) if name is not None]
    if "-" in map(str, written):
        raise misuse("--out, --html and --items need the names of files.", "The report itself goes to stdout.")
    given = [*(args.pairs or ()), *(args.ratings or ()), *(args.reference or ())]
    sources = [Path(name) for name in given if name != "-"]
    for place, path in enumerate(written):
        if any(same_file(path, other) for other in [*sources, *written[:place]]):
            raise UsageError("E_BATCH_SAME", f"{path} is named twice.", "Give each file a name of its own.")
    for option, name in (("--html", args.html), ("--items", args.items)):
        if name is not None and Path(name).is_dir():
            raise misuse(f"{name} is a folder.", f"Give {option} the name of a file.")
    if args.html is not None:
        keep_foreign(Path(args.html), document("JokeJudge:", ()).encode("utf-8"))
    if args.items is not None:
        keep_foreign(Path(args.items), next(iter(items_csv(()))))


def _run(context: Context, plan: Plan, answers: AnswersFile | None) -> tuple[Evaluation, Last]:
    """Follow the run; returns what was measured and the last event."""
    seen: list[Evaluated] = []

    def job(session: Session, cancel: CancelToken) -> Iterator[Event]:
        if context.settings.mode != session.mode:
            context.console.note(
                f"Deep mode isn't part of this version yet, so this is measured in {session.mode} mode."
            )
        return noting(run(session, plan, answers=lambda _session: answers, cancel=cancel), Evaluated, seen)

    def say(event: Event) -> str | None:
        return "Learning the baselines from the files" if isinstance(event, Measuring) else None

    last, _ = run_job(context, job, say)
    return seen[-1].found, last


def _report(context: Context, plan: Plan, found: Evaluation, last: Last) -> int:
    console, args = context.console, context.args
    error = failure(last, stopped("Stopped before all rows were judged.")) or under(args, _agreements(found))
    try:
        if args.html is not None and found.judged:
            atomic_write(Path(args.html), evaluation_page(found))
        if args.items is not None:
            atomic_write(Path(args.items), b"".join(items_csv(plan.items())))
    except JokeJudgeError as fault:
        error = error or info(fault)

    def show() -> None:
        if found.judged:
            show_evaluation(console, found)

    go_on = not isinstance(last, Finished) and args.out is not None
    note = "Run the same command again to go on from there." if go_on else ""
    return end(console, last, found.model_dump(mode="json"), show, error=error, note=note)


def _agreements(found: Evaluation) -> Iterator[tuple[str, float | None]]:
    """Of 100, how far each file's people and the judge agree."""
    for pairs in found.pairs:
        name = f"Agreement with people on {pairs.name}"
        yield name, next((100 * row.judge.share for row in pairs.agreement if row.judge.share is not None), None)
    for ratings in found.ratings:
        value = ratings.score.spearman.value if ratings.score is not None else None
        yield f"The rank correlation with {ratings.name}", None if value is None else 100 * value


COMMANDS: dict[str, Callable[[Context], int]] = {"evaluate": evaluate}
