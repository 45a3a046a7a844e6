"""One kind's linear maps, from ratings and from pairs, from states and from wording, with out-of-fold scores. The
regressions are the program's own (``jokejudge_gui.learning``)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from sets import Array, Set
from solvers import maps, mixture

from jokejudge_gui.learning.audience_fit import FOLDS
from jokejudge_gui.learning.ridge import by_gradients
from jokejudge_gui.learning.wording import Wording

DENSE_STRENGTHS = (1.0, 3.0, 10.0, 30.0)
SPARSE_STRENGTHS = (0.3, 1.0, 3.0)


def dense_ridge(x: Array, y: Array, strengths: Sequence[float]) -> list[Array]:
    """Weights for each strength, in units of the number of features; x and y are centred by the caller."""
    return [weights[:, 0] for weights in maps(x, y[:, None], strengths, scale=float(x.shape[1]))]


def sparse_ridge(x: Wording, y: Array, strengths: Sequence[float]) -> list[Array]:
    """Weights for each strength from wording; the strength has no unit."""
    return [by_gradients(x.times, x.back, y, strength) for strength in strengths]


def learn(part: Set, x: Array | Wording, train: Array, by_pairs: bool) -> tuple[Array, Array]:
    """Fit one linear map on ratings, or on the differences of pairs, with the strength that orders held-out pairs best.
    Return its weights, and scores of the training texts by maps fitted without their fold."""
    strengths = SPARSE_STRENGTHS if isinstance(x, Wording) else DENSE_STRENGTHS
    out = np.zeros((len(strengths), len(part.target)))
    for fold in range(FOLDS):
        inside, outside = train & (part.fold != fold), train & (part.fold == fold)
        for place, weights in enumerate(_fit(part, x, inside, by_pairs, strengths)):
            out[place, outside] = scores(x, np.flatnonzero(outside), weights)
    pairs = part.pairs[train[part.pairs].all(axis=1)]
    # Both texts of a pair are scored by maps fitted without them; within one fold they are on one scale as well.
    best = int(np.argmin([_loss(row[pairs[:, 0]] - row[pairs[:, 1]]) for row in out]))
    return _fit(part, x, train, by_pairs, strengths[best : best + 1])[0], out[best]


def scores(x: Array | Wording, rows: Array, weights: Array) -> Array:
    """Return a map's scores of the texts at ``rows``."""
    return x.take(rows).times(weights) if isinstance(x, Wording) else np.asarray(x[rows] @ weights)


def _fit(part: Set, x: Array | Wording, inside: Array, by_pairs: bool, strengths: Sequence[float]) -> list[Array]:
    if by_pairs:
        a, b = part.pairs[inside[part.pairs].all(axis=1)].T
        gap = part.gap[inside[part.pairs].all(axis=1)]
        return (
            sparse_of_pairs(x, a, b, gap, strengths)
            if isinstance(x, Wording)
            else dense_ridge(x[a] - x[b], gap, strengths)
        )
    y = part.target[inside]
    y = (y - y.mean()) / y.std()
    if isinstance(x, Wording):
        return sparse_ridge(x.take(np.flatnonzero(inside)), y, strengths)
    rows = x[inside]
    return dense_ridge(rows - rows.mean(axis=0), y, strengths)


def sparse_of_pairs(x: Wording, a: Array, b: Array, gap: Array, strengths: Sequence[float]) -> list[Array]:
    """Maps of the differences of texts' wording, from the texts' own rows."""
    texts = x.shape[0]

    def forth(weights: Array) -> Array:
        of_texts = x.times(weights)
        return np.asarray(of_texts[a] - of_texts[b])

    def back(errors: Array) -> Array:
        return x.back((np.bincount(a, errors, texts) - np.bincount(b, errors, texts)).astype(np.float64))

    return [by_gradients(forth, back, gap, strength) for strength in strengths]


def _loss(differences: Array) -> float:
    """Log-loss of the pairs at the best scale."""
    scale = float(np.sqrt(np.mean(differences**2)))
    if scale == 0:
        return float(np.log(2))
    return float(np.logaddexp(0, -mixture(differences[:, None])[0] * differences).mean())
