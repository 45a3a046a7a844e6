"""Rankings and leaderboards as files: text, CSV, JSON lines, Markdown, self-contained HTML, and pairs to train on
(DPO)."""

from __future__ import annotations

import html
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal

from ..core.errors import UsageError
from ..core.outputs import CsvLines, write_export
from ..core.pages import (
    Markup,
    Part,
    Table,
    document,
    markdown_cell,
    markdown_table,
    paragraph,
    part_html,
    part_markdown,
    table,
)
from ..core.texts import json_line, without_controls
from ..judge.contest.types import ContestResult, RankedEntry
from ..judge.contest.words import by_place, name_of, number_of, ranked, remarks, summary
from .leaderboard import LengthControlled, RankedGroup, leaderboard

Format = Literal["text", "csv", "jsonl", "markdown", "html", "dpo"]
_SUFFIXES: dict[str, Format] = {
    ".txt": "text", ".csv": "csv", ".jsonl": "jsonl", ".md": "markdown", ".markdown": "markdown", ".html": "html",
    ".htm": "html",
}  # fmt: skip
_COLUMNS = (
    "rank", "rank_low", "rank_high", "text", "percentile", "percentile_low", "percentile_high", "score", "low", "high",
    "p_top", "group", "duels", "mark", "starred", "remarks", "id", "tags", "version_of", "originality", "relevance",
    "rounds_humor", "rounds_humor_sd", "rounds_relevance", "rounds_relevance_sd", "rounds_originality",
    "rounds_originality_sd", "note",
)  # fmt: skip
_MOST_PAIRS = 100_000
_BOARD_COLUMNS = (
    "rank", "rank_low", "rank_high", "name", "jokes", "win_rate", "low", "high", "strength", "strength_low",
    "strength_high", "controlled_win_rate", "controlled_low", "controlled_high", "same_family",
)  # fmt: skip
HEADS = ("Group", "Rank", "Jokes", "Wins in 100", "Wins at one length", "Strength", "")
KIN = "of the judge's own family"
_FAVOUR = "A model may favour what one of its own family wrote: let a judge of another family rank it."


def format_of(path: Path) -> Format:
    """Return the format of a ranking's file name. Raises ``UsageError`` ``E_EXPORT_FORMAT``."""
    if path.name.lower().endswith(".dpo.jsonl"):
        return "dpo"
    return _by_suffix(path, "End it with .txt, .csv, .ranking.jsonl, .dpo.jsonl, .md or .html.")


def board_format(path: Path) -> Format:
    """Return the format of a leaderboard's file name. Raises ``UsageError`` ``E_EXPORT_FORMAT``."""
    return _by_suffix(path, "End it with .csv, .jsonl, .md or .html.", but_for=".txt")


def _by_suffix(path: Path, hint: str, but_for: str = "") -> Format:
    suffix = path.suffix.lower()
    if suffix not in _SUFFIXES or suffix == but_for:
        raise UsageError("E_EXPORT_FORMAT", f"The name {path.name} doesn't say in which format to write.", hint)
    return _SUFFIXES[suffix]


def export_contest(
    result: ContestResult,
    path: Path,
    format: Format | None = None,
    *,
    kept_only: bool = False,
    by: str | None = None,
    replace: bool = False,
) -> int:
    """Write a ranking, best first, and return the number of its jokes (or pairs). ``kept_only``: only those marked to
    be kept; ``by``: a column of the list, whose leaderboard is added to HTML and Markdown; ``replace``: any file may be
    replaced. Raises ``UsageError`` ``E_EXPORT_FORMAT``, what ``leaderboard`` raises, and what writing raises."""
    format = format or format_of(path)
    if format == "dpo":
        pairs = preference_pairs(result)
        write_export(path, _json_lines(pairs), replace=replace)
        return len(pairs)
    entries = [entry for entry in ranked(result) if not kept_only or entry.mark == "keep"]
    board = leaderboard(result, by) if by is not None else ()
    match format:
        case "text":
            pieces = _text(entries)
        case "csv":
            pieces = _csv(_COLUMNS, map(_values, entries))
        case "jsonl":
            pieces = _json_lines(entry.model_dump(exclude={"reading"}) for entry in entries)
        case "markdown":
            pieces = _markdown(result, entries, board)
        case "html":
            pieces = _html(result, entries, board)
    write_export(path, pieces, replace=replace)
    return len(entries)


def export_leaderboard(board: Sequence[RankedGroup], title: str, path: Path) -> None:
    """Write a leaderboard, best first, under a ``title``. Raises ``UsageError`` ``E_EXPORT_FORMAT``, and what writing
    raises."""
    part = board_part(board, title)
    match board_format(path):
        case "csv":
            pieces = _csv(_BOARD_COLUMNS, map(_board_values, board))
        case "jsonl":
            pieces = _json_lines(each.model_dump() for each in board)
        case "markdown":
            (grid,) = part.tables
            lines = f"# {markdown_cell(title)}", "", *markdown_table(grid.head, grid.rows), ""
            pieces = iter((_utf8("\n".join(lines)),))
        case _:
            pieces = iter((_page(title, part_html(part)),))
    write_export(path, pieces)


def preference_pairs(result: ContestResult) -> list[dict[str, str]]:
    """Return pairs to train on, ``chosen`` before ``rejected``: where the user marked jokes, every kept one with every
    binned one; otherwise jokes of different groups. Versions of one joke make pairs, too, where a duel distinguished
    them (a probability of at least 0.75)."""
    entries = ranked(result)
    kept = [entry for entry in entries if entry.mark == "keep"]
    binned = [entry for entry in entries if entry.mark == "bin"]
    if kept and binned:
        pairs = [(one, other) for one in kept for other in binned]
    else:
        pairs = [(one, other) for one in entries for other in entries if (one.group or 0) < (other.group or 0)]
        texts = {entry.id: entry for entry in entries}
        known = {(one.id, other.id) for one, other in pairs}
        for duel in result.held:
            if max(duel.p_a, 1 - duel.p_a) >= 0.75:
                winner, loser = (duel.a, duel.b) if duel.p_a > 0.5 else (duel.b, duel.a)
                if not {(winner, loser), (loser, winner)} & known and winner in texts and loser in texts:
                    pairs.append((texts[winner], texts[loser]))
    return [
        {"prompt": result.context, "chosen": one.text, "rejected": other.text} for one, other in pairs[:_MOST_PAIRS]
    ]


def _text(entries: list[RankedEntry]) -> Iterator[bytes]:
    several = any("\n" in entry.text for entry in entries)
    for entry in entries:
        yield _utf8(without_controls(entry.text) + ("\n\n" if several else "\n"))


def _csv(columns: Sequence[str], rows: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    lines = CsvLines()
    yield lines.line(columns)
    for row in rows:
        yield lines.line(row.get(name) for name in columns)


def _values(entry: RankedEntry) -> dict[str, Any]:
    values = entry.model_dump() | {
        "remarks": "; ".join(remarks(entry)),
        "starred": "yes" if entry.starred else "no",
        "tags": ", ".join(entry.tags),
    }
    for each in entry.rounds:
        values |= {f"rounds_{each.scale}": each.mean, f"rounds_{each.scale}_sd": each.sd}
    return values


def _board_values(each: RankedGroup) -> dict[str, Any]:
    alike = each.length_controlled.model_dump() if each.length_controlled else {}
    controlled = {f"controlled_{name}": value for name, value in alike.items()}
    return each.model_dump() | controlled | {"same_family": "yes" if each.same_family else "no"}


def _json_lines(values: Iterable[dict[str, Any]]) -> Iterator[bytes]:
    for value in values:
        yield json_line(value)


def _markdown(result: ContestResult, entries: list[RankedEntry], board: Sequence[RankedGroup]) -> Iterator[bytes]:
    of_100 = by_place(result.entries)
    rows = (
        (_ranks(entry), number_of(entry, of_100=of_100), entry.text, "; ".join(remarks(entry))) for entry in entries
    )
    lines = markdown_table(("rank", "of 100" if of_100 else "score", "joke", ""), rows)
    yield _utf8(f"# {markdown_cell(name_of(result))}\n\n" + "\n".join(lines) + "\n")
    yield _utf8("".join(f"\n{markdown_cell(line)}" for line in summary(result)) + "\n")
    if board:
        yield _utf8("\n" + "\n".join(part_markdown(board_part(board))))


def _page(title: str, *parts: str) -> bytes:
    heading = f"<h1>{html.escape(without_controls(title))}</h1>"
    return _utf8(document(title, (heading, *parts)))


def _html(result: ContestResult, entries: list[RankedEntry], board: Sequence[RankedGroup]) -> Iterator[bytes]:
    of_100 = by_place(result.entries)
    head = ("Joke", "Rank", "Funnier than … in 100" if of_100 else "Score", "")
    rows = (
        (
            Markup(f'<div class="text" dir="auto">{html.escape(without_controls(entry.text))}</div>'),
            _ranks(entry),
            Markup(html.escape(number_of(entry, of_100=of_100)) + (_bar(entry) if of_100 else "")),
            Markup(f'<div class="text">{html.escape(without_controls("; ".join(remarks(entry))))}</div>'),
        )
        for entry in entries
    )
    said = map(paragraph, summary(result))
    yield _page(name_of(result), table(head, rows), *said, part_html(board_part(board)) if board else "")


def _bar(entry: RankedEntry) -> str:
    """Return the place among 100 with its interval, drawn as HTML."""
    if entry.percentile is None:
        return ""
    low, high = entry.percentile_low, entry.percentile_high
    span = (
        ""
        if low is None or high is None
        else f'<div class="span" style="left:{low:.0f}%;width:{high - low:.0f}%"></div>'
    )
    return f'<div class="track">{span}<div class="place" style="left:{entry.percentile:.0f}%"></div></div>'


def _ranks(entry: RankedEntry | RankedGroup) -> str:
    between = "" if entry.rank_low == entry.rank_high else f" ({entry.rank_low}–{entry.rank_high})"
    return f"{entry.rank}{between}"


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def board_part(board: Sequence[RankedGroup], title: str = "Leaderboard") -> Part:
    """Return a leaderboard as a part of a page."""
    rows = tuple(
        (
            each.name,
            _ranks(each),
            f"{each.jokes:,}",
            wins_in_100(each),
            wins_in_100(each.length_controlled),
            f"{each.strength:+.2f} ({each.strength_low:+.2f} to {each.strength_high:+.2f})",
            KIN if each.same_family else "",
        )
        for each in board
    )
    kin = any(each.same_family for each in board)
    return Part(title, (_FAVOUR,) if kin else (), (Table("", HEADS, rows, narrow=5 + 2 * kin),))


def wins_in_100(found: RankedGroup | LengthControlled | None) -> str:
    """Return the wins of a group's jokes in 100, with the interval."""
    return "" if found is None else f"{100 * found.win_rate:.0f} ({100 * found.low:.0f}–{100 * found.high:.0f})"
