"""Labelled rows from files: pairs with a winner, and texts with a rating."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..core.errors import UsageError
from ..core.tables import MOST_TABLE, Table, TextSource, columns_there
from ..core.verdicts import Side
from ..core.vote_sets import PairVote, Rated, VoteSet

RATINGS = ("rating", "humor_rating", "mean_grade", "funniness", "bws_score", "log_score")
CLEAR_VOTES, CLEAR_SHARE = 4, 0.8
_PAIR, _VOTES = ("text_a", "text_b"), ("winner", "votes_a", "votes_b")
_PAIRS_HINT = "The first line names the columns: text_a,text_b and winner (A, B or tie) or votes_a,votes_b."
_RATINGS_HINT = f"The first line names the columns: text and one of {', '.join(RATINGS)}, or is_humor (0 or 1)."
_HUMOR = {"1": True, "1.0": True, "true": True, "yes": True, "0": False, "0.0": False, "false": False, "no": False}
_WINNERS: dict[str, Side | None] = {"a": "A", "b": "B", "tie": None}


@dataclass(frozen=True)
class Labelled:
    """A text with people's mean ``rating`` (any scale, higher is funnier) and whether they took it for humour; or two
    texts with the one that people found funnier, and the ``votes`` for both where they were counted."""

    texts: tuple[str, ...]
    winner: Side | None = None
    votes: tuple[float, float] | None = None
    rating: float | None = None
    is_humor: bool | None = None

    @property
    def asked(self) -> str:
        """The question to a judge about it; ``check``: only whether the text is admitted."""
        return "duel" if self.winner is not None else "check" if self.rating is None else "rate"

    @property
    def people(self) -> dict[str, Any]:
        """The label as a JSON object."""
        if self.winner is None:
            return {"rating": self.rating, "is_humor": self.is_humor}
        a, b = self.votes or (None, None)
        return {"winner": self.winner, "votes_a": a, "votes_b": b}

    @property
    def clear(self) -> bool:
        """Whether many voted, and nearly all for the same text."""
        votes = self.votes or (0.0, 0.0)
        return sum(votes) >= CLEAR_VOTES and max(votes) >= CLEAR_SHARE * sum(votes)


Cells = dict[str, str]


@dataclass
class LabelledFile:
    """A file's rows, all of pairs or all of texts; ``ids`` beside them. ``bad``: sentences about unusable rows;
    ``ties``: number of pairs that people found equally funny, which are left out; ``column``: the one with people's
    ratings, if there is one; ``notes``: what is to be said of the file."""

    name: str
    column: str | None = None
    rows: list[Labelled] = field(default_factory=list)
    ids: list[str | None] = field(default_factory=list)
    ties: int = 0
    bad: list[str] = field(default_factory=list)
    notes: tuple[str, ...] = ()


def read_pairs(source: str) -> LabelledFile:
    """Read ``--pairs``. Votes decide where a row has them, else its winner; even votes are a tie. Raises ``UsageError``
    for missing columns or no usable row, ``InputError`` for a file that isn't such a CSV."""

    def labelled(names: set[str]) -> bool:
        return "winner" in names or {"votes_a", "votes_b"} <= names

    return _read(source, _PAIR, _VOTES, labelled, _pair, ("pair with a winner", _PAIRS_HINT))


def read_ratings(source: str) -> LabelledFile:
    """Read ``--ratings``. A row needs a text and a rating or ``is_humor``. Raises as ``read_pairs`` does."""
    labels = ("is_humor", *RATINGS)
    return _read(source, ("text",), labels, set(labels).intersection, _text, ("labelled text", _RATINGS_HINT))


def _pair(cells: Cells, _column: str | None) -> Labelled | None:
    a, b = _number(cells.get("votes_a", "")), _number(cells.get("votes_b", ""))
    texts, word = (cells["text_a"], cells["text_b"]), cells.get("winner", "").lower()
    if a is not None and b is not None and min(a, b) >= 0 and a + b > 0:
        return Labelled(texts, "A" if a > b else "B", (a, b)) if a != b else None
    voted = cells.get("votes_a") and cells.get("votes_b") and (a, b) != (0.0, 0.0)
    if word not in _WINNERS or voted:
        raise ValueError("has no winner that can be read")
    winner = _WINNERS[word]
    return Labelled(texts, winner) if winner is not None else None


def _text(cells: Cells, column: str | None) -> Labelled:
    written, word = cells.get(column or "", ""), cells.get("is_humor", "").lower()
    rating = _number(written)
    if (written and rating is None) or (word and word not in _HUMOR):
        raise ValueError("has a label that can't be read")
    if not written and not word:
        raise ValueError("has no label")
    return Labelled((cells["text"],), rating=rating, is_humor=_HUMOR.get(word))


def _read(
    source: str,
    texts: Sequence[str],
    labels: Sequence[str],
    labelled: Callable[[set[str]], object],
    row_of: Callable[[Cells, str | None], Labelled | None],
    about: tuple[str, str],
) -> LabelledFile:
    """Read a file. Cells have no spaces around them, texts are unchanged. ``labelled``: whether a file with such
    columns has labels; ``row_of`` returns None for a tie, and raises ``ValueError`` for a row that can't be used;
    ``about``: the name of a row, and a hint."""
    what, hint = about
    table = Table(TextSource(source, MOST_TABLE), asked=(*_VOTES, "is_humor", *RATINGS))
    rows = list(table.rows())
    names = set(table.names)
    if not set(texts) <= names or not labelled(names):
        raise UsageError("E_EVALUATE_COLUMN", f"{source} lacks a column: {columns_there(table.header)}.", hint)
    header = [cell.strip().lower() for cell in table.header]
    if double := next((name for name in ("id", *texts, *labels) if header.count(name) > 1), None):
        raise UsageError("E_EVALUATE_COLUMN", f"{source} has more than one column {double!r}.", hint)
    file = LabelledFile("standard input" if source == "-" else Path(source).name, notes=table.notes)
    file.column = next((name for name in RATINGS if name in names and name in labels), None)
    for line, given in rows:
        cells = {name: cell if name in texts and cell.strip() else cell.strip() for name, cell in given.items()}
        try:
            if given.problem is not None:
                raise ValueError(given.problem.sentence.rstrip(".").removeprefix(f"The row on line {line} "))
            if not all(cells.get(name) for name in texts):
                raise ValueError("lacks a text")
            row = row_of(cells, file.column)
        except ValueError as fault:
            file.bad.append(f"the row on line {line} {fault}")
            continue
        file.ties += row is None
        if row is not None:
            file.rows.append(row)
            file.ids.append(cells.get("id") or None)
    if not file.rows:
        first = f"; {file.bad[0]}" if file.bad else ""
        raise UsageError("E_EVALUATE_EMPTY", f"{source} has no {what}{first}.", hint)
    return file


def _number(cell: str) -> float | None:
    try:
        value = float(cell)
    except ValueError:
        return None
    # No rating or number of votes is larger; sums of larger numbers could overflow.
    return value if math.isfinite(value) and abs(value) <= 1e9 else None


def vote_sets(files: Sequence[LabelledFile]) -> list[VoteSet]:
    """Return the files' votes, under different names. Raises ``UsageError`` for a file without ratings."""
    sets = [_votes_of(file) for file in files]
    names = [votes.name for votes in sets]
    return [
        replace(votes, name=f"{votes.name} ({number})") if names.count(votes.name) > 1 else votes
        for number, votes in enumerate(sets, 1)
    ]


def _votes_of(file: LabelledFile) -> VoteSet:
    rated = [Rated(row.texts[0], row.rating) for row in file.rows if row.rating is not None]
    pairs: list[PairVote] = []
    for row in file.rows:
        if row.winner is not None:
            better, worse = row.texts if row.winner == "A" else row.texts[::-1]
            lead = 0.5 if row.votes is None else abs(row.votes[0] - row.votes[1]) / (sum(row.votes) + 1.0)
            pairs.append(PairVote(better, worse, lead))
    if not rated and not pairs:
        raise UsageError(
            "E_FIT_RATINGS",
            f"{file.name} says which texts are jokes, but not how funny they are.",
            "Give --ratings a file with a column of ratings.",
        )
    return VoteSet(file.name, tuple(pairs), tuple(rated))
