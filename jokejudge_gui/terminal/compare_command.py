"""``jokejudge evaluate --compare``: two saved runs on the same labelled rows; how a comparison is shown."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..evaluation.comparison import COMPARED, Comparison, Paired, PairedRank, RunRef, comparison_words, rank_words
from ..evaluation.comparison_html import comparison_page
from ..history.writing import write_export
from ..runs.compare import Labels, SavedRun, compare, compared_csv, drawn
from ..statistics import Correlation, Difference
from .console import Console, printable
from .context import Context


def compare_runs(context: Context) -> int:
    """Print how two runs compare, and write the report and the rows where they are wanted. No model is loaded. Exit
    status 0."""
    args, console = context.args, context.console
    if args.out is not None:
        raise UsageError(
            "E_USAGE", "--out doesn't go with --compare.", "Nothing is asked; --items writes the rows, --html a report."
        )
    first, second = (SavedRun.read(Path(name)) for name in args.compare)
    first = drawn(first, second, args.limit, args.seed)
    labels = Labels.read(args.pairs or (), args.ratings or (), args.reference or ())
    found = compare(first, second, labels)
    write_comparison(found, first, second, labels, html=args.html, items=args.items)
    if console.json:
        console.object(found.model_dump(mode="json") | {"error": None})
    else:
        show_comparison(console, found)
    return 0


def write_comparison(
    found: Comparison, first: SavedRun, second: SavedRun, labels: Labels, *, html: str | None, items: str | None
) -> None:
    """Write the report as one web page, and the rows as CSV. Raises ``UsageError`` for what is no file name, and
    ``SettingsError`` ``E_WRITE``."""
    for option, name in (("--html", html), ("--items", items)):
        if name is not None and (name == "-" or Path(name).is_dir() or Path(name) in (first.path, second.path)):
            raise UsageError("E_USAGE", f"{option} can't be {name}.", f"Give {option} the name of a file of its own.")
    if html is not None:
        write_export(Path(html), [comparison_page(found).encode("utf-8")])
    if items is not None:
        write_export(Path(items), compared_csv(first, second, labels))


def show_comparison(console: Console, found: Comparison) -> None:
    """A comparison for people to read."""
    for name, run in (("First", found.first), ("Second", found.second)):
        console.text(f"{console.style.paint(f'{name:<8}', 'dim')}{_run(run)}")
    for title, part in found.parts:
        _paired(console, title, part)
    if found.ratings is not None:
        _ranked(console, found.ratings)
    console.text("")
    console.paragraph(COMPARED, paint="dim")


def _run(run: RunRef) -> str:
    model = printable(run.model.name, lines=False) if run.model is not None else "no model"
    unused = f", {run.unused:,} of them not compared" if run.unused else ""
    return f"{printable(run.file, lines=False)}: {model} · {run.mode} · {run.answers:,} answers{unused}"


def _paired(console: Console, title: str, part: Paired) -> None:
    console.text("")
    console.text(console.style.paint(title, "bold"))
    console.paragraph(comparison_words(part))
    console.text(f"  better on a row: the first on {part.only_first:,}, the second on {part.only_second:,}")
    if part.difference is not None:
        console.text(f"  difference {_difference(part.difference, 100, 1)} of 100")


def _ranked(console: Console, part: PairedRank) -> None:
    console.text("")
    console.text(console.style.paint("People's ratings, rank correlation", "bold"))
    console.paragraph(rank_words(part))
    first, second = _correlation(part.first), _correlation(part.second)
    console.text(f"  first {first}   second {second}   {part.first.n:,} texts")
    if part.difference is not None:
        console.text(f"  difference {_difference(part.difference, 1, 2)}")


def _difference(found: Difference, times: int, digits: int) -> str:
    value, low, high = (f"{times * end:+.{digits}f}" for end in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})"


def _correlation(found: Correlation) -> str:
    if found.value is None:
        return "-"
    spread = f" ({found.low:+.2f} to {found.high:+.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:+.2f}{spread}"
