"""Deep's figures beside Quick's on the same texts, with bootstrap intervals of what lies between them: numbers only."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from ..judging.plan.deep_worth import Compared
from ..statistics import Vector, bootstrap

LEAST_TEXTS = 10
"""Texts that a correlation takes at least."""
_TINY = 1e-9


def compare_scores(quick: Vector, deep: Vector, known: Vector) -> tuple[Compared | None, int]:
    """Mean correlation over factors with what a reader said, all (texts, factors), NaN where a verdict gives none; and
    over how many factors. A factor counts where LEAST_TEXTS texts have it by both, and where the reader's scores
    differ. An answer that is always the same has a correlation of 0."""
    there = np.isfinite(quick) & np.isfinite(deep)
    columns = [
        place
        for place in range(known.shape[1])
        if there[:, place].sum() >= LEAST_TEXTS and float(known[there[:, place], place].std()) > _TINY
    ]
    if not columns:
        return None, 0

    def mean(values: Vector, times: Vector) -> float:
        found = [correlation(values[there[:, c], c], known[there[:, c], c], times[there[:, c]]) for c in columns]
        return float(np.mean(found))

    return _compared(len(known), lambda times: (mean(quick, times), mean(deep, times))), len(columns)


def compare_shares(quick: Vector, deep: Vector) -> Compared | None:
    """Shares of hits (1, ½ or 0) on the same rows; None for no rows."""
    if not len(quick):
        return None

    def shares(times: Vector) -> tuple[float, float]:
        total = float(times.sum())
        return float(quick @ times) / total, float(deep @ times) / total

    return _compared(len(quick), shares)


def correlation(x: Vector, y: Vector, times: Vector) -> float:
    """Pearson's, each row counted ``times``; 0 where one of them is always the same."""
    total = float(times.sum())
    if total <= 0:
        return 0.0
    x, y = x - float(x @ times) / total, y - float(y @ times) / total
    size = float(np.sqrt((x * x) @ times) * np.sqrt((y * y) @ times))
    return float((x * y) @ times) / size if size > _TINY else 0.0


def table(rows: Sequence[Mapping[str, float]], ids: Sequence[str]) -> Vector:
    """(rows, ids), NaN where a row has none."""
    return np.array([[row.get(id, np.nan) for id in ids] for row in rows], dtype=np.float64).reshape(
        len(rows), len(ids)
    )


def _compared(n: int, figures: Callable[[Vector], tuple[float, float]]) -> Compared:
    quick, deep = figures(np.ones(n))

    def gap(times: Vector) -> float:
        first, second = figures(times)
        return second - first

    low, high = bootstrap(n, gap)
    return Compared(quick=round(quick, 4), deep=round(deep, 4), low=round(low, 4) + 0.0, high=round(high, 4) + 0.0, n=n)
