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
from ..heads.editor_file import Ints
from ..heads.sense import CLIP, PAIR, SCORES, SenseReading, inputs, kernel, networks, pair, points, said_of, squares_of
from ..heads.sense_features import BLOCKS, EDITS, MEASURES, SenseRow, edit_of
from .drafts_fit import STRENGTH, DraftPair, linear, odd_kernel, primal, table_of
from .figures import chances, out_of_fold
from .ridge import likeliest
from .sense_net import Examples, train

AXES = 40
"""Number of axes of each block of states."""
VARIANTS = ("tail", "broken")
"""Sorts of texts that differ from another one in what follows it or is missing: they don't shape the axes."""
_SAMPLE = 1200
"""Number of texts in which the axes are found."""
_STRENGTH = 1.0
ALWAYS = -1
"""The fold of texts that are learned from whichever fold is left out."""
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
    """Meta and arrays of ``sense.SenseHeads``; and the out-of-fold results: a ``Sense`` of every item, log-odds of
    every pair, and for every text with a fold by kernel and networks its scores."""

    meta: dict[str, Any]
    arrays: dict[str, Any]
    senses: list[Sense]
    log_odds: Vector
    scores: dict[str, Vector]


def fit_sense(
    items: Sequence[SenseItem],
    pairs: Sequence[SensePair],
    rows: Mapping[str, SenseRow],
    usual: Vector,
    model_sha256: str,
    version: str,
    folds: Ints,
    cancel: CancelToken | None = None,
    more: Sequence[tuple[SenseItem, int]] = (),
) -> FittedSense:
    """Fit heads to items that a model has read (all of them among ``rows``). ``folds``: the fold of each item; a pair's
    texts are in one. ``more``: items of other groups that the networks learn from besides, each with its fold,
    ``ALWAYS`` where they learn from it in every one. Raises ``Cancelled``."""
    token = cancel or CancelToken()
    every = [*items, *(item for item, _ in more)]
    fold = np.array([*folds, *(fold for _, fold in more)])
    tested = np.flatnonzero(fold != ALWAYS)
    arrays, of_tested = _points(items, [rows[every[n].text] for n in tested], usual)
    at = of_tested[: len(items)]
    near: Wide = kernel(of_tested, at, arrays["reach"], squares_of(at))
    examples = _examples(every, rows, arrays)

    def scored(inside: Ints, outside: Ints) -> Vector:
        """By the kernel, and by the networks."""
        token.check()
        own = inside[inside < len(items)]
        alpha, mean = _alpha(near[np.ix_(own, own)], [items[n] for n in own.tolist()])
        away = tested[outside]
        trained = train(examples, fold != fold[away[0]], token)
        by_networks = networks(examples.states[away], examples.plain[away], trained)
        return np.stack([near[np.ix_(outside, own)] @ alpha + mean, by_networks], axis=1)

    by_kernel, by_networks = out_of_fold(fold[tested], scored).transpose(1, 0, 2)
    token.check()
    # Both have the same spread, but for "joke", whose label all texts have.
    shares = np.stack([np.ones(len(SCORES)), by_kernel.std(axis=0) / (by_networks.std(axis=0) + _TINY)])
    both = np.stack([by_kernel[:, 0], by_networks[:, 0], np.ones(len(tested))], axis=1)
    labels = np.array([every[n].joke for n in tested])
    shares[:, 0] = likeliest(both, labels[:, 0], np.array([_LOOSE, _LOOSE, 1e-3]), counts=labels[:, 1])[:2]
    every_score = shares[0] * by_kernel + shares[1] * by_networks
    scores = every_score[: len(items)]
    stated = np.stack([said_of(score, rows[item.text].intent) for item, score in zip(items, scores, strict=True)])
    odds = out_of_fold(
        folds, lambda inside, outside: stated[outside] @ _said([items[n] for n in inside], stated[inside]).T
    )
    p = chances(np.clip(odds, -30, 30))
    no_turn = _threshold(items, p[:, 0])
    best = [float(joke) for item, (joke, _) in zip(items, p, strict=True) if item.sort == "best"]
    sure = max(no_turn, float(np.quantile(best, _UNSURE)) if best else 0.5)
    senses = [
        Sense(joke=float(j), whole=float(w), said="no turn" if j < no_turn else "joke" if j >= sure else "unsure")
        for j, w in p
    ]
    place = {item.text: n for n, item in enumerate(items)}
    readings = [SenseReading(rows[item.text], scores[n], senses[n]) for n, item in enumerate(items)]
    edits = [edit_of(two.better, two.worse) for two in pairs]
    edit = np.array([EDITS.index(name) for name in edits])
    fold_of_pair = folds[[place[two.better] for two in pairs]]
    near_of_pair, near_arrays = _near(pairs, edit, fold_of_pair)
    x = np.stack([
        pair(readings[place[two.better]], readings[place[two.worse]], near_score, two.drafts, two.change, name)
        for two, near_score, name in zip(pairs, near_of_pair, edits, strict=True)
    ])  # fmt: skip
    scale = np.sqrt((x**2).sum(axis=0) / np.maximum((x != 0).sum(axis=0), 1)) + _TINY

    def compared(inside: Ints, outside: Ints) -> Vector:
        weights = _pair_weights(x / scale, pairs, edit, np.isin(np.arange(len(pairs)), inside))
        return np.array([weights[edit[n]] @ (x[n] / scale) for n in outside])

    log_odds = out_of_fold(fold_of_pair, compared)
    token.check()
    alpha, mean = _alpha(near[: len(items)], items)
    counted = alpha.any(axis=1)
    arrays |= train(examples, np.ones(len(every), dtype=bool), token)
    for name in ("net_out", "net_out_bias"):
        arrays[name] = arrays[name] * shares[1]
    arrays |= near_arrays | {
        "support": at[counted],
        "alpha": alpha[counted] * shares[0],
        "mean": mean * shares[0],
        "said": _said(items, stated),
        "pair_scale": scale,
        "pair_weights": _pair_weights(x / scale, pairs, edit, np.ones(len(pairs), bool)),
    }
    # Variants are easier than what people write, and the same sentences follow jokes in every fold.
    telling = np.array([not two.equal and two.sort not in VARIANTS for two in pairs])
    right: dict[str, float] = {}
    for number, name in enumerate(EDITS):
        mine = telling & (edit == number)
        right[name] = round(float((log_odds[mine] > 0).mean()), 3) if mine.sum() >= 20 else 0.5
    meta = {
        "format": 2,
        "version": version,
        "model_sha256": model_sha256,
        "no_turn": round(no_turn, 4),
        "sure": round(sure, 4),
        "agreement": right,
    }
    of_text = {every[n].text: score for n, score in zip(tested.tolist(), every_score, strict=True)}
    return FittedSense(meta, arrays, senses, log_odds, of_text)


def _near(pairs: Sequence[SensePair], edits: Ints, folds: Ints) -> tuple[Vector, dict[str, Vector]]:
    """Fit maps of near texts, one for each kind of edit, shrunk towards the map of all pairs. Return each pair's score
    out of fold, times the overlap; and the arrays for ``drafts.score_of``, stacked by kind."""
    table = table_of([DraftPair(n, pair.better, pair.worse, "edited") for n, pair in enumerate(pairs)], [
        pair.change for pair in pairs
    ])  # fmt: skip
    goal = np.array([float(not pair.equal) for pair in pairs])
    weight = np.array([min(_MOST_NEAR.get(pair.sort, 1.0), pair.weight) for pair in pairs])
    odd, scales = odd_kernel(table, CancelToken())
    odd *= np.where(edits[:, None] == edits[None], np.float32(1.0), np.float32(_COMMON))
    penalty = (STRENGTH / weight).astype(np.float32)

    def solved(inside: Ints) -> Vector:
        inner = odd[np.ix_(inside, inside)] + np.diag(penalty[inside])
        return np.linalg.solve(inner, goal[inside].astype(np.float32)).astype(np.float64)

    score = out_of_fold(folds, lambda inside, outside: odd[np.ix_(outside, inside)] @ solved(inside))
    every = np.arange(len(pairs))
    alpha = solved(every)
    of_kind = [alpha * np.where(edits == kind, 1.0, _COMMON) for kind in range(len(EDITS))]
    return score * table.overlap, {
        "near_scale": table.scale,
        "near_weights": np.stack([linear(table, part, scales, every) for part in of_kind]),
        "near_words": np.stack([primal(table, part, scales, every) for part in of_kind]),
        "near_shape_scale": table.shape_scale,
        "near_rows": table.shape.astype(np.float64),
        "near_alpha": np.stack(of_kind) * scales["shape"],
    }


def _points(items: Sequence[SenseItem], rows: Sequence[SenseRow], usual: Vector) -> tuple[dict[str, Any], Wide]:
    """Return the arrays of the points of texts, and those of ``rows``, which begin with the items'."""
    pooled = np.stack([row.pooled for row in rows]).astype(np.float32)
    measures = np.stack([row.measures for row in rows]).astype(np.float32)
    shaping = np.array([n for n, item in enumerate(items) if item.sort not in VARIANTS])
    centre, scale = pooled[shaping].mean(axis=0), pooled[shaping].std(axis=0) + _TINY
    chosen = shaping[np.random.default_rng(1).choice(len(shaping), min(len(shaping), _SAMPLE), replace=False)]
    some = np.clip((pooled[chosen] - centre) / scale, -CLIP, CLIP)
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
    return a, at


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
    solved = np.linalg.solve(inner + np.float32(_STRENGTH) * np.eye(len(used), dtype=np.float32), fun)
    alpha[used, 2] = solved - within @ (within.T @ solved)
    return alpha, mean


def _said(items: Sequence[SenseItem], x: Vector) -> Vector:
    """Return (2, features): weights for the log-odds of joke, from its own score alone, and of whole, from all that
    ``said_of`` gives."""
    weights = []
    for name, firm in (("joke", _FIRM), ("whole", _LOOSE)):
        labels = np.array([getattr(item, name) for item in items])
        penalty = np.array([_LOOSE if n == 0 else firm for n in range(x.shape[1] - 1)] + [1e-3])
        weights.append(likeliest(x, labels[:, 0], penalty, counts=labels[:, 1]))
    return np.stack(weights)


def _threshold(items: Sequence[SenseItem], p: Vector) -> float:
    """Return the probability below which a text is reported as having no turn: at most the share ``_REJECTED`` of the
    families' best jokes, and of people's, is below it."""
    limits = [
        float(np.quantile(jokes, _REJECTED))
        for start in ("best", "human")
        if (jokes := [float(value) for item, value in zip(items, p, strict=True) if item.sort.startswith(start)])
    ]
    return min(limits, default=0.05)


def _pair_weights(x: Vector, pairs: Sequence[SensePair], edits: Ints, use: npt.NDArray[np.bool_]) -> Vector:
    """Return (edits, features): each kind's own weights, shrunk towards those of all kinds together."""
    goal = np.array([0.5 if two.equal else 1.0 for two in pairs])
    weight = np.array([two.weight for two in pairs])
    every = likeliest(x[use], goal[use], np.full(PAIR, _PRIOR_ALL), counts=weight[use])
    penalty = np.full(PAIR, _PRIOR_EDIT)
    of_edits = [use & (edits == number) for number in range(len(EDITS))]
    return np.stack([likeliest(x[m], goal[m], penalty, centre=every, counts=weight[m]) for m in of_edits])
