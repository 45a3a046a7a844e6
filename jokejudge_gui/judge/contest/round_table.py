"""What shuffled rounds found so far, and what follows from it for each text: the same whatever was found first."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ..asking.questions import deviation, mean
from .types import SCALES, PlaceEffects, Scale, ScaleMean, ScoredChunk

# --------------------------------------------------------------------------------------------------------------------
# Shuffled rounds as numbers: who stands where in which round, and what scores are worth without their place.
#  Pure functions of texts and numbers. A list is shuffled anew for every round and cut into chunks; a score is a
# joke's own value plus what its place in the chunk adds to any joke that stands there.

CHUNK = 8
"""At most so many jokes are shown together."""
_PRIOR_SCORES = 2.0
"""An effect of place is drawn towards none as if so many scores had said that there is none."""

Chunk = tuple[str, ...]


class Score(NamedTuple):
    """The score that ``text`` got in the place ``place`` (from 0) of a chunk."""

    text: str
    place: int
    value: float


def schedule(texts: Sequence[str], rounds: int, seed: int) -> list[list[Chunk]]:
    """The chunks of every round, about equally long. They depend on which texts there are, not on their order."""
    found = []
    for number in range(rounds):
        order = sorted(texts)
        random.Random(f"{seed} {number}").shuffle(order)
        count = -(-len(order) // CHUNK)
        ends = [len(order) * k // count for k in range(count + 1)] if count else [0]
        found.append([tuple(order[a:b]) for a, b in itertools.pairwise(ends)])
    return found


def place_effects(scores: Iterable[Score]) -> tuple[float, ...]:
    """What each place adds to a score, in points, about 0 on the whole: least squares on the differences between the
    scores of one text, so that a place which good jokes happened to have isn't blamed for them. No text was scored
    twice: nothing is known of places, and all are 0."""
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
    """Each text's mean score on a scale, with the ``effects`` of places taken out."""
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
    """``of``: by text what it was given on each scale; ``effects``: what was taken out of it."""

    of: Mapping[str, tuple[ScaleMean, ...]] = field(default_factory=dict)
    effects: tuple[PlaceEffects, ...] = ()

    def humor(self, text: str) -> float:
        """By how many points a text's humor lies above the middle of the scale; 0 where it wasn't scored."""
        return next((each.mean - MIDDLE for each in self.of.get(text, ()) if each.scale == "humor"), 0.0)


class RoundTable:
    """Chunks by their texts. Those of an earlier run are spare until their turn comes in this one."""

    def __init__(self) -> None:
        self._taken: dict[Chunk, ScoredChunk] = {}
        self._spare: dict[Chunk, ScoredChunk] = {}
        self._means: RoundMeans | None = None

    def spare(self, texts: Chunk, chunk: ScoredChunk) -> None:
        self._spare[texts] = chunk
        self._means = None

    def known(self, texts: Chunk) -> list[tuple[Chunk, ScoredChunk]] | None:
        """A chunk that was asked already, or its halves; None if it has to be asked."""
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
        """Forget what is spare: all rounds are over, or their list is another one."""
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
