"""Fits the chances of spans of words to be the one that a reader names as a joke's turn: one softmax over a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..judging.reading.editor import TextRow
from ..judging.reading.editor_turn import (
    BUCKETS,
    LONGEST,
    MEASURES,
    WEIGHTS,
    Ints,
    best_words,
    shares,
    span_measures,
    span_odds,
    turn_features,
    turn_spans,
    with_neighbours,
    word_groups,
)
from ..judging.reading.editor_words import CLIP
from ..statistics import Vector
from .descent import descend
from .editor_data import FOLDS
from .editor_labels import named_words, right_runs, turn_labels
from .logistic import platt

STRENGTHS = (60.0, 0.3)
"""Of the ridge on standardised features: of words, and of spans."""
STEPS = 60
_DOUBT = 4.0
"""Words of each group that are taken to be as their place says."""
_FROM_END = 13
_SMALL = 1e-6
_LEAST_SLOPE = 0.01
"""Keeps the order of the spans where all that were shown are right, or none."""


@dataclass(frozen=True, eq=False)
class TurnFit:
    """``arrays`` of the head from all texts; ``right`` 0…1 and ``odds`` of the words shown in each of the ``texts``
    (places), by a head that hadn't seen it."""

    arrays: dict[str, Vector]
    texts: Ints
    right: Vector
    odds: Vector


def fit_turn(
    rows: Sequence[TextRow],
    turns: Sequence[Sequence[str]],
    scores: Sequence[Vector],
    fold: Ints,
    weight: Vector,
    check: Callable[[], None],
) -> TurnFit | None:
    """``turns``: what readers named in each row; ``scores``: of its words, by a word head that hadn't seen it;
    ``weight`` (rows,). None where no row has a turn, or where of one that has nothing is known of how likely its words
    are."""
    texts = np.array([i for i, (row, named) in enumerate(zip(rows, turns, strict=True)) if named_words(row, named)])
    if not len(texts) or any(rows[i].said is None for i in texts):
        return None
    part = fold[texts]
    lexicon = _Lexicon([rows[i] for i in texts], [turns[i] for i in texts], part)
    check()
    known = [
        turn_features(scores[i], rows[i].places, said, lexicon.apart[place])
        for place, i in enumerate(texts)
        if (said := rows[i].said) is not None
    ]
    everything = np.concatenate(known)
    centre, scale = everything.mean(axis=0), everything.std(axis=0) + _SMALL
    standard = [with_neighbours(np.clip((found - centre) / scale, -CLIP, CLIP)).astype(np.float32) for found in known]
    sums = _Spans([rows[i] for i in texts], [turns[i] for i in texts], standard)
    check()
    right, odds = np.zeros(len(texts)), np.zeros(len(texts))
    for away in range(FOLDS):
        solved = sums.solve(np.where(part == away, 0.0, weight[texts]))
        check()
        for place in map(int, np.flatnonzero(part == away)):
            row = rows[texts[place]]
            run, odds[place] = best_words(*sums.chances(solved, place), row.places, row.words)
            right[place] = right_runs(row, turns[texts[place]], [run])[0]
    solved = sums.solve(weight[texts])
    slope, offset = platt(odds, right)
    slope = max(slope, _LEAST_SLOPE)
    arrays = {
        "turn_centre": centre,
        "turn_scale": scale,
        "turn_weights": solved[: 3 * WEIGHTS].reshape(WEIGHTS, 3),
        "turn_span_centre": sums.centre,
        "turn_span_scale": sums.scale,
        "turn_span_weights": solved[3 * WEIGHTS :],
        "turn_words": lexicon.whole,
        "turn_stated": np.array([slope, offset]),
    }
    return TurnFit(arrays, texts, right, slope * odds + offset)


class _Lexicon:
    """How much oftener than its place says a word was in a turn. ``whole`` (BUCKETS, 2): of all texts; ``apart``: of
    each text's words (words, 4), by the texts of the other folds."""

    def __init__(self, rows: Sequence[TextRow], turns: Sequence[Sequence[str]], fold: Ints) -> None:
        groups = [word_groups(row.text, row.words) for row in rows]
        labels = [
            found if (found := turn_labels(row, named)) is not None else np.zeros(len(row.words))
            for row, named in zip(rows, turns, strict=True)
        ]
        left = np.concatenate([np.minimum(np.arange(len(row.words))[::-1], _FROM_END - 1) for row in rows])
        label = np.concatenate(labels)
        usual = np.bincount(left, label, _FROM_END) / np.maximum(1, np.bincount(left, minlength=_FROM_END))
        more = label - usual[left]
        of = np.concatenate(groups)
        where = np.repeat(fold, [len(row.words) for row in rows])
        sums, counts = np.zeros((FOLDS, BUCKETS)), np.zeros((FOLDS, BUCKETS))
        for part in range(FOLDS):
            inside = where == part
            for column in range(2):
                sums[part] += np.bincount(of[inside, column], more[inside], BUCKETS)
                counts[part] += np.bincount(of[inside, column], minlength=BUCKETS)
        self.whole = _shares(sums.sum(axis=0), counts.sum(axis=0))
        others = [_shares(sums.sum(axis=0) - s, counts.sum(axis=0) - c) for s, c in zip(sums, counts, strict=True)]
        self.apart = [others[part][found].reshape(len(found), 4) for found, part in zip(groups, fold, strict=True)]


def _shares(sums: Vector, counts: Vector) -> Vector:
    return np.column_stack([sums / (counts + _DOUBT), np.log1p(counts)])


def _named(row: TextRow, spans: Ints, turns: Sequence[str]) -> Vector:
    """(spans,): the share of the readers who named each; of a turn of more than LONGEST words its last ones."""
    found = np.zeros(len(spans))
    named = named_words(row, turns)
    for words in named:
        after = words[-1] + 1
        found[(spans[:, 0] == max(words[0], after - LONGEST)) & (spans[:, 1] == after)] += 1.0 / len(named)
    return found


class _Spans:
    """Every span of every text, in one row of numbers. ``centre``, ``scale`` (MEASURES,)."""

    def __init__(
        self, rows: Sequence[TextRow], turns: Sequence[Sequence[str]], standard: Sequence[npt.NDArray[np.float32]]
    ) -> None:
        self._words = np.concatenate(standard)
        self._each = each = [turn_spans(len(row.words)) for row in rows]
        measures = [span_measures(found, row.places).astype(np.float32) for found, row in zip(each, rows, strict=True)]
        every = np.concatenate(measures)
        self.centre = every.mean(axis=0, dtype=np.float64)
        self.scale = every.std(axis=0, dtype=np.float64) + _SMALL
        self._measures = (every - self.centre.astype(np.float32)) / self.scale.astype(np.float32)
        self._before = np.concatenate([[0], np.cumsum([len(row.words) for row in rows])])
        self._starts = np.concatenate([[0], np.cumsum([len(found) for found in each])])
        self._text = np.repeat(np.arange(len(rows)), np.diff(self._starts))
        offset = self._before[:-1][self._text]
        together = np.concatenate(each)
        self._first, self._after = together[:, 0] + offset, together[:, 1] + offset
        self._named = np.concatenate(
            [_named(row, found, named) for row, found, named in zip(rows, each, turns, strict=True)]
        )

    def solve(self, weight: Vector) -> Vector:
        """(3·WEIGHTS + MEASURES,), learned from the texts whose ``weight`` (texts,) isn't 0."""
        strength = np.repeat(STRENGTHS, (3 * WEIGHTS, MEASURES))
        begins = self._starts[:-1]

        def slope(at: Vector) -> tuple[float, Vector]:
            odds = self._odds(at)
            most = np.maximum.reduceat(odds, begins)
            raised = np.exp(odds - most[self._text])
            total = np.add.reduceat(raised, begins)
            hit = raised * self._named
            found = np.add.reduceat(hit, begins) + 1e-300
            loss = float(weight @ (np.log(total) - np.log(found)))
            away = (raised / total[self._text] - hit / found[self._text]) * weight[self._text]
            count = len(self._words)
            begun = np.bincount(self._first, away, count)
            inside = np.cumsum(begun - np.bincount(self._after, away, count + 1)[:count])
            words = np.column_stack([inside, begun, np.bincount(self._after - 1, away, count)]).astype(np.float32)
            bend = np.concatenate([(self._words.T @ words).ravel(), self._measures.T @ away.astype(np.float32)])
            return loss + float(strength @ (at * at)) / 2.0, bend.astype(np.float64) + strength * at

        return descend(slope, np.zeros(3 * WEIGHTS + MEASURES), steps=STEPS)

    def chances(self, solved: Vector, text: int) -> tuple[Vector, Ints]:
        """Of one text the chance of each span, and the spans."""
        some = slice(self._starts[text], self._starts[text + 1])
        words = slice(self._before[text], self._before[text + 1])
        weights = solved[: 3 * WEIGHTS].reshape(WEIGHTS, 3)
        odds = span_odds(self._words[words] @ weights, self._each[text], self._measures[some] @ solved[3 * WEIGHTS :])
        return shares(odds), self._each[text]

    def _odds(self, at: Vector) -> Vector:
        words = (self._words @ at[: 3 * WEIGHTS].reshape(WEIGHTS, 3).astype(np.float32)).astype(np.float64)
        so_far = np.concatenate([[0.0], np.cumsum(words[:, 0])])
        found = so_far[self._after] - so_far[self._first] + words[self._first, 1] + words[self._after - 1, 2]
        return np.asarray(found + self._measures @ at[3 * WEIGHTS :].astype(np.float32))
