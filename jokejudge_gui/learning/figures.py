"""Figures of heads on texts that they weren't trained on, with intervals by bootstrap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector, auc, bins, expected_calibration_error
from ..heads.editor_file import Ints

FOLDS = 5
TENTHS = tuple(step / 10 for step in range(11))


def out_of_fold(fold: Ints, scored: Callable[[Ints, Ints], npt.NDArray[Any]]) -> Vector:
    """Return what ``scored`` gives for each row, whose ``fold`` is left out: it takes the indices of the rows to learn
    from, and those of the rows to score."""
    parts = [np.flatnonzero(fold == away) for away in np.unique(fold)]
    scores = [scored(np.flatnonzero(fold != fold[part[0]]), part) for part in parts]
    out: Vector = np.zeros((len(fold), *scores[0].shape[1:]))
    for part, some in zip(parts, scores, strict=True):
        out[part] = some
    return out


def chances(odds: Vector) -> Vector:
    """Return the probabilities of log-odds."""
    return np.asarray(1.0 / (1.0 + np.exp(-odds)))


def area(scores: Vector, labels: Vector) -> float:
    """Return the area under the ROC curve of ``labels`` ≥ ½; ½ where it isn't defined."""
    value = auc(scores, (labels >= 0.5).astype(np.float64))
    return 0.5 if value is None else value


def calibration_error(stated: Vector, right: Vector, edges: Sequence[float] = TENTHS) -> float:
    """Return the expected calibration error of probabilities, in bins with these ``edges``."""
    return expected_calibration_error(bins(stated, right, edges)) or 0.0


def hits(differences: Vector) -> Vector:
    """Return 1 where the better text is put first, ½ for no preference, 0 otherwise; ``differences``: log-odds of the
    better text."""
    return 0.5 + 0.5 * np.sign(differences)


def pair_calibration_error(differences: Vector) -> float:
    """Return the expected calibration error of the stated winner's probability, in bins of 5 points."""
    sure = 1.0 / (1.0 + np.exp(-np.abs(differences)))
    return calibration_error(sure, hits(differences), tuple(round(0.5 + 0.05 * step, 2) for step in range(11)))


def resampled(count: int, figure: Callable[[Ints], npt.ArrayLike], repeats: int, random: np.random.Generator) -> Vector:
    """Return (repeats, …): the figure or figures of ``count`` texts or groups, drawn with replacement."""
    return np.array([figure(random.integers(0, count, count)) for _ in range(repeats)], dtype=np.float64)


def interval(draws: Vector) -> tuple[Vector, Vector]:
    """Return the ends of the 95 % interval of each figure from ``resampled``."""
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    return low, high
