"""The gain from asking a model besides reading its states: numbers only, no model.

Every figure is of texts that the sums of answers and readings weren't fitted on. The gain is measured on the same
texts with and without the answers, and the lower end of an item's interval is at most that of its section's mean:
among dozens of items some would have a gain by chance alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..core.statistics import Vector
from ..heads.editor import EditorHeads
from ..heads.editor_file import Ints
from ..judge.asking.worth import ItemWorth, JoinWeights, Kind, Measured, Worth
from .editor_fit import strengths_of, with_companions
from .editor_report import area
from .ridge import logistic

LEAST_NAMED = 5
"""Least number of texts of either answer for an area under the curve."""
_FOLDS = 5
_PRIOR_TEXTS = 30.0
"""Weight of the other items' coefficients in an item's own, as a number of texts."""
_RESAMPLES = 200
_SEED = 17
_TINY = 1e-9
_SURE = 6.0
Figure = Callable[[Vector, Vector], float]


@dataclass(frozen=True, eq=False)
class Section:
    """The items of one kind. ``ids``; ``asked``, ``read`` and ``known`` (texts, items): answers (scores 0…5 or
    log-odds; NaN where the model gave none), out-of-sample readings of heads (None without heads), and the readers'
    labels (0…5, or 0…1). ``tokens`` and ``questions`` by item."""

    kind: Kind
    ids: tuple[str, ...]
    asked: Vector
    read: Vector | None
    known: Vector
    tokens: tuple[int, ...]
    questions: tuple[str, ...]


def section_worths(section: Section, card: Mapping[str, Worth]) -> tuple[ItemWorth, ...]:
    """Return every item of a section with its figures. ``card``: figures of readings, from the heads' own card, which
    was measured on more texts than could be asked about."""
    if not section.ids or not len(section.known):
        return ()
    scores = section.kind == "factor"
    asked = np.where(np.isfinite(section.asked), section.asked, np.nanmean(_some(section.asked), axis=0))
    if section.kind == "check":
        joined, weights = asked, [JoinWeights(asked=1.0, read=0.0)] * len(section.ids)
        base = section.read
    else:
        summed = _summed_scores if scores else _summed_odds
        joined, weights = summed(asked, section.read, section.known)
        # Without answers the readings go through the same folds; a sum of two parts costs no more than one of one.
        base = None if section.read is None else summed(np.zeros_like(asked), section.read, section.known)[0]
        joined = asked if base is None else joined
    figure: Figure = _correlation if scores else area
    measured: Measured = "r" if scores else "auc"
    base = np.zeros_like(asked) if base is None else base
    gains = _gains(figure, joined, base, section.known, whole=section.kind == "kind")
    alone = _gains(figure, asked, np.zeros_like(asked), section.known, whole=False)
    chance = 0.0 if scores else 0.5
    found = []
    for place, id in enumerate(section.ids):
        own, added = alone[place], gains[place]
        reading = card.get(id)
        if own is None or added is None:
            if reading is not None:
                found.append(ItemWorth(kind=section.kind, id=id, measured=measured, read=reading))
            continue
        # The card has the more precise figure of reading; the texts that were asked about have the gain.
        both = _moved(reading, added) if reading is not None and weights[place].read > 0 else None
        found.append(
            ItemWorth(
                kind=section.kind,
                id=id,
                measured=measured,
                asked=_moved(Worth(value=chance, low=chance, high=chance, n=own.n), own),
                read=reading,
                both=both,
                added=added,
                weights=weights[place],
                tokens=section.tokens[place],
                question=section.questions[place],
            )
        )
    return tuple(found)


def _some(values: Vector) -> Vector:
    """Return the same with a column of zeros where no answer was given at all."""
    return np.where(np.isfinite(values).any(axis=0), values, 0.0)


def _moved(worth: Worth, by: Worth) -> Worth:
    """Return a figure plus the gain."""
    value = min(1.0, worth.value + by.value)
    low, high = min(1.0, worth.value + by.low), min(1.0, worth.value + by.high)
    return Worth(value=round(max(-1.0, value), 4), low=round(max(-1.0, low), 4), high=round(high, 4), n=by.n)


def _gains(figure: Figure, better: Vector, base: Vector, known: Vector, *, whole: bool) -> list[Worth | None]:
    """Return the gain of ``better`` over ``base`` by item, with intervals by bootstrap over texts; None where too few
    texts are labelled. ``whole``: all items get their mean gain, because one question asks about them all."""
    usable = [_usable(figure, known[:, place]) for place in range(known.shape[1])]
    random = np.random.default_rng(_SEED)

    columns = [place for place, good in enumerate(usable) if good]
    if not columns:
        return [None] * len(usable)
    better, base, known = better[:, columns], base[:, columns], known[:, columns]

    def gains(rows: Ints | slice) -> Vector:
        y = known[rows]
        return _figures(figure, better[rows], y) - _figures(figure, base[rows], y)

    values = gains(slice(None))
    draws = np.empty((_RESAMPLES, len(columns)))
    for number in range(_RESAMPLES):
        rows = random.integers(0, len(known), len(known))
        draws[number] = gains(rows)
    low, high = np.quantile(draws, (0.025, 0.975), axis=0)
    together = draws.mean(axis=1)
    all_low, all_high = np.quantile(together, (0.025, 0.975))
    found: list[Worth | None] = []
    for place, good in enumerate(usable):
        if whole:
            found.append(_worth(float(values.mean()), float(all_low), float(all_high), len(known)))
        elif good:
            at = columns.index(place)
            found.append(_worth(float(values[at]), min(float(low[at]), float(all_low)), float(high[at]), len(known)))
        else:
            found.append(None)
    return found


def _worth(value: float, low: float, high: float, n: int) -> Worth:
    value = round(max(-1.0, min(1.0, value)), 4)
    return Worth(value=value, low=max(-1.0, min(value, round(low, 4))), high=min(1.0, max(value, round(high, 4))), n=n)


def _usable(figure: Figure, known: Vector) -> bool:
    if figure is area:
        named = int((known >= 0.5).sum())
        return LEAST_NAMED <= named <= len(known) - LEAST_NAMED
    return len(known) > 2 * LEAST_NAMED and float(known.std()) > 0


def _figures(figure: Figure, a: Vector, b: Vector) -> Vector:
    """Return a figure of each column of (texts, items). Correlations are computed all at once, as a bootstrap takes
    thousands."""
    if figure is not _correlation:
        return np.array([figure(mine, known) for mine, known in zip(a.T, b.T, strict=True)])
    return _correlations(a, b)


def _correlations(a: Vector, b: Vector) -> Vector:
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    spreads = np.sqrt(np.mean(a * a, axis=0)), np.sqrt(np.mean(b * b, axis=0))
    flat = (spreads[0] < _TINY) | (spreads[1] < _TINY)
    return np.where(flat, 0.0, np.mean(a * b, axis=0) / np.where(flat, 1.0, spreads[0] * spreads[1]))


def _correlation(a: Vector, b: Vector) -> float:
    return float(_correlations(a[:, np.newaxis], b[:, np.newaxis])[0])


# -- scores ----------------------------------------------------------------------------------------------------------


def _summed_scores(asked: Vector, read: Vector | None, known: Vector) -> tuple[Vector, list[JoinWeights]]:
    """Return sums of answers and readings out of fold (texts, items), and their weights from all texts: ridge towards
    the weights that all items share."""
    parts = [asked] if read is None else [asked, read]
    out = np.zeros_like(known)
    for inside, outside in _folds(len(known)):
        for place, (weights, constant) in enumerate(_ridge([part[inside] for part in parts], known[inside])):
            out[outside, place] = constant + sum(
                w * part[outside, place] for w, part in zip(weights, parts, strict=True)
            )
    found = []
    for place, (weights, constant) in enumerate(_ridge(parts, known)):
        value = out[:, place]
        found.append(
            JoinWeights(
                asked=weights[0],
                read=weights[1] if read is not None else 0.0,
                constant=constant,
                sd=max(float((known[:, place] - value).std()), 1e-3),
                usual=float(value.mean()),
                spread=max(float(value.std()), 1e-3),
            )
        )
    return out, found


def _folds(count: int) -> Iterator[tuple[Ints, Ints]]:
    """Yield indices for training and for measuring."""
    folds = np.arange(count) % _FOLDS
    for fold in range(_FOLDS):
        yield np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)


def _ridge(parts: Sequence[Vector], known: Vector) -> list[tuple[list[float], float]]:
    """Return for each item the weights (≥ 0) of its parts, and a constant."""
    means = [part.mean(axis=0) for part in parts]
    spreads = [part.std(axis=0) + _TINY for part in parts]
    x = np.stack([(p - m) / s for p, m, s in zip(parts, means, spreads, strict=True)], axis=2)
    # A constant part has no information, whatever the rounding of its spread.
    x[:, np.stack(spreads, axis=1) < 1e-6] = 0.0
    middle, spread = known.mean(axis=0), known.std(axis=0) + _TINY
    y = (known - middle) / spread
    count = x.shape[2]
    inner = np.einsum("tik,til->ikl", x, x)
    outer = np.einsum("tik,ti->ik", x, y)
    shared = _not_negative(inner.sum(axis=0) + np.eye(count), outer.sum(axis=0))
    found = []
    for place in range(known.shape[1]):
        own = inner[place] + _PRIOR_TEXTS * np.eye(count)
        weights = _not_negative(own, outer[place] + _PRIOR_TEXTS * shared)
        raw = [float(w * spread[place] / s[place]) for w, s in zip(weights, spreads, strict=True)]
        raw = [0.0 if spreads[k][place] < 1e-6 else value for k, value in enumerate(raw)]
        constant = float(middle[place]) - sum(w * float(m[place]) for w, m in zip(raw, means, strict=True))
        found.append((raw, constant))
    return found


def _not_negative(inner: Vector, outer: Vector) -> Vector:
    """Return the best weights ≥ 0 of one or two parts."""
    weights = np.asarray(np.linalg.solve(inner, outer), dtype=np.float64)
    if (weights >= 0).all():
        return weights
    best = np.zeros(len(outer))
    for place in range(len(outer)):
        alone = np.zeros(len(outer))
        alone[place] = max(0.0, outer[place] / inner[place, place])
        if alone @ outer > best @ outer:
            best = alone
    return best


# -- log-odds --------------------------------------------------------------------------------------------------------


def _summed_odds(asked: Vector, read: Vector | None, known: Vector) -> tuple[Vector, list[JoinWeights]]:
    """Return the same for log-odds: one pair of weights for all items, as one question asks about them all."""
    parts = [asked] if read is None else [asked, np.clip(read, -_SURE, _SURE)]
    out = np.zeros_like(known)
    for inside, outside in _folds(len(known)):
        weights, constant = _one_logistic([part[inside] for part in parts], known[inside])
        out[outside] = constant + sum(w * part[outside] for w, part in zip(weights, parts, strict=True))
    weights, constant = _one_logistic(parts, known)
    shared = JoinWeights(asked=weights[0], read=weights[1] if read is not None else 0.0, constant=constant)
    return out, [shared] * known.shape[1]


def _one_logistic(parts: Sequence[Vector], known: Vector) -> tuple[list[float], float]:
    rows = np.stack([part.ravel() for part in parts], axis=1)
    targets = known.ravel()
    weights = logistic(rows, targets)
    if (weights[:-1] >= 0).all():
        return [float(w) for w in weights[:-1]], float(weights[-1])
    if len(parts) == 1 or weights[0] < 0:
        # An answer with the wrong sign gets no weight.
        rest = logistic(rows[:, 1:], targets)
        return [0.0, *(max(0.0, float(w)) for w in rest[:-1])], float(rest[-1])
    only = logistic(rows[:, :1], targets)
    return [max(0.0, float(only[0])), 0.0], float(only[-1])


# --------------------------------------------------------------------------------------------------------------------
# The editor's heads' predictions for a text without training on it: leave one out. In ridge regression that needs no
# new fit: with G the inverse of the system, an output of text i without i itself is the output + α_i·(λ/w_i − 1/G_ii),
# w_i being the text's weight (the leave-one-out residual is α_i/G_ii).

_SAME = 0.85
"""Least nearness to a training text for being that text; nearness is 1 at no distance, and points are kept as bytes."""


class HeldOutHeads:
    """Leaves training texts out of one model's heads."""

    def __init__(self, heads: EditorHeads, *, faults: bool = False) -> None:
        """``faults``: for these outputs as well, which takes a minute longer, since drafts are training data for
        them."""
        arrays = heads.arrays
        support, self._alpha = arrays["support"], arrays["alpha"]
        factors, kinds = len(heads.factors), len(heads.learned_kinds)
        last = self._alpha.shape[1]
        groups = {
            "factors": slice(0, factors),
            "kinds": slice(factors, factors + kinds),
            "joke": slice(last - 2, last - 1),
            "complete": slice(last - 1, last),
            **({"faults": slice(factors + kinds, last - 2)} if faults else {}),
        }
        strengths = strengths_of(arrays)
        self._shift = np.zeros_like(self._alpha)
        lengths = (support**2).sum(axis=1)
        near = np.exp(-arrays["reach"][0] * np.maximum(lengths[:, None] + lengths - 2.0 * support @ support.T, 0.0))
        near = with_companions(near, arrays)
        self._same = _SAME * heads.nearest
        for name, columns in groups.items():
            rows = np.flatnonzero((self._alpha[:, columns] != 0).any(axis=1))
            if len(rows):
                ridge = strengths[name] / arrays["weight"][rows]
                own = np.diag(np.linalg.inv(near[np.ix_(rows, rows)] + np.diag(ridge)))
                self._shift[rows, columns] = self._alpha[rows, columns] * (ridge - 1.0 / own)[:, None]

    def __call__(self, near: Vector, values: Vector) -> Vector:
        """Return the corrected values: see ``Unlearn``."""
        place = int(near.argmax())
        found: Vector = values + self._shift[place] if near[place] >= self._same else values
        return found
