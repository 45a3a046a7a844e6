"""What an evaluation found beside readings, for people to read in a terminal."""

from __future__ import annotations

from itertools import groupby

from ..evaluation.reference import Named, ReferenceItem, ReferenceReport
from ..evaluation.reference_words import LEARNED, SECTIONS, item_worth, named_words
from ..evaluation.validation import hundred, interval
from ..statistics import Fraction
from .console import Console, printable, shorten

_NAME = 22


def show_reference(console: Console, report: ReferenceReport) -> None:
    """One file of readings on stdout."""
    left = [f"{report.bad} lines that can't be used"] if report.bad else []
    left += [f"{report.errors} without an answer"] if report.errors else []
    name = printable(report.name, lines=False)
    told = "".join(f", {part}" for part in left)
    console.text(console.style.paint(f"{name}: {report.judged} of {report.rows} texts judged{told}", "bold"))
    if report.learned:
        console.paragraph(LEARNED.format(count=f"{report.learned:,}"), paint="amber")
    for title, part in (("Kinds", report.kinds), ("Faults", report.faults)):
        _named(console, title, part)
    console.text(f"  The likeliest kind is a reader's in {_share(report.first_kind)} of 100 jokes")
    console.text(f"  The words on which it turns are found in {_share(report.turn)} of 100 jokes")
    for section, items in groupby(report.items, key=lambda item: item.section):
        console.text("")
        console.text(console.style.paint(SECTIONS[section], "bold"))
        for item in items:
            console.text(_item(item))
    console.text("")


def _named(console: Console, title: str, part: Named) -> None:
    if part.precision.n or part.recall.n:
        console.paragraph(f"{title}: {named_words(part)}")


def _item(item: ReferenceItem) -> str:
    name = shorten(printable(item.id, lines=False), _NAME)
    parts = [f"  {name:<{_NAME}}  {item_worth(item):<20}  {item.n:>5} texts"]
    if item.precision is not None and item.recall is not None:
        parts.append(f"named {item.named:>4}  right {_share(item.precision)}  found {_share(item.recall)}")
    return "  ".join(parts)


def _share(share: Fraction) -> str:
    return f"{hundred(share)} ({interval(share)})" if share.share is not None else "-"
