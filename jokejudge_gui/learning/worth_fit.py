"""The worth of asking a model besides reading its states: numbers only, no model.

Every figure is of texts that the sums of answers and readings weren't fitted on. The gain is measured on the same
texts with and without the answers, and the lower end of an item's interval is at most that of its section's mean:
among dozens of items some would have a gain by chance alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

import numpy as np

from ..core.statistics import Vector, wilson
from ..heads.editor_file import Ints
from ..judge.asking.worth import CHANCE, ItemWorth, JoinWeights, Kind, Measured, Worth
from .figures import area, interval, resampled
from .ridge import likeliest, logistic

LEAST_NAMED = 5
"""Least number of texts of either answer for an area under the curve."""
FOLDS = 5
_PRIOR_TEXTS = 30.0
"""Weight of the other items' coefficients in an item's own, as a number of texts."""
_RESAMPLES = 200
_SEED = 17
_TINY = 1e-9
_SURE = 6.0
_PRECISION = 4.0
"""Precision (1 / variance) of the prior of a weight in duels, with the mean 0."""
Weights = list[tuple[list[float], float]]
"""For each item the weights (≥ 0) of its parts, and a constant."""


def section_worths(
    kind: Kind, ids: Sequence[str], asked: Vector, read: Vector | None, labels: Vector, card: Mapping[str, Worth]
) -> Iterator[ItemWorth]:
    """Yield the items of one kind with their figures. ``asked``, ``read`` and ``known`` (texts, items): answers (scores
    0…5 or log-odds; NaN where the model gave none), out-of-sample readings of heads (None without heads), and the
    readers' labels (0…5, or 0…1). ``card``: figures of readings, from the heads' own card, which was measured on more
    texts than could be asked about."""
    if not len(labels):
        return
    some = np.where(np.isfinite(asked).any(axis=0), asked, 0.0)
    asked = np.where(np.isfinite(asked), asked, np.nanmean(some, axis=0))
    nothing = np.zeros_like(asked)
    weights = [JoinWeights(asked=1.0, read=0.0)] * len(ids)
    joined, base = asked, nothing if read is None else read
    if kind != "check":
        fit = _ridge if kind == "factor" else _logistic
        summed, weights = _summed(fit, [asked] if read is None else [asked, read], labels)
        if read is not None:
            # Without answers the readings go through the same folds; a sum of two parts costs no more than one of one.
            joined, base = summed, _summed(fit, [nothing, read], labels)[0]
    figure = _correlations if kind == "factor" else _areas
    measured: Measured = "r" if kind == "factor" else "auc"
    gains = _gains(figure, joined, base, labels, shared=kind == "kind")
    alone = _gains(figure, asked, nothing, labels)
    for id, join, own, added in zip(ids, weights, alone, gains, strict=True):
        reading, chance = card.get(id), CHANCE[measured]
        item = ItemWorth(kind=kind, id=id, measured=measured, read=reading)
        if own is not None and added is not None:
            # The card has the more precise figure of reading; the texts that were asked about have the gain.
            both = reading.moved(added) if reading is not None and join.read > 0 else None
            answers = Worth(value=chance, low=chance, high=chance, n=own.n).moved(own)
            item = item.replaced(asked=answers, both=both, added=added, weights=join)
        if item.asked is not None or item.read is not None:
            yield item


Figure = Callable[[Vector, Vector], Vector]
"""Returns a figure of each column of (texts, items), NaN where it isn't defined."""


def _gains(figure: Figure, better: Vector, base: Vector, labels: Vector, *, shared: bool = False) -> list[Worth | None]:
    """Return the gain of ``better`` over ``base`` by item, with intervals by bootstrap over texts; None where too few
    texts are labelled. ``shared``: all items get their mean gain, because one question asks about them all."""
    named = (labels >= 0.5).sum(axis=0)
    labelled = (named >= LEAST_NAMED) & (named <= len(labels) - LEAST_NAMED)
    if figure is _correlations:
        labelled = (labels.std(axis=0) > 0) & (len(labels) > 2 * LEAST_NAMED)
    columns = np.flatnonzero(labelled)
    if not len(columns):
        return [None] * labels.shape[1]
    better, base, labels = better[:, columns], base[:, columns], labels[:, columns]

    def gain(rows: Ints) -> Vector:
        return figure(better[rows], labels[rows]) - figure(base[rows], labels[rows])

    draws = resampled(len(labels), gain, _RESAMPLES, np.random.default_rng(_SEED))
    values = gain(np.arange(len(labels)))
    (low, high), (all_low, all_high) = interval(draws), interval(draws.mean(axis=1))
    if shared:
        return [Worth.of(values.mean(), float(all_low), float(all_high), len(labels))] * len(labelled)
    gains: list[Worth | None] = [None] * len(labelled)
    for at, place in enumerate(columns):
        gains[place] = Worth.of(values[at], min(low[at], all_low), high[at], len(labels))
    return gains


def _areas(a: Vector, b: Vector) -> Vector:
    return np.array([area(scores, labels) for scores, labels in zip(a.T, b.T, strict=True)])


def _correlations(a: Vector, b: Vector) -> Vector:
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    spreads = np.sqrt(np.mean(a * a, axis=0)), np.sqrt(np.mean(b * b, axis=0))
    flat = (spreads[0] < _TINY) | (spreads[1] < _TINY)
    return np.where(flat, 0.0, np.mean(a * b, axis=0) / np.where(flat, 1.0, spreads[0] * spreads[1]))


# -- sums of answers and readings


def _summed(
    fit: Callable[[Sequence[Vector], Vector], Weights], parts: Sequence[Vector], labels: Vector
) -> tuple[Vector, list[JoinWeights]]:
    """Return sums of the parts out of fold (texts, items), and their weights from all texts."""
    out, fold = np.zeros_like(labels), np.arange(len(labels)) % FOLDS
    for away in range(FOLDS):
        for place, (weights, constant) in enumerate(fit([part[fold != away] for part in parts], labels[fold != away])):
            here = zip(weights, parts, strict=True)
            out[fold == away, place] = constant + sum(w * part[fold == away, place] for w, part in here)
    joins = []
    for weights, constant in fit(parts, labels):
        read = weights[1] if len(weights) > 1 else 0.0
        joins.append(JoinWeights(asked=weights[0], read=read, constant=constant))
    return out, joins


def _ridge(parts: Sequence[Vector], labels: Vector) -> Weights:
    """Return weights for scores: a ridge towards the weights that all items share."""
    means = [part.mean(axis=0) for part in parts]
    spreads = [part.std(axis=0) + _TINY for part in parts]
    x = np.stack([(p - m) / s for p, m, s in zip(parts, means, spreads, strict=True)], axis=2)
    # A constant part has no information, whatever the rounding of its spread.
    x[:, np.stack(spreads, axis=1) < 1e-6] = 0.0
    middle, spread = labels.mean(axis=0), labels.std(axis=0) + _TINY
    y = (labels - middle) / spread
    count = x.shape[2]
    inner, outer = np.einsum("tik,til->ikl", x, x), np.einsum("tik,ti->ik", x, y)
    shared = _not_negative(inner.sum(axis=0) + np.eye(count), outer.sum(axis=0))
    fits: Weights = []
    for place in range(labels.shape[1]):
        own = inner[place] + _PRIOR_TEXTS * np.eye(count)
        weights = _not_negative(own, outer[place] + _PRIOR_TEXTS * shared)
        raw = [
            0.0 if s[place] < 1e-6 else float(w * spread[place] / s[place])
            for w, s in zip(weights, spreads, strict=True)
        ]
        constant = float(middle[place]) - sum(w * float(m[place]) for w, m in zip(raw, means, strict=True))
        fits.append((raw, constant))
    return fits


def _not_negative(inner: Vector, outer: Vector) -> Vector:
    """Return the best weights ≥ 0 of one or two parts."""
    weights = np.asarray(np.linalg.solve(inner, outer), dtype=np.float64)
    if (weights >= 0).all():
        return weights
    alone = np.diag(np.maximum(0.0, outer / np.diag(inner)))
    return np.asarray(alone[int((alone @ outer).argmax())])


def _logistic(parts: Sequence[Vector], labels: Vector) -> Weights:
    """Return weights for log-odds: one pair for all items, as one question asks about them all."""
    rows = np.stack([parts[0].ravel(), *(np.clip(part, -_SURE, _SURE).ravel() for part in parts[1:])], axis=1)
    *weights, constant = _without_negative(lambda used: logistic(rows[:, used], labels.ravel()), len(parts), 1)
    return [(list(map(float, weights)), float(constant))] * labels.shape[1]


def _without_negative(fit: Callable[[Ints], Vector], parts: int, constants: int) -> Vector:
    """Return the weights of ``fit``, called with the indices of the parts to use, and its constants; a part with the
    wrong sign gets no weight."""
    used = np.arange(parts)
    while True:
        fitted = fit(used)
        if not len(used) or (fitted[: len(used)] >= 0).all():
            weights = np.zeros(parts + constants)
            weights[used], weights[parts:] = fitted[: len(used)], fitted[len(used) :]
            return weights
        used = used[fitted[: len(used)] >= 0]


# -- duels


def duel_weights(x: Vector) -> Vector:
    """Return weights ≥ 0 (columns,) that make the sum the best-fitting log-odds of the better joke, all rows being
    wins."""

    def fit(used: Ints) -> Vector:
        return likeliest(x[:, used], np.ones(len(x)), np.full(len(used), _PRECISION))

    return _without_negative(fit, x.shape[1], 0)


def duel_share(x: Vector) -> Worth:
    """Return the share of pairs whose better joke wins by the weighted sum, out of fold."""
    fold, odds = np.arange(len(x)) % FOLDS, np.zeros(len(x))
    for away in range(FOLDS):
        odds[fold == away] = x[fold == away] @ duel_weights(x[fold != away])
    right = float((odds > 0).sum()) + 0.5 * float((odds == 0).sum())
    return Worth.of(right / len(odds), *wilson(right, len(odds)), len(odds))
