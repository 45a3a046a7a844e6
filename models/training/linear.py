"""Ridge regression on ratings and on pairs, dense or sparse, with out-of-fold scores; log-odds from pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg, sparse
from scipy.optimize import minimize
from scipy.sparse.linalg import LinearOperator, cg
from sets import FOLDS, Array, Set

DENSE_STRENGTHS = (1.0, 3.0, 10.0, 30.0)
SPARSE_STRENGTHS = (0.3, 1.0, 3.0)


@dataclass
class Learner:
    """One linear map of one kind of text. ``oof``: scores of the set's training texts by maps that were fitted without
    their fold; ``quality``: share of training pairs that these order rightly."""

    name: str
    weights: Array
    oof: Array
    strength: float
    quality: float


def dense_ridge(x: Array, y: Array, strengths: Sequence[float]) -> list[Array]:
    """Weights for each strength, in units of the number of features; x and y are centred by the caller."""
    rows, columns = x.shape
    if rows <= columns:
        inner = x @ x.T
        return [
            x.T @ linalg.solve(inner + s * columns * np.eye(rows), y, assume_a="pos", check_finite=False)
            for s in strengths
        ]
    inner, goal = x.T @ x, x.T @ y
    return [linalg.solve(inner + s * columns * np.eye(columns), goal, assume_a="pos") for s in strengths]


def sparse_ridge(x: sparse.csr_matrix, y: Array, strengths: Sequence[float]) -> list[Array]:
    """The same for a sparse matrix, by conjugate gradients; the strength is plain."""
    goal = x.T @ y
    found = []
    for strength in strengths:
        operator = LinearOperator((x.shape[1], x.shape[1]), lambda v, s=strength: x.T @ (x @ v) + s * v)
        weights, _ = cg(operator, goal, rtol=1e-5, maxiter=300)
        found.append(weights)
    return found


def learn(name: str, part: Set, x: Array | sparse.csr_matrix, train: Array, by_pairs: bool) -> Learner:
    """Fit on ratings, or on the differences of pairs; the strength is the one that orders held-out pairs best."""
    strengths = SPARSE_STRENGTHS if sparse.issparse(x) else DENSE_STRENGTHS
    out = np.zeros((len(strengths), len(part.target)))
    for fold in range(FOLDS):
        inside, outside = train & (part.fold != fold), train & (part.fold == fold)
        for place, weights in enumerate(_fit(part, x, inside, by_pairs, strengths)):
            out[place, outside] = x[outside] @ weights
    pairs = part.pairs[train[part.pairs].all(axis=1)]
    # Both texts of a pair are scored by maps that never saw them; in one fold they are on one scale as well.
    quality = [float(np.mean(row[pairs[:, 0]] > row[pairs[:, 1]])) for row in out]
    loss = [_loss(row[pairs[:, 0]] - row[pairs[:, 1]]) for row in out]
    best = int(np.argmin(loss))
    weights = _fit(part, x, train, by_pairs, strengths[best : best + 1])[0]
    return Learner(name, weights, out[best], strengths[best], quality[best])


def _fit(
    part: Set, x: Array | sparse.csr_matrix, inside: Array, by_pairs: bool, strengths: Sequence[float]
) -> list[Array]:
    solve = sparse_ridge if sparse.issparse(x) else dense_ridge
    if by_pairs:
        chosen = inside[part.pairs].all(axis=1)
        a, b = part.pairs[chosen].T
        return solve(x[a] - x[b], part.gap[chosen], strengths)
    y = part.target[inside]
    y = (y - y.mean()) / y.std()
    if sparse.issparse(x):
        return solve(x[inside], y, strengths)
    rows = x[inside]
    return solve(rows - rows.mean(axis=0), y, strengths)


def _loss(differences: Array) -> float:
    """Log-loss of the pairs once the scale is the best one."""
    scale = float(np.sqrt(np.mean(differences**2)))
    if scale == 0:
        return float(np.log(2))
    return float(np.logaddexp(0, -mix(differences[:, None])[0] * differences).mean())


def mix(differences: Array) -> Array:
    """Weights ≥ 0 of several learners that make their differences, winner less loser, honest log-odds: (pairs,
    learners) to (learners). MAP with a weak prior around half the scaled differences."""
    scale = np.sqrt(np.mean(differences**2, axis=0))
    scale[scale == 0] = 1.0
    x = differences / scale
    prior = 0.5 / x.shape[1]

    def loss(g: Array) -> tuple[float, Array]:
        total = x @ g
        slope = -1 / (1 + np.exp(total))
        return float(np.logaddexp(0, -total).sum() + ((g - prior) ** 2).sum() / 2), x.T @ slope + (g - prior)

    start = np.full(x.shape[1], prior)
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=[(0, None)] * x.shape[1])
    return np.asarray(found.x) / scale
