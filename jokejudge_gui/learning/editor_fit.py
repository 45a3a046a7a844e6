"""Fits the editor's heads to readings: numbers only, no model.

The features of a text (its point, its axes) are found on all texts without the readings; every map from features to an
answer is fitted five times without a fifth of the texts, on which it is measured, and then once on all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from ..heads.audience import weigh
from ..heads.editor import TextRow, row_traits, turn_pool
from ..heads.editor_file import CORE, GROUPS, Ints, word_groups_of
from ..heads.features import CLIP, SURE_FORMS, WordHead, phrases
from ..heads.files import FORMAT
from .editor_data import (
    CUTTABLE,
    Draft,
    Readings,
    cut_labels,
    fold_of,
    turn_labels,
)
from .figures import FOLDS, out_of_fold
from .punchline_fit import TurnFit, fit_turn
from .ridge import platt

# -- the kernel of the editor's training texts: see ``editor_file``

SHARES = (0.85, 0.2, 0.25)
"""Weights of states, traits and words in the kernel; they needn't sum to 1, since the ridge's strength is in the same
units."""
_LEAST_TEXTS = 3
"""Least number of readings with a group of words: rarer ones aren't used."""

_SOME = 400
Matrix = npt.NDArray[np.float32]


def gaussian(points: Vector, reach: float) -> Matrix:
    """Return the Gaussian kernel (texts, texts), 0…1, of ``points`` (texts, axes)."""
    rows = points.astype(np.float32)
    lengths = (rows**2).sum(axis=1)
    away = np.maximum(lengths[:, None] + lengths - 2.0 * rows @ rows.T, 0.0)
    return np.asarray(np.exp(-np.float32(reach) * away, dtype=np.float32))


def usual_distance(points: Vector) -> float:
    """Return the median squared distance between some of the texts."""
    some = points[:_SOME]
    away = np.maximum((some**2).sum(axis=1)[:, None] + (some**2).sum(axis=1) - 2.0 * some @ some.T, 0.0)
    return max(_SMALL, float(np.median(away[np.triu_indices(len(some), 1)])))


def companions(rows: Sequence[TextRow], turn: Sequence[Vector], readings: int) -> dict[str, Vector]:
    """Return the features besides the states, as arrays of the heads' file; the first ``readings`` rows are the
    reference for centre, scale and rarity. The log-probabilities of all words must be known."""
    traits = np.array([row_traits(row, scores) for row, scores in zip(rows, turn, strict=True)], dtype=np.float64)
    centre, scale = traits[:readings].mean(axis=0), traits[:readings].std(axis=0) + _SMALL
    standard = np.clip((traits - centre) / scale, -CLIP, CLIP)
    groups = [word_groups_of(row.text) for row in rows]
    seen = np.bincount(np.concatenate([*groups[:readings], np.zeros(0, np.int64)]), minlength=GROUPS)
    rarity = np.where(seen >= _LEAST_TEXTS, np.log(readings / np.maximum(seen, 1)), 0.0).astype(np.float16)
    kept = [ids[rarity[ids] > 0] for ids in groups]
    return {
        "traits": standard,
        "traits_centre": centre,
        "traits_scale": scale,
        "traits_reach": np.array([1.0 / (2.0 * usual_distance(standard[:readings]))]),
        "near_shares": np.array(SHARES),
        "rarity_of_groups": rarity.astype(np.float64),
        "group_ids": np.concatenate([*kept, np.zeros(0, np.int64)]).astype(np.float64),
        "group_ends": np.cumsum([len(ids) for ids in kept]).astype(np.float64),
    }


def with_companions(near: Matrix, arrays: Mapping[str, Vector]) -> Matrix:
    """Return (texts, texts): the kernel of states (which is changed in place) plus those of the arrays from
    ``companions``."""
    shares = arrays["near_shares"].astype(near.dtype)
    near *= shares[0]
    near += shares[1] * gaussian(arrays["traits"], float(arrays["traits_reach"][0]))
    ends = arrays["group_ends"].astype(np.int64)
    columns, groups = np.unique(arrays["group_ids"].astype(np.int64), return_inverse=True)
    counted = np.zeros((len(ends), len(columns)), dtype=np.float32)
    counted[np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)), groups] = 1.0
    counted *= arrays["rarity_of_groups"][columns].astype(np.float32)
    counted /= np.maximum(np.linalg.norm(counted, axis=1, keepdims=True), np.float32(_SMALL))
    near += shares[2] * (counted @ counted.T)
    return near


# -- the maps from single words to the editor's turn, and to the words that a better draft leaves out

WORD_AXES = 160
STRENGTH = 0.3
"""Strength of the ridge, in units of a feature's mean square."""
_TURN_GOALS = 4
_MOST_FOR_AXES = 8000


class WordsFit(NamedTuple):
    """``arrays`` of the word heads from all texts; for every text its words' ``scores`` (words, 4) out of fold: in the
    turn, its first, its last, its only word; ``cut``: labels of the drafts' words, and such scores."""

    arrays: dict[str, Vector]
    scores: list[Vector]
    cut: tuple[Vector, Vector]


def fit_words(
    rows: Sequence[TextRow], readings: Readings, drafts: Sequence[Draft], fold: Ints, check: Callable[[], None]
) -> WordsFit:
    """Fit the word heads. ``rows``: of the readings' texts, then of the drafts; ``fold`` (rows,). At least one text
    must have words."""
    blank = _blank([row for row in rows if row.words])
    features = [blank.features(row.states, row.places).astype(np.float32) if row.words else None for row in rows]
    check()
    both = list(zip(rows[len(readings) :], drafts, strict=True))
    named = [*readings.turns, *((draft.turn,) for draft in drafts)]
    turns = [turn_labels(row, its) for row, its in zip(rows, named, strict=True)]
    cuts: list[Vector | None] = [None] * len(readings)
    cuts += [cut_labels(row, d.best)[:, None] if d.fault is None or d.fault in CUTTABLE else None for row, d in both]
    sums = [
        [_Sums(features, goals, np.flatnonzero(fold == part), width) for part in range(FOLDS)]
        for goals, width in ((turns, _TURN_GOALS), (cuts, 1))
    ]
    check()
    maps = [[_solve(of[:part] + of[part + 1 :]) for of in sums] for part in range(FOLDS)]
    scored = [
        np.zeros((0, _TURN_GOALS + 1)) if row_scores is None else np.hstack([row_scores @ w + b for w, b in maps[part]])
        for row_scores, part in zip(features, fold, strict=True)
    ]
    cut_scores = [(c[:, 0], s[:, -1]) for c, s in zip(cuts, scored, strict=True) if c is not None]
    (turn, turn_bias), (cut, cut_bias) = (_solve(of) for of in sums)
    return WordsFit(
        arrays={
            "word_centre": blank.centre,
            "word_scale": blank.scale,
            "word_axes": blank.axes,
            "place_centre": blank.place_centre,
            "place_scale": blank.place_scale,
            "word_weights": np.hstack([turn[:, :1], cut]),
            "word_bias": np.concatenate([turn_bias[:1], cut_bias]),
            "turn_word_weights": turn[:, 1:],
            "turn_word_bias": turn_bias[1:],
        },
        scores=[row_scores[:, :-1] for row_scores in scored],
        cut=(
            np.concatenate([np.zeros(1), *(labels for labels, _ in cut_scores)]),
            np.concatenate([np.zeros(1), *(scores for _, scores in cut_scores)]),
        ),
    )


def _blank(rows: Sequence[TextRow]) -> WordHead:
    """Return an untrained head: centre, scale and axes of all words, without the readings."""
    where = np.concatenate([row.places for row in rows])
    # Sums rather than one large matrix: the words' states of a large model would fill hundreds of megabytes.
    centre = sum(row.states.sum(axis=0, dtype=np.float64) for row in rows) / len(where)
    square = sum(((row.states - centre) ** 2).sum(axis=0, dtype=np.float64) for row in rows) / len(where)
    scale = np.sqrt(square) + 1e-4
    every = 1 + len(where) // _MOST_FOR_AXES
    some = np.concatenate([row.states[::every] for row in rows]).astype(np.float64)
    some = np.clip((some - centre) / scale, -CLIP, CLIP)
    values, vectors = np.linalg.eigh(some.T @ some / len(some))
    axes = vectors[:, ::-1][:, :WORD_AXES]
    spread = float(np.sqrt(np.clip(values[::-1][:WORD_AXES], 0.0, None)).mean())
    return WordHead(
        centre=centre,
        scale=scale,
        axes=axes / max(spread, _SMALL),
        place_centre=where.mean(axis=0),
        place_scale=where.std(axis=0) + _SMALL,
        weights=np.zeros((0, 2)),
        bias=np.zeros(2),
    )


class _Sums:
    """Sums of one fold's words, from which a ridge is solved for any set of folds. ``goals``: (words, k) of each
    text."""

    def __init__(
        self, features: Sequence[Matrix | None], goals: Sequence[Vector | None], rows: Ints, width: int
    ) -> None:
        chosen = [(x, y) for i in rows if (x := features[i]) is not None and (y := goals[i]) is not None]
        size = next(x.shape[1] for x in features if x is not None)
        self.inner, self.goal = np.zeros((size, size)), np.zeros((size, width))
        self.total, self.sum, self.count = np.zeros(size), np.zeros(width), 0
        if chosen:
            x = np.concatenate([part for part, _ in chosen])
            y = np.concatenate([part for _, part in chosen])
            self.inner = (x.T @ x).astype(np.float64)
            self.goal = (x.T @ y.astype(np.float32)).astype(np.float64)
            self.total, self.sum, self.count = x.sum(axis=0, dtype=np.float64), y.sum(axis=0), len(y)


def _solve(parts: Sequence[_Sums]) -> tuple[Vector, Vector]:
    """Return the weights (features, k) and constants (k,) of the ridge over these folds' words; zeros where there are
    none."""
    count = sum(part.count for part in parts)
    total = np.sum([part.total for part in parts], axis=0)
    if not count:
        return np.zeros(parts[0].goal.shape), np.zeros(len(parts[0].sum))
    centre, mean = total / count, np.sum([part.sum for part in parts], axis=0) / count
    inner = np.sum([part.inner for part in parts], axis=0) - count * np.outer(centre, centre)
    goal = np.sum([part.goal for part in parts], axis=0) - count * np.outer(centre, mean)
    strength = STRENGTH * float(np.trace(inner)) / len(inner) + _SMALL
    weights = np.linalg.solve(inner + strength * np.eye(len(inner)), goal)
    return weights, np.asarray(mean - centre @ weights)


BUCKETS = 1 << 12
AXES = 192
STRENGTHS = {"factors": 0.8, "kinds": 0.8, "faults": 1.6, "joke": 0.8, "complete": 8.0}
REACH = 3.0
DRAFT_WEIGHT = 0.3
"""Training weight of a draft, whose one fault is known, relative to a reading that names all of a text's faults."""
_GAINS = {"states": 1 / 6, "turn": 0.3, "form": 0.3, "wording": 0.3, "stats": 0.1}
_SMALL = 1e-6
Check = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Fitted:
    """The heads' ``meta`` (without model and version) and ``arrays``, and their out-of-fold predictions: ``values``
    (texts, outputs), ``turn``, ``cut`` (labels, scores). Outputs: factors, kinds, faults, joke, complete."""

    meta: dict[str, Any]
    arrays: dict[str, Vector]
    values: Vector
    turn: TurnFit
    cut: tuple[Vector, Vector]


def fit_editor(
    rows: Sequence[TextRow],
    readings: Readings,
    draft_rows: Sequence[TextRow],
    drafts: Sequence[Draft],
    check: Check = lambda: None,
) -> Fitted:
    """Fit the heads. ``rows`` and ``draft_rows``: from ``editor.measure``, in the order of ``readings`` and ``drafts``.
    ``check`` is called between steps, and may raise."""
    everything = [*rows, *draft_rows]
    fold = np.concatenate([readings.fold, np.array([fold_of(d.best) for d in drafts], dtype=np.int64)])
    words = fit_words(everything, readings, drafts, fold, check)
    in_turn = [scores[:, 0] for scores in words.scores]
    points, space = _points(everything, in_turn, len(rows))
    check()
    targets = np.hstack(
        [readings.factors, readings.kinds, readings.faults, readings.joke[:, None], readings.complete[:, None]]
    )
    beside = companions(everything, in_turn, len(rows))
    kernel = with_companions(gaussian(points, space["reach"][0]), beside)
    faults = np.array([[float(draft.fault == fault) for fault in readings.fault_ids] for draft in drafts])

    def scored(inside: Ints, outside: Ints) -> Vector:
        check()
        alpha, mean = _solved(kernel, inside, readings, targets, faults)
        return np.asarray(kernel[outside] @ alpha + mean)

    values = out_of_fold(fold, scored)[: len(rows)]
    check()
    alpha, mean = _solved(kernel, np.arange(len(fold)), readings, targets, faults)
    turns = [*readings.turns, *((draft.turn,) if draft.turn else () for draft in drafts)]
    weight = np.concatenate([readings.weight, np.ones(len(drafts))])
    # The other heads' predictions are known for the readings alone; drafts get their mean.
    outputs = np.vstack([values, np.repeat(values.mean(axis=0)[None, :], len(drafts), axis=0)])
    turn = fit_turn(everything, turns, words.scores, outputs, fold, weight, check)
    stated = _stated(readings, targets, values)
    labels, scores = words.cut
    return Fitted(
        meta={
            "format": FORMAT,
            "factors": list(CORE),
            "kinds": list(readings.kind_ids),
            "faults": list(readings.fault_ids),
            "forms": form_shares(readings, np.arange(len(readings))),
            "phrases": phrases().mark,
        },
        arrays={
            **space,
            **beside,
            **words.arrays,
            **turn.arrays,
            **stated,
            "support": points,
            "alpha": alpha,
            "weight": np.concatenate([readings.weight, np.full(len(drafts), DRAFT_WEIGHT)]),
            "mean": mean,
            "cut_odds": np.array(platt(scores, labels)),
        },
        values=values,
        turn=turn,
        cut=(labels, scores),
    )


def form_shares(readings: Readings, places: Ints) -> dict[str, float]:
    """Return, for each form that a pattern shows, the share of the texts with the pattern for which the readers named
    it, with one half-right text added."""
    form_right = {}
    for name, pattern in SURE_FORMS.items():
        shown = [i for i in places if pattern.search(readings.texts[i])]
        right = readings.kinds[shown, readings.kind_ids.index(name)].sum() if name in readings.kind_ids else None
        if right is not None and len(shown) >= 3:
            form_right[name] = round(float((right + 0.5) / (len(shown) + 1)), 3)
    return form_right


def _solved(
    kernel: Matrix, inside: Ints, readings: Readings, targets: Vector, faults_of_drafts: Vector
) -> tuple[Vector, Vector]:
    """Return α (texts and drafts, outputs) and the constants (outputs,), trained on the rows ``inside``: factors on
    jokes, faults on drafts as well, all else on the readings."""
    count, outputs = len(readings), targets.shape[1]
    kinds, faults = readings.factors.shape[1], readings.factors.shape[1] + len(readings.kind_ids)
    alpha, mean = np.zeros((len(kernel), outputs)), np.zeros(outputs)
    read = inside[inside < count]
    groups = {
        "factors": (read[readings.joke[read] == 1.0], slice(0, kinds)),
        "kinds": (read, slice(kinds, faults)),
        "faults": (read, slice(faults, outputs - 2)),
        "joke": (read, slice(outputs - 2, outputs - 1)),
        "complete": (read, slice(outputs - 1, outputs)),
    }
    for name, (rows, columns) in groups.items():
        goal, weight = targets[rows, columns], readings.weight[rows]
        mean[columns] = np.average(goal, axis=0, weights=weight)
        goal = goal - mean[columns]
        if name == "faults" and len(faults_of_drafts):
            part = faults_of_drafts[inside[inside >= count] - count]
            goal = np.vstack([goal, part - part.mean(axis=0)])
            weight = np.concatenate([weight, np.full(len(part), DRAFT_WEIGHT)])
            rows = inside
        system = kernel[np.ix_(rows, rows)].astype(np.float64) + STRENGTHS[name] * np.diag(1.0 / weight)
        alpha[rows, columns] = np.linalg.solve(system, goal)
    return alpha, mean


def _points(rows: Sequence[TextRow], turn: Sequence[Vector], readings: int) -> tuple[Vector, dict[str, Vector]]:
    """Return (texts, axes + 6): the point of each text; and the arrays that map a new text to its point."""
    pooled, stats = zip(*(turn_pool(row, its) for row, its in zip(rows, turn, strict=True)), strict=True)
    counted = np.zeros((len(rows), BUCKETS), dtype=np.float32)
    for line, row in zip(counted, rows, strict=True):
        line[list(row.counted)] = 1.0
    seen = counted[:readings].sum(axis=0)
    rarity = (np.log((1 + readings) / (1 + seen)) + 1.0).astype(np.float16).astype(np.float64)
    counted[:] = 0.0
    for line, row in zip(counted, rows, strict=True):
        if row.counted:
            at, weights = weigh(row.counted, rarity)
            line[at] = weights
    blocks = {"states": np.stack([row.pools for row in rows]), "turn": np.stack(pooled)}
    blocks["form"] = np.stack([row.form for row in rows])
    centres, scales, gains, parts = [], [], [], []
    for name, block in (*blocks.items(), ("wording", counted)):
        values = block.astype(np.float32)
        centre = values[:readings].mean(axis=0, dtype=np.float64)
        scale = np.ones(len(centre)) if name == "wording" else values[:readings].std(axis=0, dtype=np.float64) + _SMALL
        values = np.clip((values - centre.astype(np.float32)) / scale.astype(np.float32), -CLIP, CLIP)
        # Each of the six pools counts as one block; they are equally long, so they share their gain.
        many = 6 if name == "states" else 1
        unit = 1.0 if name == "wording" else float((values[:readings] ** 2).sum(axis=1).mean()) / many
        gain = np.full(len(centre), np.sqrt(_GAINS[name] / unit))
        centres.append(centre)
        scales.append(scale)
        gains.append(gain)
        parts.append(values * gain.astype(np.float32))
    raw = np.hstack(parts)
    axes = _axes_of_rows(raw[:readings], AXES)
    where = np.stack(stats)
    stats_centre, stats_scale = where.mean(axis=0), where.std(axis=0) + _SMALL
    placed = np.clip((where - stats_centre) / stats_scale, -CLIP, CLIP)
    stats_gain = float(np.sqrt(_GAINS["stats"] / max(_SMALL, float((placed**2).sum(axis=1).mean()))))
    points = np.hstack([raw @ axes.astype(np.float32), placed * stats_gain]).astype(np.float64)
    usual = usual_distance(points[:readings])
    return points, {
        "rarity": rarity,
        "centre": np.concatenate(centres),
        "scale": np.concatenate(scales),
        "axes": np.concatenate(gains)[:, None] * axes,
        "stats_centre": stats_centre,
        "stats_scale": stats_scale,
        "stats_gain": np.array([stats_gain]),
        "reach": np.array([REACH / (2.0 * usual)]),
    }


def _axes_of_rows(rows: Matrix, most: int) -> Vector:
    """Return (features, axes), the principal axes of a few long rows, each of length 1."""
    values, vectors = np.linalg.eigh((rows @ rows.T).astype(np.float64))
    keep = min(most, int((values > values[-1] * 1e-6).sum()))
    axes = rows.T.astype(np.float64) @ vectors[:, -keep:]
    return np.asarray(axes / np.sqrt(values[-keep:]), dtype=np.float64)


def _stated(readings: Readings, targets: Vector, values: Vector) -> dict[str, Vector]:
    """Return the calibration of out-of-fold values: scores by a line, probabilities by Platt's scaling; from the texts
    with full weight."""
    full = readings.full()
    readings, targets, values = readings.keep(full), targets[full], values[full]
    factors = readings.factors.shape[1]
    slope, offset = np.ones(targets.shape[1]), np.zeros(targets.shape[1])
    jokes = readings.joke == 1.0
    stated = np.zeros((int(jokes.sum()), factors))
    for column in range(factors):
        x, y = values[jokes, column], targets[jokes, column]
        slope[column] = max(0.0, float(np.cov(x, y)[0, 1]) / max(_SMALL, float(x.var(ddof=1))))
        offset[column] = float(y.mean() - slope[column] * x.mean())
        stated[:, column] = slope[column] * x + offset[column]
    for column in range(factors, targets.shape[1]):
        slope[column], offset[column] = platt(values[:, column], targets[:, column])
    left = targets[jokes, :factors] - stated
    return {
        "slope": slope,
        "offset": offset,
        "sd": left.std(axis=0) + _SMALL,
        "usual": stated.mean(axis=0),
        "spread": stated.std(axis=0) + _SMALL,
    }
