"""Labelled rows from files: pairs with a winner and texts with a rating (CSV), and readings of texts with the rubric in
hand (JSON lines, models/readings/README.md)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import fmean
from typing import Annotated, ClassVar, Generic, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, Field, ValidationError

from ..core.errors import InputError, UsageError
from ..core.files import parse_json
from ..core.statistics import one_against_the_others
from ..core.tables import read_bytes, read_rows
from ..core.texts import clean_text
from ..core.verdicts import Side
from ..core.vote_sets import PairVote, Rated, VoteSet
from ..heads.editor_file import CORE
from ..rubric.xml_parser import with_wider

RATINGS = ("rating", "humor_rating", "mean_grade", "funniness", "bws_score", "log_score")
CLEAR_VOTES, CLEAR_SHARE = 4, 0.8
_NAMES = ("winner", "votes_a", "votes_b", "is_humor", *RATINGS)
_PAIRS_HINT = "The first line names the columns: text_a,text_b and winner (A, B or tie) or votes_a,votes_b."
_RATINGS_HINT = f"The first line names the columns: text and one of {', '.join(RATINGS)}, or is_humor (0 or 1)."
_READINGS_HINT = "One JSON object a line, as in models/readings/README.md: text, joke, kinds, core, turn, faults."
_YES, _NO = ("1", "1.0", "true", "yes"), ("0", "0.0", "false", "no")

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
_Cells = Iterator[tuple[int, dict[str, str]]]


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
    header, rows = _table(source, ("text_a", "text_b"), ("winner", "votes_a", "votes_b"), _PAIRS_HINT)
    if "winner" not in header and not {"votes_a", "votes_b"} <= set(header):
        raise _no_column(source, header, _PAIRS_HINT)
    file = PairsFile(_name(source))
    for line, row in rows:
        winner, votes_a, votes_b = _winner(row)
        if not row["text_a"] or not row["text_b"]:
            file.bad.append(f"the row on line {line} lacks a text")
        elif winner is None:
            file.bad.append(f"the row on line {line} has no winner that can be read")
        elif winner == "tie":
            file.ties += 1
        else:
            file.rows.append(LabelledPair(row["text_a"], row["text_b"], winner, votes_a, votes_b))
            file.ids.append(row["id"] or None)
    return file.checked(source, "pair with a winner", _PAIRS_HINT)


def _winner(row: dict[str, str]) -> tuple[Side | Literal["tie"] | None, float | None, float | None]:
    """Return (winner, votes for A, votes for B); no winner where the row has none."""
    votes_a, votes_b = _number(row["votes_a"]), _number(row["votes_b"])
    if votes_a is not None and votes_b is not None and min(votes_a, votes_b) >= 0 and votes_a + votes_b > 0:
        return ("tie" if votes_a == votes_b else "A" if votes_a > votes_b else "B"), votes_a, votes_b
    if row["votes_a"] and row["votes_b"] and (votes_a, votes_b) != (0.0, 0.0):
        return None, None, None
    words: dict[str, Side | Literal["tie"]] = {"a": "A", "b": "B", "tie": "tie"}
    return words.get(row["winner"].lower()), None, None


def read_ratings(source: str) -> RatingsFile:
    """Read ``--ratings``. A row needs a text and a rating or ``is_humor``. Raises as ``read_pairs`` does."""
    header, rows = _table(source, ("text",), ("is_humor", *RATINGS), _RATINGS_HINT)
    column = next((name for name in RATINGS if name in header), None)
    if column is None and "is_humor" not in header:
        raise _no_column(source, header, _RATINGS_HINT)
    file = RatingsFile(_name(source), column)
    for line, row in rows:
        written, word = row[column] if column else "", row["is_humor"].lower()
        rating = _number(written)
        if not row["text"]:
            file.bad.append(f"the row on line {line} lacks a text")
        elif (written and rating is None) or (word and word not in _YES + _NO):
            file.bad.append(f"the row on line {line} has a label that can't be read")
        elif not written and not word:
            file.bad.append(f"the row on line {line} has no label")
        else:
            file.rows.append(LabelledText(row["text"], rating, word in _YES if word else None))
            file.ids.append(row["id"] or None)
    return file.checked(source, "labelled text", _RATINGS_HINT)


def _table(source: str, texts: Sequence[str], labels: Sequence[str], hint: str) -> tuple[list[str], _Cells]:
    """Return a table's columns, and its rows by these columns: labels without spaces around them, texts unchanged
    (empty if blank)."""
    header, rows = read_rows(source, asked=_NAMES)
    if not set(texts) <= set(header):
        raise _no_column(source, header, hint)
    names = ("id", *texts, *labels)
    double = next((name for name in names if header.count(name) > 1), None)
    if double is not None:
        raise UsageError("E_EVALUATE_COLUMN", f"{source} has more than one column {double!r}.", hint)

    def cell(name: str, text: str) -> str:
        return text if name in texts and text.strip() else text.strip()

    return header, ((line, {name: cell(name, cells.get(name, "")) for name in names}) for line, cells in rows)


def _name(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name


def _no_column(source: str, header: list[str], hint: str) -> UsageError:
    columns = f"it has {', '.join(repr(cell[:40]) for cell in header[:12])}" if header else "it has no header line"
    return UsageError("E_EVALUATE_COLUMN", f"{source} lacks a column: {columns}.", hint)


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    # No rating or number of votes is larger; sums of larger numbers could overflow.
    return value if math.isfinite(value) and abs(value) <= 1e9 else None


# Readings

_Share = Annotated[float, Field(ge=0, le=1)]
_Score = Annotated[float, Field(ge=0, le=5, strict=True)]
_Names = Annotated[tuple[str, ...], Field(max_length=100)]


class _Reading(BaseModel):
    """A line of readings, as far as verdicts are compared with it."""

    text: str
    id: str | int | None = None
    joke: _Share = 1
    complete: _Share = 1
    kinds: _Names | None = ()
    core: tuple[_Score, ...] | None = ()
    more: dict[str, _Score] | None = None
    turn: str | None = ""
    faults: _Names | None = ()


def read_reference(source: str) -> ReadingsFile:
    """Read ``--reference``. Raises ``UsageError`` ``E_EVALUATE_EMPTY`` where no line is usable, ``InputError`` where
    the file can't be read."""
    try:
        lines = read_bytes(source).decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError("E_INPUT_FILE", f"The file {source} isn't UTF-8 text.", "Save it as UTF-8.") from error
    file = ReadingsFile(_name(source))
    of_text: dict[str, list[_Reading]] = {}
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            reading = _Reading.model_validate(parse_json(line))
            if len(reading.core or CORE) != len(CORE):
                raise ValueError(f"core holds {len(reading.core or ())} scores, not {len(CORE)}")
            of_text.setdefault(clean_text(reading.text), []).append(reading)
        except ValidationError as error:
            fault = error.errors(include_url=False, include_context=False)[0]
            file.bad.append(f"line {number} is no reading ({'.'.join(map(str, fault['loc']))}: {fault['msg'][:80]})")
        except (ValueError, InputError) as error:
            file.bad.append(f"line {number} is no reading ({str(error)[:80]})")
    for text, group in of_text.items():
        file.rows.append(_joined(text, group))
        file.ids.append(str(group[0].id)[:200] if group[0].id is not None else None)
    return file.checked(source, "reading", _READINGS_HINT)


def _joined(text: str, group: Sequence[_Reading]) -> ReadText:
    scores: dict[str, list[float]] = {}
    for reading in group:
        for id, score in (*zip(CORE, reading.core or (), strict=False), *(reading.more or {}).items()):
            scores.setdefault(id, []).append(score)
    turns = ((reading.turn or "").replace("\r\n", "\n").strip() for reading in group)
    return ReadText(
        text=text,
        joke=fmean(reading.joke for reading in group),
        complete=fmean(reading.complete for reading in group),
        kinds=frozenset(with_wider(frozenset(kind for reading in group for kind in reading.kinds or ()))),
        factors={id: fmean(scores[id]) for id in sorted(scores)},
        faults=frozenset(fault for reading in group for fault in reading.faults or ()),
        turns=tuple(dict.fromkeys(turn for turn in turns if turn)),
    )


def vote_sets(files: Sequence[PairsFile | RatingsFile]) -> list[VoteSet]:
    """Return the files' votes, under different names. Raises ``UsageError`` for a file without ratings."""
    sets = [_votes_of(file) for file in files]
    names = [votes.name for votes in sets]
    return [
        replace(votes, name=f"{votes.name} ({number})") if names.count(votes.name) > 1 else votes
        for number, votes in enumerate(sets, 1)
    ]


def _votes_of(file: PairsFile | RatingsFile) -> VoteSet:
    rated: list[Rated] = []
    pairs: list[PairVote] = []
    agreeing = asked = 0.0
    for row in file.rows:
        if isinstance(row, LabelledText):
            if row.rating is not None:
                rated.append(Rated(row.text, row.rating))
            continue
        texts = (row.text_a, row.text_b) if row.winner == "A" else (row.text_b, row.text_a)
        if row.votes_a is None or row.votes_b is None:
            pairs.append(PairVote(*texts))
            continue
        pairs.append(PairVote(*texts, abs(row.votes_a - row.votes_b) / (row.votes_a + row.votes_b + 1.0)))
        one, others = one_against_the_others(row.votes_a, row.votes_b)
        agreeing, asked = agreeing + one, asked + others
    if not rated and not pairs:
        raise UsageError(
            "E_FIT_RATINGS",
            f"{file.name} says which texts are jokes, but not how funny they are.",
            "Give --ratings a file with a column of ratings.",
        )
    return VoteSet(file.name, tuple(pairs), tuple(rated), agreeing=agreeing, asked=asked)
