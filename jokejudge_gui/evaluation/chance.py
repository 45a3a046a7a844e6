"""Agreement beyond chance, with 95 % intervals by bootstrap over rows: Cohen's kappa and Krippendorff's alpha."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from ..statistics import Vector, bootstrap
from .evaluation_types import BeyondChance


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> BeyondChance:
    """κ of two judges' categories (whole numbers from 0) of the same rows: 1 − (1 − p_o)/(1 − p_e) (Cohen 1960).
    It can't be told where both give every row the same category."""
    one, two = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    size = int(max(one.max(initial=-1), two.max(initial=-1))) + 1

    def kappa(times: Vector) -> float | None:
        table = np.bincount(one * size + two, weights=times, minlength=size * size).reshape(size, size)
        total = float(table.sum())
        if not total:
            return None
        seen = float(np.trace(table)) / total
        expected = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
        return None if expected >= 1.0 else (seen - expected) / (1.0 - expected)

    return _beyond(len(one), kappa)


def nominal_alpha(counts: Sequence[Sequence[float]] | Vector) -> BeyondChance:
    """Krippendorff's α of nominal data. ``counts`` (rows, categories): how many gave a row each category; a row with
    fewer than two values is left out. It can't be told where all values are the same."""
    table = np.asarray(counts, dtype=np.float64).reshape(len(counts), -1 if len(counts) else 1)
    table = table[table.sum(axis=1) >= 2]
    sizes = table.sum(axis=1)
    apart = (sizes**2 - (table**2).sum(axis=1)) / (sizes - 1)

    def alpha(times: Vector) -> float | None:
        values, totals = float(times @ sizes), times @ table
        return _alpha(float(times @ apart), values**2 - float(totals @ totals), values)

    return _beyond(len(table), alpha)


def interval_alpha(scores: Sequence[Sequence[float]] | Vector) -> BeyondChance:
    """Krippendorff's α of interval data: distance is the squared difference. ``scores`` (rows, judges), NaN where a
    judge gave none; a row with fewer than two values is left out. It can't be told where all values are the same."""
    table = np.asarray(scores, dtype=np.float64).reshape(len(scores), -1 if len(scores) else 1)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    # Distances don't change with the zero point; one within the values keeps sums of squares exact.
    table = table - np.nanmean(table) if len(table) else table
    sizes = (~np.isnan(table)).sum(axis=1).astype(np.float64)
    sums, squares = np.nansum(table, axis=1), np.nansum(table**2, axis=1)
    apart = 2 * (sizes * squares - sums**2) / (sizes - 1)

    def alpha(times: Vector) -> float | None:
        values, total = float(times @ sizes), float(times @ sums)
        return _alpha(float(times @ apart), 2 * (values * float(times @ squares) - total**2), values)

    return _beyond(len(table), alpha)


def _alpha(within: float, everywhere: float, values: float) -> float | None:
    """1 − D_o/D_e (Krippendorff 2011) from sums of distances: between the values of a row (each row's divided by its
    values less one), and between all values."""
    if values < 2 or everywhere <= 1e-12:
        return None
    return 1.0 - within * (values - 1) / everywhere


def _beyond(rows: int, statistic: Callable[[Vector], float | None]) -> BeyondChance:
    value = statistic(np.ones(rows)) if rows else None
    if value is None:
        return BeyondChance(n=rows, value=None)
    low, high = bootstrap(rows, statistic)
    if not (math.isfinite(low) and math.isfinite(high)):
        return BeyondChance(n=rows, value=value)
    return BeyondChance(n=rows, value=value, low=min(low, value), high=max(high, value))
