"""Finding where smooth losses are least, with NumPy alone: mixtures of learners, and maps of many weights."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..statistics import Vector

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
