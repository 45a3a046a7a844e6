"""What a judge must beat: the longer text, and a ridge over word and letter groups learned from the very same file.

The ridge never sees the texts that it is tested on: texts are dealt into folds, and a row is predicted by a fit on the
rows none of whose texts lie in the row's folds.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..judging.reading.audience import grams, weigh
from ..statistics import Vector

Ints = npt.NDArray[np.int64]

BUCKETS = 1 << 14
MOST_ROWS = 20_000
"""More rows than this are not learned from; a seeded sample of them is."""
_FEW_FOLDS = 5
_MANY_FOLDS = 8
_STRENGTH = 4.0
_STEPS = 40
_EXACT = 3e-3
_LENGTHS = 2


@dataclass(frozen=True, eq=False)
class _Texts:
    """Features of texts as a sparse matrix by rows: hashed groups scaled to length 1, then two of length."""

    begins: Ints
    counts: Ints
    places: Ints
    values: Vector

    def times(self, weights: Vector) -> Vector:
        """One score for each text."""
        # No row is empty: each has its length.
        found: Vector = np.add.reduceat(self.values * weights[self.places], self.begins)
        return found

    def back(self, scores: Vector) -> Vector:
        """The transposed product: one value for each feature."""
        return _summed(self.places, self.values * np.repeat(scores, self.counts), BUCKETS + _LENGTHS)


def _summed(places: Ints, values: Vector, size: int) -> Vector:
    """Values that share a place, added up."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)


def length(text: str) -> int:
    """Length in characters, by which "longer is funnier" goes."""
    return len(text)


def longer(texts_a: Sequence[str], texts_b: Sequence[str]) -> Vector:
    """ "Longer is funnier": 1 for A, −1 for B, 0 for the same length."""
    gaps = [length(a) - length(b) for a, b in zip(texts_a, texts_b, strict=True)]
    return np.sign(np.array(gaps, dtype=np.float64))


def pair_scores(pairs: Sequence[tuple[str, str]], targets: Vector, wanted: Ints, seed: int) -> Vector:
    """The ridge's score for A (positive: A) of the pairs at ``wanted``; ``targets`` −1…1, positive where people chose
    A. 0 where there was nothing to learn from."""
    texts, (first, second) = _numbered([[a for a, _ in pairs], [b for _, b in pairs]])
    return _cross_validated(texts, first, second, targets, wanted, seed)


def rating_scores(texts: Sequence[str], targets: Vector, wanted: Ints, seed: int) -> Vector:
    """The ridge's score of the texts at ``wanted``, higher for those that people should rate higher."""
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
    matrix = _features([texts[place] for place in used], random)
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


def _features(texts: list[str], random: np.random.Generator) -> _Texts:
    counted = [grams(text, BUCKETS) for text in texts]
    seen = np.bincount(np.array(list(itertools.chain.from_iterable(counted)), dtype=np.int64), minlength=BUCKETS)
    rarity = np.log((1 + len(texts)) / (1 + seen)) + 1.0
    lengths = np.log1p([[len(text), len(text.split())] for text in texts])
    lengths = (lengths - lengths.mean(axis=0)) / np.maximum(lengths.std(axis=0), 1e-9)
    places, values = [], []
    for row, counts in zip(lengths, counted, strict=True):
        where, weights = weigh(counts, rarity) if counts else (np.zeros(0, np.int64), np.zeros(0))
        places.append(np.concatenate([where, np.arange(BUCKETS, BUCKETS + _LENGTHS)]))
        values.append(np.concatenate([weights, 0.5 * row]))
    counts_ = np.array([len(part) for part in places], dtype=np.int64)
    return _Texts(
        np.concatenate([[0], np.cumsum(counts_)[:-1]]), counts_, np.concatenate(places), np.concatenate(values)
    )


def _folds(size: int, one: Ints, two: Ints | None, random: np.random.Generator) -> Ints:
    """A fold for each text. Where pairs fall into small islands that share no text, whole islands are dealt; where
    most hang together, single texts are, into more folds, since each pair then keeps two folds out."""
    island = np.arange(size)
    if two is not None:
        island = islands(size, one, two)
        sizes = np.bincount(island[one], minlength=size)
        if sizes.max() > len(one) / _FEW_FOLDS:
            return random.integers(0, _MANY_FOLDS, size)
    return random.permutation(np.arange(size) % _FEW_FOLDS)[island]


def islands(size: int, one: Ints, two: Ints) -> Ints:
    """For each text a text that stands for all that are linked with it by pairs."""
    head = list(range(size))

    def root(place: int) -> int:
        while head[place] != place:
            head[place] = head[head[place]]
            place = head[place]
        return place

    for a, b in zip(one.tolist(), two.tolist(), strict=True):
        head[root(b)] = root(a)
    return np.array([root(place) for place in range(size)], dtype=np.int64)


def _ridge(matrix: _Texts, one: Ints, two: Ints | None, targets: Vector) -> Vector:
    """Weights of a ridge regression, by conjugate gradients on the normal equations."""
    texts = len(matrix.begins)

    def back(residual: Vector) -> Vector:
        scores = _summed(one, residual, texts)
        if two is not None:
            scores = scores - _summed(two, residual, texts)
        return matrix.back(scores)

    def forth(weights: Vector) -> Vector:
        scores = matrix.times(weights)
        return scores[one] - (scores[two] if two is not None else 0.0)

    weights = np.zeros(BUCKETS + _LENGTHS)
    residual = back(targets)
    step = residual.copy()
    size = begin = float(residual @ residual)
    for _ in range(_STEPS):
        if size <= _EXACT**2 * begin:
            break
        image = back(forth(step)) + _STRENGTH * step
        pace = size / float(step @ image)
        weights += pace * step
        residual -= pace * image
        before, size = size, float(residual @ residual)
        step = residual + (size / before) * step
    return weights
