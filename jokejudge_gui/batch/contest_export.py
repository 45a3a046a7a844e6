"""A ranking as a file: text, CSV, JSON lines, Markdown, self-contained HTML, and pairs to train on (DPO)."""

from __future__ import annotations

import html
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Literal

from ..core.errors import UsageError
from ..core.texts import escaped_json, without_controls
from ..history.database import CsvLines, write_export
from ..judge.contest.types import ContestResult, RankedEntry
from ..judge.contest.words import by_place, name_of, number_of, ranked, remarks, summary
from .leaderboard import GroupStanding, leaderboard
from .leaderboard_export import html_table, markdown_cell, markdown_table

Format = Literal["text", "csv", "jsonl", "markdown", "html", "dpo"]
_SUFFIXES: dict[str, Format] = {
    ".txt": "text",
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".md": "markdown",
    ".markdown": "markdown",
    ".html": "html",
    ".htm": "html",
}
_COLUMNS = (
    "rank", "rank_low", "rank_high", "text", "percentile", "percentile_low", "percentile_high", "score", "low", "high",
    "p_top", "group", "duels", "mark", "starred", "remarks", "id", "tags", "version_of", "originality", "relevance",
    "rounds_humor", "rounds_humor_sd", "rounds_relevance", "rounds_relevance_sd", "rounds_originality",
    "rounds_originality_sd",
)  # fmt: skip
_MOST_PAIRS = 100_000
_Board = tuple[GroupStanding, ...]


def format_of(path: Path) -> Format:
    """The format that a file's name stands for. Raises ``UsageError`` ``E_EXPORT_FORMAT``."""
    if path.name.lower().endswith(".dpo.jsonl"):
        return "dpo"
    found = _SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise UsageError(
            "E_EXPORT_FORMAT",
            f"The name {path.name} doesn't say in which format to write.",
            "End it with .txt, .csv, .jsonl, .md, .html or .dpo.jsonl, or give --format.",
        )
    return found


def export_contest(
    result: ContestResult,
    path: Path,
    format: Format | None = None,
    *,
    kept_only: bool = False,
    by: str | None = None,
    replace: bool = False,
) -> int:
    """Write a ranking, best first, and return how many jokes (or pairs) it holds. ``kept_only``: those marked to be
    kept; ``by``: a column of the list, whose leaderboard HTML and Markdown end with; ``replace``: any file may be
    replaced. Raises ``UsageError`` ``E_EXPORT_FORMAT``, what ``leaderboard`` raises, and what writing raises."""
    format = format or format_of(path)
    if format == "dpo":
        pairs = preference_pairs(result)
        write_export(path, _json_lines(pairs), replace=replace)
        return len(pairs)
    entries = [entry for entry in ranked(result) if not kept_only or entry.mark == "keep"]
    board = leaderboard(result, by) if by is not None else ()
    write_export(path, _WRITERS[format](result, entries, board), replace=replace)
    return len(entries)


def preference_pairs(result: ContestResult) -> list[dict[str, str]]:
    """Pairs to train on, ``chosen`` before ``rejected``: where the user marked jokes, every one that is kept with every
    one that is binned; otherwise jokes that can be told apart, by their groups. Versions of one joke make pairs, too,
    where a duel told them apart."""
    entries = ranked(result)
    kept = [entry for entry in entries if entry.mark == "keep"]
    binned = [entry for entry in entries if entry.mark == "bin"]
    if kept and binned:
        told = [(one, other) for one in kept for other in binned]
    else:
        told = [(one, other) for one in entries for other in entries if (one.group or 0) < (other.group or 0)]
        texts = {entry.id: entry for entry in entries}
        known = {(one.id, other.id) for one, other in told}
        for duel in result.held:
            if max(duel.p_a, 1 - duel.p_a) >= 0.75:
                winner, loser = (duel.a, duel.b) if duel.p_a > 0.5 else (duel.b, duel.a)
                if not {(winner, loser), (loser, winner)} & known and winner in texts and loser in texts:
                    told.append((texts[winner], texts[loser]))
    return [{"prompt": result.context, "chosen": one.text, "rejected": other.text} for one, other in told[:_MOST_PAIRS]]


def _text(_result: ContestResult, entries: list[RankedEntry], _board: _Board) -> Iterator[bytes]:
    several = any("\n" in entry.text for entry in entries)
    for entry in entries:
        yield _utf8(without_controls(entry.text) + ("\n\n" if several else "\n"))


def _csv(_result: ContestResult, entries: list[RankedEntry], _board: _Board) -> Iterator[bytes]:
    lines = CsvLines()
    yield lines.line(_COLUMNS)
    for entry in entries:
        values = entry.model_dump() | {
            "remarks": "; ".join(remarks(entry)),
            "starred": "yes" if entry.starred else "no",
            "tags": ", ".join(entry.tags),
        }
        for each in entry.rounds:
            values |= {f"rounds_{each.scale}": each.mean, f"rounds_{each.scale}_sd": each.sd}
        yield lines.line(values.get(name) for name in _COLUMNS)


def _jsonl(_result: ContestResult, entries: list[RankedEntry], _board: _Board) -> Iterator[bytes]:
    yield from _json_lines([entry.model_dump(exclude={"reading"}) for entry in entries])


def _json_lines(values: list[dict[str, str]] | list[dict[str, object]]) -> Iterator[bytes]:
    for value in values:
        yield _utf8(escaped_json(json.dumps(value, ensure_ascii=False, allow_nan=False)) + "\n")


def _markdown(result: ContestResult, entries: list[RankedEntry], board: _Board) -> Iterator[bytes]:
    of_100 = by_place(result.entries)
    head = f"| rank | {'of 100' if of_100 else 'score'} | joke | |\n|---|---|---|---|\n"
    yield _utf8(f"# {markdown_cell(name_of(result))}\n\n{head}")
    for entry in entries:
        number, rank = number_of(entry, of_100=of_100), _ranks(entry)
        yield _utf8(
            f"| {rank} | {number} | {markdown_cell(entry.text)} | {markdown_cell('; '.join(remarks(entry)))} |\n"
        )
    yield _utf8("".join(f"\n{markdown_cell(line)}" for line in summary(result)) + "\n")
    if board:
        yield _utf8(f"\n{markdown_table(board)}")


_STYLE = """
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; width: 100%; }
td, th { text-align: left; vertical-align: top; padding: .4rem .6rem; border-bottom: 1px solid #8884; }
td:nth-child(2) { white-space: pre-wrap; overflow-wrap: anywhere; }
.track { position: relative; width: 9rem; height: .6rem; background: #8883; border-radius: 4px; margin-top: .45rem; }
.span { position: absolute; height: 100%; background: #6470b8; border-radius: 4px; }
.dot { position: absolute; width: .25rem; height: 100%; background: currentColor; }
"""


def _html(result: ContestResult, entries: list[RankedEntry], board: _Board) -> Iterator[bytes]:
    name, of_100 = _safe(name_of(result)), by_place(result.entries)
    yield _utf8(
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">\n'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{name}</title>\n'
        f"<style>{_STYLE}</style></head><body><main><h1>{name}</h1>\n"
        f"<table><thead><tr><th>Rank</th><th>Joke</th><th>{'Funnier than … in 100' if of_100 else 'Score'}</th>"
        "<th></th></tr></thead><tbody>\n"
    )
    for entry in entries:
        number = number_of(entry, of_100=of_100) + (_bar(entry) if of_100 else "")
        yield _utf8(
            f'<tr><td>{_ranks(entry)}</td><td dir="auto">{_safe(entry.text)}</td><td>{number}</td>'
            f"<td>{_safe('; '.join(remarks(entry)))}</td></tr>\n"
        )
    yield _utf8("</tbody></table>" + "".join(f"<p>{_safe(line)}</p>" for line in summary(result)))
    yield _utf8(f"{html_table(board)}</main></body></html>\n")


def _bar(entry: RankedEntry) -> str:
    """The place among 100 with its interval, drawn."""
    if entry.percentile is None:
        return ""
    low, high = entry.percentile_low, entry.percentile_high
    span = (
        ""
        if low is None or high is None
        else f'<div class="span" style="left:{low:.0f}%;width:{high - low:.0f}%"></div>'
    )
    return f'<div class="track">{span}<div class="dot" style="left:{entry.percentile:.0f}%"></div></div>'


def _ranks(entry: RankedEntry) -> str:
    between = "" if entry.rank_low == entry.rank_high else f" ({entry.rank_low}–{entry.rank_high})"
    return f"{entry.rank}{between}"


def _safe(text: str) -> str:
    return html.escape(without_controls(text))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


_WRITERS: dict[str, Callable[[ContestResult, list[RankedEntry], _Board], Iterator[bytes]]] = {
    "text": _text,
    "csv": _csv,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "html": _html,
}
