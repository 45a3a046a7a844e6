"""Rows that people judged, from CSV: pairs with a winner, texts with a rating."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..errors import UsageError
from ..tables import read_rows
from ..verdicts import Side
from .evaluation_types import LabelledPair, LabelledText

RATINGS = ("rating", "humor_rating", "mean_grade", "funniness", "bws_score", "log_score")
_NAMES = ("winner", "votes_a", "votes_b", "is_humor", *RATINGS)
_PAIRS_HINT = "The first line names the columns: text_a,text_b and winner (A, B or tie) or votes_a,votes_b."
_RATINGS_HINT = f"The first line names the columns: text and one of {', '.join(RATINGS)}, or is_humor (0 or 1)."
_YES, _NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")


@dataclass
class PairsFile:
    """A file's decided pairs; ``ids`` beside them. ``bad``: sentences about rows that can't be used."""

    name: str
    rows: list[LabelledPair] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    ties: int = 0
    bad: list[str] = field(default_factory=list)


@dataclass
class RatingsFile:
    """A file's rated texts; ``column``: the one with people's ratings, if there is one."""

    name: str
    column: str | None
    rows: list[LabelledText] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    bad: list[str] = field(default_factory=list)


def labels_of(source: str) -> Literal["pairs", "ratings"]:
    """What a labelled file holds, by its header. Raises as ``read_pairs`` does."""
    header, _ = _open(source)
    if "text_a" in header or "text_b" in header:
        return "pairs"
    if "text" in header:
        return "ratings"
    raise _no_column(source, header, f"{_PAIRS_HINT} Or {_RATINGS_HINT[:1].lower()}{_RATINGS_HINT[1:]}")


def read_pairs(source: str) -> PairsFile:
    """Read ``--pairs``. Votes decide where a row has them, else its winner; even votes are a tie. Raises ``UsageError``
    for missing columns or no row that can be used, ``InputError`` for a file that isn't such a CSV."""
    header, rows = _open(source)
    votes = "votes_a" in header and "votes_b" in header
    if not {"text_a", "text_b"} <= set(header) or not (votes or "winner" in header):
        raise _no_column(source, header, _PAIRS_HINT)
    names = ("id", "text_a", "text_b", "winner", "votes_a", "votes_b")
    _check_names(source, header, names, _PAIRS_HINT)
    found = PairsFile(_name(source))
    for line, cells in rows:
        row = _cells(cells, names)
        if not row.get("text_a") or not row.get("text_b"):
            found.bad.append(f"the row on line {line} lacks a text")
            continue
        label = _winner(row)
        if label is None:
            found.bad.append(f"the row on line {line} has no winner that can be read")
        elif label[0] is None:
            found.ties += 1
        else:
            winner, votes_a, votes_b = label
            assert winner is not None
            found.rows.append(LabelledPair(row["text_a"], row["text_b"], winner, votes_a, votes_b))
            found.ids.append(row.get("id") or None)
    if not found.rows:
        raise _nothing(source, found.bad, "pair with a winner", _PAIRS_HINT)
    return found


def _winner(row: dict[str, str]) -> tuple[Side | None, float | None, float | None] | None:
    """(winner or None for a tie, votes for A, votes for B); None where the row doesn't say."""
    votes_a, votes_b = _number(row.get("votes_a", "")), _number(row.get("votes_b", ""))
    if votes_a is not None and votes_b is not None and min(votes_a, votes_b) >= 0 and votes_a + votes_b > 0:
        return (None if votes_a == votes_b else "A" if votes_a > votes_b else "B"), votes_a, votes_b
    if row.get("votes_a") and row.get("votes_b") and (votes_a, votes_b) != (0.0, 0.0):
        return None
    word = row.get("winner", "").lower()
    if word in ("a", "b"):
        return ("A" if word == "a" else "B"), None, None
    return (None, None, None) if word == "tie" else None


def read_ratings(source: str) -> RatingsFile:
    """Read ``--ratings``. A row needs a text and a rating or ``is_humor``. Raises as ``read_pairs`` does."""
    header, rows = _open(source)
    column = next((name for name in RATINGS if name in header), None)
    if "text" not in header or (column is None and "is_humor" not in header):
        raise _no_column(source, header, _RATINGS_HINT)
    names = ("id", "text", "is_humor", *([column] if column else []))
    _check_names(source, header, names, _RATINGS_HINT)
    found = RatingsFile(_name(source), column)
    for line, cells in rows:
        row = _cells(cells, names)
        written, word = row.get(column or "", ""), row.get("is_humor", "").lower()
        rating = _number(written)
        if not row.get("text"):
            found.bad.append(f"the row on line {line} lacks a text")
        elif (written and rating is None) or (word and word not in _YES + _NO):
            found.bad.append(f"the row on line {line} has a label that can't be read")
        elif not written and not word:
            found.bad.append(f"the row on line {line} has no label")
        else:
            found.rows.append(LabelledText(row["text"], rating, word in _YES if word else None))
            found.ids.append(row.get("id") or None)
    if not found.rows:
        raise _nothing(source, found.bad, "labelled text", _RATINGS_HINT)
    return found


def _open(source: str, text_column: str | None = None) -> tuple[list[str], list[tuple[int, dict[str, str]]]]:
    return read_rows(source, text_column=text_column, asked=_NAMES)


def _name(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name


def _no_column(source: str, header: list[str], hint: str) -> UsageError:
    found = f"it has {', '.join(repr(c[:40]) for c in header[:12])}" if header else "it has no header line"
    return UsageError("E_EVALUATE_COLUMN", f"{source} lacks a column: {found}.", hint)


def _check_names(source: str, header: list[str], names: Iterable[str], hint: str) -> None:
    for name in names:
        if header.count(name) > 1:
            raise UsageError("E_EVALUATE_COLUMN", f"{source} has more than one column {name!r}.", hint)


def _cells(cells: dict[str, str], names: Iterable[str]) -> dict[str, str]:
    """A row by column; labels without spaces around them, texts as they are (empty if blank)."""
    found: dict[str, str] = {}
    for name in names:
        cell = cells.get(name, "")
        found[name] = cell if name.startswith("text") and cell.strip() else cell.strip()
    return found


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    # No rating or count of votes is larger; sums of such numbers would be endless.
    return value if math.isfinite(value) and abs(value) <= 1e9 else None


def _nothing(source: str, bad: list[str], what: str, hint: str) -> UsageError:
    first = f"; {bad[0]}" if bad else ""
    return UsageError("E_EVALUATE_EMPTY", f"{source} has no {what}{first}.", hint)
