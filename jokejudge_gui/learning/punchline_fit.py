"""Fits the probability of each span of words to be the turn that a reader names: one softmax over a text's spans."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from ..heads.editor import TextRow
from ..heads.features import CLIP
from ..heads.punchline import (
    BUCKETS,
    LONGEST,
    MEASURES,
    SHAPE,
    TEXT_AXES,
    WEIGHTS,
    Ints,
    best_words,
    shares,
    span_measures,
    span_odds,
    text_shape,
    turn_features,
    turn_spans,
    with_neighbours,
    word_groups,
)
from .editor_data import named_words, right_share, turn_labels
from .figures import FOLDS
from .ridge import descend, platt

STRENGTHS = (60.0, 0.3, 0.3)
"""Strengths of the ridge on standardised features: of words, of spans, of spans by text."""
STEPS = 60
_SIZES = (3 * WEIGHTS, MEASURES, len(SHAPE) * TEXT_AXES)
_TEXT_SPREAD, _LEAST_SPREAD = 0.3, 0.05
_DOUBT = 4.0
"""Pseudo-count of words in each group, for shrinking towards the usual share at their place."""
_FROM_END = 13
_SMALL = 1e-6
_LEAST_SLOPE = 0.01
"""Keeps the order of the spans where all that were shown are right, or none."""


@dataclass(frozen=True, eq=False)
class TurnFit:
    """``arrays`` of the head from all texts; ``right`` 0…1 and ``odds`` of the words shown (``places``, first character
    and after the last) in each of the ``texts`` (indices), out of fold."""

    arrays: dict[str, Vector]
    texts: Ints
    right: Vector
    odds: Vector
    places: list[tuple[int, int]]


def fit_turn(
    rows: Sequence[TextRow],
    turns: Sequence[Sequence[str]],
    scores: Sequence[Vector],
    values: Vector,
    fold: Ints,
    weight: Vector,
    check: Callable[[], None],
) -> TurnFit:
    """Fit the head. ``turns``: the turns that readers named in each row; ``scores``: of its words (words, BY_STATES),
    by an out-of-fold word head; ``values`` (rows, outputs): out-of-fold predictions of other heads; ``weight`` (rows,).
    Raises ``ValueError`` where no row has a turn."""
    texts = np.array([i for i, (row, named) in enumerate(zip(rows, turns, strict=True)) if named_words(row, named)])
    if not len(texts):
        raise ValueError("no reader named a turn")
    part = fold[texts]
    lexicon = _Lexicon([rows[i] for i in texts], [turns[i] for i in texts], part)
    check()
    features = [
        turn_features(scores[i], rows[i].places, rows[i].likely, lexicon.apart[place]) for place, i in enumerate(texts)
    ]
    everything = np.concatenate(features)
    centre, scale = everything.mean(axis=0), everything.std(axis=0) + _SMALL
    standard = [
        with_neighbours(np.clip((row_features - centre) / scale, -CLIP, CLIP)).astype(np.float32)
        for row_features in features
    ]
    text_centre, text_scale, axes = _axes_of_values(values[texts])
    shapes = text_shape(values[texts], text_centre, text_scale, axes)
    sums = _Spans([rows[i] for i in texts], [turns[i] for i in texts], standard, shapes)
    check()
    right, odds = np.zeros(len(texts)), np.zeros(len(texts))
    places = [(0, 0)] * len(texts)
    for away in range(FOLDS):
        solved = sums.solve(np.where(part == away, 0.0, weight[texts]))
        check()
        for place in map(int, np.flatnonzero(part == away)):
            row = rows[texts[place]]
            shown, odds[place] = best_words(*sums.chances(solved, place), row.places, row.text, row.words)
            right[place] = right_share(row, turns[texts[place]], shown)
            places[place] = row.words[shown[0]][0], row.words[shown[1] - 1][1]
    solved = sums.solve(weight[texts])
    slope, offset = platt(odds, right)
    slope = max(slope, _LEAST_SLOPE)
    of_words, of_spans, of_shapes = _parts(solved)
    arrays = {
        "turn_centre": centre,
        "turn_scale": scale,
        "turn_weights": of_words,
        "turn_span_centre": sums.centre,
        "turn_span_scale": sums.scale,
        "turn_span_weights": of_spans,
        "turn_text_centre": text_centre,
        "turn_text_scale": text_scale,
        "turn_text_axes": axes,
        "turn_text_weights": of_shapes,
        "turn_words": lexicon.whole,
        "turn_whole": np.array([slope, offset]),
    }
    return TurnFit(arrays, texts, right, slope * odds + offset, places)


def _axes_of_values(values: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the centre and scale (outputs,) of texts' outputs, and their principal axes (outputs, TEXT_AXES), scaled
    so that texts have the standard deviation _TEXT_SPREAD along each."""
    centre, scale = values.mean(axis=0), values.std(axis=0) + _SMALL
    standard = np.clip((values - centre) / scale, -CLIP, CLIP)
    spread, vectors = np.linalg.eigh(standard.T @ standard / len(standard))
    axes = vectors[:, ::-1][:, :TEXT_AXES]
    # An eigenvector's sign is arbitrary: choose the same one on every machine.
    axes = axes * np.where(axes[np.abs(axes).argmax(axis=0), np.arange(axes.shape[1])] < 0, -1.0, 1.0)
    turned = np.zeros((values.shape[1], TEXT_AXES))
    turned[:, : axes.shape[1]] = _TEXT_SPREAD * axes / np.sqrt(np.maximum(spread[::-1][:TEXT_AXES], _LEAST_SPREAD))
    return centre, scale, turned


def _parts(solved: Vector) -> tuple[Vector, Vector, Vector]:
    """Return the weights of words (WEIGHTS, 3), of spans (MEASURES,), and of spans by text (SHAPE, TEXT_AXES)."""
    words, spans, shapes = np.split(solved, np.cumsum(_SIZES)[:-1])
    return words.reshape(WEIGHTS, 3), spans, shapes.reshape(len(SHAPE), TEXT_AXES)


class _Lexicon:
    """Share of a word's uses in a turn, less the usual share at its place. ``whole`` (BUCKETS, 2): over all texts;
    ``apart``: of each text's words (words, 4), over the texts of the other folds."""

    def __init__(self, rows: Sequence[TextRow], turns: Sequence[Sequence[str]], fold: Ints) -> None:
        groups = [word_groups(row.text, row.words) for row in rows]
        labels = [
            row_labels[:, 0] if (row_labels := turn_labels(row, named)) is not None else np.zeros(len(row.words))
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
        self.apart = [
            others[part][row_labels].reshape(len(row_labels), 4) for row_labels, part in zip(groups, fold, strict=True)
        ]


def _shares(sums: Vector, counts: Vector) -> Vector:
    return np.column_stack([sums / (counts + _DOUBT), np.log1p(counts)])


def _named(row: TextRow, spans: Ints, turns: Sequence[str]) -> Vector:
    """Return (spans,): the share of the readers who named each; a turn of more than LONGEST words counts as its last
    ones."""
    named_by = np.zeros(len(spans))
    named = named_words(row, turns)
    for words in named:
        after = words[-1] + 1
        named_by[(spans[:, 0] == max(words[0], after - LONGEST)) & (spans[:, 1] == after)] += 1.0 / len(named)
    return named_by


class _Spans:
    """Every span of every text, concatenated. ``centre``, ``scale`` (MEASURES,); ``shapes`` (texts, TEXT_AXES)."""

    def __init__(
        self,
        rows: Sequence[TextRow],
        turns: Sequence[Sequence[str]],
        standard: Sequence[npt.NDArray[np.float32]],
        shapes: Vector,
    ) -> None:
        self._shapes = shapes.astype(np.float32)
        self._words = np.concatenate(standard)
        self._each = spans = [turn_spans(len(row.words)) for row in rows]
        measures = [
            span_measures(of_row, row.places).astype(np.float32) for of_row, row in zip(spans, rows, strict=True)
        ]
        every = np.concatenate(measures)
        self.centre = every.mean(axis=0, dtype=np.float64)
        self.scale = every.std(axis=0, dtype=np.float64) + _SMALL
        self._measures = (every - self.centre.astype(np.float32)) / self.scale.astype(np.float32)
        self._before = np.concatenate([[0], np.cumsum([len(row.words) for row in rows])])
        self._starts = np.concatenate([[0], np.cumsum([len(of_row) for of_row in spans])])
        self._text = np.repeat(np.arange(len(rows)), np.diff(self._starts))
        self._shaped, self._shape_of = self._measures[:, SHAPE], self._shapes[self._text]
        offset = self._before[:-1][self._text]
        together = np.concatenate(spans)
        self._first, self._after = together[:, 0] + offset, together[:, 1] + offset
        self._named = np.concatenate(
            [_named(row, of_row, named) for row, of_row, named in zip(rows, spans, turns, strict=True)]
        )

    def solve(self, weight: Vector) -> Vector:
        """Return the weights, as ``_parts`` splits them, trained on the texts whose ``weight`` (texts,) isn't 0."""
        strength = np.repeat(STRENGTHS, _SIZES)
        begins = self._starts[:-1]

        def slope(at: Vector) -> tuple[float, Vector]:
            odds = self._odds(at)
            most = np.maximum.reduceat(odds, begins)
            raised = np.exp(odds - most[self._text])
            total = np.add.reduceat(raised, begins)
            hit = raised * self._named
            on_turn = np.add.reduceat(hit, begins) + 1e-300
            loss = float(weight @ (np.log(total) - np.log(on_turn)))
            away = (raised / total[self._text] - hit / on_turn[self._text]) * weight[self._text]
            count = len(self._words)
            begun = np.bincount(self._first, away, count)
            inside = np.cumsum(begun - np.bincount(self._after, away, count + 1)[:count])
            words = np.column_stack([inside, begun, np.bincount(self._after - 1, away, count)]).astype(np.float32)
            pull = away.astype(np.float32)
            by_text = self._shaped.T @ (pull[:, None] * self._shape_of)
            bend = np.concatenate([(self._words.T @ words).ravel(), self._measures.T @ pull, by_text.ravel()])
            return loss + float(strength @ (at * at)) / 2.0, bend.astype(np.float64) + strength * at

        return descend(slope, np.zeros(sum(_SIZES)), steps=STEPS)

    def chances(self, solved: Vector, text: int) -> tuple[Vector, Ints]:
        """Return the probability of each span of a text, and the spans."""
        some = slice(self._starts[text], self._starts[text + 1])
        words = slice(self._before[text], self._before[text + 1])
        of_words, of_spans, of_shapes = _parts(solved)
        spoken = self._measures[some] @ of_spans + self._measures[some][:, SHAPE] @ (of_shapes @ self._shapes[text])
        return shares(span_odds(self._words[words] @ of_words, self._each[text], spoken)), self._each[text]

    def _odds(self, at: Vector) -> Vector:
        of_words, of_spans, of_shapes = (part.astype(np.float32) for part in _parts(at))
        words = (self._words @ of_words).astype(np.float64)
        so_far = np.concatenate([[0.0], np.cumsum(words[:, 0])])
        odds = so_far[self._after] - so_far[self._first] + words[self._first, 1] + words[self._after - 1, 2]
        by_text = ((self._shaped @ of_shapes) * self._shape_of).sum(axis=1)
        return np.asarray(odds + self._measures @ of_spans + by_text)
