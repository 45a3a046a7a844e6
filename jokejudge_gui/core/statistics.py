"""Agreement, correlation and calibration with their 95 % intervals. Pure functions of numbers.

``None`` stands for "unknown" (too few values, or no spread), never for zero.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from .verdicts import Frozen

Vector = npt.NDArray[np.float64]

Z95 = 1.959964
_LEAST_P = 1e-6


class Fraction(Frozen):
    """``right`` of ``n`` (halves for ties), as ``share`` 0…1 with its Wilson 95 % interval; None when ``n`` is 0."""

    n: int
    right: float
    share: float | None
    low: float | None
    high: float | None


class Correlation(Frozen):
    """A correlation −1…1 over ``n`` values with its 95 % interval (Fisher's z); None when it is unknown."""

    n: int
    value: float | None
    low: float | None = None
    high: float | None = None


class Difference(Frozen):
    """By how much one share exceeds another on the same rows, −1…1, with its 95 % interval."""

    value: float
    low: float
    high: float


class Bin(Frozen):
    """Answers whose stated probability lies in ``low`` … ``high``: ``stated`` on average, ``found`` right."""

    low: float
    high: float
    stated: float
    found: Fraction


def sigmoid(value: float) -> float:
    """1/(1+e^−value), with sigmoid(−x) == 1 − sigmoid(x) to the last bit, so that swapped duels mirror exactly."""
    if value < 0:
        return 1.0 - sigmoid(-value)
    return 1.0 / (1.0 + math.exp(-value))


def logit(p: float, edge: float = 1e-6) -> float:
    """Log-odds of a probability, which is taken to lie at least ``edge`` from 0 and 1."""
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


def by_luck(n: int) -> tuple[int, int]:
    """How many of ``n`` a coin gets right in 95 of 100 cases: the middle of the binomial distribution, both ends
    within."""
    tail, low = 0.0, -1
    while tail <= 0.025:
        low += 1
        tail += math.comb(n, low) / 2.0**n
    return low, n - low


def fraction(hits: Sequence[float] | Vector) -> Fraction:
    """The share of hits: each 1 (right), ½ (a tie) or 0."""
    n = len(hits)
    right = math.fsum(hits)
    if n == 0:
        return Fraction(n=0, right=0.0, share=None, low=None, high=None)
    low, high = wilson(right, n)
    return Fraction(n=n, right=right, share=right / n, low=low, high=high)


def difference(hits: Vector, others: Vector) -> Difference | None:
    """How much more often ``hits`` are right than ``others`` on the same rows; None for no rows. The interval is
    Agresti and Min's (2005), which stays honest for few rows: half a row more for each way that two answers can fall
    out."""
    if len(hits) == 0:
        return None
    gap = hits - others
    value, n = float(gap.mean()), len(gap) + 2
    centre = float(gap.sum()) / n
    half = Z95 * math.sqrt(max(0.0, (float(gap @ gap) + 1) / n - centre**2) / n)
    return Difference(value=value, low=max(-1.0, min(value, centre - half)), high=min(1.0, max(value, centre + half)))


def pearson(x: Sequence[float] | Vector, y: Sequence[float] | Vector) -> Correlation:
    """Pearson's correlation."""
    return _correlation(np.asarray(x, dtype=float), np.asarray(y, dtype=float), spread=1.0)


def spearman(x: Sequence[float] | Vector, y: Sequence[float] | Vector) -> Correlation:
    """Spearman's rank correlation; ties share their mean rank."""
    # The variance of z for ranks is 1.06/(n − 3) (Fieller, Hartley and Pearson 1957).
    return _correlation(ranks(np.asarray(x, dtype=float)), ranks(np.asarray(y, dtype=float)), spread=1.06)


def _correlation(x: Vector, y: Vector, spread: float) -> Correlation:
    n = len(x)
    if n < 2 or np.ptp(x) == 0 or np.ptp(y) == 0:
        return Correlation(n=n, value=None)
    x, y = x - x.mean(), y - y.mean()
    size = math.sqrt(float(x @ x)) * math.sqrt(float(y @ y))
    if size == 0 or not math.isfinite(size):
        return Correlation(n=n, value=None)
    value = min(1.0, max(-1.0, float(x @ y) / size))
    if n < 4 or abs(value) == 1.0:
        return Correlation(n=n, value=value)
    z, half = math.atanh(value), Z95 * math.sqrt(spread / (n - 3))
    return Correlation(n=n, value=value, low=math.tanh(z - half), high=math.tanh(z + half))


def ranks(values: Vector) -> Vector:
    """Ranks from 1; equal values share the mean of theirs."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    begins = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    ends = np.concatenate([begins[1:], [len(values)]])
    found = np.empty(len(values))
    found[order] = np.repeat((begins + 1 + ends) / 2, ends - begins)
    return found


def auc(scores: Vector, truth: Vector) -> float | None:
    """The chance that one of those that are true (``truth`` 1) has a higher score than one of those that aren't (0);
    ½ for a tie. None where a side is missing."""
    values, true = np.asarray(scores, dtype=float), np.asarray(truth, dtype=float) > 0.5
    ones, zeros = values[true], np.sort(values[~true])
    if not len(ones) or not len(zeros):
        return None
    below, not_above = (int(zeros.searchsorted(ones, side).sum()) for side in ("left", "right"))
    return (below + not_above) / 2 / (len(ones) * len(zeros))


def bootstrap(
    n: int, statistic: Callable[[Vector], float | None], *, repeats: int = 400, seed: int = 7
) -> tuple[float, float]:
    """The 95 % interval of a figure over ``n`` texts that are drawn anew, with replacement, ``repeats`` times.
    ``statistic`` maps how often each text was drawn (n) to the figure, None where it is unknown. NaN, NaN where it
    always is."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(repeats):
        times = np.bincount(random.integers(0, n, n), minlength=n).astype(np.float64) if n else np.zeros(0)
        if (value := statistic(times)) is not None and math.isfinite(value):
            found.append(value)
    low, high = np.quantile(found, (0.025, 0.975)) if found else (math.nan, math.nan)
    return float(low), float(high)


def mean_absolute_error(x: Sequence[float] | Vector, y: Sequence[float] | Vector) -> float | None:
    """Mean of \\|x − y\\|; None for no values."""
    if len(x) == 0:
        return None
    return float(np.abs(np.asarray(x, dtype=float) - np.asarray(y, dtype=float)).mean())


def log_loss(p: Vector, truth: Vector) -> float | None:
    """Mean −ln of the probability given to what was true (nats; a coin's is .693); None for no rows."""
    if len(p) == 0:
        return None
    sure = np.clip(p, _LEAST_P, 1 - _LEAST_P)
    return float(-(truth * np.log(sure) + (1 - truth) * np.log(1 - sure)).mean())


def bins(stated: Vector, hits: Vector, edges: Sequence[float]) -> tuple[Bin, ...]:
    """Answers sorted into bins by their stated probability; each bin holds its lower edge, the last one both. Empty
    bins are left out."""
    places = np.clip(np.searchsorted(np.asarray(edges), stated, side="right") - 1, 0, len(edges) - 2)
    found = []
    for place, (low, high) in enumerate(itertools.pairwise(edges)):
        inside = places == place
        if inside.any():
            mean = float(stated[inside].mean())
            found.append(Bin(low=low, high=high, stated=mean, found=fraction(hits[inside])))
    return tuple(found)


def expected_calibration_error(found: Sequence[Bin]) -> float | None:
    """Mean distance between what bins state and what is found in them, weighted by their size; None for no rows."""
    total = sum(part.found.n for part in found)
    if total == 0:
        return None
    return math.fsum(part.found.n * abs(part.stated - (part.found.share or 0.0)) for part in found) / total


def one_against_the_others(votes_a: float, votes_b: float) -> tuple[float, float]:
    """Among the voters of one pair: (how many agree with the majority of the others, how many can be asked). A voter
    whose fellows are split evenly, or who has none, can't be asked."""
    right = asked = 0.0
    for mine, theirs in ((votes_a, votes_b), (votes_b, votes_a)):
        if mine >= 1 and mine - 1 != theirs:
            asked += mine
            right += mine if mine - 1 > theirs else 0.0
    return right, asked
