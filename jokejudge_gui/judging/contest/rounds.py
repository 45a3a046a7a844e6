"""Shuffled rounds as numbers: who stands where in which round, and what scores are worth without their place.

Pure functions of texts and numbers. A list is shuffled anew for every round and cut into chunks; a score is a joke's
own value plus what its place in the chunk adds to any joke that stands there.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ..asking.answers import deviation, mean

CHUNK = 8
"""At most so many jokes are shown together."""
_PRIOR_SCORES = 2.0
"""An effect of place is drawn towards none as if so many scores had said that there is none."""

Chunk = tuple[str, ...]


@dataclass(frozen=True)
class Score:
    """The score that ``text`` got in the place ``place`` (from 0) of a chunk."""

    text: str
    place: int
    value: float


@dataclass(frozen=True)
class Scored:
    """A text's mean over rounds, places taken out; ``sd``: over rounds, None after a single one; ``times``: rounds."""

    mean: float
    sd: float | None
    times: int


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


def without_places(scores: Sequence[Score], effects: Sequence[float]) -> dict[str, Scored]:
    """Each text's mean score with the ``effects`` of places taken out."""
    values: dict[str, list[float]] = {}
    for score in scores:
        values.setdefault(score.text, []).append(score.value - effects[score.place])
    return {text: Scored(mean(own), deviation(own) if len(own) > 1 else None, len(own)) for text, own in values.items()}
