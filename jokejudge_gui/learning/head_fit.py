"""Fits one linear map from a text's features to what people would vote, and measures it on votes that it never saw.

Ridge regression in its dual form, since a text has far more features than there are texts; numbers only, no model.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from ..engine.base import CancelToken
from ..statistics import Vector
from .baselines import BUCKETS, longer
from .pair_data import FOLDS, Ballot, Pairs, normal_equations
from .ridge import STRENGTHS, FoldScores, Ints, dual
from .wording import Matrix, counted, lengths

FITS = FOLDS + FOLDS * (FOLDS - 1) // 2
"""Fits that cross-validating one kind of features takes."""
_CLIP = 8.0
_MOST_SLOPE = 50.0


@dataclass(frozen=True, eq=False)
class Standard:
    """Centre and spread (> 0) of features, from the texts that are learned from."""

    centre: Vector
    scale: Vector

    @classmethod
    def of(cls, rows: Matrix) -> Standard:
        return cls(rows.mean(axis=0, dtype=np.float64), rows.std(axis=0, dtype=np.float64) + 1e-6)

    def of_all(self, values: Matrix) -> Matrix:
        """As ``AudienceHead.features`` standardises."""
        found: Matrix = np.clip(
            (values - self.centre.astype(np.float32)) / self.scale.astype(np.float32), -_CLIP, _CLIP
        )
        return found


View = Callable[[Ints], Matrix]
"""Features of all texts (texts, features), standardised by those at the given places alone."""


def states_view(values: Matrix) -> View:
    """What ``audience.pool`` gave of each text."""
    return lambda inside: Standard.of(values[inside]).of_all(values)


def wording_view(texts: Sequence[str]) -> View:
    """Hashed word and letter groups weighed as ``audience.weigh`` does, and two measures of length."""
    counts = counted(texts, BUCKETS)
    sizes = lengths(texts).astype(np.float32)

    def view(inside: Ints) -> Matrix:
        words = counts.weighed(counts.rarity(inside)).dense()
        return np.hstack([words, 0.5 * Standard.of(sizes[inside]).of_all(sizes)])

    return view


@dataclass(frozen=True, eq=False)
class Held:
    """Log-odds scale differences of ``Pairs``, winner less loser, by maps that saw neither text; and what the final
    map is to be fitted with: ``strength``, ``slope`` (≥ 0; 0: nothing was learned), ``scores`` of all texts, each out
    of its fold, times the slope."""

    differences: Vector
    strength: float
    slope: float
    scores: Vector


def cross_validated(
    view: View, ballot: Ballot, pairs: Pairs, cancel: CancelToken | None = None
) -> Iterator[int | Held]:
    """Nested: what fold i is measured with was fitted, and its strength and slope chosen, on the other folds alone.
    Yields the fits done so far, of FITS, and at last the outcome. Raises ``Cancelled``."""
    token = cancel or CancelToken()
    paths = FoldScores(ballot.fold, {})
    ways = [(i,) for i in range(FOLDS)] + list(itertools.combinations(range(FOLDS), 2))
    for done, away in enumerate(ways):
        token.check()
        inside = np.flatnonzero(~np.isin(ballot.fold, away))
        paths.by_away[frozenset(away)] = _path(view(inside), ballot, inside, STRENGTHS, token)
        yield done + 1
    fold = ballot.fold[pairs.first]
    differences = np.zeros(len(pairs))
    for i in range(FOLDS):
        inner = paths.out_of_fold(i)
        best, slope = _choose(inner, pairs.take(fold != i))
        here = fold == i
        scores = paths.by_away[frozenset((i,))][best] * slope
        differences[here] = scores[pairs.first[here]] - scores[pairs.second[here]]
    outer = paths.out_of_fold()
    best, slope = _choose(outer, pairs)
    yield Held(differences, STRENGTHS[best], slope, outer[best] * slope)


def _path(
    rows: Matrix, ballot: Ballot, inside: Ints, strengths: Sequence[float], token: CancelToken
) -> npt.NDArray[np.float64]:
    """(strengths, texts): scores of all texts by maps fitted on those at ``inside``, 0 on their average."""
    kernel = (rows @ rows[inside].T).astype(np.float64)
    found = []
    for weights in _dual(kernel[inside], ballot, inside, strengths, token):
        scores = kernel @ weights
        found.append(scores - scores[inside].mean())
    return np.stack(found)


def _dual(
    kernel: npt.NDArray[np.float64], ballot: Ballot, inside: Ints, strengths: Sequence[float], token: CancelToken
) -> Iterator[Vector]:
    """α (n,) for each strength, the map's weights being Xᵀα (``ridge.dual``)."""
    for found in dual(kernel, *normal_equations(ballot, inside), strengths):
        token.check()
        yield found


def _choose(scores: npt.NDArray[np.float64], pairs: Pairs) -> tuple[int, float]:
    """The strength whose scores give the pairs the least log-loss, and the slope that does."""
    found = [slope_of(row[pairs.first] - row[pairs.second], pairs) for row in scores]
    best = min(range(len(found)), key=lambda place: found[place][1])
    return best, found[best][0]


def slope_of(differences: Vector, pairs: Pairs) -> tuple[float, float]:
    """(slope ≥ 0, log-loss in nats with it): the factor that makes differences, winner less loser, honest log-odds.
    MAP of a logistic model without intercept; the prior is normal around 0, with a standard deviation of 1 for
    differences of rms 1, and pairs weigh no more than the independent rows that they are worth (``Pairs.rows``), so
    that little evidence gives little odds."""
    rms = math.sqrt(float(np.mean(differences**2))) if len(differences) else 0.0
    if rms == 0 or not math.isfinite(rms):
        return 0.0, math.log(2)
    x = differences / rms
    weight = pairs.weight / pairs.weight.sum()
    rows = pairs.rows

    def rise(slope: float) -> float:
        """Derivative of the log-posterior."""
        return rows * float(weight @ (x / (1.0 + np.exp(np.minimum(slope * x, 700.0))))) - slope

    low, high = 0.0, _MOST_SLOPE
    if rise(0.0) <= 0:
        return 0.0, math.log(2)
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if rise(middle) > 0 else (low, middle)
    return low / rms, float(weight @ np.logaddexp(0.0, -low * x))


@dataclass(frozen=True, eq=False)
class Map:
    """A fitted map: score = weights · standardised features + bias, on the log-odds scale, 0 on the average of the
    texts that it was fitted on."""

    standard: Standard
    weights: Vector
    bias: float
    quantiles: Vector = field(default_factory=lambda: np.zeros(101))


def final_map(values: Matrix, ballot: Ballot, held: Held, cancel: CancelToken | None = None) -> Map:
    """The map from all texts, with the strength and slope that cross-validation chose. ``quantiles``: 101 of the
    scores out of fold, since a map spreads the texts that it learned from more widely than new ones."""
    everything = np.arange(len(ballot.texts))
    standard = Standard.of(values)
    rows = standard.of_all(values)
    kernel = (rows @ rows.T).astype(np.float64)
    (alpha,) = _dual(kernel, ballot, everything, (held.strength,), cancel or CancelToken())
    weights = held.slope * (alpha @ rows.astype(np.float64))
    bias = -held.slope * float((kernel @ alpha).mean())
    quantiles = np.maximum.accumulate(np.quantile(held.scores - held.scores.mean(), np.linspace(0, 1, 101)))
    return Map(standard, weights, bias, quantiles)


def by_length(ballot: Ballot, pairs: Pairs) -> tuple[Vector, Vector]:
    """What length alone says of the pairs, 1, −1, or 0 for the same length: "longer is funnier", and whichever of
    longer and shorter is right more often in the other folds."""
    found = longer([ballot.texts[i] for i in pairs.first], [ballot.texts[i] for i in pairs.second])
    fold = ballot.fold[pairs.first]
    weighed = [float(pairs.weight[fold != i] @ found[fold != i]) for i in range(FOLDS)]
    return found, found * np.where(np.array(weighed) < 0, -1.0, 1.0)[fold]
