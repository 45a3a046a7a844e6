"""Fits draft heads: which of two drafts an editor prefers, and the fault of the other one.

Kernel ridge regression on pairs. A pair's kernel is the sum of linear ones (states, words that only one draft has) and
of a Laplacian one on the shape of the change, made odd: k(x, y) − k(x, −y). The figures are out of fold by joke.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.base import CancelToken
from ..judging.reading.draft_features import WORD_BUCKETS, Differences, DraftReading, differences
from ..judging.reading.draft_file import FORMAT
from ..judging.reading.drafts import SHAPE_CLIP, STATES_CLIP, kernel
from ..statistics import Vector
from .drafts_data import COUNTS, FOLDS, DraftJoke, DraftPair, folds_of, pairs_of
from .drafts_report import DraftFigures, figures_of

_STRENGTH = 0.6
_FAULT_STRENGTH = 0.2
_POOLED, _ENDS, _WORDS, _SHAPES = 0.5, 0.4, 0.3, 1.0
"""Parts of the kernel, each scaled to a mean of 1: chosen on drafts.jsonl with the embedded model (models/training/
LOG.md)."""
_PRECISE = 0.75
_LEAST_SHOWN = 15
_TINY = 1e-6
Wide = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class FittedDrafts:
    """Meta and arrays of ``draft_file``, and what they are worth on jokes that they weren't fitted on."""

    meta: dict[str, Any]
    arrays: dict[str, Vector]
    figures: DraftFigures


@dataclass(frozen=True, eq=False)
class _Table:
    """Standardised features of all pairs, and the kernel of each part, scaled to a mean of 1 over the diagonal."""

    pairs: list[DraftPair]
    states: Wide
    words: Wide
    shape: Wide
    even: Wide
    overlap: Vector
    lengths: Vector
    scale: Vector
    shape_scale: Vector
    even_centre: Vector
    even_scale: Vector

    @property
    def edited(self) -> int:
        return sum(pair.sort == "edited" for pair in self.pairs)

    @property
    def parts(self) -> tuple[tuple[float, Wide], ...]:
        """The linear parts: weight of each and its columns in ``states``; words stand by themselves."""
        ends = (self.states.shape[1] - 3) // 5
        return (_POOLED, self.states[:, :-ends]), (_ENDS, self.states[:, -ends:])


def fit_draft_heads(
    jokes: Sequence[DraftJoke],
    readings: Mapping[str, DraftReading],
    model_sha256: str,
    version: str,
    cancel: CancelToken | None = None,
) -> Generator[tuple[int, int], None, FittedDrafts]:
    """Heads from jokes whose drafts a model has read; a joke with a draft that isn't among ``readings`` is left out.
    Yields (done, total); returns the heads. Raises ``Cancelled``, and ``ValueError`` for fewer than ``FOLDS`` jokes."""
    token = cancel or CancelToken()
    jokes = [joke for joke in jokes if all(text in readings for text in joke.texts)]
    if len(jokes) < FOLDS:
        raise ValueError("there are too few jokes in drafts")
    pairs = pairs_of(jokes)
    total = len(pairs) + 100 * (FOLDS + 1)
    found: list[Differences] = []
    for pair in pairs:
        if len(found) % 20 == 0:
            token.check()
            yield len(found), total
        found.append(differences(readings[pair.first], readings[pair.second]))
    table = _table(pairs, found)
    fold = folds_of(jokes)[[pair.joke for pair in pairs]]
    yield len(pairs), total
    odd, scales = _odd_kernel(table, token)
    even, even_scales = _fault_kernel(table, token)
    names = sorted({pair.fault for pair in pairs if pair.fault})
    known = np.array([[pair.fault == name for name in names] for pair in pairs[: table.edited]], dtype=np.float64)
    score = np.zeros(len(pairs))
    fault = np.zeros(known.shape)
    for away in range(FOLDS):
        token.check()
        yield len(pairs) + 100 * (away + 1), total
        inside, outside = np.flatnonzero(fold != away), np.flatnonzero(fold == away)
        score[outside] = odd[np.ix_(outside, inside)] @ _alpha(odd, pairs, inside)
        near, far = inside[inside < table.edited], outside[outside < table.edited]
        alpha, bias = _fault_alpha(even, known, near)
        fault[far] = bias + even[np.ix_(far, near)] @ alpha
    token.check()
    gain, gamma = _calibrated(score, table)
    length_sd = _spread(table.lengths)
    log_odds = gain * table.overlap * score + gamma * np.tanh(table.lengths / length_sd)
    fault_gain = _fault_gain(fault, known)
    stated = _softmax(fault_gain * fault)
    least = {name: _least(stated, known, place) for place, name in enumerate(names)}
    figures = figures_of(pairs, log_odds, stated, names, least)
    meta = {
        "format": FORMAT,
        "version": version,
        "model_sha256": model_sha256,
        "faults": least,
        "gain": gain,
        "fault_gain": fault_gain,
        "length_gamma": gamma,
        "length_sd": length_sd,
        "agreement": round(figures.agreement, 3),
        "agreement_rewritten": round(figures.rewritten, 3),
    }
    every = np.arange(len(pairs))
    alpha = _alpha(odd, pairs, every)
    fault_alpha, bias = _fault_alpha(even, known, every[: table.edited])
    arrays = {
        "scale": table.scale,
        "weights": _linear(table, alpha, scales, every),
        "words": table.words.T.astype(np.float64) @ alpha * scales["words"],
        "shape_scale": table.shape_scale,
        "rows": table.shape.astype(np.float64),
        "alpha": alpha * scales["shape"],
        "even_centre": table.even_centre,
        "even_scale": table.even_scale,
        "rows_even": table.even[: table.edited].astype(np.float64),
        "fault_weights": _linear(table, fault_alpha, even_scales, every[: table.edited]).T,
        "fault_words": (table.words[: table.edited].T.astype(np.float64) @ fault_alpha * even_scales["words"]).T,
        "fault_alpha": (fault_alpha * even_scales["shape"]).T,
        "fault_bias": bias,
    }
    return FittedDrafts(meta, arrays, figures)


def _table(pairs: list[DraftPair], found: Sequence[Differences]) -> _Table:
    edited = sum(pair.sort == "edited" for pair in pairs)
    states = np.array([each.states for each in found])
    shape = np.array([each.shape for each in found])
    even = np.array([each.even for each in found])
    words = np.zeros((len(found), WORD_BUCKETS), dtype=np.float32)
    for row, each in zip(words, found, strict=True):
        row[list(each.words)] = list(each.words.values())
    scale = np.sqrt((states**2).mean(axis=0)) + _TINY
    shape_scale = np.sqrt((shape[:edited] ** 2).mean(axis=0)) + _TINY
    centre, even_scale = even[:edited].mean(axis=0), even[:edited].std(axis=0) + _TINY
    return _Table(
        pairs,
        np.clip(states / scale, -STATES_CLIP, STATES_CLIP).astype(np.float32),
        words,
        np.clip(shape / shape_scale, -SHAPE_CLIP, SHAPE_CLIP).astype(np.float32),
        np.clip((even - centre) / even_scale, -SHAPE_CLIP, SHAPE_CLIP).astype(np.float32),
        np.array([each.overlap for each in found]),
        np.array([len(pair.first) - len(pair.second) for pair in pairs], dtype=np.float64),
        scale,
        shape_scale,
        centre,
        even_scale,
    )


def _odd_kernel(table: _Table, token: CancelToken) -> tuple[Wide, dict[str, float]]:
    """(pairs, pairs), and what each part was multiplied by."""
    near = _laplacian(table.shape, table.shape, token) - _laplacian(table.shape, -table.shape, token)
    return _summed(table, near, slice(None))


def _fault_kernel(table: _Table, token: CancelToken) -> tuple[Wide, dict[str, float]]:
    """The same over edited pairs alone, where the order of the drafts is known."""
    both = np.concatenate([table.shape, table.even], axis=1)[: table.edited]
    return _summed(table, _laplacian(both, both, token), slice(0, table.edited))


def _summed(table: _Table, near: Wide, rows: slice) -> tuple[Wide, dict[str, float]]:
    scales: dict[str, float] = {}
    found = np.zeros_like(near)
    blocks = [(f"linear{place}", weight, part[rows]) for place, (weight, part) in enumerate(table.parts)]
    for name, weight, part in [*blocks, ("words", _WORDS, table.words[rows])]:
        inner = part @ part.T
        scales[name] = weight / max(float(np.diag(inner).mean()), _TINY)
        found += np.float32(scales[name]) * inner
    scales["shape"] = _SHAPES / max(float(np.diag(near).mean()), _TINY)
    found += np.float32(scales["shape"]) * near
    whole = _POOLED + _ENDS + _WORDS + _SHAPES
    return found / np.float32(whole), {name: value / whole for name, value in scales.items()}


def _laplacian(rows: Wide, others: Wide, token: CancelToken) -> Wide:
    found = np.empty((len(rows), len(others)), dtype=np.float32)
    for place, other in enumerate(others):
        if place % 100 == 0:
            token.check()
        found[:, place] = kernel(rows, other)  # type: ignore[arg-type]
    return found


def _alpha(odd: Wide, pairs: Sequence[DraftPair], inside: npt.NDArray[np.int64]) -> Vector:
    """Weights of the pairs at ``inside``: targets 1 (the first is better) and 0 (equals), each counted by its sort."""
    targets = np.array([0.0 if pairs[place].sort == "equal" else 1.0 for place in inside])
    penalty = np.array([_STRENGTH / COUNTS[pairs[place].sort] for place in inside])
    found: Vector = np.linalg.solve(odd[np.ix_(inside, inside)].astype(np.float64) + np.diag(penalty), targets)
    return found


def _fault_alpha(even: Wide, known: Vector, inside: npt.NDArray[np.int64]) -> tuple[Vector, Vector]:
    bias = known[inside].mean(axis=0)
    inner = even[np.ix_(inside, inside)].astype(np.float64) + _FAULT_STRENGTH * np.eye(len(inside))
    return np.linalg.solve(inner, known[inside] - bias), bias


def _linear(table: _Table, alpha: Vector, scales: dict[str, float], rows: npt.NDArray[np.int64]) -> Vector:
    """(features) or (features, outputs): the maps of the states."""
    parts = [part[rows].T.astype(np.float64) @ alpha * scales[f"linear{n}"] for n, (_, part) in enumerate(table.parts)]
    return np.concatenate(parts)


def _calibrated(score: Vector, table: _Table) -> tuple[float, float]:
    """Gain of the score times the overlap, and γ of the length beside it: the likeliest for pairs counted by their
    sort, equals being half a win for either; γ ~ N(0, ½²), gain ≥ 0. Newton's method."""
    x = np.stack([table.overlap * score, np.tanh(table.lengths / _spread(table.lengths))], axis=1)
    counts = np.array([COUNTS[pair.sort] for pair in table.pairs])
    sizes = {sort: sum(pair.sort == sort for pair in table.pairs) for sort in COUNTS}
    counts = counts * np.array([len(x) / sizes[pair.sort] / len(COUNTS) for pair in table.pairs])
    goal = np.array([0.5 if pair.sort == "equal" else 1.0 for pair in table.pairs])
    prior = np.array([_TINY, 4.0])
    found = np.zeros(2)
    for _ in range(50):
        p = 1 / (1 + np.exp(-x @ found))
        slope = x.T @ (counts * (goal - p)) - prior * found
        curve = (x * (counts * p * (1 - p))[:, None]).T @ x + np.diag(prior)
        found = found + np.linalg.solve(curve, slope)
    return max(0.0, float(found[0])), float(found[1])


def _spread(lengths: Vector) -> float:
    return max(1.0, float(np.sqrt((lengths**2).mean())))


def _fault_gain(scores: Vector, known: Vector) -> float:
    """The factor that makes scores the likeliest log-odds."""

    def loss(gain: float) -> float:
        return -float(np.log(np.maximum((_softmax(gain * scores) * known).sum(axis=1), 1e-12)).mean())

    return min((0.25 * step for step in range(81)), key=loss)


def _softmax(scores: Vector) -> Vector:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    found: Vector = odds / odds.sum(axis=1, keepdims=True)
    return found


def _least(stated: Vector, known: Vector, place: int) -> float | None:
    """The least probability from which on this fault, named, is right in most cases; None where it never is."""
    mine = np.flatnonzero(stated.argmax(axis=1) == place)
    for least in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        shown = mine[stated[mine, place] >= least]
        if len(shown) < _LEAST_SHOWN:
            break
        if known[shown, place].mean() >= _PRECISE:
            return least
    return None
