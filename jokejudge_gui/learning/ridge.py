"""Ridge regression, for every linear map that is fitted: the shipped heads, heads fitted on this machine, and what they
are measured against.

Three ways to one answer: in the dual where a row has more features than there are rows, in the primal where it has
fewer, by conjugate gradients where the matrix is sparse. Several outputs at once, each with its own weights of rows and
its own strength. A strength is in units of a row's mean squared length, so that it means the same for features of any
number and scale.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from ..engine.base import CancelToken
from ..heads.editor_file import Ints

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


# --------------------------------------------------------------------------------------------------------------------
# Logistic regression by Newton's method, with a weak prior around zero; Platt's scaling.

_PRIOR = 1.0
"""One over the variance of a weight's prior, on standardised features."""
_ROUNDS = 30


def logistic(rows: Vector, targets: Vector, prior: float = _PRIOR) -> Vector:
    """(features + 1,): weights and constant, last, of ``rows`` (n, features) for ``targets`` 0…1."""
    x = np.hstack([rows, np.ones((len(rows), 1))])
    weights = np.zeros(x.shape[1])
    share = min(max(float(targets.mean()), 1e-4), 1.0 - 1e-4)
    weights[-1] = np.log(share / (1.0 - share))
    penalty = np.full(x.shape[1], prior)
    penalty[-1] = 1e-3
    centre = weights.copy()

    def loss(at: Vector) -> float:
        odds = x @ at
        away = at - centre
        return float((np.logaddexp(0.0, odds) - targets * odds).sum() + (penalty * away * away).sum() / 2.0)

    now = loss(weights)
    for _ in range(_ROUNDS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30.0, 30.0)))
        gradient = x.T @ (p - targets) + penalty * (weights - centre)
        inner = (x * (p * (1.0 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(inner, gradient)
        # Far from the goal a whole step may overshoot, so it is halved until it gains.
        size = 1.0
        while size > 1e-4 and loss(weights - size * step) > now:
            size /= 2.0
        before, now = now, min(now, loss(weights - size * step))
        weights = weights - size * step
        if before - now < 1e-9 * max(1.0, before):
            break
    return weights


def platt(scores: Vector, targets: Vector) -> tuple[float, float]:
    """(slope ≥ 0, constant) that make ``scores`` honest log-odds of ``targets`` 0…1."""
    centre, spread = float(scores.mean()), float(scores.std()) + 1e-9
    weights = logistic(((scores - centre) / spread)[:, None], targets)
    if weights[0] <= 0:
        share = min(max(float(targets.mean()), 1e-4), 1.0 - 1e-4)
        return 0.0, float(np.log(share / (1.0 - share)))
    return float(weights[0] / spread), float(weights[1] - weights[0] * centre / spread)


# --------------------------------------------------------------------------------------------------------------------
# Finding where smooth losses are least, with NumPy alone: mixtures of learners, and maps of many weights.

Slope = Callable[[Vector], tuple[float, Vector]]
"""A loss and its gradient at a place."""
_ARMIJO = 1e-4
_SHORTEST = 1e-12


def mixture(differences: Vector) -> Vector:
    """Weights ≥ 0 (learners) that make several learners' differences (pairs, learners), winner less loser, honest
    log-odds together: MAP of a logistic model without intercept. Each learner is scaled to rms 1, where the prior is
    normal with standard deviation 1 around ½ by the number of learners, so that little evidence gives little odds.
    A learner that says nothing (all 0) gets what the prior gives it."""
    scale = np.sqrt(np.mean(differences**2, axis=0)) if len(differences) else np.zeros(differences.shape[1])
    scale[scale == 0] = 1.0
    x = differences / scale
    prior = 0.5 / x.shape[1]

    def loss(g: Vector) -> float:
        return float(np.logaddexp(0.0, -(x @ g)).sum() + ((g - prior) ** 2).sum() / 2)

    g = np.full(x.shape[1], prior)
    for _ in range(100):
        against = 1.0 / (1.0 + np.exp(np.clip(x @ g, -700.0, 700.0)))
        gradient = -(x.T @ against) + (g - prior)
        free = (g > 0) | (gradient < 0)
        if not free.any() or float(np.abs(gradient[free]).max()) < 1e-9 * (1 + len(x)):
            break
        curve = (x.T * (against * (1.0 - against))) @ x + np.eye(len(g))
        step = np.zeros(len(g))
        step[free] = -np.linalg.solve(curve[np.ix_(free, free)], gradient[free])
        now, pace = loss(g), 1.0
        while pace > _SHORTEST:
            new = np.maximum(g + pace * step, 0.0)
            if loss(new) <= now + _ARMIJO * float(gradient @ (new - g)):
                break
            pace /= 2
        else:
            break
        g = new
    found: Vector = g / scale
    return found


def descend(slope: Slope, start: Vector, *, steps: int = 100, memory: int = 10, exact: float = 2e-9) -> Vector:
    """Where a smooth convex loss is least, by limited-memory BFGS from ``start`` (n). Ends after ``steps``, or where
    a step gains less than ``exact`` of the loss."""
    place = start.astype(np.float64)
    value, gradient = slope(place)
    known: list[tuple[Vector, Vector, float]] = []
    for _ in range(steps):
        step = -_scaled(gradient, known)
        fall = float(gradient @ step)
        if fall >= 0:
            known, step = [], -gradient
            fall = float(gradient @ step)
        pace = 1.0 if known else min(1.0, 1.0 / max(float(np.abs(gradient).sum()), _SHORTEST))
        while pace > _SHORTEST:
            new, bend = slope(place + pace * step)
            if math.isfinite(new) and new <= value + _ARMIJO * pace * fall:
                break
            pace /= 2
        else:
            break
        moved, turned = pace * step, bend - gradient
        if float(moved @ turned) > _SHORTEST * float(turned @ turned):
            known = [*known[1 - memory :], (moved, turned, 1.0 / float(moved @ turned))]
        place = place + moved
        gain, value, gradient = value - new, new, bend
        if gain <= exact * max(abs(value), abs(value + gain), 1e-300):
            break
    return place


def _scaled(gradient: Vector, known: Sequence[tuple[Vector, Vector, float]]) -> Vector:
    """The gradient by the inverse curvature that the last steps showed (Nocedal and Wright, algorithm 7.4)."""
    found = gradient.copy()
    shares = []
    for moved, turned, by in reversed(known):
        shares.append(by * float(moved @ found))
        found -= shares[-1] * turned
    if known:
        moved, turned, _ = known[-1]
        found *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned, by), share in zip(known, reversed(shares), strict=True):
        found += (share - by * float(turned @ found)) * moved
    return found


def search(
    loss: Callable[[Vector], float], start: Vector, low: float, high: float, *, step: float = 0.25, exact: float = 5e-4
) -> Vector:
    """Where a loss of few numbers, each between ``low`` and ``high``, is least near ``start``, without a gradient: a
    step along each axis where that helps, and half the step where none does, down to ``exact``."""
    place: Vector = np.clip(start.astype(np.float64), low, high)
    value = loss(place)
    while step > exact:
        tried = []
        for axis in range(len(place)):
            for sign in (1.0, -1.0):
                other = place.copy()
                other[axis] = min(high, max(low, other[axis] + sign * step))
                tried.append((loss(other), other))
        best, where = min(tried, key=lambda found: found[0])
        if best < value:
            place, value = where, best
        else:
            step /= 2
    return place
