"""Fits the heads for sense: a kernel ridge of three targets over texts, networks of the same targets (``sense_net``),
and logistic maps that calibrate the sums of both.

Everything that is calibrated or counted comes from maps trained without the text's group: its family, or everything by
its writer.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from ..core.verdicts import Sense
from ..engine.base import CancelToken
from ..heads.drafts import Differences
from ..heads.sense import (
    CLIP,
    PAIR,
    SCORES,
    SenseReading,
    inputs,
    kernel,
    networks,
    pair,
    points,
    said_of,
    squares_of,
)
from ..heads.sense_features import BLOCKS, EDITS, MEASURES, SenseRow, edit_of
from .drafts_fit import (
    STRENGTH,
    DraftPair,
    linear,
    odd_kernel,
    table_of,
)
from .ridge import likeliest
from .sense_net import Examples, train

FOLDS = 5
AXES = 40
"""Number of axes of each block of states."""
VARIANTS = ("tail", "broken")
"""Sorts of texts that differ from another one in what follows it or is missing: they don't shape the axes."""
_SAMPLE = 1200
"""Number of texts in which the axes are found."""
_STRENGTH = 1.0
_REJECTED = 0.0125
"""Share of jokes that may wrongly be reported as having no turn: of the families' best ones, and of people's."""
_UNSURE = 0.25
"""Share of the families' best jokes that aren't reported as jokes."""
_LOOSE, _FIRM = 0.3, 1e4
"""Precisions of priors around 0. Scores besides a target's own one blur its lowest values, which matter most here."""
_MOST_NEAR = {"draft": 0.5}
"""Greatest weight of a pair in the map of near texts; drafts have heads of their own besides."""
_PRIOR_ALL = 3.0
_PRIOR_EDIT = 20.0
_COMMON = 0.2
"""Weight of a pair of another kind of edit in a map of near texts."""
_TINY = 1e-6
Wide = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class SenseItem:
    """A text with its labels. ``group``: texts around one joke, always on one side of a split; ``writer``: its author;
    ``sort``: its kind, for the figures; ``joke``, ``whole``: 0 or 1, with their weight (0: unknown); ``funny``: 0…100
    within its group, None where unknown."""

    text: str
    group: str
    writer: str
    sort: str
    joke: tuple[float, float]
    whole: tuple[float, float]
    funny: float | None = None


@dataclass(frozen=True, eq=False)
class SensePair:
    """Two texts, the better one first; ``drafts``: its log-odds by draft heads that weren't trained on them (0: none);
    ``weight``: in training; ``sort``: for the figures; ``equal``: neither is better; ``change``: their differences."""

    better: str
    worse: str
    drafts: float
    change: Differences
    sort: str
    weight: float = 1.0
    equal: bool = False


@dataclass(frozen=True, eq=False)
class FittedSense:
    """Meta and arrays of ``sense.SenseHeads``; and the out-of-fold results: a ``Sense`` of every item, log-odds and
    kind of edit of every pair."""

    meta: dict[str, Any]
    arrays: dict[str, Any]
    senses: list[Sense]
    scores: Vector
    log_odds: Vector
    edits: Sequence[str] = ()


def fit_sense(
    items: Sequence[SenseItem],
    pairs: Sequence[SensePair],
    rows: Mapping[str, SenseRow],
    usual: Vector,
    model_sha256: str,
    version: str,
    folds: npt.NDArray[np.int64],
    cancel: CancelToken | None = None,
    more: Sequence[SenseItem] = (),
) -> FittedSense:
    """Fit heads to items that a model has read (all of them among ``rows``). ``folds``: the fold of each item; a pair's
    texts are in one. ``more``: items of other groups that the networks learn from besides, in every fold. Raises
    ``Cancelled``."""
    token = cancel or CancelToken()
    arrays = _points(items, rows, usual)
    at = arrays.pop("_at")
    near: Wide = kernel(at, at, arrays["reach"], squares_of(at))
    by_kernel, by_networks = np.zeros((2, len(items), len(SCORES)))
    examples = _examples([*items, *more], rows, arrays)
    for away in range(FOLDS):
        token.check()
        inside, outside = np.flatnonzero(folds != away), np.flatnonzero(folds == away)
        alpha, mean = _alpha(near[np.ix_(inside, inside)], _some(items, folds != away))
        by_kernel[outside] = near[np.ix_(outside, inside)] @ alpha + mean
        use = np.append(folds != away, np.ones(len(more), dtype=bool))
        by_networks[outside] = networks(examples.states[outside], examples.plain[outside], train(examples, use, token))
    token.check()
    gain = by_kernel.std(axis=0) / (by_networks.std(axis=0) + _TINY)
    scores = by_kernel + gain * by_networks
    heard = np.stack([said_of(s, rows[item.text].intent) for item, s in zip(items, scores, strict=True)])
    said = _said(items, heard)
    crossed = [_said(_some(items, folds != away), heard[folds != away]) for away in range(FOLDS)]
    odds = np.stack([crossed[f] @ x for f, x in zip(folds, heard, strict=True)])
    p = 1.0 / (1.0 + np.exp(-np.clip(odds, -30, 30)))
    no_turn = _threshold(items, p[:, 0])
    best = [float(joke) for item, (joke, _) in zip(items, p, strict=True) if item.sort == "best"]
    sure = max(no_turn, float(np.quantile(best, _UNSURE)) if best else 0.5)
    senses = [
        Sense(joke=float(j), whole=float(w), said="no turn" if j < no_turn else "joke" if j >= sure else "unsure")
        for j, w in p
    ]
    place = {item.text: n for n, item in enumerate(items)}
    known = [SenseReading(rows[item.text], scores[n], senses[n]) for n, item in enumerate(items)]
    edits = [edit_of(each.better, each.worse) for each in pairs]
    fold_of_pair = folds[[place[each.better] for each in pairs]]
    near_of_pair, near_arrays = _near(pairs, edits, fold_of_pair)
    x = np.stack(
        [
            pair(known[place[each.better]], known[place[each.worse]], near_said, each.drafts, each.change, edit)
            for each, near_said, edit in zip(pairs, near_of_pair, edits, strict=True)
        ]
    )
    scale = np.sqrt((x**2).sum(axis=0) / np.maximum((x != 0).sum(axis=0), 1)) + _TINY
    log_odds = np.zeros(len(pairs))
    for away in range(FOLDS):
        weights = _pair_weights(x / scale, pairs, edits, fold_of_pair != away)
        for n in np.flatnonzero(fold_of_pair == away):
            log_odds[n] = weights[EDITS.index(edits[n])] @ (x[n] / scale)
    token.check()
    alpha, mean = _alpha(near, items)
    counted = alpha.any(axis=1)
    arrays |= train(examples, np.ones(len(items) + len(more), dtype=bool), token)
    arrays["net_out"] = arrays["net_out"] * gain
    arrays["net_out_bias"] = arrays["net_out_bias"] * gain
    arrays |= near_arrays | {
        "support": at[counted],
        "alpha": alpha[counted],
        "mean": mean,
        "said": said,
        "pair_scale": scale,
        "pair_weights": _pair_weights(x / scale, pairs, edits, np.ones(len(pairs), bool)),
    }
    # Variants are easier than what people write, and the same sentences follow jokes in every fold.
    counted = np.array([not each.equal and each.sort not in VARIANTS for each in pairs])
    right: dict[str, float] = {}
    for edit in EDITS:
        mine = counted & np.array([each == edit for each in edits])
        right[edit] = round(float((log_odds[mine] > 0).mean()), 3) if mine.sum() >= 20 else 0.5
    meta = {
        "format": 2,
        "version": version,
        "model_sha256": model_sha256,
        "no_turn": round(no_turn, 4),
        "sure": round(sure, 4),
        "agreement": right,
    }
    return FittedSense(meta, arrays, senses, scores, log_odds, edits)


def _near(
    pairs: Sequence[SensePair], edits: Sequence[str], folds: npt.NDArray[np.int64]
) -> tuple[Vector, dict[str, Vector]]:
    """Return the out-of-fold scores of every pair by the maps of near texts, and their arrays."""
    some = [DraftPair(n, each.better, each.worse, "edited") for n, each in enumerate(pairs)]
    goal = np.array([float(not each.equal) for each in pairs])
    weight = np.array([min(_MOST_NEAR.get(each.sort, 1.0), each.weight) for each in pairs])
    kinds = np.array([EDITS.index(edit) for edit in edits])
    found, arrays = _fit_near(some, [each.change for each in pairs], goal, weight, folds, kinds, len(EDITS))
    return found, {f"near_{name}": values for name, values in arrays.items()}


def _fit_near(
    pairs: Sequence[DraftPair],
    found: Sequence[Differences],
    goal: Vector,
    weight: Vector,
    folds: npt.NDArray[np.int64],
    edits: npt.NDArray[np.int64],
    kinds: int,
) -> tuple[Vector, dict[str, Vector]]:
    """Fit maps of near texts, one for each of ``kinds`` kinds of edit, to pairs of which the first is better (``goal``
    1) or neither (0), with the weights ``weight`` and the kinds ``edits``; each is shrunk towards the map of all pairs.
    Return each pair's score out of fold, times the overlap; and the arrays for ``drafts.score_of``, stacked by kind."""
    table = table_of(list(pairs), found)
    odd, scales = odd_kernel(table, CancelToken())
    odd *= np.where(edits[:, None] == edits[None], np.float32(1.0), np.float32(_COMMON))
    penalty = (STRENGTH / weight).astype(np.float32)

    def solved(inside: npt.NDArray[np.int64]) -> Vector:
        inner = odd[np.ix_(inside, inside)] + np.diag(penalty[inside])
        return np.linalg.solve(inner, goal[inside].astype(np.float32)).astype(np.float64)

    score = np.zeros(len(pairs))
    for away in range(FOLDS):
        inside, outside = np.flatnonzero(folds != away), np.flatnonzero(folds == away)
        score[outside] = odd[np.ix_(outside, inside)] @ solved(inside)
    every = np.arange(len(pairs))
    alpha = solved(every)
    of_kind = [alpha * np.where(edits == kind, 1.0, _COMMON) for kind in range(kinds)]
    return score * table.overlap, {
        "scale": table.scale,
        "weights": np.stack([linear(table, each, scales, every) for each in of_kind]),
        "words": np.stack([table.words.T.astype(np.float64) @ each * scales["words"] for each in of_kind]),
        "shape_scale": table.shape_scale,
        "rows": table.shape.astype(np.float64),
        "alpha": np.stack(of_kind) * scales["shape"],
    }


def _some(items: Sequence[SenseItem], use: npt.NDArray[np.bool_]) -> list[SenseItem]:
    return [item for item, used in zip(items, use, strict=True) if used]


def _points(items: Sequence[SenseItem], rows: Mapping[str, SenseRow], usual: Vector) -> dict[str, Any]:
    pooled = np.stack([rows[item.text].pooled for item in items]).astype(np.float32)
    measures = np.stack([rows[item.text].measures for item in items]).astype(np.float32)
    shaping = np.array([n for n, item in enumerate(items) if item.sort not in VARIANTS])
    centre, scale = pooled[shaping].mean(axis=0), pooled[shaping].std(axis=0) + _TINY
    values = np.clip((pooled - centre) / scale, -CLIP, CLIP)
    chosen = shaping[np.random.default_rng(1).choice(len(shaping), min(len(shaping), _SAMPLE), replace=False)]
    some = values[chosen]
    blocks = (part.astype(np.float64) for part in np.split(some, BLOCKS, axis=1))
    turned = np.concatenate([np.linalg.eigh(part.T @ part)[1][:, ::-1][:, :AXES] for part in blocks])
    axes = (turned / np.sqrt(len(usual))).astype(np.float32)
    a: dict[str, Any] = {
        "usual": usual,
        "centre": centre,
        "scale": scale,
        "axes": axes,
        "measures_centre": measures[shaping].mean(axis=0),
        "measures_scale": measures[shaping].std(axis=0) + _TINY,
    }
    at = points(pooled, measures, a).astype(np.float32)
    pick = at[chosen[:600]]
    parts = [*np.split(pick[:, :-MEASURES], BLOCKS, axis=1), pick[:, -MEASURES:]]
    away = np.triu_indices(len(pick), 1)
    a["reach"] = np.array([np.median(((part[:, None] - part[None]) ** 2).sum(axis=2)[away]) + _TINY for part in parts])
    return a | {"_at": at}


def _examples(items: Sequence[SenseItem], rows: Mapping[str, SenseRow], arrays: Mapping[str, Any]) -> Examples:
    states = np.empty((len(items), len(arrays["centre"])), dtype=np.float16)
    plain = np.empty((len(items), MEASURES + 1), dtype=np.float32)
    for n, item in enumerate(items):  # all at once would need twice the memory
        states[n : n + 1], plain[n : n + 1] = inputs([rows[item.text]], arrays)
    numbers: dict[str, int] = {}
    return Examples(
        states,
        plain,
        np.array([item.joke for item in items], dtype=np.float32),
        np.array([item.whole for item in items], dtype=np.float32),
        np.array([np.nan if item.funny is None else item.funny for item in items], dtype=np.float32),
        np.array([numbers.setdefault(item.group, len(numbers)) for item in items]),
    )


def _alpha(near: Wide, items: Sequence[SenseItem]) -> tuple[Vector, Vector]:
    """Return the dual weights (items, scores) and the constants."""
    alpha, mean = np.zeros((len(items), len(SCORES))), np.zeros(len(SCORES))
    for n, name in enumerate(("joke", "whole")):
        labels = np.array([getattr(item, name) for item in items])
        used = np.flatnonzero(labels[:, 1] > 0)
        weight = labels[used, 1]
        mean[n] = (weight * labels[used, 0]).sum() / weight.sum()
        inner = near[np.ix_(used, used)] + np.diag(_STRENGTH / weight).astype(np.float32)
        alpha[used, n] = np.linalg.solve(inner, (labels[used, 0] - mean[n]).astype(np.float32))
    labelled = [(n, item.group, item.funny) for n, item in enumerate(items) if item.funny is not None]
    used = np.array([n for n, _, _ in labelled])
    groups: dict[str, list[int]] = defaultdict(list)
    for n, (_, group, _) in enumerate(labelled):
        groups[group].append(n)
    within = np.zeros((len(used), len(groups)), dtype=np.float32)
    for n, members in enumerate(groups.values()):
        within[members, n] = 1.0 / np.sqrt(len(members))
    fun: Wide = np.array([funny for _, _, funny in labelled], dtype=np.float32) / np.float32(30.0)
    fun -= within @ (within.T @ fun)
    inner = near[np.ix_(used, used)]
    inner = inner - within @ (within.T @ inner)
    inner = (inner - (inner @ within) @ within.T).astype(np.float32)
    found = np.linalg.solve(inner + np.float32(_STRENGTH) * np.eye(len(used), dtype=np.float32), fun)
    alpha[used, 2] = found - within @ (within.T @ found)
    return alpha, mean


def _said(items: Sequence[SenseItem], x: Vector) -> Vector:
    """Return (2, features): weights for the log-odds of joke, from its own score alone, and of whole, from all that
    ``said_of`` gives."""
    found = []
    for name, firm in (("joke", _FIRM), ("whole", _LOOSE)):
        labels = np.array([getattr(item, name) for item in items])
        penalty = np.array([_LOOSE if n == 0 else firm for n in range(x.shape[1] - 1)] + [1e-3])
        found.append(likeliest(x, labels[:, 0], penalty, counts=labels[:, 1]))
    return np.stack(found)


def _threshold(items: Sequence[SenseItem], p: Vector) -> float:
    """Return the probability below which a text is reported as having no turn: at most the share ``_REJECTED`` of the
    families' best jokes, and of people's, is below it."""
    found = [
        float(np.quantile(jokes, _REJECTED))
        for start in ("best", "human")
        if (jokes := [float(value) for item, value in zip(items, p, strict=True) if item.sort.startswith(start)])
    ]
    return min(found, default=0.05)


def _pair_weights(x: Vector, pairs: Sequence[SensePair], edits: Sequence[str], use: npt.NDArray[np.bool_]) -> Vector:
    """Return (edits, features): each kind's own weights, shrunk towards those of all kinds together."""
    goal = np.array([0.5 if each.equal else 1.0 for each in pairs])
    weight = np.array([each.weight for each in pairs])
    every = likeliest(x[use], goal[use], np.full(PAIR, _PRIOR_ALL), counts=weight[use])
    found = []
    for edit in EDITS:
        mine = use & np.array([each == edit for each in edits])
        penalty = np.full(PAIR, _PRIOR_EDIT)
        found.append(likeliest(x[mine], goal[mine], penalty, centre=every, counts=weight[mine]))
    return np.stack(found)
