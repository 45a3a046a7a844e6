"""Solvers for training on the user's machine, with NumPy alone: ridge regression in the dual and by conjugate
gradients, logistic regression, and the minimisation of a smooth loss. The solvers that only the training of shipped
heads needs are in models/training/solvers.py."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector

Ints = npt.NDArray[np.int64]

STRENGTHS = (300.0, 100.0, 30.0, 10.0, 3.0, 1.0, 0.3)
"""Default strengths; the strongest first, which wins a tie."""
_TINY = 1e-12


def dual(kernel: Vector, left: Vector, right: Vector, strengths: Sequence[float]) -> Iterator[Vector]:
    """Yield α (n) for each strength, a map's weights being Xᵀα, for errors that aren't independent by row: the scores f
    = Kα, K the (n, n) ``kernel`` XXᵀ, minimise fᵀLf − 2tᵀf + λαᵀKα, L (n, n) ``left`` and t (n) ``right``. Then (LK +
    λ)α = t."""
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
    """Return the weights (features) of one output by conjugate gradients on the normal equations, for a matrix X that
    is only known by its products: ``forth(w)`` = Xw (n) and ``back(r)`` = Xᵀr (features). ``penalty``: added to XᵀX,
    unscaled. Ends after ``steps``, or where the residual has shrunk to ``exact`` times its first length."""
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
"""Precision (1 / variance) of a weight's prior, on standardised features."""
_ROUNDS = 30


def logistic(rows: Vector, targets: Vector, prior: float = _PRIOR) -> Vector:
    """Return (features + 1,): weights and, last, the constant of a logistic model of ``targets`` 0…1 on ``rows`` (n,
    features)."""
    x = np.hstack([rows, np.ones((len(rows), 1))])
    centre = np.zeros(x.shape[1])
    share = min(max(float(targets.mean()), 1e-4), 1.0 - 1e-4)
    centre[-1] = np.log(share / (1.0 - share))
    penalty = np.full(x.shape[1], prior)
    penalty[-1] = 1e-3
    return likeliest(x, targets, penalty, centre=centre)


def likeliest(
    x: Vector, targets: Vector, penalty: Vector, *, centre: Vector | None = None, counts: Vector | None = None
) -> Vector:
    """Return (features,): the same without an implicit constant, for a normal prior with this ``centre`` (default 0)
    and precision (``penalty``); ``counts``: weight of each row (default 1)."""
    counts = np.ones(len(x)) if counts is None else counts
    centre = np.zeros(x.shape[1]) if centre is None else centre
    weights = centre.copy()

    def loss(at: Vector) -> float:
        odds = x @ at
        away = at - centre
        return float((counts * (np.logaddexp(0.0, odds) - targets * odds)).sum() + (penalty * away * away).sum() / 2.0)

    now = loss(weights)
    for _ in range(_ROUNDS):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ weights, -30.0, 30.0)))
        gradient = x.T @ (counts * (p - targets)) + penalty * (weights - centre)
        inner = (x * (counts * p * (1.0 - p))[:, None]).T @ x + np.diag(penalty)
        step = np.linalg.solve(inner, gradient)
        # Far from the optimum a full step may overshoot, so it is halved until the loss falls.
        size = 1.0
        while size > 1e-4 and loss(weights - size * step) > now:
            size /= 2.0
        before, now = now, min(now, loss(weights - size * step))
        weights = weights - size * step
        if before - now < 1e-9 * max(1.0, before):
            break
    return weights


def without_negative(fit: Callable[[Ints], Vector], parts: int, constants: int = 0) -> Vector:
    """Return the weights of ``fit``, called with the indices of the parts to use, and its constants; a part with the
    wrong sign gets no weight."""
    used = np.arange(parts)
    while True:
        fitted = fit(used)
        if not len(used) or (fitted[: len(used)] >= 0).all():
            weights = np.zeros(parts + constants)
            weights[used], weights[parts:] = fitted[: len(used)], fitted[len(used) :]
            return weights
        used = used[fitted[: len(used)] >= 0]


def platt(scores: Vector, targets: Vector) -> tuple[float, float]:
    """Return (slope ≥ 0, constant) that turn ``scores`` into calibrated log-odds of ``targets`` 0…1."""
    centre, spread = float(scores.mean()), float(scores.std()) + 1e-9
    weights = logistic(((scores - centre) / spread)[:, None], targets)
    if weights[0] <= 0:
        share = min(max(float(targets.mean()), 1e-4), 1.0 - 1e-4)
        return 0.0, float(np.log(share / (1.0 - share)))
    return float(weights[0] / spread), float(weights[1] - weights[0] * centre / spread)


# --------------------------------------------------------------------------------------------------------------------
# Minimising smooth losses.

Slope = Callable[[Vector], tuple[float, Vector]]
"""Returns a loss and its gradient at a point."""
_ARMIJO = 1e-4
_SHORTEST = 1e-12


def descend(slope: Slope, start: Vector, *, steps: int = 100, memory: int = 10, exact: float = 2e-9) -> Vector:
    """Return the minimum of a smooth convex loss, by limited-memory BFGS from ``start`` (n). Ends after ``steps``, or
    where a step reduces the loss by less than the share ``exact``."""
    place = start.astype(np.float64)
    value, gradient = slope(place)
    past: list[tuple[Vector, Vector, float]] = []
    for _ in range(steps):
        step = -_scaled(gradient, past)
        fall = float(gradient @ step)
        if fall >= 0:
            past, step = [], -gradient
            fall = float(gradient @ step)
        pace = 1.0 if past else min(1.0, 1.0 / max(float(np.abs(gradient).sum()), _SHORTEST))
        while pace > _SHORTEST:
            new, bend = slope(place + pace * step)
            if math.isfinite(new) and new <= value + _ARMIJO * pace * fall:
                break
            pace /= 2
        else:
            break
        moved, turned = pace * step, bend - gradient
        if float(moved @ turned) > _SHORTEST * float(turned @ turned):
            past = [*past[1 - memory :], (moved, turned, 1.0 / float(moved @ turned))]
        place = place + moved
        gain, value, gradient = value - new, new, bend
        if gain <= exact * max(abs(value), abs(value + gain), 1e-300):
            break
    return place


def _scaled(gradient: Vector, past: Sequence[tuple[Vector, Vector, float]]) -> Vector:
    """Return the gradient times the inverse curvature estimated from the last steps (Nocedal and Wright, algorithm
    7.4)."""
    scaled = gradient.copy()
    shares = []
    for moved, turned, by in reversed(past):
        shares.append(by * float(moved @ scaled))
        scaled -= shares[-1] * turned
    if past:
        moved, turned, _ = past[-1]
        scaled *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned, by), share in zip(past, reversed(shares), strict=True):
        scaled += (share - by * float(turned @ scaled)) * moved
    return scaled
