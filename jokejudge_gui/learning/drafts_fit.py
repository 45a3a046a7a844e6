"""Fits draft heads: the preferred one of two drafts, and the fault of the other one.

Kernel ridge regression on pairs. A pair's kernel is the sum of linear ones (states, words that only one draft has) and
of a Laplacian one on the shape of the change, made odd: k(x, y) − k(x, −y). The figures are out of fold by joke.
"""

from __future__ import annotations

import zlib
from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.events import Event
from ..core.statistics import Vector, fraction
from ..core.texts import clean_text
from ..engine.base import CancelToken, Scan
from ..heads.drafts import (
    SHAPE_CLIP,
    STATES_CLIP,
    WORD_BUCKETS,
    Differences,
    DraftHeads,
    DraftReading,
    differences,
    reading,
)
from ..heads.editor_file import Ints
from ..heads.files import FORMAT
from .figures import FOLDS, hits, interval, out_of_fold, resampled
from .ridge import likeliest
from .teacher import Lesson, Teacher, Written, progress, shipped_lines, too_few

VERSION = "1"
Sort = Literal["edited", "equal", "rewritten"]
"""The best draft and a worse one; the best draft and an equally good one; the equally good one and a worse one."""
COUNTS: dict[Sort, float] = {"edited": 1.0, "equal": 0.5, "rewritten": 0.3}
"""Training weight of a pair of each sort. The equally good draft has other words, so a worse one differs from it by
more than its fault."""


class DraftJoke(NamedTuple):
    """One joke: its best draft, an equally good one in other words, worse ones with their fault's id; ``turn``: the
    words on which the best one turns."""

    id: str
    best: str
    equal: str
    worse: tuple[tuple[str, str], ...]
    turn: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.best, self.equal, *(text for text, _ in self.worse))


class DraftPair(NamedTuple):
    """Two drafts of joke number ``joke``, the better one first (of equals, the best one); ``fault``: of the second."""

    joke: int
    first: str
    second: str
    sort: Sort
    fault: str = ""


def load_drafts(path: Path) -> tuple[DraftJoke, ...]:
    """Return the jokes in a file of drafts (models/drafts/README.md). Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    return tuple(shipped_lines(path, _joke))


def _joke(row: dict[str, Any]) -> DraftJoke:
    worse = tuple((clean_text(draft["text"]), draft["fault"]) for draft in row["worse"])
    best, equal = (clean_text(row[name]) for name in ("best", "equal"))
    return DraftJoke(row["id"], best, equal, worse, row.get("turn", "").strip())


def pairs_of(jokes: Sequence[DraftJoke]) -> list[DraftPair]:
    """Return all pairs, those of the sort ``edited`` first."""
    worse = [(place, joke, text, fault) for place, joke in enumerate(jokes) for text, fault in joke.worse]
    return [
        *(DraftPair(place, joke.best, text, "edited", fault) for place, joke, text, fault in worse),
        *(DraftPair(place, joke.best, joke.equal, "equal") for place, joke in enumerate(jokes)),
        *(DraftPair(place, joke.equal, text, "rewritten", fault) for place, joke, text, fault in worse),
    ]


def folds_of(jokes: Sequence[DraftJoke]) -> Ints:
    """Return a fold 0…4 for each joke, from its id alone, with even sizes."""
    order = sorted(range(len(jokes)), key=lambda place: (zlib.crc32(jokes[place].id.encode()), jokes[place].id))
    folds = np.empty(len(jokes), dtype=np.int64)
    folds[order] = np.arange(len(jokes)) % FOLDS
    return folds


# -- figures of draft heads, on jokes that they weren't trained on


def figures_of(pairs: Sequence[DraftPair], log_odds: Vector) -> dict[str, Any]:
    """Return the number of jokes, and shares of right answers, from out-of-fold log-odds of all pairs (positive: the
    first one). ``edited``: the best draft above a worse one, with a 95 % interval by a bootstrap over jokes;
    ``rewritten``: the equally good one above a worse one."""
    sort, joke = np.array([pair.sort for pair in pairs]), np.array([pair.joke for pair in pairs])
    right, edited = hits(log_odds), sort == "edited"
    number = np.unique(joke[edited], return_inverse=True)[1]
    sums, sizes = np.bincount(number, right[edited]), np.bincount(number)
    random = np.random.default_rng(1)
    draws = resampled(len(sums), lambda rows: sums[rows].sum() / sizes[rows].sum(), 1000, random)
    return {
        "jokes": len(sums),
        "edited": fraction(right[edited]).model_dump(mode="json"),
        "interval": [round(float(end), 3) for end in interval(draws)],
        "rewritten": float(right[sort == "rewritten"].mean()),
    }


STRENGTH = 0.6
_FAULT_STRENGTH = 0.2
_POOLED, _ENDS, _WORDS, _SHAPES = 0.5, 0.4, 0.3, 1.0
"""Weights of the kernel's parts, each scaled to a mean of 1: chosen on drafts.jsonl with the embedded model
(models/training/LOG.md)."""
_PRECISE = 0.75
_LEAST_SHOWN = 15
_TINY = 1e-6
Wide = npt.NDArray[np.float32]


Fitted = tuple[dict[str, Any], dict[str, Vector], dict[str, Any]]
"""Meta and arrays of ``DraftHeads``, and figures on jokes that the heads weren't trained on."""


@dataclass(frozen=True, eq=False)
class _Table:
    """Standardised features of all pairs, of which the first ``edited`` are of that sort."""

    pairs: Sequence[DraftPair]
    edited: int
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
    def parts(self) -> dict[str, tuple[float, Wide]]:
        """The linear parts of the kernel by name, each as its weight and its columns."""
        ends = (self.states.shape[1] - 3) // 5
        pooled, last = self.states[:, :-ends], self.states[:, -ends:]
        return {"linear0": (_POOLED, pooled), "linear1": (_ENDS, last), "words": (_WORDS, self.words)}


def fit_draft_heads(
    jokes: Sequence[DraftJoke],
    readings: Mapping[str, DraftReading],
    model_sha256: str,
    cancel: CancelToken | None = None,
) -> Fitted:
    """Fit heads to jokes whose drafts a model has read; a joke with a draft that isn't among ``readings`` is left out.
    Raises ``Cancelled``, and ``ValueError`` for fewer than ``FOLDS`` jokes."""
    token = cancel or CancelToken()
    jokes = [joke for joke in jokes if all(text in readings for text in joke.texts)]
    if len(jokes) < FOLDS:
        raise ValueError("there are too few jokes in drafts")
    pairs = pairs_of(jokes)
    table = table_of(pairs, [differences(readings[pair.first], readings[pair.second]) for pair in pairs])
    fold = folds_of(jokes)[[pair.joke for pair in pairs]]
    token.check()
    odd, scales = odd_kernel(table, token)
    both = np.concatenate([table.shape, table.even], axis=1)[: table.edited]  # edited pairs: the order is known
    even, even_scales = _summed(table, _laplacian(both, both, token), slice(0, table.edited))
    names = sorted({pair.fault for pair in pairs if pair.fault})
    labels = np.array([[pair.fault == name for name in names] for pair in pairs[: table.edited]], dtype=np.float64)

    def faulty(inside: Ints, outside: Ints) -> Vector:
        token.check()
        alpha, bias = _fault_alpha(even, labels, inside)
        return np.asarray(bias + even[np.ix_(outside, inside)] @ alpha)

    score = out_of_fold(fold, lambda inside, outside: odd[np.ix_(outside, inside)] @ alpha_of(odd, pairs, inside))
    fault = out_of_fold(fold[: table.edited], faulty)
    token.check()
    gain, gamma = calibrated(score, table)
    log_odds = log_odds_of(score, table, gain, gamma)
    fault_gain = _fault_gain(fault, labels)
    stated = _softmax(fault_gain * fault)
    least = {name: _least(stated, labels, place) for place, name in enumerate(names)}
    figures = figures_of(pairs, log_odds)
    meta = {
        "format": FORMAT,
        "version": VERSION,
        "model_sha256": model_sha256,
        "faults": least,
        "gain": gain,
        "fault_gain": fault_gain,
        "length_gamma": gamma,
        "length_sd": spread(table.lengths),
        "agreement": round(figures["edited"]["share"], 3),
        "agreement_rewritten": round(figures["rewritten"], 3),
    }
    every = np.arange(len(pairs))
    alpha = alpha_of(odd, pairs, every)
    fault_alpha, bias = _fault_alpha(even, labels, every[: table.edited])
    arrays = {
        "scale": table.scale,
        "weights": linear(table, alpha, scales, every),
        "words": primal(table, alpha, scales, every),
        "shape_scale": table.shape_scale,
        "rows": table.shape.astype(np.float64),
        "alpha": alpha * scales["shape"],
        "even_centre": table.even_centre,
        "even_scale": table.even_scale,
        "rows_even": table.even[: table.edited].astype(np.float64),
        "fault_weights": linear(table, fault_alpha, even_scales, every[: table.edited]).T,
        "fault_words": primal(table, fault_alpha, even_scales, every[: table.edited]).T,
        "fault_alpha": (fault_alpha * even_scales["shape"]).T,
        "fault_bias": bias,
    }
    return meta, arrays, figures


def table_of(pairs: Sequence[DraftPair], changes: Sequence[Differences]) -> _Table:
    edited = sum(pair.sort == "edited" for pair in pairs)
    states, shape, even = (np.array([getattr(change, n) for change in changes]) for n in ("states", "shape", "even"))
    words = np.zeros((len(changes), WORD_BUCKETS), dtype=np.float32)
    for row, change in zip(words, changes, strict=True):
        row[list(change.words)] = list(change.words.values())
    scale = np.sqrt((states**2).mean(axis=0)) + _TINY
    shape_scale = np.sqrt((shape[:edited] ** 2).mean(axis=0)) + _TINY
    centre, even_scale = even[:edited].mean(axis=0), even[:edited].std(axis=0) + _TINY
    return _Table(
        pairs=pairs,
        edited=edited,
        states=np.clip(states / scale, -STATES_CLIP, STATES_CLIP).astype(np.float32),
        words=words,
        shape=np.clip(shape / shape_scale, -SHAPE_CLIP, SHAPE_CLIP).astype(np.float32),
        even=np.clip((even - centre) / even_scale, -SHAPE_CLIP, SHAPE_CLIP).astype(np.float32),
        overlap=np.array([change.overlap for change in changes]),
        lengths=np.array([len(pair.first) - len(pair.second) for pair in pairs], dtype=np.float64),
        scale=scale,
        shape_scale=shape_scale,
        even_centre=centre,
        even_scale=even_scale,
    )


def odd_kernel(table: _Table, token: CancelToken) -> tuple[Wide, dict[str, float]]:
    """Return the kernel of pairs, (pairs, pairs), and the factor of each part."""
    near = _laplacian(table.shape, table.shape, token) - _laplacian(table.shape, -table.shape, token)
    return _summed(table, near, slice(None))


def _summed(table: _Table, near: Wide, rows: slice) -> tuple[Wide, dict[str, float]]:
    scales: dict[str, float] = {}
    kernel = np.zeros_like(near)
    for name, (weight, part) in table.parts.items():
        inner = part[rows] @ part[rows].T
        scales[name] = weight / max(float(np.diag(inner).mean()), _TINY)
        kernel += np.float32(scales[name]) * inner
    scales["shape"] = _SHAPES / max(float(np.diag(near).mean()), _TINY)
    kernel += np.float32(scales["shape"]) * near
    whole = _POOLED + _ENDS + _WORDS + _SHAPES
    return kernel / np.float32(whole), {name: value / whole for name, value in scales.items()}


def _laplacian(rows: Wide, others: Wide, token: CancelToken) -> Wide:
    kernel = np.empty((len(rows), len(others)), dtype=np.float32)
    columns = np.ascontiguousarray(rows.T)
    for place, other in enumerate(others):
        if place % 100 == 0:
            token.check()
        apart = np.zeros(len(rows), np.float32)
        for column, value in zip(columns, other, strict=True):  # several times as fast as all columns at once
            apart += np.abs(column - value)
        kernel[:, place] = np.exp(-apart / len(columns))
    return kernel


def alpha_of(odd: Wide, pairs: Sequence[DraftPair], inside: Ints) -> Vector:
    """Return the dual weights of the pairs at ``inside``: targets 1 (the first is better) and 0 (equals), each weighted
    by its sort."""
    targets = np.array([0.0 if pairs[place].sort == "equal" else 1.0 for place in inside])
    penalty = np.array([STRENGTH / COUNTS[pairs[place].sort] for place in inside])
    return np.asarray(np.linalg.solve(odd[np.ix_(inside, inside)].astype(np.float64) + np.diag(penalty), targets))


def _fault_alpha(even: Wide, labels: Vector, inside: Ints) -> tuple[Vector, Vector]:
    bias = labels[inside].mean(axis=0)
    inner = even[np.ix_(inside, inside)].astype(np.float64) + _FAULT_STRENGTH * np.eye(len(inside))
    return np.linalg.solve(inner, labels[inside] - bias), bias


def linear(table: _Table, alpha: Vector, scales: dict[str, float], rows: Ints) -> Vector:
    """Return (features) or (features, outputs): the primal weights of the states."""
    return np.concatenate([primal(table, alpha, scales, rows, name) for name in ("linear0", "linear1")])


def primal(table: _Table, alpha: Vector, scales: dict[str, float], rows: Ints, name: str = "words") -> Vector:
    """Return the primal weights of a part of the kernel."""
    return np.asarray(table.parts[name][1][rows].T.astype(np.float64) @ alpha * scales[name])


def calibrated(score: Vector, table: _Table) -> tuple[float, float]:
    """Return the gain of the score times the overlap, and γ of the length: the maximum a posteriori over pairs weighted
    by their sort, equals being half a win for either; γ ~ N(0, ½²), gain ≥ 0."""
    x = np.stack([table.overlap * score, np.tanh(table.lengths / spread(table.lengths))], axis=1)
    counts = np.array([COUNTS[pair.sort] for pair in table.pairs])
    sizes = {sort: sum(pair.sort == sort for pair in table.pairs) for sort in COUNTS}
    counts = counts * np.array([len(x) / sizes[pair.sort] / len(COUNTS) for pair in table.pairs])
    goal = np.array([0.5 if pair.sort == "equal" else 1.0 for pair in table.pairs])
    gain, gamma = likeliest(x, goal, np.array([_TINY, 4.0]), counts=counts)
    return max(0.0, float(gain)), float(gamma)


def log_odds_of(score: Vector, table: _Table, gain: float, gamma: float) -> Vector:
    """Return the log-odds of all pairs, from their scores."""
    return np.asarray(gain * table.overlap * score + gamma * np.tanh(table.lengths / spread(table.lengths)))


def spread(lengths: Vector) -> float:
    return max(1.0, float(np.sqrt((lengths**2).mean())))


def _fault_gain(scores: Vector, labels: Vector) -> float:
    """Return the factor that makes the softmax of the scores fit best."""

    def loss(gain: float) -> float:
        return -float(np.log(np.maximum((_softmax(gain * scores) * labels).sum(axis=1), 1e-12)).mean())

    return min((0.25 * step for step in range(81)), key=loss)


def _softmax(scores: Vector) -> Vector:
    odds = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(odds / odds.sum(axis=1, keepdims=True))


def _least(stated: Vector, labels: Vector, place: int) -> float | None:
    """Return the least probability from which this fault, when named, is right often enough; None where there is
    none."""
    mine = np.flatnonzero(stated.argmax(axis=1) == place)
    for least in (0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8):
        shown = mine[stated[mine, place] >= least]
        if len(shown) < _LEAST_SHOWN:
            break
        if labels[shown, place].mean() >= _PRECISE:
            return least
    return None


# -- The lesson of the draft heads

LEAST_JOKES = 10 * FOLDS


class DraftsLesson(Lesson[DraftReading]):
    """The draft heads, from a file of jokes in several drafts. Raises ``ModelError`` where it can't be read."""

    part = "drafts"
    note = "reading jokes in several drafts"

    def __init__(self, drafts: Path) -> None:
        self.jokes = load_drafts(drafts)
        self.texts = list(dict.fromkeys(text for joke in self.jokes for text in joke.texts))

    def row(self, text: str, scan: Scan) -> DraftReading:
        return reading(text, scan)

    def fit(self, rows: Sequence[DraftReading | None], teacher: Teacher) -> Generator[Event, None, Written]:
        read = {text: row for text, row in zip(self.texts, rows, strict=True) if row is not None}
        whole = sum(all(text in read for text in joke.texts) for joke in self.jokes)
        if whole < LEAST_JOKES:
            raise too_few(f"the drafts of {whole} jokes", "learn from", LEAST_JOKES)
        yield progress(len(rows), len(rows), "comparing drafts, and measuring")
        meta, arrays, figures = fit_draft_heads(self.jokes, read, teacher.sha256, teacher.token)
        card = {
            "version": VERSION,
            "labels": "An editor's: jokes and drafts written and marked by a large language model; not people's votes.",
            "data": "drafts.jsonl, written for this project",
            "split": f"{FOLDS} folds by joke; the heads that are kept are fitted on all jokes",
            "figures": figures,
        }
        return partial(DraftHeads.write, meta=meta, arrays=arrays), card
