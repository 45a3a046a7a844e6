"""Rankings as files: text, CSV, JSON lines, Markdown, self-contained HTML, and pairs to train on (DPO)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from ..core.errors import UsageError
from ..core.outputs import CsvLines, write_export
from ..core.pages import Page, Table, html_pieces, markdown_pieces
from ..core.texts import json_line, without_controls
from ..judge.contest.desk import Desk
from ..judge.contest.record import ContestResult, RankedEntry
from ..judge.contest.words import name_of, ranking, remarks, summary, writers

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


def format_of(path: Path) -> Format:
    """Return the format of a ranking's file name. Raises ``UsageError`` ``E_EXPORT_FORMAT``."""
    if path.name.lower().endswith(".dpo.jsonl"):
        return "dpo"
    if path.suffix.lower() not in _SUFFIXES:
        raise UsageError(
            "E_EXPORT_FORMAT",
            f"The name {path.name} doesn't say in which format to write.",
            "End it with .txt, .csv, .jsonl, .dpo.jsonl, .md or .html.",
        )
    return _SUFFIXES[path.suffix.lower()]


def export_contest(
    result: ContestResult, path: Path, format: Format | None = None, *, kept_only: bool = False, replace: bool = False
) -> int:
    """Write a ranking, best first, and return the number of its jokes (or pairs). ``kept_only``: only those marked to
    be kept, in the user's order; ``replace``: any file may be replaced. Raises ``UsageError`` ``E_EXPORT_FORMAT``, and
    what writing raises."""
    entries = Desk(result).rows("kept") if kept_only else result.ranked
    count, pieces = len(entries), iter(tuple[bytes, ...]())
    match format or format_of(path):
        case "dpo":
            pairs = preference_pairs(result)
            count, pieces = len(pairs), map(json_line, pairs)
        case "text":
            pieces = _text(entries)
        case "csv":
            table = CsvLines()
            rows = ([values.get(name) for name in _COLUMNS] for values in map(_values, entries))
            pieces = itertools.chain([table.line(_COLUMNS)], map(table.line, rows))
        case "jsonl":
            pieces = (json_line(entry.fields()) for entry in entries)
        case name:
            draw = markdown_pieces if name == "markdown" else html_pieces
            title = name_of(result.replaced(entries=tuple(entries)) if kept_only else result)
            pieces = (_utf8(piece) for piece in draw([_page(result, entries, kept=kept_only)], title))
    write_export(path, pieces, replace=replace)
    return count


def preference_pairs(result: ContestResult) -> list[dict[str, str]]:
    """Return pairs to train on, ``chosen`` before ``rejected``: where the user marked jokes, every kept one with every
    binned one; otherwise jokes of different groups. Versions of one joke make pairs, too, where a duel distinguished
    them (a probability of at least 0.75)."""
    entries = result.ranked
    kept, binned = ([entry for entry in entries if entry.user.mark == mark] for mark in ("keep", "bin"))
    if kept and binned:
        pairs = [(one, other) for one in kept for other in binned]
    else:
        pairs = [(one, other) for one in entries for other in entries if (one.group or 0) < (other.group or 0)]
        texts, ordered = {entry.id: entry for entry in entries}, {frozenset((one.id, other.id)) for one, other in pairs}
        for duel in result.held:
            sure = max(duel.p_a, 1 - duel.p_a) >= 0.75
            if sure and frozenset((duel.a, duel.b)) not in ordered and {duel.a, duel.b} <= texts.keys():
                one, other = texts[duel.a], texts[duel.b]
                pairs.append((one, other) if duel.p_a > 0.5 else (other, one))
    return [
        {"prompt": result.context, "chosen": one.text, "rejected": other.text} for one, other in pairs[:_MOST_PAIRS]
    ]


def _text(entries: list[RankedEntry]) -> Iterator[bytes]:
    several = any("\n" in entry.text for entry in entries)
    for entry in entries:
        yield _utf8(without_controls(entry.text) + ("\n\n" if several else "\n"))


def _values(entry: RankedEntry) -> dict[str, Any]:
    values = entry.fields() | {
        "remarks": "; ".join(remarks(entry)),
        "starred": "yes" if entry.user.starred else "no",
        "tags": ", ".join(entry.user.tags),
    }
    for one in entry.rounds:
        values |= {f"rounds_{one['scale']}": one["mean"], f"rounds_{one['scale']}_sd": one["sd"]}
    return values


def _page(result: ContestResult, entries: list[RankedEntry], *, kept: bool) -> Page:
    if kept:  # a shortlist, not the model's opinion of it
        return Page("", tables=(Table("", ("", "Joke"), tuple((str(n), e.text) for n, e in enumerate(entries, 1))),))
    return Page("", lead=tuple(summary(result)), tables=(ranking(result, entries), writers(result)))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")
