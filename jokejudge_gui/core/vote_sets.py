"""People's votes, on which an audience head is trained: pairs and ratings by set, and the set that ships."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from .errors import damaged
from .paths import models_dir

SHIPPED = "humor_mechanics"
CREDIT = "altsoph/humor-mechanics, MIT"
OWN_CREDIT = "the user's own"


@dataclass(frozen=True)
class PairVote:
    """People found ``winner`` funnier than ``loser``. ``margin`` 0…1: (votes for − votes against) / (votes + 1), so a
    single vote gives ½ and many unanimous votes nearly 1."""

    winner: str
    loser: str
    margin: float = 0.5


@dataclass(frozen=True)
class Rated:
    """People's rating of a text, on any scale: higher is funnier. Comparable with ratings of the same set only."""

    text: str
    value: float


@dataclass(frozen=True)
class VoteSet:
    """Votes on one kind of text or by one group of people. ``credit``: their source, for the card."""

    name: str
    pairs: tuple[PairVote, ...] = ()
    ratings: tuple[Rated, ...] = ()
    credit: str = OWN_CREDIT


def shipped_votes(folder: Path | None = None) -> VoteSet:
    """Return the ratings that ship with the program (models/votes/README.md). Raises ``ModelError``
    ``E_FILE_DAMAGED``."""
    path = (folder or models_dir() / "votes") / f"{SHIPPED}.csv"
    try:
        with path.open(newline="", encoding="utf-8") as stream:
            rated = tuple(Rated(row["text"], float(row["funniness"])) for row in csv.DictReader(stream))
    except (OSError, ValueError, KeyError, TypeError, csv.Error) as error:
        raise damaged(path, error) from error
    if not rated or not all(math.isfinite(row.value) and row.text for row in rated):
        raise damaged(path, "it lacks texts or ratings")
    return VoteSet(SHIPPED, ratings=rated, credit=CREDIT)


def own_sets(votes: Iterable[tuple[str, str, str | None]]) -> tuple[VoteSet, ...]:
    """Return the user's own votes as sets, from (choice, text, other text): A or B for a duel's winner, up or down for
    a single text. Sets without a vote are left out."""
    pairs, ratings = [], []
    for choice, one, two in votes:
        if two is not None and choice in ("A", "B"):
            pairs.append(PairVote(one, two) if choice == "A" else PairVote(two, one))
        elif choice in ("up", "down"):
            ratings.append(Rated(one, float(choice == "up")))
    sets = (VoteSet("your duels", pairs=tuple(pairs)), VoteSet("your thumbs", ratings=tuple(ratings)))
    return tuple(votes for votes in sets if votes.pairs or votes.ratings)
