"""Fitting the head for wordplay: finds the right reading of a pun, from puns that people marked and texts without
puns."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from jokejudge_gui.core.statistics import Vector
from jokejudge_gui.heads.wordplay import BEHIND, CHOSEN, chosen
from jokejudge_gui.heads.wordplay_features import FEATURES, HINTS, Readings
from jokejudge_gui.learning.ridge import descend, logistic

FOLDS = 5
RIGHT = 0.9
"""Least share of right answers."""
_PRIOR = 2.0
_CLIP = 5.0
_LEAST_SAID = 8
"""Least number of texts for an estimate of the share that is right."""
Flags = npt.NDArray[np.bool_]
Behind = Callable[[int, Vector], Vector]
"""(readings, BEHIND) of a text, given its number and the scores by which the words to read behind are chosen."""


@dataclass(frozen=True, eq=False)
class PunText:
    """One text. ``kind``: it plays on another word, on the same word in another sense, or on none. ``values``:
    (readings, FEATURES + HINTS), then BEHIND, too; ``right``: the readings that are right, ``place``: those of the
    right word (both (readings,)). ``learned``: False for texts that are only measured; ``ranked``: False for those that
    only teach how sure a reading is; ``sort``: the text's file, for figures."""

    text: str
    kind: Literal["other", "same", "none"]
    readings: Readings
    values: Vector
    right: Flags
    place: Flags
    fold: int
    sort: str = ""
    learned: bool = True
    ranked: bool = True


@dataclass(frozen=True, eq=False)
class Said:
    """The likeliest reading of one kind of one text, out of fold: its number, whether it is another sense of the same
    word, the features for its probability, whether it was right, and the stated probability."""

    text: int
    number: int
    same: bool
    values: Vector
    right: bool
    p: float = 0.0


@dataclass(frozen=True, eq=False)
class FittedWordplay:
    """``arrays`` and ``meta`` of ``WordplayHead``; ``scores``: of each text's readings, by maps fitted without its
    fold; ``said``: the likeliest readings."""

    arrays: dict[str, Vector]
    meta: dict[str, float]
    scores: list[Vector]
    said: list[Said]


def fit_wordplay(texts: Sequence[PunText], behind: Behind) -> FittedWordplay:
    """Fit two maps on all texts, and measure each fold with maps of the other folds: one chooses the words behind which
    a text is read on, the other takes those values, too."""
    _, _, first, scores = _maps(texts)
    values = [np.hstack([each.values, behind(number, scores[number])]) for number, each in enumerate(texts)]
    texts = [replace(each, values=own) for each, own in zip(texts, values, strict=True)]
    centre, scale, weights, scores = _maps(texts)
    said = _calibrated(texts, scores)
    found = {
        "centre": centre,
        "scale": scale,
        "first_weights": first[:-1],
        "weights": weights[:-1],
        "said": said[1][0],
    }
    meta = {"bias": float(weights[-1]), "first_bias": float(first[-1])}
    stated = [each for each in said[0] if not each.same and texts[each.text].learned]
    meta["sound"] = least_right([(each.p, each.right) for each in stated], RIGHT)
    assert weights.shape == (len(FEATURES) + len(HINTS) + len(BEHIND) + 1,)
    return FittedWordplay(found, meta, scores, said[0])


def _maps(texts: Sequence[PunText]) -> tuple[Vector, Vector, Vector, list[Vector]]:
    """Return the values' centre and scale, the map of all texts, and each text's scores by the map of the other
    folds."""
    used = [each for each in texts if each.learned and each.ranked]
    every = np.concatenate([each.values[::3] for each in used])
    centre, scale = every.mean(axis=0), every.std(axis=0) + 1e-3

    def standard(values: Vector) -> Vector:
        return np.asarray(np.clip((values - centre) / scale, -_CLIP, _CLIP))

    folds = [_readings_map([each for each in used if each.fold != fold], standard) for fold in range(FOLDS)]
    scores = [standard(each.values) @ folds[each.fold][:-1] + folds[each.fold][-1] for each in texts]
    return centre, scale, _readings_map(used, standard), scores


def least_right(stated: Sequence[tuple[float, float]], share: float) -> float:
    """The least probability from which on so large a share is right; one that is never stated if there is none."""
    found, right = 1.0, 0.0
    for number, (p, hit) in enumerate(sorted(stated, key=lambda each: -each[0]), start=1):
        right += hit
        if number >= _LEAST_SAID and right >= share * number:
            found = p
    return found


def _readings_map(texts: Sequence[PunText], standard: Any) -> Vector:
    """(values + 1,): weights and bias, by a softmax over the readings of each text and "none". A pun without a right
    reading is left out."""
    used = [each for each in texts if each.kind == "none" or each.right.any()]
    rows = np.concatenate([standard(each.values) for each in used]).astype(np.float32)
    sizes = [len(each.values) for each in used]
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    of = np.repeat(np.arange(len(used)), sizes)
    right = np.concatenate([each.right for each in used])
    none = np.array([each.kind == "none" for each in used])
    start = np.zeros(rows.shape[1] + 1)
    start[-1] = -5.0

    def slope(at: Vector) -> tuple[float, Vector]:
        scores = (rows @ at[:-1].astype(np.float32)).astype(np.float64) + at[-1]
        top = np.maximum(np.maximum.reduceat(scores, starts), 0.0)
        raised = np.exp(scores - top[of])
        total = np.add.reduceat(raised, starts) + np.exp(-top)
        kept = raised * right
        good = np.where(none, np.exp(-top), np.add.reduceat(kept, starts))
        loss = float((np.log(total) - np.log(np.maximum(good, 1e-300))).sum()) + 0.5 * _PRIOR * float(at[:-1] @ at[:-1])
        pull = raised / total[of] - np.where(none[of], 0.0, kept / np.maximum(good, 1e-300)[of])
        gradient = np.append(rows.T @ pull.astype(np.float32), pull.sum())
        gradient[:-1] += _PRIOR * at[:-1]
        return loss, gradient

    return descend(slope, start, steps=150, exact=1e-6)


def _calibrated(texts: Sequence[PunText], scores: Sequence[Vector]) -> tuple[list[Said], list[Vector]]:
    """Return the likeliest readings with calibrated probabilities (by maps of other folds), and the maps fitted on
    all."""
    found: list[Said] = []
    for number, (each, own) in enumerate(zip(texts, scores, strict=True)):
        for best, values in chosen(each.readings, own, each.values):
            same = each.readings.links[best] == "sense"
            right = bool(each.right[best])
            found.append(Said(number, best, same, values, right))
    maps: list[Vector] = []
    stated: list[Said] = []
    for same in (False, True):
        kind = [each for each in found if each.same == same]
        if len({each.right for each in kind}) < 2:
            maps.append(np.array([*[0.0] * len(CHOSEN), -10.0]))
            stated += kind
            continue
        rows = np.stack([each.values for each in kind])
        hits = np.array([each.right for each in kind], np.float64)
        fold = np.array([texts[each.text].fold for each in kind])
        learned = np.array([texts[each.text].learned for each in kind])
        maps.append(logistic(rows[learned], hits[learned]))
        for part in range(FOLDS):
            own = logistic(rows[learned & (fold != part)], hits[learned & (fold != part)])
            for one, row, where in zip(kind, rows, fold, strict=True):
                if where == part:
                    p = 1.0 / (1.0 + np.exp(-(row @ own[:-1] + own[-1])))
                    stated.append(Said(one.text, one.number, same, row, one.right, float(p)))
    return stated, maps
