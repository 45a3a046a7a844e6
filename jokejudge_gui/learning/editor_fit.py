"""Fits the editor's heads to readings: numbers only, no model.

The features of a text (where it lies, its axes) are found on all texts without a look at what was read in them; every
map from features to an answer is fitted five times without a fifth of the texts, and that fifth measures it, before it
is fitted once more on all.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..judging.reading.editor import TextRow, turn_pool
from ..judging.reading.editor_form import SURE_FORMS
from ..judging.reading.editor_words import CLIP, WindowHead, windows
from ..judging.reading.phrases import phrases
from ..judging.reading.wording import weigh
from ..statistics import Vector
from .editor_data import FOLDS, Draft, Readings, draft_faults, fold_of
from .editor_kernel import Matrix, companions, gaussian, usual_distance, with_companions
from .editor_labels import right_runs
from .editor_turn_fit import TurnFit, fit_turn
from .editor_word_fit import WordsFit, fit_words
from .logistic import logistic, platt
from .ridge import Ints

BUCKETS = 1 << 12
AXES = 192
STRENGTHS = {"factors": 0.8, "kinds": 0.8, "faults": 1.6, "joke": 0.8, "complete": 8.0}
_BY_STATES = {"complete": 1.6}
"""Where nothing is known of a text beside its states, as of heads of before."""
REACH = 3.0
DRAFT_WEIGHT = 0.3
"""What a draft's one known fault counts beside a reading that names all of a text's faults."""
_GAINS = {"states": 1 / 6, "turn": 0.3, "form": 0.3, "wording": 0.3, "stats": 0.1}
_SMALL = 1e-6
_LEAST_SLOPE = 0.01
"""Keeps the order of the runs where all that were chosen are right, or none."""
Check = Callable[[], None]


@dataclass(frozen=True, eq=False)
class Fitted:
    """The heads' ``meta`` (without model and version) and ``arrays``, and what they were measured with: ``values``
    (texts, outputs) and ``turn_right``, ``turn_odds`` (texts with a turn,), ``cut`` (labels, scores), all of them of
    texts that the maps hadn't seen. Outputs: factors, kinds, faults, joke, complete."""

    meta: dict[str, Any]
    arrays: dict[str, Vector]
    values: Vector
    turn_right: Vector
    turn_odds: Vector
    cut: tuple[Vector, Vector]


def fit_editor(
    rows: Sequence[TextRow],
    readings: Readings,
    draft_rows: Sequence[TextRow],
    drafts: Sequence[Draft],
    check: Check = lambda: None,
) -> Fitted:
    """``rows`` and ``draft_rows``: what ``editor.measure`` gives of each text, in the order of ``readings`` and
    ``drafts``. ``check`` is called between steps, and may raise."""
    everything = [*rows, *draft_rows]
    fold = np.concatenate([readings.fold, np.array([fold_of(d.best) for d in drafts], dtype=np.int64)])
    words = fit_words(everything, readings, drafts, fold, check)
    points, space = _points(everything, words, len(rows))
    check()
    targets = np.hstack(
        [readings.factors, readings.kinds, readings.faults, readings.joke[:, None], readings.complete[:, None]]
    )
    beside = companions(everything, words.turn, len(rows))
    kernel = with_companions(gaussian(points, space["reach"][0]), beside)
    known = _Targets(readings, targets, draft_faults(drafts, readings.fault_ids), strengths_of(beside))
    values = np.zeros_like(targets)
    for part in range(FOLDS):
        check()
        inside, outside = np.flatnonzero(fold != part), np.flatnonzero(readings.fold == part)
        alpha, mean = known.solve(kernel, inside)
        values[outside] = kernel[outside] @ alpha + mean
    check()
    alpha, mean = known.solve(kernel, np.arange(len(fold)))
    del kernel
    window, turn_right, turn_odds = _window(rows, readings, words, check)
    spans = _spans(everything, readings, drafts, words, values, fold, check)
    if spans is not None:
        measured = np.isin(spans.texts, readings.full())
        window, turn_right, turn_odds = (
            window | spans.arrays | words.edge_arrays,
            spans.right[measured],
            spans.odds[measured],
        )
    stated = _stated(readings, targets, values)
    labels, scores = words.cut
    return Fitted(
        meta={
            "kinds": list(readings.kind_ids),
            "faults": list(readings.fault_ids),
            "forms": form_shares(readings, np.arange(len(readings))),
            **({"phrases": phrases().mark} if beside else {}),
        },
        arrays={
            **space,
            **beside,
            **words.arrays,
            **window,
            **stated,
            "support": points,
            "alpha": alpha,
            "weight": np.concatenate([readings.weight, np.full(len(drafts), DRAFT_WEIGHT)]),
            "mean": mean,
            "cut_odds": np.array(platt(scores, labels)),
        },
        values=values,
        turn_right=turn_right,
        turn_odds=turn_odds,
        cut=(labels, scores),
    )


def strengths_of(arrays: Mapping[str, Vector]) -> dict[str, float]:
    """The ridge's strengths of heads with these arrays."""
    return STRENGTHS if "traits" in arrays else STRENGTHS | _BY_STATES


def form_shares(readings: Readings, places: Ints) -> dict[str, float]:
    """For each form that letters show: in which share of the texts that show it the readers named it, with one doubtful
    text added."""
    found = {}
    for name, pattern in SURE_FORMS.items():
        shown = [i for i in places if pattern.search(readings.texts[i])]
        right = readings.kinds[shown, readings.kind_ids.index(name)].sum() if name in readings.kind_ids else None
        if right is not None and len(shown) >= 3:
            found[name] = round(float((right + 0.5) / (len(shown) + 1)), 3)
    return found


@dataclass(frozen=True, eq=False)
class _Targets:
    """What is to be learned, and from which rows: factors from jokes, faults from drafts as well, all else from the
    readings."""

    readings: Readings
    targets: Vector
    drafts: Vector
    strengths: Mapping[str, float]

    def solve(self, kernel: Matrix, inside: Ints) -> tuple[Vector, Vector]:
        """α (texts and drafts, outputs) and the constants (outputs,), learned from the rows ``inside``."""
        readings = self.readings
        count, factors = len(readings), readings.factors.shape[1]
        kinds = slice(factors, factors + len(readings.kind_ids))
        alpha = np.zeros((len(kernel), self.targets.shape[1]))
        mean = np.zeros(self.targets.shape[1])
        faults = self.targets.shape[1] - 2
        read = inside[inside < count]
        groups = {
            "factors": (read[readings.joke[read] == 1.0], slice(0, kinds.start)),
            "kinds": (read, kinds),
            "joke": (read, slice(faults, faults + 1)),
            "complete": (read, slice(faults + 1, faults + 2)),
        }
        for name, (rows, columns) in groups.items():
            goal, weight = self.targets[rows, columns], readings.weight[rows]
            mean[columns] = np.average(goal, axis=0, weights=weight)
            system = kernel[np.ix_(rows, rows)].astype(np.float64) + self.strengths[name] * np.diag(1.0 / weight)
            alpha[rows, columns] = np.linalg.solve(system, goal - mean[columns])
        goal, weight = self.targets[read, kinds.stop : faults], readings.weight[read]
        mean[kinds.stop : faults] = np.average(goal, axis=0, weights=weight)
        known = [goal - mean[kinds.stop : faults]]
        if len(self.drafts):
            part = self.drafts[inside[inside >= count] - count]
            known.append(part - part.mean(axis=0))
            weight = np.concatenate([weight, np.full(len(part), DRAFT_WEIGHT)])
        system = kernel[np.ix_(inside, inside)].astype(np.float64) + self.strengths["faults"] * np.diag(1.0 / weight)
        alpha[inside, kinds.stop : faults] = np.linalg.solve(system, np.vstack(known))
        return alpha, mean


def _points(rows: Sequence[TextRow], words: WordsFit, readings: int) -> tuple[Vector, dict[str, Vector]]:
    """(texts, axes + 6): where each text lies; and the arrays that bring a new one there."""
    pooled, stats = zip(*(turn_pool(row, turn) for row, turn in zip(rows, words.turn, strict=True)), strict=True)
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
        found = block.astype(np.float32)
        centre = found[:readings].mean(axis=0, dtype=np.float64)
        scale = np.ones(len(centre)) if name == "wording" else found[:readings].std(axis=0, dtype=np.float64) + _SMALL
        found = np.clip((found - centre.astype(np.float32)) / scale.astype(np.float32), -CLIP, CLIP)
        # A pool of the six counts as one block of its own; they are equally long, so they share their gain.
        many = 6 if name == "states" else 1
        unit = 1.0 if name == "wording" else float((found[:readings] ** 2).sum(axis=1).mean()) / many
        gain = np.full(len(centre), np.sqrt(_GAINS[name] / unit))
        centres.append(centre)
        scales.append(scale)
        gains.append(gain)
        parts.append(found * gain.astype(np.float32))
    raw = np.hstack(parts)
    axes = _axes_of_rows(raw[:readings], AXES)
    where = np.stack(stats)
    stats_centre, stats_scale = where.mean(axis=0), where.std(axis=0) + _SMALL
    standing = np.clip((where - stats_centre) / stats_scale, -CLIP, CLIP)
    stats_gain = float(np.sqrt(_GAINS["stats"] / max(_SMALL, float((standing**2).sum(axis=1).mean()))))
    points = np.hstack([raw @ axes.astype(np.float32), standing * stats_gain]).astype(np.float64)
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
    """(features, axes) of the widest spread of a few long rows, each of length 1."""
    values, vectors = np.linalg.eigh((rows @ rows.T).astype(np.float64))
    keep = min(most, int((values > values[-1] * 1e-6).sum()))
    found = rows.T.astype(np.float64) @ vectors[:, -keep:]
    return np.asarray(found / np.sqrt(values[-keep:]), dtype=np.float64)


def _window(
    rows: Sequence[TextRow], readings: Readings, words: WordsFit, check: Check
) -> tuple[dict[str, Vector], Vector, Vector]:
    """The choice among runs of words: its arrays, and of every text with a turn whether the run chosen out of fold is
    right (0…1) and its log-odds, of those texts that count in full."""
    chosen = [i for i, row in enumerate(rows) if row.words and readings.turns[i]]
    measures = [windows(words.turn[i], rows[i].places) for i in chosen]
    right = [right_runs(rows[i], readings.turns[i], runs) for i, (runs, _) in zip(chosen, measures, strict=True)]
    fold = readings.fold[chosen]
    everything = np.concatenate([found for _, found in measures])
    centre, scale = everything.mean(axis=0), everything.std(axis=0) + _SMALL
    standard = [np.clip((found - centre) / scale, -CLIP, CLIP) for _, found in measures]
    out, odds = np.zeros(len(chosen)), np.zeros(len(chosen))
    for part in range(FOLDS):
        check()
        inside = np.flatnonzero(fold != part)
        weights = logistic(np.concatenate([standard[i] for i in inside]), np.concatenate([right[i] for i in inside]))
        head = WindowHead(centre, scale, weights[:-1], float(weights[-1]))
        for i in np.flatnonzero(fold == part):
            (run, found) = head.best(words.turn[chosen[i]], rows[chosen[i]].places)
            out[i], odds[i] = right[i][measures[i][0].index(run)], found
    weights = logistic(np.concatenate(standard), np.concatenate(right))
    # The likeliest of many runs is right less often than it says by itself.
    slope, offset = platt(odds, out)
    slope = max(slope, _LEAST_SLOPE)
    weights = weights * slope
    weights[-1] += offset
    full = np.isin(chosen, readings.full())
    arrays = {"window_centre": centre, "window_scale": scale, "window_weights": weights}
    return arrays, out[full], (slope * odds + offset)[full]


def _spans(
    rows: Sequence[TextRow],
    readings: Readings,
    drafts: Sequence[Draft],
    words: WordsFit,
    values: Vector,
    fold: Ints,
    check: Check,
) -> TurnFit | None:
    """Which span of words is the turn, learned from readings and the drafts whose turn is known."""
    turns = [*readings.turns, *((draft.turn,) if draft.turn else () for draft in drafts)]
    weight = np.concatenate([readings.weight, np.ones(len(drafts))])
    # What the other heads find is known of the readings alone; drafts are taken to be like all of them.
    found = np.vstack([values, np.repeat(values.mean(axis=0)[None, :], len(drafts), axis=0)])
    scores = [np.column_stack([turn, edges]) for turn, edges in zip(words.turn, words.edges, strict=True)]
    return fit_turn(rows, turns, scores, found, fold, weight, check)


def _stated(readings: Readings, targets: Vector, values: Vector) -> dict[str, Vector]:
    """What makes values out of fold honest: scores by a line, probabilities by Platt's scaling; by the texts that count
    in full."""
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
