"""Jokes in drafts, and the pairs of drafts that heads learn from."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..errors import InputError, ModelError
from ..files import parse_json
from ..texts import clean_text

FOLDS = 5
Sort = Literal["edited", "equal", "rewritten"]
"""The best draft beside a worse one; beside the one as good; that one beside a worse one."""
COUNTS: dict[Sort, float] = {"edited": 1.0, "equal": 0.5, "rewritten": 0.3}
"""How much a pair of each sort counts. The draft that is as good has other words, so that a worse one beside it differs
by more than its fault."""


@dataclass(frozen=True)
class DraftJoke:
    """One joke: its best draft, one as good in other words, worse ones with their fault's id."""

    id: str
    best: str
    equal: str
    worse: tuple[tuple[str, str], ...]

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.best, self.equal, *(text for text, _ in self.worse))


@dataclass(frozen=True)
class DraftPair:
    """Two drafts of joke number ``joke``, the better one first (of equals, the best one); ``fault``: of the second."""

    joke: int
    first: str
    second: str
    sort: Sort
    fault: str = ""


def load_drafts(path: Path) -> tuple[DraftJoke, ...]:
    """The jokes in a file of drafts (models/drafts/README.md). Raises ``ModelError`` ``E_VOTES_DAMAGED``."""
    try:
        found = tuple(_joke(parse_json(line)) for line in path.read_text("utf-8").splitlines() if line.strip())
        if not found:
            raise ValueError("it is empty")
        return found
    except (OSError, ValueError, KeyError, TypeError, AttributeError, InputError) as error:
        raise ModelError(
            "E_VOTES_DAMAGED", f"The drafts in {path.name} can't be read ({error}).", "Install the program again."
        ) from error


def _joke(row: dict[str, Any]) -> DraftJoke:
    worse = tuple((clean_text(_text(each["text"])), _text(each["fault"])) for each in row["worse"])
    return DraftJoke(_text(row["id"]), clean_text(_text(row["best"])), clean_text(_text(row["equal"])), worse)


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text of it is none")
    return value


def pairs_of(jokes: Sequence[DraftJoke]) -> list[DraftPair]:
    """All pairs, those of the sort ``edited`` first."""
    edited = [
        DraftPair(place, joke.best, text, "edited", fault)
        for place, joke in enumerate(jokes)
        for text, fault in joke.worse
    ]
    equal = [DraftPair(place, joke.best, joke.equal, "equal") for place, joke in enumerate(jokes)]
    rewritten = [
        DraftPair(place, joke.equal, text, "rewritten", fault)
        for place, joke in enumerate(jokes)
        for text, fault in joke.worse
    ]
    return [*edited, *equal, *rewritten]


def folds_of(jokes: Sequence[DraftJoke]) -> npt.NDArray[np.int64]:
    """A fold 0…4 for each joke, by its id alone and of even sizes."""
    order = sorted(range(len(jokes)), key=lambda place: (zlib.crc32(jokes[place].id.encode()), jokes[place].id))
    found = np.empty(len(jokes), dtype=np.int64)
    found[order] = np.arange(len(jokes)) % FOLDS
    return found
