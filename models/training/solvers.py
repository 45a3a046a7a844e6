"""Solvers for training the shipped heads, beside the program's own (``jokejudge_gui/learning/ridge.py``): ridge
regression, in the dual where a row has more features than there are rows, in the primal where it has fewer; mixtures of
learners. A strength is in units of a row's mean squared length, so that it means the same for features of any number
and scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.statistics import Vector
from jokejudge_gui.learning.ridge import Ints, descend, likeliest, without_negative

Array = npt.NDArray[np.floating]


def unit(rows: Array) -> float:
    """Mean squared length of the rows, the unit of strengths."""
    return max(float(np.einsum("ij,ij->", rows, rows, dtype=np.float64)) / max(1, len(rows)), 1e-12)


def maps(rows: Array, targets: Vector, strengths: Sequence[float], *, scale: float | None = None) -> Iterator[Vector]:
    """Weights (features, outputs) for each strength, without intercept; ``rows`` (n, features) and ``targets`` (n,
    outputs) are centred by the caller where they should be. ``scale``: the unit of the strengths, if it isn't
    ``unit(rows)``."""
    size = unit(rows) if scale is None else scale
    count, features = rows.shape
    dual = count <= features
    inner = (rows @ rows.T if dual else rows.T @ rows).astype(np.float64)
    goal = targets if dual else rows.T @ targets
    for strength in strengths:
        solved = np.linalg.solve(inner + strength * size * np.eye(len(inner)), goal)
        yield np.asarray(rows.T @ solved if dual else solved, dtype=np.float64)


def ridge(rows: Array, targets: Vector, strengths: Sequence[float]) -> list[tuple[Vector, float]]:
    """Weights (features,) and a constant for each strength, of one output (n)."""
    middle, level = rows.mean(axis=0), float(targets.mean())
    found = maps(rows - middle, (targets - level)[:, None], strengths)
    return [(weights[:, 0], level - float(middle @ weights[:, 0])) for weights in found]


def mixture(differences: Vector) -> Vector:
    """Weights ≥ 0 (learners) that turn several learners' differences (pairs, learners), winner less loser, into
    calibrated log-odds together: MAP of a logistic model without intercept. Each learner is scaled to rms 1, where the
    prior is normal with standard deviation 1 around ½ by the number of learners, so that little evidence gives small
    odds. A learner whose differences are all 0 gets the prior's weight."""
    scale = np.sqrt(np.mean(differences**2, axis=0)) if len(differences) else np.zeros(differences.shape[1])
    scale[scale == 0] = 1.0
    x = differences / scale
    prior = np.full(x.shape[1], 0.5 / x.shape[1])

    def fit(used: Ints) -> Vector:
        return likeliest(x[:, used], np.ones(len(x)), np.ones(len(used)), centre=prior[used])

    return without_negative(fit, x.shape[1]) / scale


def softmax_map(
    rows: Array, kind: Array, kinds: int, weight: Vector, penalty: float, of_constant: float = 0.0
) -> Vector:
    """Return (kinds, features + 1): the weights and, last, the constants of a softmax regression of ``kind`` (n); with
    the precision of the prior of either."""
    x, target = np.column_stack([rows, np.ones(len(rows))]), np.eye(kinds)[kind]
    strength = np.append(np.full(rows.shape[1], penalty), of_constant)

    def loss(flat: Vector) -> tuple[float, Vector]:
        w = flat.reshape(kinds, -1)
        logits = x @ w.T
        logits -= logits.max(axis=1, keepdims=True)
        log_total = np.log(np.exp(logits).sum(axis=1))
        surprise = weight @ (log_total - logits[np.arange(len(kind)), kind])
        error = weight[:, None] * (np.exp(logits - log_total[:, None]) - target)
        return float(surprise + (strength * w * w).sum() / 2), (error.T @ x + strength * w).ravel()

    return descend(loss, np.zeros(kinds * x.shape[1])).reshape(kinds, -1)


def pull(odds: Vector, gaps: Vector, sd: float | None = None) -> tuple[float, float]:
    """Return γ and sd of length: odds = D + γ·tanh(gaps/sd), γ by least squares, D not depending on length; ``gaps``:
    differences of lengths, whose root mean square is the default sd."""
    sd = float(np.sqrt((gaps**2).mean())) if sd is None else sd
    bend = np.tanh(gaps / sd)
    return float(bend @ odds / (bend @ bend)), sd
