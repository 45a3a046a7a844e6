"""Agreement, correlation and calibration with their 95 % intervals. Pure functions of numbers.

``None`` stands for "unknown" (too few values, or no spread), never for zero.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from .lazily import np, npt
from .verdicts import Frozen

Vector: TypeAlias = "npt.NDArray[np.float64]"

Z95 = 1.959964


class Fraction(Frozen):
    """``right`` of ``n`` (halves for ties), as ``share`` 0…1 with its Wilson 95 % interval; None when ``n`` is 0."""

    n: int
    right: float
    share: float | None
    low: float | None
    high: float | None


Figure: TypeAlias = dict[str, Any]
"""A ``value`` −1…1, a correlation over ``n`` values (Fisher's z) or the difference of two shares on the same rows, with
its 95 % interval ``low``, ``high``; None if unknown."""


def sigmoid(value: float) -> float:
    """1/(1+e^−value), with sigmoid(−x) == 1 − sigmoid(x) to the last bit, so that swapped duels mirror exactly."""
    if value < 0:
        return 1.0 - sigmoid(-value)
    return 1.0 / (1.0 + math.exp(-value))


def logit(p: float, edge: float = 1e-6) -> float:
    """Log-odds of a probability, which is clipped to ``edge`` … 1 − ``edge``."""
    p = min(1.0 - edge, max(edge, p))
    return math.log(p / (1.0 - p))


def wilson(right: float, n: int) -> tuple[float, float]:
    """Wilson's 95 % interval of ``right`` of ``n`` as shares; 0…1 for no rows."""
    if n <= 0:
        return 0.0, 1.0
    share, square = right / n, Z95**2
    centre = (share + square / (2 * n)) / (1 + square / n)
    half = Z95 * math.sqrt(share * (1 - share) / n + square / (4 * n * n)) / (1 + square / n)
    return max(0.0, centre - half), min(1.0, centre + half)


def fraction(hits: Sequence[float] | Vector) -> Fraction:
    """Return the share of hits: each 1 (right), ½ (a tie) or 0."""
    n, right = len(hits), math.fsum(hits)
    low, high = wilson(right, n) if n else (None, None)
    return Fraction(n=n, right=right, share=right / n if n else None, low=low, high=high)


def difference(hits: Vector, others: Vector) -> Figure | None:
    """Return the difference of the shares of right answers, ``hits`` minus ``others``, on the same rows; None without
    rows. The interval is Agresti and Min's (2005) for few rows: half a row is added to each of the four outcomes."""
    if len(hits) == 0:
        return None
    gap = hits - others
    value, n = float(gap.mean()), len(gap) + 2
    centre = float(gap.sum()) / n
    half = Z95 * math.sqrt(max(0.0, (float(gap @ gap) + 1) / n - centre**2) / n)
    return {"value": value, "low": max(-1.0, min(value, centre - half)), "high": min(1.0, max(value, centre + half))}


def pearson(x: Sequence[float] | Vector, y: Sequence[float] | Vector) -> Figure:
    """Pearson's correlation."""
    return _correlation(np.asarray(x, dtype=float), np.asarray(y, dtype=float), spread=1.0)


def spearman(x: Sequence[float] | Vector, y: Sequence[float] | Vector) -> Figure:
    """Spearman's rank correlation; ties share their mean rank."""
    # The variance of z for ranks is 1.06/(n − 3) (Fieller, Hartley and Pearson 1957).
    return _correlation(ranks(np.asarray(x, dtype=float)), ranks(np.asarray(y, dtype=float)), spread=1.06)


def _correlation(x: Vector, y: Vector, spread: float) -> Figure:
    n = len(x)
    unknown: Figure = {"n": n, "value": None, "low": None, "high": None}
    if n < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return unknown
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(float(x @ x)) * math.sqrt(float(y @ y))
    if size == 0 or not math.isfinite(size):
        return unknown
    value = min(1.0, max(-1.0, float(x @ y) / size))
    if n < 4 or abs(value) == 1.0:
        return unknown | {"value": value}
    z, half = math.atanh(value), Z95 * math.sqrt(spread / (n - 3))
    return {"n": n, "value": value, "low": math.tanh(z - half), "high": math.tanh(z + half)}


def ranks(values: Vector) -> Vector:
    """Ranks from 1; equal values share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.concatenate([begins[1:], [len(values)]])
    placed = np.empty(len(values))
    placed[order] = np.repeat((begins + 1 + ends) / 2, ends - begins)
    return placed


def auc(scores: Vector, truth: Vector) -> float | None:
    """Return the probability that a positive (``truth`` 1) has a higher score than a negative (0); ½ for a tie. None if
    either class is empty."""
    values, true = np.asarray(scores, dtype=float), np.asarray(truth, dtype=float) > 0.5
    ones, zeros = values[true], np.sort(values[~true])
    if not len(ones) or not len(zeros):
        return None
    below, not_above = (int(zeros.searchsorted(ones, side).sum()) for side in ("left", "right"))
    return (below + not_above) / 2 / (len(ones) * len(zeros))


def log_loss(p: Vector, truth: Vector) -> float | None:
    """Mean −ln of the probability given to the true outcome (nats; a coin's is .693); None for no rows."""
    if len(p) == 0:
        return None
    sure = np.clip(p, 1e-6, 1 - 1e-6)
    return float(-(truth * np.log(sure) + (1 - truth) * np.log(1 - sure)).mean())


def bins(stated: Vector, hits: Vector, edges: Sequence[float]) -> list[dict[str, Any]]:
    """Sort answers into bins by their stated probability; each bin includes its lower edge ``low``, the last one both.
    It has the mean ``stated`` and the fraction ``found`` right; empty bins are left out."""
    places = np.clip(np.searchsorted(np.asarray(edges), stated, side="right") - 1, 0, len(edges) - 2)
    filled = []
    for place, (low, high) in enumerate(itertools.pairwise(edges)):
        inside = places == place
        if inside.any():
            mean = float(stated[inside].mean())
            filled.append({"low": low, "high": high, "stated": mean, "found": fraction(hits[inside])})
    return filled


def expected_calibration_error(bins: Sequence[dict[str, Any]]) -> float | None:
    """Return the mean distance between the stated probability and the share found right, weighted by bin size; None
    without rows."""
    rows: list[tuple[Fraction, float]] = [(part["found"], part["stated"]) for part in bins]
    total = sum(right.n for right, _ in rows)
    return math.fsum(right.n * abs(stated - (right.share or 0.0)) for right, stated in rows) / total if total else None


def one_against_the_others(votes_a: float, votes_b: float) -> tuple[float, float]:
    """Return, for the voters of one pair, the number who agree with the majority of the other voters, and the number
    who can be compared so. A voter is left out if the others are split evenly or there are none."""
    right = asked = 0.0
    for mine, theirs in ((votes_a, votes_b), (votes_b, votes_a)):
        if mine >= 1 and mine - 1 != theirs:
            asked += mine
            right += mine if mine - 1 > theirs else 0.0
    return right, asked
