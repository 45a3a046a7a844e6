"""Logistic regression by Newton's method, with a weak prior around zero; Platt's scaling."""

from __future__ import annotations

import numpy as np

from ..statistics import Vector

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
