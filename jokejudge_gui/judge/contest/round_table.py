"""The results of shuffled rounds, and each text's mean scores, which don't depend on the order of the results."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..asking.questions import deviation, mean
from .types import SCALES, PlaceEffects, Scale, ScaleMean, ScoredChunk

# -- Shuffled rounds as numbers: the order of jokes in each round, and scores corrected for their place
# Pure functions of texts and numbers. A list is shuffled anew for every round and cut into chunks; a score is the sum
# of a joke's own value and its place's effect, which is the same for all jokes.

CHUNK = 8
"""The largest number of jokes shown together."""
_PRIOR_SCORES = 2.0
"""The weight of the prior that places have no effect, as a number of scores."""

Chunk = tuple[str, ...]


class Score(NamedTuple):
    """The score of ``text`` at ``place`` (from 0) in a chunk."""

    text: str
    place: int
    value: float


def schedule(texts: Sequence[str], rounds: int, seed: int) -> list[list[Chunk]]:
    """Return the chunks of every round, about equally long. They depend on the set of texts, not on their order."""
    found = []
    for number in range(rounds):
        order = sorted(texts)
        random.Random(f"{seed} {number}").shuffle(order)
        count = -(-len(order) // CHUNK)
        ends = [len(order) * k // count for k in range(count + 1)] if count else [0]
        found.append([tuple(order[a:b]) for a, b in itertools.pairwise(ends)])
    return found


def place_effects(scores: Iterable[Score]) -> tuple[float, ...]:
    """Return each place's effect on a score, in points, with mean 0: least squares on the differences between the
    scores of one text, so that a place isn't credited with the jokes that happened to be there. All 0 where no text was
    scored twice."""
    by_text: dict[str, list[Score]] = {}
    for score in scores:
        by_text.setdefault(score.text, []).append(score)
    places = 1 + max((each.place for own in by_text.values() for each in own), default=-1)
    if not places:
        return ()
    curve, slope = np.zeros((places, places)), np.zeros(places)
    for text in sorted(by_text):
        own = by_text[text]
        at = np.zeros((len(own), places))
        at[np.arange(len(own)), [each.place for each in own]] = 1.0
        at -= at.mean(axis=0)
        values = np.array([each.value for each in own])
        curve += at.T @ at
        slope += at.T @ (values - values.mean())
    effects = np.linalg.solve(curve + _PRIOR_SCORES * np.eye(places), slope)
    return tuple(float(value) for value in effects - effects.mean())


def without_places(scores: Sequence[Score], effects: Sequence[float], scale: Scale) -> dict[str, ScaleMean]:
    """Return each text's mean score on a scale, corrected for the ``effects`` of places."""
    values: dict[str, list[float]] = {}
    for score in scores:
        values.setdefault(score.text, []).append(score.value - effects[score.place])
    return {
        text: ScaleMean(scale=scale, mean=mean(own), sd=deviation(own) if len(own) > 1 else None, times=len(own))
        for text, own in values.items()
    }


MIDDLE = 5.5


@dataclass(frozen=True)
class RoundMeans:
    """``of``: each text's mean scores by scale; ``effects``: the effects of places that were subtracted."""

    of: Mapping[str, tuple[ScaleMean, ...]] = field(default_factory=dict)
    effects: tuple[PlaceEffects, ...] = ()

    def humor(self, text: str) -> float:
        """Return a text's mean humor score less the middle of the scale, in points; 0 where it wasn't scored."""
        return next((each.mean - MIDDLE for each in self.of.get(text, ()) if each.scale == "humor"), 0.0)


class RoundTable:
    """Chunks by their texts. Those of an earlier run are spare until this run reaches them."""

    def __init__(self) -> None:
        self._taken: dict[Chunk, ScoredChunk] = {}
        self._spare: dict[Chunk, ScoredChunk] = {}
        self._means: RoundMeans | None = None

    def spare(self, texts: Chunk, chunk: ScoredChunk) -> None:
        self._spare[texts] = chunk
        self._means = None

    def known(self, texts: Chunk) -> list[tuple[Chunk, ScoredChunk]] | None:
        """Return a chunk that was asked already, or its halves; None if it has to be asked."""
        found = self._taken.get(texts) or self._spare.get(texts)
        if found is not None:
            return [(texts, found)]
        middle = len(texts) // 2
        if not middle:
            return None
        one, other = self.known(texts[:middle]), self.known(texts[middle:])
        return one + other if one is not None and other is not None else None

    def take(self, texts: Chunk, chunk: ScoredChunk) -> None:
        self._spare.pop(texts, None)
        self._taken[texts] = chunk
        self._means = None

    def leave_spares(self) -> None:
        """Drop the spare chunks: all rounds are over, or the list has changed."""
        self._spare.clear()
        self._means = None

    def chunks(self) -> list[tuple[Chunk, ScoredChunk]]:
        return sorted((self._spare | self._taken).items(), key=lambda each: (each[1].round, each[0]))

    def means(self) -> RoundMeans:
        if self._means is None:
            self._means = _means(self.chunks())
        return self._means


def _means(chunks: Iterable[tuple[Chunk, ScoredChunk]]) -> RoundMeans:
    found: dict[str, list[ScaleMean]] = {}
    effects = []
    chunks = list(chunks)
    for scale in SCALES:
        scores = [
            Score(text, place, value)
            for texts, chunk in chunks
            for place, (text, value) in enumerate(zip(texts, chunk.scores.get(scale, ()), strict=False))
            if value is not None
        ]
        if not scores:
            continue
        of_places = place_effects(scores)
        effects.append(PlaceEffects(scale=scale, effects=of_places))
        for text, each in without_places(scores, of_places, scale).items():
            found.setdefault(text, []).append(each)
    return RoundMeans({text: tuple(each) for text, each in found.items()}, tuple(effects))
