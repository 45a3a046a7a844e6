"""The best weights for models of different worth whose errors go together, and how many independent ones they make.

People's opinion and what each model says are taken as normal variables: model i correlates with people at ρᵢ, which its
share of right pairs tells (Greiner), and its errors with those of model j at cᵢⱼ. The best linear estimate then weighs
the models by R⁻¹ρ, Rᵢⱼ = ρᵢρⱼ + cᵢⱼ√(1−ρᵢ²)√(1−ρⱼ²), and correlates with people at √(ρᵀR⁻¹ρ)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..reading.estimate import correlation_of
from .errors_shared import Matrix

_LEAST = 0.05
_MOST = 0.99


@dataclass(frozen=True)
class Joint:
    """``shares`` 0…1 of each model, 1 in all; ``factors``: what each model's standard score is multiplied by for the
    joint standard score; ``rho``: the joint correlation with people; ``sharper`` ≥ 1: by how much the joint log-odds
    may exceed the weighted mean of the models' own."""

    shares: tuple[float, ...]
    factors: tuple[float, ...]
    rho: float
    sharper: float

    @property
    def agreement(self) -> float:
        """The share of pairs 0…1 that an estimate with this correlation puts in people's order."""
        return 0.5 + math.asin(self.rho) / math.pi


def join(worths: Sequence[float | None], errors: Matrix) -> Joint:
    """Weights ≥ 0 for models of these worths (shares of right pairs; None: not measured). A model of unknown worth has
    no say beside one whose worth is known; where none is known, all are alike."""
    known = [worth for worth in worths if worth is not None]
    if known:
        rho = np.array([0.0 if w is None else min(_MOST, max(_LEAST, correlation_of(w))) for w in worths])
    else:
        rho = np.full(len(worths), 0.5)
    noise = np.sqrt(1.0 - rho**2)
    matrix = np.outer(rho, rho) + errors * np.outer(noise, noise)
    alive = [place for place in range(len(worths)) if rho[place] > 0]
    weights = np.zeros(len(worths))
    while alive:
        found = np.linalg.solve(matrix[np.ix_(alive, alive)], rho[alive])
        if (found > 0).all():
            weights[alive] = found
            break
        # A model whose part would be negative adds nothing to the others.
        alive.pop(int(np.argmin(found)))
    joint = min(_MOST, math.sqrt(float(rho @ weights)))
    shares = weights / weights.sum()
    own = float(shares @ (rho / noise))
    return Joint(
        shares=tuple(map(float, shares)),
        factors=tuple(map(float, weights / joint)),
        rho=joint,
        sharper=max(1.0, joint / math.sqrt(1.0 - joint**2) / own),
    )


def independent_votes(errors: Matrix) -> float:
    """As how many independent models these count: n²/ΣΣcᵢⱼ, n for errors of their own and 1 for the same errors."""
    n = len(errors)
    return float(min(n, max(1.0, n * n / float(errors.sum())))) if n else 0.0


def mean_correlation(errors: Matrix) -> float | None:
    """The mean correlation of two different models' errors; None for a single one."""
    n = len(errors)
    return float((errors.sum() - n) / (n * (n - 1))) if n > 1 else None


def mean_by(values: Sequence[float], weights: Sequence[float]) -> float:
    """The weighted mean; the plain one where no weight is over 0."""
    total = math.fsum(weights)
    if total <= 0:
        return math.fsum(values) / len(values)
    return math.fsum(value * weight for value, weight in zip(values, weights, strict=True)) / total
