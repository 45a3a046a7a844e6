"""A leaderboard as a file of its own, or as a part of a ranking's: CSV, JSON lines, Markdown, self-contained HTML."""

from __future__ import annotations

import html
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

from ..core.errors import UsageError
from ..core.texts import escaped_json, without_controls, without_links
from ..history.database import CsvLines, write_export
from .leaderboard import GroupStanding, LengthControlled

BoardFormat = Literal["csv", "jsonl", "markdown", "html"]
_SUFFIXES: dict[str, BoardFormat] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}
_COLUMNS = (
    "rank", "rank_low", "rank_high", "name", "jokes", "win_rate", "low", "high", "strength", "strength_low",
    "strength_high", "controlled_win_rate", "controlled_low", "controlled_high", "same_family",
)  # fmt: skip
HEADS = ("Rank", "Group", "Jokes", "Wins in 100", "Wins at one length", "Strength", "")
KIN = "of the judge's own family"
_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #8884; }
"""


def board_format(path: Path) -> BoardFormat:
    """The format that a file's name stands for. Raises ``UsageError`` ``E_EXPORT_FORMAT``."""
    found = _SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise UsageError(
            "E_EXPORT_FORMAT",
            f"The name {path.name} doesn't say in which format to write.",
            "End it with .csv, .jsonl, .md or .html.",
        )
    return found


def export_leaderboard(board: Sequence[GroupStanding], title: str, path: Path) -> None:
    """Write a leaderboard, best first, under a ``title``. Raises ``UsageError`` ``E_EXPORT_FORMAT``, and what writing
    raises."""
    match board_format(path):
        case "csv":
            write_export(path, _csv(board))
        case "jsonl":
            write_export(path, _jsonl(board))
        case "markdown":
            write_export(path, _markdown_page(board, title))
        case "html":
            write_export(path, _html_page(board, title))


def cells_of(each: GroupStanding) -> tuple[str, ...]:
    """A group in words, in the order of ``HEADS``."""
    ranks = f"{each.rank}" if each.rank_low == each.rank_high else f"{each.rank} ({each.rank_low}–{each.rank_high})"
    return (
        ranks,
        each.name,
        f"{each.jokes:,}",
        _wins(each),
        _wins(each.length_controlled),
        f"{each.strength:+.2f} ({each.strength_low:+.2f} to {each.strength_high:+.2f})",
        KIN if each.same_family else "",
    )


def html_table(board: Sequence[GroupStanding]) -> str:
    """The table, everything escaped; empty where there are no groups."""
    if not board:
        return ""
    head = "".join(f"<th>{html.escape(name)}</th>" for name in HEADS)
    rows = "".join(
        "<tr>" + "".join(f'<td dir="auto">{_safe(cell)}</td>' for cell in cells_of(each)) + "</tr>\n" for each in board
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>\n{rows}</tbody></table>\n"


def markdown_table(board: Sequence[GroupStanding]) -> str:
    """The table, everything escaped; empty where there are no groups."""
    if not board:
        return ""
    lines = [f"| {' | '.join(HEADS)} |", "|" + "---|" * len(HEADS)]
    lines += [f"| {' | '.join(map(markdown_cell, cells_of(each)))} |" for each in board]
    return "\n".join(lines) + "\n"


def markdown_cell(text: str) -> str:
    """A text in a cell of a Markdown table."""
    told = without_controls(text).replace("\\", "\\\\")
    for sign in "|*_`[]<>#&$~":
        told = told.replace(sign, f"\\{sign}")
    return "<br>".join(without_links(told).split("\n"))


def _wins(found: GroupStanding | LengthControlled | None) -> str:
    return "" if found is None else f"{100 * found.win_rate:.0f} ({100 * found.low:.0f}–{100 * found.high:.0f})"


def _csv(board: Sequence[GroupStanding]) -> Iterator[bytes]:
    lines = CsvLines()
    yield lines.line(_COLUMNS)
    for each in board:
        alike = each.length_controlled
        values = each.model_dump() | {
            "controlled_win_rate": alike.win_rate if alike else None,
            "controlled_low": alike.low if alike else None,
            "controlled_high": alike.high if alike else None,
            "same_family": "yes" if each.same_family else "no",
        }
        yield lines.line(values[name] for name in _COLUMNS)


def _jsonl(board: Sequence[GroupStanding]) -> Iterator[bytes]:
    for each in board:
        yield _utf8(escaped_json(json.dumps(each.model_dump(), ensure_ascii=False, allow_nan=False)) + "\n")


def _markdown_page(board: Sequence[GroupStanding], title: str) -> Iterator[bytes]:
    yield _utf8(f"# {markdown_cell(title)}\n\n{markdown_table(board)}")


def _html_page(board: Sequence[GroupStanding], title: str) -> Iterator[bytes]:
    yield _utf8(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{_safe(title)}</title>\n'
        f"<style>{_STYLE}</style></head><body><main><h1>{_safe(title)}</h1>\n{html_table(board)}</main></body></html>\n"
    )


def _safe(text: str) -> str:
    return html.escape(without_controls(text))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
