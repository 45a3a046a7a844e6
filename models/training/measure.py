"""Held-out figures with intervals, beside chance, length and n-grams; across data sets; calibration."""

from __future__ import annotations

import numpy as np
from fit import KindFit, Model, assemble, differences
from joke import JOKES, PLAIN
from linear import sparse_ridge
from sets import Array, Set, gram_matrix

from jokejudge_gui.core.statistics import one_against_the_others
from jokejudge_gui.learning.figures import hits, interval, resampled
from jokejudge_gui.learning.figures import pair_calibration_error as calibration_error
from jokejudge_gui.learning.wording import Wording, lengths, longer

REPEATS = 400
GRAMS_STRENGTH = 1.0
LENGTH_SPREAD = 0.5


def figure(differences: Array, pairs: Array, keep: Array) -> list[float]:
    """A share of the pairs to ``keep``, with its 95 % interval (bootstrap over texts, as pairs share texts)."""
    right, pairs = hits(differences)[keep], pairs[keep]
    texts, places = np.unique(pairs, return_inverse=True)
    a, b = places.reshape(pairs.shape).T

    def share(rows: Array) -> float:
        times = np.bincount(rows, minlength=len(texts))
        weight = times[a] * times[b]
        return float(right @ weight / weight.sum()) if weight.sum() else np.nan

    draws = resampled(len(texts), share, REPEATS, np.random.default_rng(7))
    return [round(float(value), 3) for value in (right.mean(), *interval(draws[np.isfinite(draws)]))]


def test_pairs(part: Set) -> Array:
    """Places in ``part.pairs`` of the pairs whose texts are both held out and read."""
    return np.flatnonzero((part.test & part.read)[part.pairs].all(axis=1))


def longer_of(part: Set, pairs: Array) -> Array:
    return longer([part.texts[place] for place in pairs[:, 0]], [part.texts[place] for place in pairs[:, 1]])


def gram_baseline(learn_from: list[Set], tested: Set, rarity: Array) -> Array:
    """Scores of all texts of ``tested`` by one ridge over word and letter groups and the length, fitted on the training
    texts of ``learn_from``, each set standardised."""
    counts, sizes, targets = [], [], []
    mean = lengths([text for text, test in zip(learn_from[0].texts, learn_from[0].test, strict=True) if not test])
    for part in learn_from:
        train = np.flatnonzero(~part.test)
        counts += [part.counts[place] for place in train]
        sizes.append(lengths([part.texts[place] for place in train]))
        y = part.target[train]
        targets.append((y - y.mean()) / y.std())

    def matrix(counted: list[dict[int, float]], size: Array) -> Wording:
        return gram_matrix(counted, rarity).beside((size - mean.mean(axis=0)) / LENGTH_SPREAD)

    x, y = matrix(counts, np.concatenate(sizes)), np.concatenate(targets)
    (weights,) = sparse_ridge(x, y, [GRAMS_STRENGTH])
    return matrix(tested.counts, lengths(tested.texts)).times(weights)


def head_differences(model: Model, part: Set, pairs: Array) -> Array:
    texts, places = np.unique(pairs, return_inverse=True)
    scores, kinds = model.parts(part.values[texts], [part.counts[place] for place in texts])
    return differences(scores, kinds, places.reshape(pairs.shape))


def without(model: Model, fits: dict[str, KindFit], sets: list[Set], left_out: Set) -> Array:
    """Differences of the test pairs of a set by a head fitted without its votes."""
    gone = {left_out.name, PLAIN} if left_out.name == JOKES else {left_out.name}
    others = [part for part in sets if part.name not in gone]
    head = assemble(others, fits, model.centre, model.scale, model.rarity, everything=False)
    return head_differences(head, left_out, left_out.pairs[test_pairs(left_out)])


def calibration(differences: Array) -> tuple[float, float]:
    """Expected calibration error of the winner's stated probability (bins of 5 points), and log-loss in nats."""
    return calibration_error(differences), float(np.logaddexp(0, -differences).mean())


def one_voter(votes: list[tuple[int, int]]) -> float:
    """Share of single voters who agree with the majority of the others; ``votes``: for either text of each pair. Ties
    of the others don't count."""
    right, asked = np.sum([one_against_the_others(first, second) for first, second in votes], axis=0)
    return float(right / asked)
