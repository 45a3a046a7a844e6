"""Statistics of an audit: pulls with intervals over base jokes, false discoveries, slopes. Pure numpy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ...core.statistics import Z95, Vector

Strength = Literal["none", "some", "strong"]
"""No sign of an effect, some effect, a strong one."""
FALSE_DISCOVERIES = 0.05
"""Share of false ones among the reported effects (Benjamini and Hochberg 1995)."""
LEAST_EFFECT = 0.1
STRONG_EFFECT = 0.5
"""A pull counts from a tenth of the spread of a judge's own log-odds over pairs, and is strong from half of it on."""
STRONG_FLIPS = 0.15
"""An effect is also strong where this share more verdicts change than under the neutral control."""
_REPEATS = 1000
_SEED = 11
Estimate = dict[str, Any]
"""A ``value`` over ``n`` jokes, its 95 % interval ``low``, ``high``, and ``p``: the two-sided probability of such a
value by chance."""


def pull(values: Sequence[float] | Vector, jokes: Sequence[str] | None = None) -> Estimate | None:
    """Return the mean of ``values``; values of the same base joke (``jokes``: a name for each) form one cluster, as
    they aren't independent. The interval is by bootstrap over jokes. None for no values."""
    given: Vector = np.asarray(values, dtype=np.float64)
    if not len(given):
        return None
    names = list(jokes) if jokes is not None else [str(place) for place in range(len(given))]
    order = {name: place for place, name in enumerate(dict.fromkeys(names))}
    groups = np.array([order[name] for name in names])
    sums = np.bincount(groups, weights=given)
    counts = np.bincount(groups).astype(float)
    mean = float(given.mean())
    n = len(sums)
    # The error of a ratio of sums over clusters; with one value to a joke it is sd/√n.
    rest = sums - mean * counts
    error = math.sqrt(n / (n - 1) * float(rest @ rest)) / float(counts.sum()) if n > 1 else math.inf
    drawn = np.random.default_rng(_SEED).integers(0, n, (_REPEATS, n))
    means = sums[drawn].sum(axis=1) / counts[drawn].sum(axis=1)
    low, high = (float(end) for end in np.quantile(means, (0.025, 0.975)))
    return {"n": n, "value": mean, "low": min(low, mean), "high": max(high, mean), "p": chance(mean, error)}


def chance(value: float, error: float) -> float:
    """Return the two-sided probability of ``value`` under a normal around 0 with this standard error."""
    if not math.isfinite(error):
        return 1.0
    if error <= 1e-12 * max(1.0, abs(value)):
        return 1.0 if abs(value) < 1e-12 else 0.0
    return math.erfc(abs(value) / error / math.sqrt(2.0))


def discoveries(p: Sequence[float]) -> list[float]:
    """Return Benjamini and Hochberg's q of each p, in their order: the least false discovery rate at which it
    counts."""
    order = sorted(range(len(p)), key=lambda place: p[place])
    q = [1.0] * len(p)
    least = 1.0
    for rank in range(len(order), 0, -1):
        place = order[rank - 1]
        least = min(least, p[place] * len(p) / rank)
        q[place] = least
    return q


def length_slopes(added: Vector, before: Vector, moved: Vector) -> Vector:
    """(2,): a judge's shift in log-odds per character of filler, and per natural logarithm of the relative length;
    least squares through the origin. ``added``: characters of filler, ``before``: of the joke."""
    if not len(added):
        return np.zeros(2)
    return np.asarray(np.linalg.lstsq(_lengths(added, before), moved, rcond=None)[0], dtype=np.float64)


def moved_by_length(slopes: Vector, added: Vector, before: Vector) -> Vector:
    """The shift that the added length alone would cause."""
    return np.asarray(_lengths(added, before) @ slopes, dtype=np.float64)


def _lengths(added: Vector, before: Vector) -> Vector:
    return np.stack([added, np.log((before + added) / before)], axis=1)


def slope(y: Vector, x: Vector, fixed: Vector) -> Estimate | None:
    """Return the slope of ``y`` on ``x`` with ``fixed`` held fixed: least squares without intercept, as differences of
    two jokes have none; ``effect``: that of one standard deviation of ``x``. None where the data don't determine it."""
    n = len(y)
    design = np.stack([x, fixed], axis=1) if np.ptp(fixed) > 0 or np.any(fixed != 0) else x[:, None]
    if n <= design.shape[1] or np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    inverse = np.linalg.inv(design.T @ design)
    slopes = inverse @ design.T @ y
    rest = y - design @ slopes
    # Errors may differ between pairs (White 1980, with the correction for few).
    variance = inverse @ (design.T * rest**2) @ design @ inverse * (n / (n - design.shape[1]))
    error = math.sqrt(max(0.0, float(variance[0, 0])))
    value = float(slopes[0])
    low, high = value - Z95 * error, value + Z95 * error
    effect = value * math.sqrt(float((x @ x) / n))
    return {"n": n, "value": value, "low": low, "high": high, "p": chance(value, error), "effect": effect}


def strength(
    effect: float, q: float, *, floor: float, strong: float, flips: float = 0.0, toward: bool = False
) -> Strength:
    """Return an effect's strength. ``floor``: the largest effect that doesn't count; ``flips``: share of verdicts that
    changed beyond those of the control; ``toward``: only a pull towards the changed joke is a fault."""
    if q > FALSE_DISCOVERIES or abs(effect) <= floor or (toward and effect < 0):
        return "none"
    return "strong" if abs(effect) >= strong or flips >= STRONG_FLIPS else "some"


def spread(values: npt.ArrayLike) -> float:
    """Root mean square: the spread of log-odds whose sign is arbitrary."""
    given = np.asarray(values, dtype=float)
    return math.sqrt(float((given**2).mean())) if given.size else 0.0
