"""Limits of a screening: how strict they are for a model, and which the list itself justifies."""

from __future__ import annotations

import math
from statistics import NormalDist, median

from ..reading.estimate import correlation_of
from .screening import AT_ONCE, first_looks
from .screening_types import OwnScale, Thresholds
from .types import ContestResult

_LEAST = 0.005
"""No estimate tells apart where a joke stands among the best of two hundred."""
_RARE = 0.02
_NORMAL = NormalDist()


def proposed(result: ContestResult, *, length_penalty: bool = False, own: OwnScale | None = None) -> Thresholds | None:
    """Limits that the list itself justifies: as many pass as are expected to be good, so that about as many good ones
    are missed as others pass; the first three of them are high. None where no chance is known."""
    rows = first_looks(result, Thresholds(reject=0.0), length_penalty=length_penalty, own=own)
    chances = [row.p for row in rows if row.p is not None and not row.rejected]
    if not chances:
        return None
    passing = min(len(chances), max(1, round(math.fsum(chances))))
    reject = _hundredth_below(chances[passing - 1])
    high = _hundredth_below(chances[min(passing, AT_ONCE) - 1])
    return Thresholds(reject=reject, high=high, promote=max(high, Thresholds().promote))


def _hundredth_below(p: float) -> float:
    return math.floor(100.0 * p + 1e-9) / 100.0


def share_reaching(p: float, agreement: float, own: OwnScale | None = None) -> float:
    """Which share of jokes gets a chance of at least ``p`` (0…1) from a head that ``agreement`` says how often it is
    right; 0 for less than one in two hundred, which no estimate tells apart."""
    if p <= 0.0:
        return 1.0
    if p >= 1.0:
        return 0.0
    if own is not None:
        if own.slope <= 0.0:
            return 1.0 if own.p(0.5) >= p else 0.0
        odds = (math.log(p / (1.0 - p)) - own.shift) / own.slope
        p = min(1.0 - 1e-9, max(1e-9, 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, odds))))))
    rho = correlation_of(agreement)
    if rho <= 0.0:
        return 1.0 if p <= 0.5 else 0.0
    share = 1.0 - _NORMAL.cdf(_NORMAL.inv_cdf(p) * math.sqrt(1.0 - rho * rho) / rho)
    return share if share >= _LEAST else 0.0


def strictness(result: ContestResult, limits: Thresholds, own: OwnScale | None = None) -> str:
    """Says so where few jokes can reach the limits on this model, whatever they are; else empty."""
    heard = [e.reading.agreement for e in result.entries if e.reading is not None and e.reading.agreement is not None]
    if not heard:
        return ""
    agreement = median(heard)
    reject, high = (share_reaching(p, agreement, own) for p in (limits.reject, limits.high))
    if high >= _RARE:
        return ""
    whom = "this model" if own is None else "you"
    return (
        f"These limits are strict for {whom}: of all jokes, {_in_100(reject)} would get a chance of "
        f"{limits.reject:.2f}, and {_in_100(high)} one of {limits.high:.2f}."
    )


def _in_100(share: float) -> str:
    if share <= 0.0:
        return "fewer than 1 in 200"
    return f"about {max(1, round(100 * share))} in 100"
