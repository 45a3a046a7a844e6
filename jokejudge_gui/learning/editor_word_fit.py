"""Fits the maps from single words to the editor's turn, and to the words that a better draft does without."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..judging.reading.editor import TextRow
from ..judging.reading.editor_words import CLIP, WordHead
from ..statistics import Vector
from .editor_data import CUTTABLE, FOLDS, Draft, Readings
from .editor_labels import cut_labels, edge_labels, turn_labels
from .ridge import Ints

AXES = 160
STRENGTH = 0.3
"""Of the ridge, in units of a feature's mean square."""
_TURN_GOALS = 4
_MOST_FOR_AXES = 8000
_SMALL = 1e-6
Matrix = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class WordsFit:
    """``arrays`` of the word head from all texts, ``edge_arrays`` those of a turn's first, last and only word; ``turn``
    (words,): of every text, its words' scores by a head that hadn't seen it, ``edges`` (words, 3) such scores of those;
    ``cut``: labels of the drafts' words, and such scores."""

    arrays: dict[str, Vector]
    edge_arrays: dict[str, Vector]
    turn: list[Vector]
    edges: list[Vector]
    cut: tuple[Vector, Vector]


def fit_words(
    rows: Sequence[TextRow], readings: Readings, drafts: Sequence[Draft], fold: Ints, check: Callable[[], None]
) -> WordsFit:
    """``rows``: of the readings' texts, then of the drafts; ``fold`` (rows,). One text at least has words."""
    blank = _blank([row for row in rows if row.words])
    features = [blank.features(row.states, row.places).astype(np.float32) if row.words else None for row in rows]
    check()
    both = list(zip(rows[len(readings) :], drafts, strict=True))
    named = [*readings.turns, *((draft.turn,) for draft in drafts)]
    turns = [_turn_goals(row, its) for row, its in zip(rows, named, strict=True)]
    cuts: list[Vector | None] = [None] * len(readings)
    cuts += [cut_labels(row, d.best)[:, None] if d.fault is None or d.fault in CUTTABLE else None for row, d in both]
    sums = [
        [_Sums(features, goals, np.flatnonzero(fold == part), width) for part in range(FOLDS)]
        for goals, width in ((turns, _TURN_GOALS), (cuts, 1))
    ]
    check()
    maps = [[_solve(of[:part] + of[part + 1 :]) for of in sums] for part in range(FOLDS)]
    scored = [
        np.zeros((0, _TURN_GOALS + 1)) if found is None else np.hstack([found @ w + b for w, b in maps[part]])
        for found, part in zip(features, fold, strict=True)
    ]
    known = [(c[:, 0], s[:, -1]) for c, s in zip(cuts, scored, strict=True) if c is not None]
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
        },
        edge_arrays={"turn_word_weights": turn[:, 1:], "turn_word_bias": turn_bias[1:]},
        turn=[found[:, 0] for found in scored],
        edges=[found[:, 1:-1] for found in scored],
        cut=(
            np.concatenate([np.zeros(1), *(labels for labels, _ in known)]),
            np.concatenate([np.zeros(1), *(scores for _, scores in known)]),
        ),
    )


def _blank(rows: Sequence[TextRow]) -> WordHead:
    """A head that has learned nothing yet: centre, scale and axes of all words, without a look at what was read."""
    where = np.concatenate([row.places for row in rows])
    # Sums rather than one large matrix: of a large model the words' states alone fill hundreds of megabytes.
    centre = sum(row.states.sum(axis=0, dtype=np.float64) for row in rows) / len(where)
    square = sum(((row.states - centre) ** 2).sum(axis=0, dtype=np.float64) for row in rows) / len(where)
    scale = np.sqrt(square) + 1e-4
    every = 1 + len(where) // _MOST_FOR_AXES
    some = np.concatenate([row.states[::every] for row in rows]).astype(np.float64)
    some = np.clip((some - centre) / scale, -CLIP, CLIP)
    values, vectors = np.linalg.eigh(some.T @ some / len(some))
    axes = vectors[:, ::-1][:, :AXES]
    spread = float(np.sqrt(np.clip(values[::-1][:AXES], 0.0, None)).mean())
    return WordHead(
        centre=centre,
        scale=scale,
        axes=axes / max(spread, _SMALL),
        place_centre=where.mean(axis=0),
        place_scale=where.std(axis=0) + _SMALL,
        weights=np.zeros((0, 2)),
        bias=np.zeros(2),
    )


def _turn_goals(row: TextRow, named: Sequence[str]) -> Vector | None:
    """(words, 4): whether a word is in the turn, its first, its last, its only one."""
    inside, edges = turn_labels(row, named), edge_labels(row, named)
    return None if inside is None or edges is None else np.column_stack([inside, edges])


class _Sums:
    """Sums of one fold's words, from which a ridge is solved for any set of folds. ``goals``: (words, k) of a text."""

    def __init__(
        self, features: Sequence[Matrix | None], goals: Sequence[Vector | None], rows: Ints, width: int
    ) -> None:
        chosen = [(x, y) for i in rows if (x := features[i]) is not None and (y := goals[i]) is not None]
        size = next(x.shape[1] for x in features if x is not None)
        self.inner, self.goal = np.zeros((size, size)), np.zeros((size, width))
        self.total, self.sum, self.count = np.zeros(size), np.zeros(width), 0
        if chosen:
            x = np.concatenate([found for found, _ in chosen])
            y = np.concatenate([found for _, found in chosen])
            self.inner = (x.T @ x).astype(np.float64)
            self.goal = (x.T @ y.astype(np.float32)).astype(np.float64)
            self.total, self.sum, self.count = x.sum(axis=0, dtype=np.float64), y.sum(axis=0), len(y)


def _solve(parts: Sequence[_Sums]) -> tuple[Vector, Vector]:
    """Weights (features, k) and constants (k,) of the ridge over these folds' words; zeros where there are none."""
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
