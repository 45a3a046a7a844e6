"""What a judge must beat: the longer text, and a ridge over word and letter groups learned from the very same file.

The ridge never sees the texts that it is tested on: texts are dealt into folds, and a row is predicted by a fit on the
rows none of whose texts lie in the row's folds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..statistics import Vector
from .ridge import Ints, by_gradients
from .wording import Wording, counted, lengths

BUCKETS = 1 << 14
MOST_ROWS = 20_000
"""More rows than this are not learned from; a seeded sample of them is."""
_FEW_FOLDS = 5
_MANY_FOLDS = 8
_STRENGTH = 4.0
_STEPS = 40
_EXACT = 3e-3


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
    """Hashed groups scaled to length 1, then two of length."""
    counts = counted(texts, BUCKETS)
    sizes = lengths(texts)
    sizes = (sizes - sizes.mean(axis=0)) / np.maximum(sizes.std(axis=0), 1e-9)
    return counts.weighed(counts.rarity()).beside(0.5 * sizes)


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


def _ridge(matrix: Wording, one: Ints, two: Ints | None, targets: Vector) -> Vector:
    """Weights of a ridge regression on the scores of texts, or on the differences of two."""
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
