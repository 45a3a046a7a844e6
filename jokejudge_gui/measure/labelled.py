"""Labelled rows from files: pairs with a winner and texts with a rating (CSV), and readings of texts with the rubric in
hand (JSON lines, models/readings/README.md)."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from statistics import fmean
from typing import Any, ClassVar, Generic, Literal, TypeAlias, TypeVar

from ..core.errors import InputError, UsageError
from ..core.files import parse_json
from ..core.tables import read_bytes, read_rows
from ..core.texts import clean_text
from ..core.verdicts import Side
from ..heads.editor_file import CORE
from ..rubric.xml_parser import with_wider

RATINGS = ("rating", "humor_rating", "mean_grade", "funniness", "bws_score", "log_score")
CLEAR_VOTES, CLEAR_SHARE = 4, 0.8
_NAMES = ("winner", "votes_a", "votes_b", "is_humor", *RATINGS)
_PAIRS_HINT = "The first line names the columns: text_a,text_b and winner (A, B or tie) or votes_a,votes_b."
_RATINGS_HINT = f"The first line names the columns: text and one of {', '.join(RATINGS)}, or is_humor (0 or 1)."
_READINGS_HINT = "One JSON object a line, as in models/readings/README.md: text, joke, kinds, core, turn, faults."
_YES, _NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")
_MOST_NAMES = 100

Asked = Literal["duel", "rate", "check", "read"]
"""The question to a judge about a row; ``check``: only whether a text is admitted; ``read``: a whole rating."""


@dataclass(frozen=True)
class LabelledPair:
    """Two texts and the one that people found funnier; ``votes_a`` and ``votes_b`` where they were counted."""

    asked: ClassVar[Asked] = "duel"
    text_a: str
    text_b: str
    winner: Side
    votes_a: float | None = None
    votes_b: float | None = None

    @property
    def texts(self) -> tuple[str, ...]:
        return self.text_a, self.text_b

    @property
    def clear(self) -> bool:
        """Whether many voted, and nearly all for the same text."""
        if self.votes_a is None or self.votes_b is None:
            return False
        total = self.votes_a + self.votes_b
        return total >= CLEAR_VOTES and max(self.votes_a, self.votes_b) >= CLEAR_SHARE * total


@dataclass(frozen=True)
class LabelledText:
    """A text with people's mean rating (any scale, higher is funnier) and whether they took it for humour."""

    text: str
    rating: float | None = None
    is_humor: bool | None = None

    @property
    def asked(self) -> Asked:
        return "check" if self.rating is None else "rate"

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)


@dataclass(frozen=True)
class ReadText:
    """A text with its readings; where it has several, ``joke``, ``complete`` 0…1 and ``factors`` 0…5 are means,
    ``kinds`` and ``faults`` those that any reader named, ``turns`` each reader's."""

    asked: ClassVar[Asked] = "read"
    text: str
    joke: float
    complete: float
    kinds: frozenset[str]
    factors: dict[str, float]
    faults: frozenset[str]
    turns: tuple[str, ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)


Row: TypeAlias = LabelledPair | LabelledText | ReadText
_Row = TypeVar("_Row", bound=Row, covariant=True)


@dataclass
class LabelledFile(Generic[_Row]):
    """A file's rows; ``ids`` beside them. ``bad``: sentences about unusable rows; ``ties``: number of pairs that people
    found equally funny, which are left out; ``column``: the one with people's ratings, if there is one."""

    name: str
    column: str | None = None
    rows: list[_Row] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    ties: int = 0
    bad: list[str] = field(default_factory=list)

    def checked(self, source: str, what: str, hint: str) -> LabelledFile[_Row]:
        """Return itself. Raises ``UsageError`` ``E_EVALUATE_EMPTY`` where no row is usable."""
        if not self.rows:
            first = f"; {self.bad[0]}" if self.bad else ""
            raise UsageError("E_EVALUATE_EMPTY", f"{source} has no {what}{first}.", hint)
        return self


PairsFile: TypeAlias = LabelledFile[LabelledPair]
RatingsFile: TypeAlias = LabelledFile[LabelledText]
ReadingsFile: TypeAlias = LabelledFile[ReadText]


def labels_of(source: str) -> Literal["pairs", "ratings"]:
    """Return the kind of a labelled file, by its header. Raises as ``read_pairs`` does."""
    header, _ = read_rows(source, asked=_NAMES)
    if "text_a" in header or "text_b" in header:
        return "pairs"
    if "text" in header:
        return "ratings"
    raise _no_column(source, header, f"{_PAIRS_HINT} Or {_RATINGS_HINT[:1].lower()}{_RATINGS_HINT[1:]}")


def read_pairs(source: str) -> PairsFile:
    """Read ``--pairs``. Votes decide where a row has them, else its winner; even votes are a tie. Raises ``UsageError``
    for missing columns or no usable row, ``InputError`` for a file that isn't such a CSV."""
    header, rows = read_rows(source, asked=_NAMES)
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
        winner, *counts = _winner(row)
        if winner is None:
            found.bad.append(f"the row on line {line} has no winner that can be read")
        elif winner == "tie":
            found.ties += 1
        else:
            found.rows.append(LabelledPair(row["text_a"], row["text_b"], winner, *counts))
            found.ids.append(row.get("id") or None)
    return found.checked(source, "pair with a winner", _PAIRS_HINT)


def _winner(row: dict[str, str]) -> tuple[Side | Literal["tie"] | None, float | None, float | None]:
    """Return (winner, votes for A, votes for B); no winner where the row has none."""
    votes_a, votes_b = _number(row.get("votes_a", "")), _number(row.get("votes_b", ""))
    if votes_a is not None and votes_b is not None and min(votes_a, votes_b) >= 0 and votes_a + votes_b > 0:
        return ("tie" if votes_a == votes_b else "A" if votes_a > votes_b else "B"), votes_a, votes_b
    if row.get("votes_a") and row.get("votes_b") and (votes_a, votes_b) != (0.0, 0.0):
        return None, None, None
    words: dict[str, Side | Literal["tie"]] = {"a": "A", "b": "B", "tie": "tie"}
    return words.get(row.get("winner", "").lower()), None, None


def read_ratings(source: str) -> RatingsFile:
    """Read ``--ratings``. A row needs a text and a rating or ``is_humor``. Raises as ``read_pairs`` does."""
    header, rows = read_rows(source, asked=_NAMES)
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
    return found.checked(source, "labelled text", _RATINGS_HINT)


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
    """Return a row by column; labels without spaces around them, texts unchanged (empty if blank)."""
    known = {name: cells.get(name, "") for name in names}
    return {name: cell if name.startswith("text") and cell.strip() else cell.strip() for name, cell in known.items()}


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    # No rating or number of votes is larger; sums of larger numbers could overflow.
    return value if math.isfinite(value) and abs(value) <= 1e9 else None


# -- readings ----------------------------------------------------------------------------------------------------------


def read_reference(source: str) -> ReadingsFile:
    """Read ``--reference``. Raises ``UsageError`` ``E_EVALUATE_EMPTY`` where no line is usable, ``InputError`` where
    the file can't be read."""
    try:
        lines = read_bytes(source).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError("E_INPUT_FILE", f"The file {source} isn't UTF-8 text.", "Save it as UTF-8.") from error
    found = ReadingsFile(_name(source))
    of_text: dict[str, list[ReadText]] = {}
    ids: dict[str, str | None] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = parse_json(line)
            read = _reading(value)
        except (ValueError, KeyError, TypeError, AttributeError, InputError) as error:
            why = f"{error} is missing" if isinstance(error, KeyError) else str(error)
            found.bad.append(f"line {number} is no reading ({why[:80]})")
            continue
        of_text.setdefault(read.text, []).append(read)
        ids.setdefault(read.text, str(value["id"])[:200] if value.get("id") is not None else None)
    found.rows = [_joined(group) for group in of_text.values()]
    found.ids = list(ids.values())
    return found.checked(source, "reading", _READINGS_HINT)


def _reading(value: Any) -> ReadText:
    if not isinstance(value, dict) or not isinstance(value["text"], str):
        raise ValueError("it has no text")
    core = value.get("core") or ()
    if core and len(core) != len(CORE):
        raise ValueError(f"core holds {len(core)} scores, not {len(CORE)}")
    scores = dict(zip(CORE, core, strict=False)) | {str(id): score for id, score in (value.get("more") or {}).items()}
    turn = value.get("turn") or ""
    if not isinstance(turn, str):
        raise ValueError("turn is no text")
    turn = turn.replace("\r\n", "\n").strip()
    return ReadText(
        text=clean_text(value["text"]),
        joke=_within(value.get("joke", 1), 1, "joke and complete are 0 or 1"),
        complete=_within(value.get("complete", 1), 1, "joke and complete are 0 or 1"),
        kinds=frozenset(with_wider(_ids(value.get("kinds") or ()))),
        factors={id: _within(score, 5, "a score isn't 0 to 5") for id, score in scores.items()},
        faults=_ids(value.get("faults") or ()),
        turns=(turn,) if turn else (),
    )


def _joined(group: list[ReadText]) -> ReadText:
    scored = {id for read in group for id in read.factors}
    return ReadText(
        text=group[0].text,
        joke=fmean([read.joke for read in group]),
        complete=fmean([read.complete for read in group]),
        kinds=frozenset().union(*(read.kinds for read in group)),
        factors={id: fmean([read.factors[id] for read in group if id in read.factors]) for id in sorted(scored)},
        faults=frozenset().union(*(read.faults for read in group)),
        turns=tuple(dict.fromkeys(turn for read in group for turn in read.turns)),
    )


def _ids(value: Any) -> frozenset[str]:
    if not isinstance(value, list | tuple) or len(value) > _MOST_NAMES or not all(isinstance(id, str) for id in value):
        raise ValueError("kinds and faults are lists of names")
    return frozenset(value)


def _within(value: Any, most: float, otherwise: str) -> float:
    if type(value) not in ((int, float, bool) if most == 1 else (int, float)) or not 0 <= value <= most:
        raise ValueError(otherwise)
    return float(value)
