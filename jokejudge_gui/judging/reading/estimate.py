"""How far an audience estimate may be off, from how often its head agrees with people on pairs of that kind."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import NormalDist

COVER = 0.8
"""Share of jokes whose place in people's order lies inside the interval."""
_NORMAL = NormalDist()
_ENDS = 0.5
"""Percentiles nearer than this to either end are infinitely far out on the normal scale."""


def correlation_of(agreement: float) -> float:
    """The correlation behind a share of pairs put in the right order: a = ½ + asin(ρ)/π for two normal variables
    (Kendall's τ = 2a − 1; Greiner's relation). 0 for a coin and for less."""
    return math.sin(math.pi * (min(1.0, max(0.5, agreement)) - 0.5))


def interval(percentile: float, agreement: float, cover: float = COVER) -> tuple[float, float]:
    """Where among 100 jokes people would put one that the head puts at ``percentile``, ``cover`` of the time.

    The head's and people's order are taken as two normal variables that correlate as ``agreement`` says: given the
    head's z, people's is normal about ρ·z with variance 1 − ρ². The interval always holds the estimate itself."""
    rho = correlation_of(agreement)
    z = _NORMAL.inv_cdf(min(100.0 - _ENDS, max(_ENDS, percentile)) / 100.0)
    half = _NORMAL.inv_cdf(0.5 + cover / 2.0) * math.sqrt(1.0 - rho * rho)
    low, high = (100.0 * _NORMAL.cdf(rho * z + side * half) for side in (-1.0, 1.0))
    return min(low, percentile), max(high, percentile)


_STRANGE = 0.8
"""A text of which the gate gives more than this to kinds that nobody voted on …"""
_VAGUE = 70.0
"""… is told nothing if its interval is wider than so many points. Of votes' own one-liners, captions, hashtags and the
editor's drafts at most one in a hundred is such a text; of plain statements and of jokes of a kind that wasn't learned
a quarter and more."""


def unheard(strange: float, low: float, high: float) -> bool:
    """Whether an estimate says nothing: the text is of no kind that was learned, and it could stand nearly anywhere.
    ``strange`` 0…1: how much of it the gate gives to such kinds; ``low``, ``high``: its interval in percentiles."""
    return strange > _STRANGE and high - low > _VAGUE


@dataclass(frozen=True)
class Ear:
    """A kind of text as an audience head knows it: its name in words, the share of held-out pairs of that kind that it
    put in people's order, and the lower end of that share's interval."""

    name: str
    agreement: float
    low: float | None = None


@dataclass(frozen=True)
class Ears:
    """The kinds that a head learned, by the name that it gives them, and how it does on kinds that it didn't learn;
    ``unknown`` is None where that wasn't measured."""

    known: Mapping[str, Ear] = field(default_factory=dict)
    unknown: Ear | None = None
    strangers: frozenset[str] = frozenset()
    """Kinds of the head's gate that stand for "something else"."""

    def strange(self, shares: Mapping[str, float]) -> float:
        """How much of a text is of kinds that weren't learned. ``shares``: how much of it is of each kind, 1 in all."""
        return math.fsum(share for kind, share in shares.items() if kind in self.strangers or kind not in self.known)

    def of(self, kind: str) -> Ear | None:
        """The ear for texts of a kind."""
        return self.unknown if kind in self.strangers else self.known.get(kind, self.unknown)
