"""Ridge regression, for every linear map that is fitted: the shipped heads, heads fitted on this machine, and what they
are measured against.

Three ways to one answer: in the dual where a row has more features than there are rows, in the primal where it has
fewer, by conjugate gradients where the matrix is sparse. Several outputs at once, each with its own weights of rows and
its own strength. A strength is in units of a row's mean squared length, so that it means the same for features of any
number and scale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..engine.base import CancelToken
from ..statistics import Vector

Ints = npt.NDArray[np.int64]
Array = npt.NDArray[np.floating]

STRENGTHS = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
"""Usual strengths; the strongest first, which wins a tie."""
_TINY = 1e-12


@dataclass(frozen=True, eq=False)
class Ridge:
    """Fitted maps: ``rows @ weights + bias``. ``weights`` (features, outputs), ``bias`` and ``strength`` (outputs);
    ``scores`` (rows, outputs): what each row is given by a map that was fitted without its fold."""

    weights: Vector
    bias: Vector
    strength: Vector
    scores: Vector

    def of(self, rows: Array) -> Vector:
        """(rows, outputs)."""
        found: Vector = rows @ self.weights + self.bias
        return found


def unit(rows: Array) -> float:
    """Mean squared length of the rows, in which strengths are counted."""
    return max(float(np.einsum("ij,ij->", rows, rows, dtype=np.float64)) / max(1, len(rows)), _TINY)


def maps(rows: Array, targets: Vector, strengths: Sequence[float], *, scale: float | None = None) -> Iterator[Vector]:
    """Weights (features, outputs) for each strength, without intercept; ``rows`` (n, features) and ``targets``
    (n, outputs) are centred by the caller where they should be. ``scale``: the unit of the strengths, if it is another
    than ``unit(rows)``."""
    size = unit(rows) if scale is None else scale
    count, features = rows.shape
    if count <= features:
        kernel = (rows @ rows.T).astype(np.float64)
        for strength in strengths:
            alpha = np.linalg.solve(kernel + strength * size * np.eye(count), targets)
            yield np.asarray(rows.T @ alpha, dtype=np.float64)
        return
    inner, goal = (rows.T @ rows).astype(np.float64), rows.T @ targets
    for strength in strengths:
        yield np.asarray(np.linalg.solve(inner + strength * size * np.eye(features), goal), dtype=np.float64)


def fit(
    rows: Array,
    targets: Vector,
    strengths: Sequence[float] = STRENGTHS,
    *,
    weights: Vector | None = None,
    intercept: bool = True,
) -> tuple[Vector, Vector]:
    """(strengths, features, outputs) and (strengths, outputs): weights and biases. ``weights`` ≥ 0: how much each row
    counts, (n) for all outputs or (n, outputs); 0 where a row's target isn't known (whatever stands there, NaN too).
    ``intercept`` False: for differences, whose sign turns with their order."""
    outputs = targets.shape[1]
    found = np.zeros((len(strengths), rows.shape[1], outputs))
    bias = np.zeros((len(strengths), outputs))
    for columns, weight in _alike(weights, len(rows), outputs):
        used = np.flatnonzero(weight > 0)
        if not len(used):
            continue
        mass = weight[used] / weight[used].mean()
        x, y = rows[used].astype(np.float64), targets[np.ix_(used, columns)].astype(np.float64)
        middle = np.average(x, axis=0, weights=mass) if intercept else np.zeros(x.shape[1])
        level = np.average(y, axis=0, weights=mass) if intercept else np.zeros(y.shape[1])
        root = np.sqrt(mass)[:, None]
        for place, map_ in enumerate(maps(root * (x - middle), root * (y - level), strengths)):
            found[place][:, columns] = map_
            bias[place, columns] = level - middle @ map_
    return found, bias


def _alike(weights: Vector | None, rows: int, outputs: int) -> Iterator[tuple[Ints, Vector]]:
    """Outputs whose rows count alike, so that one decomposition serves them all."""
    if weights is None or weights.ndim == 1:
        yield np.arange(outputs), np.ones(rows) if weights is None else weights
        return
    seen: dict[bytes, list[int]] = {}
    for column in range(outputs):
        seen.setdefault(np.ascontiguousarray(weights[:, column]).tobytes(), []).append(column)
    for columns in seen.values():
        yield np.array(columns), weights[:, columns[0]]


def out_of_fold(
    rows: Array,
    targets: Vector,
    fold: Ints,
    strengths: Sequence[float] = STRENGTHS,
    *,
    weights: Vector | None = None,
    intercept: bool = True,
    cancel: CancelToken | None = None,
) -> Vector:
    """(strengths, n, outputs): each row's scores by maps that were fitted without its fold. ``fold`` (n): rows that
    share a text belong in one fold. Raises ``Cancelled``."""
    token = cancel or CancelToken()
    found = np.zeros((len(strengths), len(rows), targets.shape[1]))
    for away in np.unique(fold):
        token.check()
        inside, outside = np.flatnonzero(fold != away), np.flatnonzero(fold == away)
        part = None if weights is None else weights[inside]
        slopes, bias = fit(rows[inside], targets[inside], strengths, weights=part, intercept=intercept)
        found[:, outside] = rows[outside].astype(np.float64) @ slopes + bias[:, None]
    return found


def squared_error(scores: Vector, targets: Vector, weights: Vector | None = None) -> Vector:
    """(strengths, outputs): mean squared error of (strengths, n, outputs), by weight."""
    mass = np.ones(targets.shape) if weights is None else np.broadcast_to(weights.T, targets.T.shape).T
    gaps = np.where(mass > 0, scores - np.where(mass > 0, targets, 0.0), 0.0)
    found: Vector = (mass * gaps**2).sum(axis=1) / np.maximum(mass.sum(axis=0), _TINY)
    return found


def cross_fitted(
    rows: Array,
    targets: Vector,
    fold: Ints,
    strengths: Sequence[float] = STRENGTHS,
    *,
    weights: Vector | None = None,
    intercept: bool = True,
    loss: Callable[[Vector], Vector] | None = None,
    cancel: CancelToken | None = None,
) -> Ridge:
    """The maps from all rows, each output with the strength whose out-of-fold scores have the least loss: ``loss`` maps
    (strengths, n, outputs) to (strengths, outputs), the squared error if None. Raises ``Cancelled``.

    The scores that come back were made with that strength, which saw them: choosing among a handful of strengths
    flatters by far less than an interval's width. Where even that matters, choose in the other folds
    (``FoldScores``)."""
    scores = out_of_fold(rows, targets, fold, strengths, weights=weights, intercept=intercept, cancel=cancel)
    losses = squared_error(scores, targets, weights) if loss is None else loss(scores)
    best = losses.argmin(axis=0)
    outputs = np.arange(targets.shape[1])
    final = np.zeros((rows.shape[1], len(outputs)))
    bias = np.zeros(len(outputs))
    for place in np.unique(best):
        mine = np.flatnonzero(best == place)
        part = weights[:, mine] if weights is not None and weights.ndim == 2 else weights
        slopes, level = fit(rows, targets[:, mine], (strengths[place],), weights=part, intercept=intercept)
        final[:, mine], bias[mine] = slopes[0], level[0]
    picked: Vector = scores[best, :, outputs].T
    return Ridge(final, bias, np.array(strengths)[best], picked)


@dataclass(frozen=True, eq=False)
class FoldScores:
    """Scores of all rows (strengths, n) by maps fitted without one fold or without two of them, by the folds left out:
    what nested cross-validation needs to choose in the other folds what a fold is measured with."""

    fold: Ints
    by_away: dict[frozenset[int], Vector]

    def out_of_fold(self, away: int | None = None) -> Vector:
        """(strengths, n): each row's scores by maps that were fitted without its fold, and without ``away``; 0 in the
        fold ``away`` itself."""
        found = np.zeros_like(next(iter(self.by_away.values())))
        for place in range(int(self.fold.max()) + 1):
            if place != away:
                here = self.fold == place
                found[:, here] = self.by_away[frozenset({place} if away is None else {place, away})][:, here]
        return found


def dual(kernel: Vector, left: Vector, right: Vector, strengths: Sequence[float]) -> Iterator[Vector]:
    """α (n) for each strength, a map's weights being Xᵀα, where errors aren't row by row: the scores f = Kα, K the
    (n, n) ``kernel`` XXᵀ, minimise fᵀLf − 2tᵀf + λαᵀKα, L (n, n) ``left`` and t (n) ``right``. There (LK + λ)α = t."""
    both = left @ kernel
    size = max(float(np.trace(kernel)) / len(kernel), _TINY)
    for strength in strengths:
        yield np.linalg.solve(both + strength * size * np.eye(len(kernel)), right).astype(np.float64, copy=False)


def by_gradients(
    forth: Callable[[Vector], Vector],
    back: Callable[[Vector], Vector],
    targets: Vector,
    penalty: float,
    *,
    steps: int = 300,
    exact: float = 1e-5,
) -> Vector:
    """Weights (features) of one output by conjugate gradients on the normal equations, for a matrix X that is only
    known by its products: ``forth(w)`` = Xw (n) and ``back(r)`` = Xᵀr (features). ``penalty``: added to XᵀX, plain.
    Ends after ``steps``, or where the residual has shrunk to ``exact`` times its first length."""
    residual = back(targets)
    weights = np.zeros(len(residual))
    step = residual.copy()
    size = begin = float(residual @ residual)
    for _ in range(steps):
        if size <= exact**2 * begin:
            break
        image = back(forth(step)) + penalty * step
        pace = size / float(step @ image)
        weights += pace * step
        residual -= pace * image
        before, size = size, float(residual @ residual)
        step = residual + (size / before) * step
    return weights
