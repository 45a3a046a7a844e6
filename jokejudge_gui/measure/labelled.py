"""Labelled rows from files: pairs with a winner, and texts with a rating."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar, Generic, Literal, TypeAlias, TypeVar

from ..core.errors import UsageError
from ..core.statistics import one_against_the_others
from ..core.tables import Table, columns_there, read_rows
from ..core.verdicts import Side
from ..core.vote_sets import PairVote, Rated, VoteSet

RATINGS = ("rating", "humor_rating", "mean_grade", "funniness", "bws_score", "log_score")
CLEAR_VOTES, CLEAR_SHARE = 4, 0.8
_NAMES = ("winner", "votes_a", "votes_b", "is_humor", *RATINGS)
_PAIRS_HINT = "The first line names the columns: text_a,text_b and winner (A, B or tie) or votes_a,votes_b."
_RATINGS_HINT = f"The first line names the columns: text and one of {', '.join(RATINGS)}, or is_humor (0 or 1)."
_HUMOR = {"1": True, "1.0": True, "true": True, "yes": True, "0": False, "0.0": False, "false": False, "no": False}
_WINNERS: dict[str, Side | None] = {"a": "A", "b": "B", "tie": None}

Asked = Literal["duel", "rate", "check"]
"""The question to a judge about a row; ``check``: only whether a text is admitted."""


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


Row: TypeAlias = LabelledPair | LabelledText
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
    notes: tuple[str, ...] = ()
    """What is to be said of the file."""

    def checked(self, source: str, what: str, hint: str) -> LabelledFile[_Row]:
        """Return itself. Raises ``UsageError`` ``E_EVALUATE_EMPTY`` where no row is usable."""
        if not self.rows:
            first = f"; {self.bad[0]}" if self.bad else ""
            raise UsageError("E_EVALUATE_EMPTY", f"{source} has no {what}{first}.", hint)
        return self


PairsFile: TypeAlias = LabelledFile[LabelledPair]
RatingsFile: TypeAlias = LabelledFile[LabelledText]


def labels_of(source: str) -> Literal["pairs", "ratings"]:
    """Return the kind of a labelled file, by its header. Raises as ``read_pairs`` does."""
    table, _ = read_rows(source, asked=_NAMES)
    header = table.names
    if "text_a" in header or "text_b" in header:
        return "pairs"
    if "text" in header:
        return "ratings"
    raise _no_column(source, table, f"{_PAIRS_HINT} Or {_RATINGS_HINT[:1].lower()}{_RATINGS_HINT[1:]}")


def read_pairs(source: str) -> PairsFile:
    """Read ``--pairs``. Votes decide where a row has them, else its winner; even votes are a tie. Raises ``UsageError``
    for missing columns or no usable row, ``InputError`` for a file that isn't such a CSV."""
    file = PairsFile(_name(source))

    def row(cells: dict[str, str]) -> LabelledPair | None:
        a, b = _number(cells["votes_a"]), _number(cells["votes_b"])
        word = cells["winner"].lower()
        winner: Side | None = _WINNERS.get(word)
        votes: tuple[float | None, float | None] = None, None
        if a is not None and b is not None and min(a, b) >= 0 and a + b > 0:
            winner, votes = (None if a == b else "A" if a > b else "B"), (a, b)
        elif word not in _WINNERS or (cells["votes_a"] and cells["votes_b"] and (a, b) != (0.0, 0.0)):
            raise ValueError("has no winner that can be read")
        return LabelledPair(cells["text_a"], cells["text_b"], winner, *votes) if winner is not None else None

    table = _read_into(file, source, ("text_a", "text_b"), _NAMES[:3], row, _PAIRS_HINT)
    if "winner" not in table.names and not {"votes_a", "votes_b"} <= set(table.names):
        raise _no_column(source, table, _PAIRS_HINT)
    return file.checked(source, "pair with a winner", _PAIRS_HINT)


def read_ratings(source: str) -> RatingsFile:
    """Read ``--ratings``. A row needs a text and a rating or ``is_humor``. Raises as ``read_pairs`` does."""
    file = RatingsFile(_name(source))

    def row(cells: dict[str, str]) -> LabelledText:
        written, word = cells.get(file.column or "", ""), cells["is_humor"].lower()
        rating = _number(written)
        if (written and rating is None) or (word and word not in _HUMOR):
            raise ValueError("has a label that can't be read")
        if not written and not word:
            raise ValueError("has no label")
        return LabelledText(cells["text"], rating, _HUMOR.get(word))

    table = _read_into(file, source, ("text",), ("is_humor", *RATINGS), row, _RATINGS_HINT)
    if file.column is None and "is_humor" not in table.names:
        raise _no_column(source, table, _RATINGS_HINT)
    return file.checked(source, "labelled text", _RATINGS_HINT)


def _read_into(
    file: LabelledFile[_Row],
    source: str,
    texts: Sequence[str],
    labels: Sequence[str],
    row_of: Callable[[dict[str, str]], _Row | None],
    hint: str,
) -> Table:
    """Read a table's rows into the ``file`` and return it. Cells have no spaces around them, texts are
    unchanged. ``row_of``: returns None for a tie, and raises ``ValueError`` for a row that can't be used."""
    table, rows = read_rows(source, asked=_NAMES)
    file.notes = table.notes
    if not set(texts) <= set(table.names):
        raise _no_column(source, table, hint)
    header = [cell.strip().lower() for cell in table.header]
    double = next((name for name in ("id", *texts, *labels) if header.count(name) > 1), None)
    if double is not None:
        raise UsageError("E_EVALUATE_COLUMN", f"{source} has more than one column {double!r}.", hint)
    file.column = next((name for name in RATINGS if name in table.names and name in labels), None)
    for line, given in rows:
        cells = dict.fromkeys(_NAMES[:4], "")
        cells |= {name: cell if name in texts and cell.strip() else cell.strip() for name, cell in given.items()}
        try:
            if given.problem is not None:
                raise ValueError(given.problem.sentence.rstrip(".").removeprefix(f"The row on line {line} "))
            if not all(cells.get(name) for name in texts):
                raise ValueError("lacks a text")
            row = row_of(cells)
        except ValueError as fault:
            file.bad.append(f"the row on line {line} {fault}")
            continue
        if row is None:
            file.ties += 1
        else:
            file.rows.append(row)
            file.ids.append(cells.get("id") or None)
    return table


def _name(source: str) -> str:
    return "standard input" if source == "-" else Path(source).name


def _no_column(source: str, table: Table, hint: str) -> UsageError:
    return UsageError("E_EVALUATE_COLUMN", f"{source} lacks a column: {columns_there(table.header)}.", hint)


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    # No rating or number of votes is larger; sums of larger numbers could overflow.
    return value if math.isfinite(value) and abs(value) <= 1e9 else None


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
