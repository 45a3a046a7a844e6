"""``jokejudge evaluate --compare``: two saved runs on the same labelled rows."""

from __future__ import annotations

from pathlib import Path

from ..errors import UsageError
from ..evaluation.comparison import Comparison, Paired, PairedRank, RunRef, comparison_words
from ..runs.compare import Labels, SavedRun, compare
from ..statistics import Correlation, Difference
from .console import Console, printable
from .context import Context

_CAUTION = (
    "Plus: the first does better. Intervals (95 %) are by bootstrap over rows, which takes rows as independent; where "
    "one text stands in many pairs they are wider in truth."
)


def compare_runs(context: Context) -> int:
    """Print how two runs compare. No model is loaded. Exit status 0."""
    args, console = context.args, context.console
    for name in ("html", "items", "out", "limit", "reference"):
        if getattr(args, name) is not None:
            raise UsageError(
                "E_USAGE", f"--{name} doesn't go with --compare.", "--compare reads two files that --out wrote."
            )
    first, second = (SavedRun.read(Path(name)) for name in args.compare)
    found = compare(first, second, Labels.read(args.pairs or (), args.ratings or ()))
    if console.json:
        console.object(found.model_dump(mode="json") | {"error": None})
    else:
        _show(console, found)
    return 0


def _show(console: Console, found: Comparison) -> None:
    for name, run in (("First", found.first), ("Second", found.second)):
        console.text(f"{console.style.paint(f'{name:<8}', 'dim')}{_run(run)}")
    for title, part in (("Pairs, people's winner", found.duels), ("Admission of humour", found.admission)):
        if part is not None:
            _paired(console, title, part)
    if found.ratings is not None:
        _ranked(console, found.ratings)
    console.text("")
    console.paragraph(_CAUTION, paint="dim")


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
