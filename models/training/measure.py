"""Held-out figures with intervals, beside chance, length and n-grams; across data sets; calibration."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from fit import KindFit, Model, assemble, differences
from joke import JOKES, PLAIN
from linear import SPARSE_STRENGTHS, sparse_ridge
from scipy import sparse
from sets import FOLDS, Array, Set, gram_matrix

REPEATS = 400


@dataclass
class Figure:
    """A share of pairs with its 95 % interval (bootstrap over texts, as pairs share texts)."""

    value: float
    low: float
    high: float
    pairs: int

    def __str__(self) -> str:
        return f"{self.value:.3f} ({self.low:.3f}–{self.high:.3f})"


def right(scores_or_differences: Array) -> Array:
    """1 for a winner put first, ½ for a tie, 0 otherwise."""
    return np.where(scores_or_differences > 0, 1.0, np.where(scores_or_differences == 0, 0.5, 0.0))


def figure(differences: Array, pairs: Array, keep: Array | None = None) -> Figure:
    chosen = np.ones(len(pairs), bool) if keep is None else keep
    hits, pairs = right(differences)[chosen], pairs[chosen]
    texts, places = np.unique(pairs, return_inverse=True)
    places = places.reshape(pairs.shape)
    random = np.random.default_rng(7)
    drawn = []
    for _ in range(REPEATS):
        times = np.bincount(random.integers(0, len(texts), len(texts)), minlength=len(texts))
        weight = times[places[:, 0]] * times[places[:, 1]]
        if weight.sum():
            drawn.append(float(hits @ weight / weight.sum()))
    low, high = np.quantile(drawn, (0.025, 0.975))
    return Figure(float(hits.mean()), float(low), float(high), len(pairs))


def test_pairs(part: Set) -> Array:
    """Places in ``part.pairs`` of those whose texts are both held out and read."""
    return np.flatnonzero((part.test & part.read)[part.pairs].all(axis=1))


def lengths(part: Set) -> Array:
    """(texts, 2): logarithms of characters and words."""
    return np.log1p([[len(text), len(text.split())] for text in part.texts])


def longer(part: Set, pairs: Array) -> Array:
    size = np.array([len(text) for text in part.texts])
    return np.sign(size[pairs[:, 0]] - size[pairs[:, 1]]).astype(float)


def gram_baseline(learn_from: list[Set], tested: Set, rarity: Array) -> Array:
    """Scores of all texts of ``tested`` by one ridge over word and letter groups and the length, from the training
    texts of ``learn_from``, each set standardised; strength by cross-validation."""
    rows, targets, folds = [], [], []
    mean, spread = lengths(learn_from[0])[~learn_from[0].test].mean(axis=0), 0.5
    for part in learn_from:
        train = ~part.test
        matrix = gram_matrix(part.counts, rarity)
        rows.append(sparse.hstack([matrix, (lengths(part) - mean) / spread]).tocsr()[np.flatnonzero(train)])
        y = part.target[train]
        targets.append((y - y.mean()) / y.std())
        folds.append(part.fold[train])
    x, y, fold = sparse.vstack(rows).tocsr(), np.concatenate(targets), np.concatenate(folds)
    out = np.zeros((len(SPARSE_STRENGTHS), len(y)))
    for place in range(FOLDS):
        inside, outside = np.flatnonzero(fold != place), np.flatnonzero(fold == place)
        for row, weights in enumerate(sparse_ridge(x[inside], y[inside], SPARSE_STRENGTHS)):
            out[row, outside] = x[outside] @ weights
    best = int(np.argmax([np.corrcoef(row, y)[0, 1] for row in out]))
    weights = sparse_ridge(x, y, [SPARSE_STRENGTHS[best]])[0]
    full = sparse.hstack([gram_matrix(tested.counts, rarity), (lengths(tested) - mean) / spread]).tocsr()
    return np.asarray(full @ weights)


def head_differences(model: Model, part: Set, pairs: Array) -> Array:
    texts, places = np.unique(pairs, return_inverse=True)
    scores, kinds = model.parts(part.values[texts], [part.counts[place] for place in texts])
    return differences(scores, kinds, places.reshape(pairs.shape))


def without(model: Model, fits: dict[str, KindFit], sets: list[Set], left_out: Set) -> Array:
    """Differences of the test pairs of a set by a head that never saw its votes."""
    gone = {left_out.name, PLAIN} if left_out.name == JOKES else {left_out.name}
    others = [part for part in sets if part.name not in gone]
    head = assemble(others, fits, model.centre, model.scale, model.rarity, everything=False)
    return head_differences(head, left_out, left_out.pairs[test_pairs(left_out)])


def calibration(differences: Array, bins: int = 10) -> tuple[float, float]:
    """Expected calibration error of the winner's stated probability (bins of 5 points), and log-loss in nats."""
    sure = 1 / (1 + np.exp(-np.abs(differences)))
    hits = right(differences)
    place = np.minimum(((sure - 0.5) * 2 * bins).astype(int), bins - 1)
    gaps = [abs(sure[place == b].mean() - hits[place == b].mean()) * float((place == b).mean()) for b in set(place)]
    return float(sum(gaps)), float(np.logaddexp(0, -differences).mean())


def one_voter(votes: list[tuple[int, int]]) -> float:
    """How often one voter agrees with the majority of the others; ``votes``: for either text of each pair. Ties
    of the others don't count."""
    agree = total = 0.0
    for first, second in votes:
        for mine, other in ((first, second), (second, first)):
            if mine > 0 and mine - 1 != other:
                total += mine
                agree += mine * (mine - 1 > other)
    return agree / total
