"""A fake engine whose hidden states predict how funny a text is, as well as a test wants, and votes on its texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from jokejudge_gui.core.errors import EngineError
from jokejudge_gui.core.vote_sets import PairVote, Rated, VoteSet
from jokejudge_gui.engine.base import CancelToken, FloatArray, Scan
from tests.fake_engine import ReadingEngine, random_of

SIZE = 24
_ANIMALS = ["owl", "cat", "newt", "horse", "duck", "heron", "goat", "llama", "bee", "mole"]
_PLACES = ["bar", "bank", "church", "garden", "tailor", "court", "library", "station"]


def wit(text: str) -> float:
    """A text's true funniness: a normal number independent of its wording and length."""
    return float(random_of(text, "wit").normal())


def texts(count: int) -> list[str]:
    """Different texts of about one length."""
    return [f"The {_ANIMALS[i % 10]} walks into a {_PLACES[i // 10 % 8]}, number {i:04d}." for i in range(count)]


def ratings(count: int, noise: float = 0.3) -> tuple[Rated, ...]:
    """People's ratings of ``texts``: their wit and some noise."""
    return tuple(Rated(text, wit(text) + noise * float(random_of(text, "noise").normal())) for text in texts(count))


RATED = VoteSet("grades.csv", ratings=ratings(120))


def pair_votes(count: int) -> tuple[PairVote, ...]:
    """One vote on each of ``count`` pairs that share no text; about one in five goes to the duller text."""
    found = []
    every = texts(2 * count)
    for one, two in zip(every[::2], every[1::2], strict=True):
        ahead = wit(one) - wit(two) + float(random_of(one + two, "vote").logistic(scale=0.4)) > 0
        found.append(PairVote(one, two) if ahead else PairVote(two, one))
    return tuple(found)


class WitEngine(ReadingEngine):
    """``strength``: how strongly the states contain wit among noise (0: not at all)."""

    def __init__(
        self, strength: float = 1.0, *, too_long: str = "", reading: Callable[[int], None] | None = None
    ) -> None:
        super().__init__(SIZE, too_long=too_long, reading=reading)
        self._strength = strength

    def states_of(self, text: str) -> FloatArray:
        states = np.tile(random_of(text, "states").normal(size=SIZE), (6, 1))
        states[:, 0] += self._strength * 3.0 * wit(text)
        return states.astype(np.float32)

    def scan_together(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[Scan]:
        if self._too_long in texts:  # as in the real engine: refused before any is read
            raise EngineError("E_CONTEXT", "The text is too long for the model.", "Shorten it.")
        return [Scan(states, np.zeros(len(states), np.float32), ()) for states in self.embed(texts, cancel)]
