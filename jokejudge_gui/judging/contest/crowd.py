"""Where people would put the jokes of a list, from what the audience head says of each and how often it is right.

The head's and people's order are two normal variables that correlate as the head's agreement says (``estimate``):
given the head's z, people's is normal about ρ·z with variance 1 − ρ². Ranks and chances follow by drawing people's
order many times, with a fixed seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
import numpy.typing as npt

from ..reading.estimate import correlation_of
from .ranking import Strengths, Vector, Whole

COVER = 0.9
"""Share of jokes whose rank lies inside the interval."""
_ENDS = 0.5
_NORMAL = NormalDist()
_DRAWS = 2000
_MOST_NUMBERS = 4 * 10**6
_MOST_PAIRED = 300


@dataclass(frozen=True, eq=False)
class Opinion:
    """What is believed of each joke's strength: ``mean`` and ``sd``, and ``blocks`` of jokes whose beliefs hang
    together, with their covariance; the others are independent."""

    mean: Vector
    sd: Vector
    blocks: tuple[tuple[Whole, Vector], ...] = ()

    def chance(self, one: int, other: int) -> float:
        """Probability that ``one`` is above ``other``, each block's ties left out of account."""
        spread = math.hypot(float(self.sd[one]), float(self.sd[other]))
        gap = float(self.mean[one] - self.mean[other])
        return _NORMAL.cdf(gap / spread) if spread > 0 else 0.5 + 0.5 * float(np.sign(gap))

    def agreement(self) -> float | None:
        """Share of the list's pairs that would come out in this order; None for fewer than two jokes."""
        order = np.argsort(-self.mean, kind="stable")
        if len(order) > _MOST_PAIRED:
            order = order[np.linspace(0, len(order) - 1, _MOST_PAIRED).round().astype(np.int64)]
        if len(order) < 2:
            return None
        upper, lower = np.triu_indices(len(order), k=1)
        mean, sd = self.mean[order], self.sd[order]
        z = (mean[upper] - mean[lower]) / np.maximum(np.hypot(sd[upper], sd[lower]), 1e-12)
        return math.fsum(map(_NORMAL.cdf, z)) / len(z)

    def ranks(self, top: int, cover: float = COVER, draws: int | None = None) -> Ranks:
        """Which ranks each joke may have, and how often it is among the ``top``; ``draws``: of people's order."""
        n = len(self.mean)
        if n == 0:
            none = np.zeros(0, dtype=np.int64)
            return Ranks(none, none, np.zeros(0))
        draws = min(draws or _DRAWS, max(100, _MOST_NUMBERS // n))
        random = np.random.default_rng(14)
        places = np.empty((draws, n), dtype=np.int32)
        roots = [(members, _root(covariance)) for members, covariance in self.blocks]
        everyone = np.arange(1, n + 1, dtype=np.int32)
        for k in range(draws):
            noise = random.standard_normal(n)
            drawn = self.mean + self.sd * noise
            for members, root in roots:
                drawn[members] = self.mean[members] + root @ noise[members]
            places[k, np.argsort(-drawn, kind="stable")] = everyone
        low = np.quantile(places, (1 - cover) / 2, axis=0, method="lower").astype(np.int64)
        high = np.quantile(places, (1 + cover) / 2, axis=0, method="higher").astype(np.int64)
        return Ranks(low, high, (places <= top).mean(axis=0))


@dataclass(frozen=True, eq=False)
class Ranks:
    """``low`` and ``high``: first and last rank, from 1, each joke's rank lies between in ``COVER`` of cases; ``top``:
    the share of cases in which it is among the first K."""

    low: Whole
    high: Whole
    top: npt.NDArray[np.float64]


def of_people(percentiles: Sequence[float], agreements: Sequence[float | None], shifts: Sequence[float]) -> Opinion:
    """What people would think of jokes that the head puts at ``percentiles`` (0…100), where it agrees with people in
    ``agreements`` of pairs (None: unknown, so its word counts for nothing); ``shifts``: by how much duels moved a joke,
    in standard deviations of the head's scores."""
    rho = np.array([0.0 if share is None else correlation_of(share) for share in agreements])
    z = np.array([_NORMAL.inv_cdf(min(100.0 - _ENDS, max(_ENDS, p)) / 100.0) for p in percentiles])
    return Opinion(rho * (z + np.asarray(shifts, dtype=np.float64)), np.sqrt(1.0 - rho**2))


def of_judge(found: Strengths) -> Opinion:
    """What the judge itself would say with no end of duels: how consistent it is, not how far people would agree."""
    return Opinion(
        found.theta, np.sqrt(found.variance), tuple((block.places, block.covariance) for block in found.blocks)
    )


def _root(covariance: Vector) -> Vector:
    """A matrix R with R·Rᵀ = covariance."""
    values, vectors = np.linalg.eigh(covariance)
    found: Vector = vectors * np.sqrt(np.maximum(values, 0.0))
    return found
