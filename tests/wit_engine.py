"""A fake engine whose hidden states predict how funny a text is, as well as a test wants, and votes on its texts."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Sequence

import numpy as np

from jokejudge_gui.core.errors import EngineError
from jokejudge_gui.core.vote_sets import PairVote, Rated, VoteSet
from jokejudge_gui.engine.base import CancelToken, FloatArray, Prompt
from tests.fake_engine import FakeEngine

SIZE = 24
_ANIMALS = ["owl", "cat", "newt", "horse", "duck", "heron", "goat", "llama", "bee", "mole"]
_PLACES = ["bar", "bank", "church", "garden", "tailor", "court", "library", "station"]


def _random(text: str, salt: str) -> np.random.Generator:
    return np.random.default_rng(int.from_bytes(hashlib.sha256((salt + text).encode()).digest()[:8], "big"))


def wit(text: str) -> float:
    """A text's true funniness: a normal number independent of its wording and length."""
    return float(_random(text, "wit").normal())


def texts(count: int) -> list[str]:
    """Different texts of about one length."""
    return [f"The {_ANIMALS[i % 10]} walks into a {_PLACES[i // 10 % 8]}, number {i:04d}." for i in range(count)]


def ratings(count: int, noise: float = 0.3) -> tuple[Rated, ...]:
    """People's ratings of ``texts``: their wit and some noise."""
    return tuple(Rated(text, wit(text) + noise * float(_random(text, "noise").normal())) for text in texts(count))


RATED = VoteSet("grades.csv", ratings=ratings(120))


def pair_votes(count: int) -> tuple[PairVote, ...]:
    """One vote on each of ``count`` pairs that share no text; about one in five goes to the duller text."""
    found = []
    every = texts(2 * count)
    for one, two in zip(every[::2], every[1::2], strict=True):
        ahead = wit(one) - wit(two) + float(_random(one + two, "vote").logistic(scale=0.4)) > 0
        found.append(PairVote(one, two) if ahead else PairVote(two, one))
    return tuple(found)


class WitEngine(FakeEngine):
    """``strength``: how strongly the states contain wit among noise (0: not at all). ``too_long``: a text that doesn't
    fit the context. ``reading(n)`` runs before the n-th text."""

    def __init__(
        self, strength: float = 1.0, *, too_long: str = "", reading: Callable[[int], None] | None = None
    ) -> None:
        super().__init__()
        self._info = dataclasses.replace(self._info, embedding_size=SIZE)
        self._strength = strength
        self._too_long = too_long
        self._reading = reading or (lambda _count: None)
        self.read: list[str] = []

    def embed(
        self, texts: Sequence[str], cancel: CancelToken | None = None, *, prompt: Prompt = ()
    ) -> list[FloatArray]:
        found = []
        for text in texts:
            self.read.append(text)
            self._reading(len(self.read))
            if cancel is not None:
                cancel.check()
            if text == self._too_long:
                raise EngineError("E_CONTEXT", "The text is too long for the model.", "Shorten it.")
            states = np.tile(_random(text, "states").normal(size=SIZE), (6, 1))
            states[:, 0] += self._strength * 3.0 * wit(text)
            found.append(states.astype(np.float32))
        return found

    def embed_together(self, texts: Sequence[str], cancel: CancelToken | None = None) -> list[FloatArray]:
        if self._too_long in texts:  # as in the real engine: refused before any is read
            raise EngineError("E_CONTEXT", "The text is too long for the model.", "Shorten it.")
        return self.embed(texts, cancel)
