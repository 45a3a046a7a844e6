"""Lines that verdicts of all kinds are shown with."""

from __future__ import annotations

import textwrap

from ..verdicts import ErrorInfo, PanelFindings, VerdictResult
from .console import Console, printable, shorten

_LABEL = 12
_LEAST_ROOM = 20


def probability(value: float) -> str:
    """0…1 with two decimals."""
    return f"{value:.2f}"


def heading(console: Console, text: str, *names: str) -> None:
    """What a verdict comes to."""
    console.text(console.style.paint(text, "bold", *names))


def label(console: Console, name: str, text: str) -> None:
    """One line with a name before it."""
    console.text(f"{console.style.paint(f'{name:<{_LABEL}}', 'dim')}{text}")


def labelled_items(console: Console, name: str, text: str) -> None:
    """A name and items, two spaces apart, as many to a line as it holds."""
    room = max(_LEAST_ROOM, console.width - _LABEL)
    line = ""
    for item in text.split("  "):
        if line and len(line) + 2 + len(item) > room:
            label(console, name, line)
            line, name = item, ""
        else:
            line = f"{line}  {item}" if line else item
    label(console, name, line)


def labelled_text(console: Console, name: str, text: str) -> None:
    """A name and sentences, wrapped beside it."""
    room = max(_LEAST_ROOM, console.width - _LABEL)
    for line in textwrap.wrap(printable(text, lines=False), room, break_long_words=False):
        label(console, name, line)
        name = ""


def warnings(console: Console, result: VerdictResult) -> None:
    """What must be known before the verdict is read."""
    for warning in result.warnings:
        console.paragraph(f"Note: {warning}", paint="amber")
    if result.warnings:
        console.text("")


def start_of(console: Console, text: str) -> str:
    """As much of a text as fits beside a label."""
    return shorten(printable(text, lines=False), max(_LEAST_ROOM, console.width - _LABEL)).rstrip()


def yours(console: Console, taste: str) -> None:
    """The user's own taste, where it is known."""
    if taste:
        label(console, "Yours", taste.removeprefix("Your taste: "))


def by_model(console: Console, panel: PanelFindings | None) -> None:
    """What each model of a panel said, and how they divide; nothing for a single judge."""
    if panel is None:
        return
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.panel_words import said_by, side_with, standing_of

    console.text("")
    heading(console, "By model")
    for member in panel.members:
        console.paragraph(f"{printable(member.model.name, lines=False)}: {said_by(member)}")
    for each in panel.dissent:
        console.paragraph(side_with(each))
    console.paragraph(f"Together: {standing_of(panel)}.", paint="dim")


def tail(console: Console, result: VerdictResult, *, explained: bool = False) -> None:
    """Explanation, what went wrong, and what it cost. ``explained``: the explanation has been shown."""
    if result.explanation and not explained:
        console.text("")
        console.paragraph(result.explanation)
    if result.error:
        console.text("")
        console.paragraph(f"It ended early: {_said(result.error)}")
    parts = [printable(result.model.name, lines=False)] if result.model else []
    if result.seconds:
        parts.append(f"{result.seconds:.1f} s")
    if result.usage.tokens_evaluated or result.usage.tokens_reused:
        parts.append(f"{result.usage.tokens_evaluated} tokens evaluated, {result.usage.tokens_reused} reused")
    parts.append(f"verdict {result.id}")
    console.text("")
    console.text(console.style.paint(" · ".join(parts), "dim"))


def _said(error: ErrorInfo) -> str:
    return f"{error.sentence} {error.hint}".strip()
