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
        matrix = np.zeros(self.shape, dtype=np.float32)
        matrix[self.rows, self.places] = self.values
        return matrix

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
        rarity: Vector = np.log((1 + texts) / (1 + seen)) + 1.0
        if least > 1:
            rarity[seen < least] = 0.0
        return rarity

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
    """Return (texts, 2): logarithms of 1 + the number of characters, and of words."""
    counts = np.array([[len(text), len(text.split())] for text in texts], dtype=np.float64)
    return np.log1p(counts).reshape(len(texts), 2)


def _summed(places: Ints, values: Vector, size: int) -> Vector:
    """Return the sums of values by place."""
    return np.bincount(places, weights=values, minlength=size).astype(np.float64)


# -- the baselines of a judge: the longer text, and a ridge over word and letter groups trained on the same file

BUCKETS = 1 << 14
MOST_ROWS = 20_000
"""Most rows for training; of more a seeded sample is taken."""
_FEW_FOLDS = 5
_MANY_FOLDS = 8
_STRENGTH = 4.0
_STEPS = 40
_EXACT = 3e-3


def longer(texts_a: Sequence[str], texts_b: Sequence[str]) -> Vector:
    """Return the predictions of "longer is funnier": 1 for A, −1 for B, 0 for the same length."""
    gaps = [len(a) - len(b) for a, b in zip(texts_a, texts_b, strict=True)]
    return np.sign(np.array(gaps, dtype=np.float64))


def baseline_scores(columns: Sequence[Sequence[str]], targets: Vector, wanted: Ints, seed: int) -> Vector:
    """Return the ridge's scores of the rows at ``wanted``. ``columns``: the text of each row, with its rating as the
    target; or the texts A and B, with a target −1…1, positive where people chose A. The ridge never sees the texts that
    it is tested on: a row is predicted by a fit on the rows without a text in its folds; 0 where there are none."""
    if not len(wanted):
        return np.zeros(0)
    if len(columns) == 1:
        targets = (targets - targets.mean()) / (float(targets.std()) or 1.0)
    numbers: dict[str, int] = {}
    places = np.array([[numbers.setdefault(text, len(numbers)) for text in column] for column in columns])
    random = np.random.default_rng(seed)
    learned = np.arange(len(targets))
    if len(learned) > MOST_ROWS:
        rest = np.setdiff1d(learned, wanted)
        room = max(0, MOST_ROWS - len(wanted))
        learned = np.sort(np.concatenate([wanted[:MOST_ROWS], random.permutation(rest)[:room]]))
    asked = np.union1d(learned, wanted)
    used = np.unique(places[:, asked])
    number_of = np.zeros(len(numbers), dtype=np.int64)
    number_of[used] = np.arange(len(used))
    places, texts = number_of[places], list(numbers)
    matrix = _features([texts[place] for place in used])
    fold = np.sort(_folds(len(used), places[:, asked], random)[places], axis=0)
    scores = np.zeros(len(wanted))
    for away in np.unique(fold[:, wanted], axis=1).T:
        train = learned[~np.isin(fold[:, learned], away).any(axis=0)]
        if len(train) >= 2:
            here = (fold[:, wanted] == away[:, None]).all(axis=0)
            weights = _ridge(matrix, places[:, train], targets[train])
            scores[here] = _of_rows(matrix.times(weights), places[:, wanted[here]])
    return scores


def _features(texts: list[str]) -> Wording:
    """Return hashed groups scaled to length 1, then two measures of length."""
    counts = counted(texts, BUCKETS)
    sizes = lengths(texts)
    sizes = (sizes - sizes.mean(axis=0)) / np.maximum(sizes.std(axis=0), 1e-9)
    return counts.weighed(counts.rarity()).beside(0.5 * sizes)


def _folds(size: int, places: Ints, random: np.random.Generator) -> Ints:
    """Return a fold for each text. Where pairs form small groups that share no text, whole groups are assigned; where
    most are connected, single texts are, to more folds, since each pair then leaves two folds out."""
    island = islands(size, places[0], places[-1])
    if len(places) > 1 and np.bincount(island[places[0]]).max() > places.shape[1] / _FEW_FOLDS:
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


def _of_rows(scores: Vector, places: Ints) -> Vector:
    """Return the scores of rows: of their text, or of A less B."""
    return np.asarray(scores[places[0]] - scores[places[1]] if len(places) > 1 else scores[places[0]])


def _ridge(matrix: Wording, places: Ints, targets: Vector) -> Vector:
    """Return the weights of a ridge regression on the scores of rows."""

    def back(residual: Vector) -> Vector:
        scores = _summed(places[0], residual, matrix.shape[0])
        return matrix.back(scores - _summed(places[1], residual, matrix.shape[0]) if len(places) > 1 else scores)

    def forth(weights: Vector) -> Vector:
        return _of_rows(matrix.times(weights), places)

    return by_gradients(forth, back, targets, _STRENGTH, steps=_STEPS, exact=_EXACT)
