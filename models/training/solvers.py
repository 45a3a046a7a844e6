"""Solvers for training the shipped heads, beside the program's own (``jokejudge_gui/learning/ridge.py``).

Ridge regression of several outputs at once, each with its own row weights and its own strength: in the dual where a row
has more features than there are rows, in the primal where it has fewer. A strength is in units of a row's mean squared
length, so that it means the same for features of any number and scale. Mixtures of learners; a search without a
gradient.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.statistics import Vector
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.heads.editor_file import Ints
from jokejudge_gui.learning.ridge import STRENGTHS

Array = npt.NDArray[np.floating]
_TINY = 1e-12
_ARMIJO = 1e-4
_SHORTEST = 1e-12


@dataclass(frozen=True, eq=False)
class Ridge:
    """Fitted maps: ``rows @ weights + bias``. ``weights`` (features, outputs), ``bias`` and ``strength`` (outputs);
    ``scores`` (rows, outputs): each row's scores by a map fitted without its fold."""

    weights: Vector
    bias: Vector
    strength: Vector
    scores: Vector

    def of(self, rows: Array) -> Vector:
        """(rows, outputs)."""
        found: Vector = rows @ self.weights + self.bias
        return found


def unit(rows: Array) -> float:
    """Mean squared length of the rows, the unit of strengths."""
    return max(float(np.einsum("ij,ij->", rows, rows, dtype=np.float64)) / max(1, len(rows)), _TINY)


def maps(rows: Array, targets: Vector, strengths: Sequence[float], *, scale: float | None = None) -> Iterator[Vector]:
    """Weights (features, outputs) for each strength, without intercept; ``rows`` (n, features) and ``targets`` (n,
    outputs) are centred by the caller where they should be. ``scale``: the unit of the strengths, if it isn't
    ``unit(rows)``."""
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
    """(strengths, features, outputs) and (strengths, outputs): weights and biases. ``weights`` ≥ 0: the weight of each
    row, (n) for all outputs or (n, outputs); 0 where a row's target isn't known (any value there, NaN too, is ignored).
    ``intercept`` False: for differences, whose sign depends on their order."""
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
    """Outputs with equal row weights, so that one decomposition serves them all."""
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
    """(strengths, n, outputs): each row's scores by maps fitted without its fold. ``fold`` (n): rows that share a text
    belong in one fold. Raises ``Cancelled``."""
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
    """Fit maps on all rows, each output with the strength of least loss out of fold: ``loss`` maps
    (strengths, n, outputs) to (strengths, outputs), the squared error if None. Raises ``Cancelled``.

    The returned scores were used to choose that strength: the bias from choosing among a handful of strengths is
    far smaller than an interval's width. Where even that matters, choose in the other folds
    (``jokejudge_gui.learning.ridge.FoldScores``)."""
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


def mixture(differences: Vector) -> Vector:
    """Weights ≥ 0 (learners) that turn several learners' differences (pairs, learners), winner less loser, into
    calibrated log-odds together: MAP of a logistic model without intercept. Each learner is scaled to rms 1, where the
    prior is normal with standard deviation 1 around ½ by the number of learners, so that little evidence gives small
    odds. A learner whose differences are all 0 gets the prior's weight."""
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


def search(
    loss: Callable[[Vector], float], start: Vector, low: float, high: float, *, step: float = 0.25, exact: float = 5e-4
) -> Vector:
    """Return a minimum near ``start`` of a loss of few numbers, each between ``low`` and ``high``, without a gradient:
    a step along each axis where that helps, and half the step where none does, down to ``exact``."""
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
