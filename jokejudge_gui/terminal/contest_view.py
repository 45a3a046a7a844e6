"""A contest for people to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .console import Console, printable, shorten
from .verdict_lines import heading, tail, warnings

if TYPE_CHECKING:
    from ..judging.contest.types import ContestResult, RankedEntry
    from ..runs.leaderboard import GroupStanding, LengthControlled

_MOST_ROWS = 50
_LEAST_JOKE = 24
_COLUMNS = ("original", "on topic", "scored")


def show_contest(console: Console, result: ContestResult, taste: str) -> None:
    """The ranking as a table, best first, and what it is worth."""
    # Imported here: help and complaints about arguments come without the judges, and so at once.
    from ..judging.contest.words import by_place, name_of, ranked, sentence, summary

    del taste  # a contest isn't voted on
    warnings(console, result)
    heading(console, sentence(result))
    console.paragraph(name_of(result), paint="dim")
    console.text("")
    found = ranked(result)
    rows = [entry for entry in result.entries if entry.rank is None or entry.same_as is None]
    columns = [column for column in _COLUMNS if any(_cell(entry, column) for entry in rows)]
    of_100 = by_place(found)
    if found:
        names = "".join(f"{column}  " for column in columns)
        number = "in 100" if of_100 else " score"
        console.text(console.style.paint(f"rank  from–to  {number}  {names}joke", "dim"))
    for entry in rows[:_MOST_ROWS]:
        console.text(_row(console, entry, columns, of_100))
    if len(rows) > _MOST_ROWS:
        console.text(
            console.style.paint(f"… and {len(rows) - _MOST_ROWS:,} more; --export FILE writes them all", "dim")
        )
    told = summary(result)
    if told:
        console.text("")
        console.paragraph(" ".join(told))
    tail(console, result)


def show_leaderboard(console: Console, board: Sequence[GroupStanding]) -> None:
    """The groups of a list, best first."""
    console.text("")
    if not board:
        console.paragraph("There are fewer than two groups, so there is nothing to compare.")
        return
    controlled = any(each.length_controlled is not None for each in board)
    title = f"rank  from–to  wins in 100    {'at one length  ' if controlled else ''}  jokes  group"
    console.text(console.style.paint(title, "dim"))
    for each in board:
        between = f"{each.rank_low}–{each.rank_high}"
        alike = f"{_wins(each.length_controlled):<13}  " if controlled else ""
        name = printable(each.name, lines=False) + ("  (of the judge's own family)" if each.same_family else "")
        console.text(f"{each.rank:>4}  {between:>7}  {_wins(each):<13}  {alike}{each.jokes:>5}  {name}")
    if any(each.same_family for each in board):
        console.paragraph("A model may favour what one of its own family wrote: let a judge of another family rank it.")


def _wins(found: GroupStanding | LengthControlled | None) -> str:
    """How often a group's joke wins, in 100, with its interval."""
    return "" if found is None else f"{100 * found.win_rate:.0f} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def _cell(entry: RankedEntry, column: str) -> str:
    """What stands in a column that isn't always there; "" where nothing is known. Shares of 100, scores 1–10."""
    if column == "scored":
        return next((f"{each.mean:.1f}" for each in entry.rounds if each.scale == "humor"), "")
    value = entry.originality if column == "original" else entry.relevance
    return "" if value is None else str(round(100 * value))


def _row(console: Console, entry: RankedEntry, columns: Sequence[str], of_100: bool) -> str:
    from ..judging.contest.words import number_of, remarks

    rank = "–" if entry.rank is None else str(entry.rank)
    between = "" if entry.rank is None else f"{entry.rank_low}–{entry.rank_high}"
    number = number_of(entry, of_100=of_100)
    cells = "".join(f"{_cell(entry, column):>{len(column)}}  " for column in columns)
    head = f"{rank:>4}  {between:>7}  {number:>6}  {cells}"
    notes = "; ".join(remarks(entry))
    ends = f"  ({notes})" if notes else ""
    room = max(_LEAST_JOKE, console.width - len(head) - len(ends))
    return (
        head
        + shorten(printable(entry.text or "(empty)", lines=False), room).rstrip()
        + console.style.paint(ends, "dim")
    )
