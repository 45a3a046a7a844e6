"""Rows that people judged, from CSV: pairs with a winner, texts with a rating."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..core.errors import UsageError
from ..core.tables import read_rows
from ..core.verdicts import Frozen, Side, Winner, side_of
from ..history.database import CsvLines
from .evaluation import LabelledPair, LabelledText, PairAnswer, TextAnswer
from .reference import ReadText, ReferenceAnswer, kind_hit

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


# --------------------------------------------------------------------------------------------------------------------
# The rows of an evaluation one by one, as a table for other programs: what people said and what the judge said.


class Item(Frozen):
    """A row that was drawn. ``file``: the labelled file's name, ``row``: the row's id in it, else its place from 1
    among the rows that can be used. People's side: ``winner`` and votes, or ``rating`` and ``is_humor`` (0, 1); the
    judge's: the fields from ``judge`` (its winner) on. ``right`` is 1, ½ for even odds, or 0: of a pair whether it
    leans to people's winner, of a text whether admission goes with ``is_humor``. ``error``: the code of the error that
    stands for an answer, empty if there is none. Of a ``reading``: the reader's ``kinds`` and ``turn`` (several are
    parted by `` / ``), the verdict's ``judge_kinds`` (those named) and ``judge_turn``, and whether it is admitted as a
    joke; ``right``: whether the likeliest kind is one of the reader's. What a row doesn't have is None or empty."""

    file: str
    row: str
    kind: Literal["pair", "text", "reading"]
    text_a: str = ""
    text_b: str = ""
    text: str = ""
    winner: Side | None = None
    votes_a: float | None = None
    votes_b: float | None = None
    rating: float | None = None
    is_humor: int | None = None
    judge: Winner | None = None
    p_a: float | None = None
    right: float | None = None
    consistent: int | None = None
    position_bias: float | None = None
    admissible: int | None = None
    score: float | None = None
    audience: float | None = None
    error: str = ""
    kinds: str = ""
    judge_kinds: str = ""
    turn: str = ""
    judge_turn: str = ""

    @classmethod
    def of_pair(cls, file: str, row: str, label: LabelledPair, answer: PairAnswer | None, error: str = "") -> Item:
        """``error``: of a row that the judge refused."""
        named = side_of(answer.p_a) if answer is not None else None
        # Half right only at even odds, as the report counts: a slight lean is the judge's word, too.
        lean = None if answer is None else (answer.p_a > 0.5) - (answer.p_a < 0.5)
        right = None if lean is None else 0.5 + 0.5 * lean * (1 if label.winner == "A" else -1)
        return cls(
            file=file, row=row, kind="pair", text_a=label.text_a, text_b=label.text_b, winner=label.winner,
            votes_a=label.votes_a, votes_b=label.votes_b, judge=named, p_a=answer.p_a if answer else None, right=right,
            consistent=_whole(answer.consistent) if answer else None,
            position_bias=answer.position_bias if answer else None, error=error,
        )  # fmt: skip

    @classmethod
    def of_text(cls, file: str, row: str, label: LabelledText, answer: TextAnswer | None, error: str = "") -> Item:
        """``error``: of a row that the judge refused."""
        admitted = answer.admissible if answer is not None else None
        both = label.is_humor is not None and admitted is not None
        return cls(
            file=file, row=row, kind="text", text=label.text, rating=label.rating, is_humor=_whole(label.is_humor),
            right=float(label.is_humor == admitted) if both else None, admissible=_whole(admitted),
            score=answer.score if answer else None, audience=answer.audience if answer else None, error=error,
        )  # fmt: skip

    @classmethod
    def of_reading(
        cls, file: str, row: str, read: ReadText, answer: ReferenceAnswer | None, admitted: bool | None, error: str = ""
    ) -> Item:
        """``admitted``: whether the verdict takes the text for a joke; ``error``: of a row that the judge refused."""
        turn = answer.turn if answer is not None else None
        return cls(
            file=file, row=row, kind="reading", text=read.text, is_humor=int(read.joke >= 0.5),
            right=kind_hit(read, answer) if answer is not None and read.joke >= 0.5 else None,
            admissible=_whole(admitted), error=error, kinds=_PARTED.join(sorted(read.kinds)),
            judge_kinds=_PARTED.join(answer.chosen) if answer is not None else "", turn=_PARTED.join(read.turns),
            judge_turn=read.text[turn.start : turn.end] if turn is not None else "",
        )  # fmt: skip


_PARTED = " / "


def _whole(value: bool | None) -> int | None:
    return None if value is None else int(value)


COLUMNS = tuple(Item.model_fields)


def items_csv(items: Iterable[Item]) -> Iterator[bytes]:
    """The table as CSV (UTF-8), a line at a time, the columns' names first."""
    lines = CsvLines()
    yield lines.line(COLUMNS)
    for item in items:
        values = item.model_dump()
        yield lines.line(values[name] for name in COLUMNS)
