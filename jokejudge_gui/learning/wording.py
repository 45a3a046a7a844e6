"""The wording of many texts as one sparse matrix, for everything that learns from it: heads fitted on this machine, the
baselines that a judge must beat, and the shipped heads' training. The groups, buckets and weights are
``judging/reading/wording``'s, so what is learned is what a head reads later."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..judging.reading.wording import Vector, grams

Ints = npt.NDArray[np.int64]
Matrix = npt.NDArray[np.float32]

LENGTHS = 2
"""Measures of length: characters and words, as logarithms."""


@dataclass(frozen=True, eq=False)
class Wording:
    """A sparse matrix of ``shape`` (texts, features), entry by entry, in the order of its texts: ``values[i]`` in row
    ``rows[i]`` and column ``places[i]``."""

    rows: Ints
    places: Ints
    values: Vector
    shape: tuple[int, int]

    def times(self, weights: Vector) -> Vector:
        """(features) to one score for each text; (features, outputs) to (texts, outputs)."""
        if weights.ndim == 2:
            return np.stack([self.times(column) for column in weights.T], axis=1)
        return _summed(self.rows, self.values * weights[self.places], self.shape[0])

    def back(self, scores: Vector) -> Vector:
        """The transposed product: (texts) to (features)."""
        return _summed(self.places, self.values * scores[self.rows], self.shape[1])

    def take(self, wanted: Ints) -> Wording:
        """The rows of some texts, each at most once, in the order given."""
        where = np.full(self.shape[0], -1, dtype=np.int64)
        where[wanted] = np.arange(len(wanted))
        rows = where[self.rows]
        kept = np.flatnonzero(rows >= 0)
        kept = kept[np.argsort(rows[kept], kind="stable")]
        return Wording(rows[kept], self.places[kept], self.values[kept], (len(wanted), self.shape[1]))

    def dense(self) -> Matrix:
        """The whole matrix."""
        found = np.zeros(self.shape, dtype=np.float32)
        found[self.rows, self.places] = self.values
        return found

    def beside(self, columns: npt.NDArray[np.floating]) -> Wording:
        """With more columns, (texts, columns), after the last one."""
        texts, more = columns.shape
        rows = np.concatenate([self.rows, np.repeat(np.arange(texts), more)])
        places = np.concatenate([self.places, np.tile(np.arange(self.shape[1], self.shape[1] + more), texts)])
        values = np.concatenate([self.values, columns.astype(np.float64).ravel()])
        order = np.argsort(rows, kind="stable")
        return Wording(rows[order], places[order], values[order], (texts, self.shape[1] + more))

    def rarity(self, inside: Ints | None = None, *, least: int = 1) -> Vector:
        """How rare each bucket is among the texts at ``inside`` (all, if None): the logarithm of their number by that
        of the texts that hold it, + 1. 0 for what fewer than ``least`` of them hold, if that is more than one."""
        places = self.places
        texts = self.shape[0]
        if inside is not None:
            chosen = np.zeros(texts, dtype=bool)
            chosen[inside] = True
            places, texts = places[chosen[self.rows]], int(chosen.sum())
        seen = np.bincount(places, minlength=self.shape[1])
        found: Vector = np.log((1 + texts) / (1 + seen)) + 1.0
        if least > 1:
            found[seen < least] = 0.0
        return found

    def weighed(self, rarity: npt.NDArray[np.floating]) -> Wording:
        """Counts as ``weigh`` weighs them: times rarity, words and letter groups of each text scaled to length 1."""
        values = self.values * rarity.astype(np.float64)[self.places]
        side = 2 * self.rows + (self.places >= self.shape[1] // 2)
        norm = np.sqrt(_summed(side, values * values, 2 * self.shape[0]))
        norm[norm == 0] = 1.0
        return Wording(self.rows, self.places, values / norm[side], self.shape)


def counted(texts: Sequence[str], buckets: int) -> Wording:
    """How often each group comes in each text (``grams``), not yet weighed."""
    return of_counts([grams(text, buckets) for text in texts], buckets)


def of_counts(counts: Sequence[dict[int, float]], buckets: int) -> Wording:
    """The same from what ``grams`` gave of each text."""
    sizes = np.array([len(count) for count in counts], dtype=np.int64)
    total = int(sizes.sum())
    return Wording(
        np.repeat(np.arange(len(counts)), sizes),
        np.fromiter(itertools.chain.from_iterable(counts), dtype=np.int64, count=total),
        np.fromiter(itertools.chain.from_iterable(c.values() for c in counts), dtype=np.float64, count=total),
        (len(counts), buckets),
    )


def lengths(texts: Sequence[str]) -> Vector:
    """(texts, LENGTHS): logarithms of 1 + the number of characters, and of words."""
    found: Vector = np.log1p(np.array([[len(text), len(text.split())] for text in texts], dtype=np.float64))
    return found.reshape(len(texts), LENGTHS)


def _summed(places: Ints, values: Vector, size: int) -> Vector:
    """Values that share a place, added up."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)
