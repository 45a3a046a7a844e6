"""The wording of many texts as one sparse matrix, for all training on it: heads fitted on this machine, the baselines
of a judge, and the shipped heads' training. The groups, buckets and weights are those of ``heads/audience.py``, so that
training and prediction use the same features."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from ..heads.audience import grams
from ..heads.editor_file import Ints
from .ridge import by_gradients

Matrix = npt.NDArray[np.float32]

LENGTHS = 2
"""Number of measures of length: characters and words, as logarithms."""


@dataclass(frozen=True, eq=False)
class Wording:
    """A sparse matrix of ``shape`` (texts, features), entry by entry, in the order of its texts: ``values[i]`` in row
    ``rows[i]`` and column ``places[i]``."""

    rows: Ints
    places: Ints
    values: Vector
    shape: tuple[int, int]

    def times(self, weights: Vector) -> Vector:
        """Return the product: (features) to one score for each text; (features, outputs) to (texts, outputs)."""
        if weights.ndim == 2:
            return np.stack([self.times(column) for column in weights.T], axis=1)
        return _summed(self.rows, self.values * weights[self.places], self.shape[0])

    def back(self, scores: Vector) -> Vector:
        """Return the transposed product: (texts) to (features)."""
        return _summed(self.places, self.values * scores[self.rows], self.shape[1])

    def take(self, wanted: Ints) -> Wording:
        """Return the rows of some texts, each at most once, in the order given."""
        where = np.full(self.shape[0], -1, dtype=np.int64)
        where[wanted] = np.arange(len(wanted))
        rows = where[self.rows]
        kept = np.flatnonzero(rows >= 0)
        kept = kept[np.argsort(rows[kept], kind="stable")]
        return Wording(rows[kept], self.places[kept], self.values[kept], (len(wanted), self.shape[1]))

    def dense(self) -> Matrix:
        """Return the matrix as an array."""
        found = np.zeros(self.shape, dtype=np.float32)
        found[self.rows, self.places] = self.values
        return found

    def beside(self, columns: npt.NDArray[np.floating]) -> Wording:
        """Return the matrix with more columns, (texts, columns), after the last one."""
        texts, more = columns.shape
        rows = np.concatenate([self.rows, np.repeat(np.arange(texts), more)])
        places = np.concatenate([self.places, np.tile(np.arange(self.shape[1], self.shape[1] + more), texts)])
        values = np.concatenate([self.values, columns.astype(np.float64).ravel()])
        order = np.argsort(rows, kind="stable")
        return Wording(rows[order], places[order], values[order], (texts, self.shape[1] + more))

    def rarity(self, inside: Ints | None = None, *, least: int = 1) -> Vector:
        """Return the rarity of each bucket among the texts at ``inside`` (all, if None): log((1 + their number) / (1 +
        number of those with the bucket)) + 1. 0 for buckets in fewer than ``least`` of them, if that is more than
        one."""
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
        """Return the counts weighted as by ``weigh``: times rarity, words and letter groups of each text scaled to
        length 1."""
        values = self.values * rarity.astype(np.float64)[self.places]
        side = 2 * self.rows + (self.places >= self.shape[1] // 2)
        norm = np.sqrt(_summed(side, values * values, 2 * self.shape[0]))
        norm[norm == 0] = 1.0
        return Wording(self.rows, self.places, values / norm[side], self.shape)


def counted(texts: Sequence[str], buckets: int) -> Wording:
    """Return the counts of each group in each text (``grams``), not yet weighted."""
    return of_counts([grams(text, buckets) for text in texts], buckets)


def of_counts(counts: Sequence[dict[int, float]], buckets: int) -> Wording:
    """Return the same from the results of ``grams``."""
    sizes = np.array([len(count) for count in counts], dtype=np.int64)
    total = int(sizes.sum())
    return Wording(
        np.repeat(np.arange(len(counts)), sizes),
        np.fromiter(itertools.chain.from_iterable(counts), dtype=np.int64, count=total),
        np.fromiter(itertools.chain.from_iterable(c.values() for c in counts), dtype=np.float64, count=total),
        (len(counts), buckets),
    )


def lengths(texts: Sequence[str]) -> Vector:
    """Return (texts, LENGTHS): logarithms of 1 + the number of characters, and of words."""
    found: Vector = np.log1p(np.array([[len(text), len(text.split())] for text in texts], dtype=np.float64))
    return found.reshape(len(texts), LENGTHS)


def _summed(places: Ints, values: Vector, size: int) -> Vector:
    """Return the sums of values by place."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)


# --------------------------------------------------------------------------------------------------------------------
# The baselines of a judge: the longer text, and a ridge over word and letter groups trained on the same file. The ridge
# never sees the texts that it is tested on: texts are divided into folds, and a row is predicted by a fit on the rows
# without a text in the row's folds.

BUCKETS = 1 << 14
MOST_ROWS = 20_000
"""Most rows for training; of more a seeded sample is taken."""
_FEW_FOLDS = 5
_MANY_FOLDS = 8
_STRENGTH = 4.0
_STEPS = 40
_EXACT = 3e-3


def length(text: str) -> int:
    """Return the length in characters, for "longer is funnier"."""
    return len(text)


def longer(texts_a: Sequence[str], texts_b: Sequence[str]) -> Vector:
    """Return the predictions of "longer is funnier": 1 for A, −1 for B, 0 for the same length."""
    gaps = [length(a) - length(b) for a, b in zip(texts_a, texts_b, strict=True)]
    return np.sign(np.array(gaps, dtype=np.float64))


def pair_scores(pairs: Sequence[tuple[str, str]], targets: Vector, wanted: Ints, seed: int) -> Vector:
    """Return the ridge's score for A (positive: A) of the pairs at ``wanted``; ``targets`` −1…1, positive where people
    chose A. 0 where there is no training data."""
    texts, (first, second) = _numbered([[a for a, _ in pairs], [b for _, b in pairs]])
    return _cross_validated(texts, first, second, targets, wanted, seed)


def rating_scores(texts: Sequence[str], targets: Vector, wanted: Ints, seed: int) -> Vector:
    """Return the ridge's score of the texts at ``wanted``, higher for those with a higher predicted rating."""
    unique, (places,) = _numbered([list(texts)])
    spread = float(targets.std()) if len(targets) else 0.0
    centred = (targets - targets.mean()) / (spread or 1.0) if len(targets) else targets
    return _cross_validated(unique, places, None, centred, wanted, seed)


def _numbered(columns: list[list[str]]) -> tuple[list[str], list[Ints]]:
    numbers: dict[str, int] = {}
    found = [np.array([numbers.setdefault(t, len(numbers)) for t in column], dtype=np.int64) for column in columns]
    return list(numbers), found


def _cross_validated(
    texts: list[str], first: Ints, second: Ints | None, targets: Vector, wanted: Ints, seed: int
) -> Vector:
    random = np.random.default_rng(seed)
    out = np.zeros(len(wanted))
    if len(wanted) == 0:
        return out
    learned = np.arange(len(first))
    if len(learned) > MOST_ROWS:
        rest = np.setdiff1d(learned, wanted)
        room = max(0, MOST_ROWS - len(wanted))
        learned = np.sort(np.concatenate([wanted[:MOST_ROWS], random.permutation(rest)[:room]]))
    asked = np.unique(np.concatenate([learned, wanted]))
    used = np.unique(np.concatenate([first[asked], *([second[asked]] if second is not None else [])]))
    where = np.zeros(len(texts), dtype=np.int64)
    where[used] = np.arange(len(used))
    matrix = _features([texts[place] for place in used])
    one, two = where[first], where[second] if second is not None else None
    fold = _folds(len(used), one[asked], two[asked] if two is not None else None, random)
    fold_one = fold[one]
    fold_two = fold[two] if two is not None else fold_one
    keys = np.stack([np.minimum(fold_one, fold_two), np.maximum(fold_one, fold_two)], axis=1)
    for i, j in np.unique(keys[wanted], axis=0):
        train = learned[~np.isin(fold_one[learned], (i, j)) & ~np.isin(fold_two[learned], (i, j))]
        if len(train) < 2:
            continue
        weights = _ridge(matrix, one[train], two[train] if two is not None else None, targets[train])
        inside = (keys[wanted] == (i, j)).all(axis=1)
        scores = matrix.times(weights)
        rows = wanted[inside]
        out[inside] = scores[one[rows]] - (scores[two[rows]] if two is not None else 0.0)
    return out


def _features(texts: list[str]) -> Wording:
    """Return hashed groups scaled to length 1, then two measures of length."""
    counts = counted(texts, BUCKETS)
    sizes = lengths(texts)
    sizes = (sizes - sizes.mean(axis=0)) / np.maximum(sizes.std(axis=0), 1e-9)
    return counts.weighed(counts.rarity()).beside(0.5 * sizes)


def _folds(size: int, one: Ints, two: Ints | None, random: np.random.Generator) -> Ints:
    """Return a fold for each text. Where pairs form small groups that share no text, whole groups are assigned; where
    most are connected, single texts are, to more folds, since each pair then leaves two folds out."""
    island = np.arange(size)
    if two is not None:
        island = islands(size, one, two)
        sizes = np.bincount(island[one], minlength=size)
        if sizes.max() > len(one) / _FEW_FOLDS:
            return random.integers(0, _MANY_FOLDS, size)
    return random.permutation(np.arange(size) % _FEW_FOLDS)[island]


def islands(size: int, one: Ints, two: Ints) -> Ints:
    """Return for each text a representative of all that are linked with it by pairs."""
    head = list(range(size))

    def root(place: int) -> int:
        while head[place] != place:
            head[place] = head[head[place]]
            place = head[place]
        return place

    for a, b in zip(one.tolist(), two.tolist(), strict=True):
        head[root(b)] = root(a)
    return np.array([root(place) for place in range(size)], dtype=np.int64)


def _ridge(matrix: Wording, one: Ints, two: Ints | None, targets: Vector) -> Vector:
    """Return the weights of a ridge regression on the scores of texts, or on the differences of two."""
    texts = matrix.shape[0]

    def back(residual: Vector) -> Vector:
        scores = np.bincount(one, weights=residual, minlength=texts).astype(np.float64)
        if two is not None:
            scores = scores - np.bincount(two, weights=residual, minlength=texts)
        return matrix.back(scores)

    def forth(weights: Vector) -> Vector:
        scores = matrix.times(weights)
        found: Vector = scores[one] - (scores[two] if two is not None else 0.0)
        return found

    return by_gradients(forth, back, targets, _STRENGTH, steps=_STEPS, exact=_EXACT)
