"""Two runs held against each other, as one HTML file that needs nothing else."""

from __future__ import annotations

from html import escape

from ..statistics import Correlation, Difference
from .comparison import COMPARED, Comparison, PairedRank, RunRef, comparison_words, rank_words
from .report_html import document, table
from .validation import hundred, interval


def comparison_page(found: Comparison) -> str:
    """The comparison as a whole HTML document; every name in it is escaped."""
    runs = [_run("First", found.first), _run("Second", found.second)]
    body = ["<h1>Two judges on the same rows</h1>", table(["Run", "model", "file", "mode", "answers"], runs)]
    for name, part in found.parts:
        row = [
            [
                f"{hundred(part.first)} ({interval(part.first)})",
                f"{hundred(part.second)} ({interval(part.second)})",
                _difference(part.difference, 100, 1),
                f"{part.only_first:,}",
                f"{part.only_second:,}",
                f"{part.p:.2g}" if part.p is not None else "–",
                f"{part.first.n:,}",
            ]
        ]
        head = ["first, of 100", "second, of 100", "difference", "first better", "second better", "McNemar's p", "rows"]
        words = f'<p class="lead">{escape(comparison_words(part))}</p>'
        body.append(f"<section><h2>{escape(name)}</h2>{words}{table(head, row)}</section>")
    if found.ratings is not None:
        body.append(_ratings(found.ratings))
    body.append(f'<p class="small">{escape(COMPARED)}</p>')
    return document("JokeJudge: two judges compared", body)


def _run(name: str, run: RunRef) -> list[str]:
    model = run.model.name if run.model is not None else "no model"
    return [name, escape(model), escape(run.file), run.mode, f"{run.answers:,}"]


def _ratings(part: PairedRank) -> str:
    row = [
        [_correlation(part.first), _correlation(part.second), _difference(part.difference, 1, 2), f"{part.first.n:,}"]
    ]
    words = f'<p class="lead">{escape(rank_words(part))}</p>'
    return (
        "<section><h2>People's ratings, rank correlation</h2>"
        f"{words}{table(['first', 'second', 'difference', 'texts'], row)}</section>"
    )


def _correlation(found: Correlation) -> str:
    if found.value is None:
        return "–"
    spread = f" ({found.low:+.2f} to {found.high:+.2f})" if found.low is not None and found.high is not None else ""
    return f"{found.value:+.2f}{spread}".replace("-", "−")


def _difference(found: Difference | None, times: int, digits: int) -> str:
    if found is None:
        return "–"
    value, low, high = (f"{times * end:+.{digits}f}" for end in (found.value, found.low, found.high))
    return f"{value} ({low} to {high})".replace("-", "−")
