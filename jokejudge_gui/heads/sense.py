"""The sense heads: whether a text works as a joke, whether it is complete, and which of two similar texts is better.

Trained on families of texts around one joke (shared contrasts: a large language model's labels), on jokes that people
wrote, and on texts that are no jokes. A text's states and measures are compared with those of the training texts (a
kernel), and read by small networks that were trained on more families than the kernel; logistic maps calibrate the
sums of both to probabilities, for pairs one for each kind of edit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from ..core.statistics import Vector, logit, sigmoid
from ..core.verdicts import Edit, Sense
from ..engine.base import Scan
from .drafts import SHAPE, WORD_BUCKETS, Differences, score_of
from .files import Array, Head, Meta, Share
from .intent import form_of
from .sense_features import BLOCKS, EDITS, MEASURES, SenseRow, edit_of, ends_sentence, measure_sense

SCORES = ("joke", "whole", "funny")
"""Scores of a text: sums of the outputs of the kernel and the networks, each on a scale of its own."""
COMPARED = (2, 3, 6, 7, 12)
"""Indices of measures used in a pair: likelihoods of the words, of the end, and of the last word."""
PAIR = 14 + 2 * len(COMPARED) + SHAPE
"""Number of features of a pair: funny, joke, the maps of near texts and the draft heads (each also multiplied by the
probability that both are jokes), which one is longer (and whether the shorter is complete, is a joke, and lacks much),
measures; for a text and its beginning also the shape of the change (``drafts.SHAPE``), whether what the beginning lacks
is sentences of their own (and again whether it is complete, is a joke, and lacks much), and measures of the longer."""
CLIP = 4.0
_SHARES = (0.4, 1.6 / BLOCKS)
"""Weights of the measures, and of each block of states, in the similarity of two texts."""
_MOST_INTENT = 6.0
_INTENT_IN_NETWORKS = 3.0
"""The networks' greatest input for the log-odds that a text is meant as a joke."""
_BY_FORM = 1.0
"""Log-odds by which a text that can't be a joke by its form is set below the limit ``no_turn``."""
_PAIR_CLIP = 3.0
NEAR = ("scale", "weights", "words", "shape_scale", "rows", "alpha")
"""Arrays of the maps of near texts, a kernel ridge over pairs as in the draft heads."""
OF_EDIT = ("weights", "words", "alpha")
"""Arrays of which each kind of edit has its own."""

Change = Callable[[str, str], Differences]


@dataclass(frozen=True, eq=False)
class SenseReading:
    """The reading of one text: its measures, its scores (``SCORES``) and the resulting ``sense``. ``short``:
    log-odds by which it is below the limit of a joke."""

    row: SenseRow
    scores: Vector
    sense: Sense
    short: float = 0.0

    def with_second_meaning(self) -> SenseReading:
        """Return the reading of a text for which a second meaning was found, which is a turn: "no turn" becomes
        "unsure", and "unsure" becomes "joke". The probabilities stay those of the sense heads, and a heading or a
        remark is unchanged."""
        if form_of(self.row.text):
            return self
        if self.sense.said == "no turn":
            return replace(self, sense=self.sense.replaced(said="unsure"))
        return self.as_joke()

    def as_joke(self) -> SenseReading:
        """Return the reading of a text that is known to be a joke."""
        return replace(self, sense=self.sense.replaced(said="joke"), short=0.0)


@dataclass(frozen=True)
class TwoTexts:
    """The comparison of two texts. ``edit``: the relation of one to the other; ``log_odds_a``: that A is the better
    one, calibrated for this kind of edit; ``agreement``: share of held-out pairs of this kind on which that was
    right."""

    edit: Edit
    log_odds_a: float
    agreement: float


class SenseMeta(Meta):
    """``no_turn``: probability of a joke below which a text has "no turn"; at most 2 in 100 real jokes are below.
    ``sure``: probability from which a text is a "joke"."""

    format: Literal[2]  # type: ignore[assignment]
    version: str
    no_turn: Share
    sure: Annotated[float, Field(gt=0.0, lt=1.0)]
    agreement: Annotated[dict[Edit, Share], Field(min_length=len(EDITS))]


class SenseHeads(Head[SenseMeta]):
    """Heads for one model."""

    meta_type = SenseMeta
    most_bytes = 12 * 10**6
    lost = "verdicts don't say whether a text works as a joke"
    schema = """
        usual             f4 size                              <=1e4
        centre            f4 blocks*size                       <=1e4
        scale             f4 blocks*size >0                    <=1e4
        axes              u1 blocks*size,axes                  <=1e4
        measures_centre   f4 measures                          <=1e4
        measures_scale    f4 measures >0                       <=1e4
        support           u1 texts,blocks*axes+measures        <=1e4
        reach             f4 blocks+1 >0                       <=1e4
        alpha             f2 texts,scores                      <=1e4
        mean              f4 scores                            <=1e4
        said              f4 2,scores+2                        <=1e4
        pair_scale        f4 features >0                       <=1e4
        pair_weights      f4 edits,features                    <=1e4
        near_scale        f4 5*size+3 >0                       <=1e4
        near_weights      f4 edits,5*size+3                    <=1e4
        near_words        f2 edits,words                       <=1e4
        near_shape_scale  f4 shape >0                          <=1e4
        near_rows         u1 pairs,shape                       <=1e4
        near_alpha        f2 edits,pairs                       <=1e4
        net_project       f2 networks,blocks,size,width        <=1e4
        net_first         f2 networks,blocks*width+measures+1,hidden  <=1e4
        net_first_bias    f4 networks,hidden                   <=1e4
        net_second        f2 networks,hidden,hidden            <=1e4
        net_second_bias   f4 networks,hidden                   <=1e4
        net_out           f4 networks,hidden,scores            <=1e4
        net_out_bias      f4 scores                            <=1e4
        """

    narrow = ("axes", "support", "net_project", "net_first", "net_second")

    def __init__(self, meta: SenseMeta, arrays: dict[str, Vector]) -> None:
        super().__init__(meta, arrays)
        self._squares = squares_of(self.arrays["support"])
        self._near = {
            edit: {name: arrays[f"near_{name}"][n] if name in OF_EDIT else arrays[f"near_{name}"] for name in NEAR}
            for n, edit in enumerate(EDITS)
        }

    @classmethod
    def sizes(cls, meta: SenseMeta) -> dict[str, int]:
        return {
            "blocks": BLOCKS,
            "measures": MEASURES,
            "scores": len(SCORES),
            "edits": len(EDITS),
            "words": WORD_BUCKETS,
            "shape": SHAPE,
            "features": PAIR,
        }

    @property
    def usual(self) -> Vector:
        """The mean state of a token."""
        return self.arrays["usual"]

    @property
    def funny_spread(self) -> float:
        """The root mean square of differences in "funny" of two texts of a family."""
        return float(self.arrays["pair_scale"][0])

    def read(self, text: str, scan: Scan, intent: float = 0.0) -> SenseReading:
        """Read a cleaned text from the model's scan of it; ``intent``: log-odds that it is meant as a joke, by the
        audience head."""
        return self.of(measure_sense(text, scan, self.usual, intent))

    def of(self, row: SenseRow) -> SenseReading:
        """Return the reading of a measured text."""
        support = self.arrays["support"]
        near = kernel(self.point(row)[None].astype(support.dtype), support, self.arrays["reach"], self._squares)[0]
        scores = self.arrays["alpha"].T @ near + self.arrays["mean"]
        scores = scores + networks(*inputs([row], self.arrays), self.arrays)[0]
        joke, whole = (self.arrays["said"] @ said_of(scores, row.intent)).tolist()
        if form_of(row.text):
            joke = min(joke, logit(self.meta.no_turn) - _BY_FORM)
        # Thousands of readings are cached, and the vectors aren't needed any more.
        row = replace(row, pooled=np.empty(0, dtype=row.pooled.dtype))
        return self._concluded(row, scores, joke, sigmoid(whole))

    def as_headline(self, reading: SenseReading, satire: float) -> SenseReading:
        """Return the reading of a headline with the log-odds that it is satire as further evidence."""
        joke = logit(self.meta.sure) - reading.short
        return self._concluded(reading.row, reading.scores, joke + satire, reading.sense.whole)

    def _concluded(self, row: SenseRow, scores: Vector, joke: float, whole: float | None) -> SenseReading:
        p = sigmoid(joke)
        verdict = "no turn" if p < self.meta.no_turn else "joke" if p >= self.meta.sure else "unsure"
        return SenseReading(row, scores, Sense(joke=p, whole=whole, said=verdict), logit(self.meta.sure) - joke)

    def point(self, row: SenseRow) -> Vector:
        """Return the position of a text in the space of the training texts."""
        return np.asarray(points(row.pooled[None], row.measures[None], self.arrays)[0])

    def compare(self, a: SenseReading, b: SenseReading, drafts: float, change: Change) -> TwoTexts:
        """Compare two texts; ``drafts``: log-odds for A by the draft heads, 0 without any; ``change``: returns the
        features of two texts' difference. With a and b exchanged (and the sign of ``drafts`` changed) the log-odds
        change their sign, to the last bit."""
        edit = edit_of(a.row.text, b.row.text)
        weights = self.arrays["pair_weights"][EDITS.index(edit)] / self.arrays["pair_scale"]
        sign = 1.0
        if b.row.text < a.row.text:
            a, b, sign = b, a, -1.0
        features = change(a.row.text, b.row.text)
        near = features.overlap * score_of(self._near[edit], features)
        odds = float(weights @ pair(a, b, near, sign * drafts, features, edit))
        return TwoTexts(edit, sign * odds + 0.0, self.meta.agreement[edit])


def said_of(scores: Vector, intent: float) -> Vector:
    """Return the features of the probabilities: the scores, the log-odds that it is meant as a joke, and a constant."""
    return np.array([*scores, min(max(intent, -_MOST_INTENT), _MOST_INTENT) / _MOST_INTENT, 1.0])


def points(pooled: Array, measures: Array, a: Mapping[str, Array]) -> Array:
    """Return (texts, BLOCKS · axes + measures): each block of states on its own axes, then the measures, each part with
    a mean squared length of about 1."""
    states, plain = _standard(pooled, measures, a)
    blocks = zip(np.split(states, BLOCKS, axis=1), np.split(a["axes"], BLOCKS), strict=True)
    turned = np.concatenate([block.astype(axes.dtype) @ axes for block, axes in blocks], axis=1)
    return np.concatenate([turned, plain / math.sqrt(MEASURES)], axis=1)


def _standard(pooled: Array, measures: Array, a: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return states and measures in units of their spread among the training texts."""
    return (
        np.clip((pooled - a["centre"]) / a["scale"], -CLIP, CLIP),
        np.clip((measures - a["measures_centre"]) / a["measures_scale"], -CLIP, CLIP),
    )


def inputs(rows: Sequence[SenseRow], a: Mapping[str, Array]) -> tuple[Array, Array]:
    """Return the networks' inputs of texts: (texts, BLOCKS · size) of states; (texts, measures + 1), with the log-odds
    that each is meant as a joke."""
    pooled, measures = np.stack([row.pooled for row in rows]), np.stack([row.measures for row in rows])
    intents = np.clip([[row.intent] for row in rows], -_MOST_INTENT, _MOST_INTENT) / _MOST_INTENT
    states, plain = _standard(pooled, measures, a)
    return states, np.concatenate([plain, _INTENT_IN_NETWORKS * intents], axis=1)


def networks(states: Array, plain: Array, a: Mapping[str, Array]) -> Array:
    """Return (texts, SCORES): the sum of the networks' outputs for their ``inputs``. A network turns each block of
    states into a few numbers, and has two hidden layers of rectified sums, the second one added to the first."""
    states, plain = (values.astype(a["net_project"].dtype) for values in (states, plain))
    blocks = np.split(states, BLOCKS, axis=1)
    total = np.zeros((len(states), len(SCORES))) + a["net_out_bias"]
    for n, project in enumerate(a["net_project"]):
        turned = [block @ axes for block, axes in zip(blocks, project, strict=True)]
        first = np.maximum(np.concatenate([*turned, plain], axis=1) @ a["net_first"][n] + a["net_first_bias"][n], 0.0)
        second = np.maximum(first @ a["net_second"][n] + a["net_second_bias"][n], 0.0)
        total += (first + second) @ a["net_out"][n]
    return total


def _part(n: int, width: int) -> slice:
    """Return the columns of block n of points that are ``width`` long, or of the measures, which come last."""
    axes = (width - MEASURES) // BLOCKS
    return slice(n * axes, (n + 1) * axes) if n < BLOCKS else slice(-MEASURES, None)


def squares_of(points: Array) -> Array:
    """Return (parts, points): the squared length of each part of points, which ``kernel`` needs for every text."""
    return np.stack([(points[:, _part(n, points.shape[1])] ** 2).sum(axis=1) for n in range(BLOCKS + 1)])


def kernel(rows: Array, support: Array, reach: Array, squares: Array) -> Array:
    """Return (rows, support): the similarity of texts, a Gaussian for each block of states and one for the measures;
    ``squares``: ``squares_of(support)``."""
    total = np.zeros((len(rows), len(support)), dtype=rows.dtype)
    for n, width in enumerate(reach):
        part = _part(n, rows.shape[1])
        x, y = rows[:, part], support[:, part]
        apart = (x**2).sum(axis=1)[:, None] + squares[n][None] - 2.0 * x @ y.T
        total += _SHARES[n < BLOCKS] * np.exp(-np.maximum(apart, 0.0) / float(width))
    return total


def pair(a: SenseReading, b: SenseReading, near: float, drafts: float, difference: Differences, edit: Edit) -> Vector:
    """Return the features of a pair, whose signs change when a and b are exchanged. ``near``: output of the map of near
    texts."""
    change, tail = np.zeros(SHAPE), np.zeros(4 + len(COMPARED))
    shorter, long = (a, b) if a.row.words < b.row.words else (b, a)
    longer = 0.0 if edit not in ("cut", "added") or a.row.words == b.row.words else -1.0 if shorter is a else 1.0
    lacks = _of_shorter(shorter, long.row.words)
    apart = np.clip((a.row.measures - b.row.measures)[list(COMPARED)], -_PAIR_CLIP, _PAIR_CLIP)
    if edit == "cut":  # the draft heads were trained on drafts that say too much, never on one that was broken off
        drafts = 0.0
        change = np.clip(difference.shape, -_PAIR_CLIP, _PAIR_CLIP)
        own = np.clip(long.row.measures[list(COMPARED)], -_PAIR_CLIP, _PAIR_CLIP)
        tail = longer * np.concatenate([ends_sentence(long.row.text, shorter.row.words) * lacks, own])
    joke = math.log(max(a.sense.joke, 1e-6)) - math.log(max(b.sense.joke, 1e-6))
    both = a.sense.joke * b.sense.joke
    measures: Vector = np.concatenate(
        [
            [a.scores[2] - b.scores[2], joke, near, near * both, drafts, drafts * both],
            longer * lacks,
            apart,
            change,
            tail,
        ]
    )
    return measures


def _of_shorter(shorter: SenseReading, words: int) -> Vector:
    lacking = math.log((words - shorter.row.words + 1) / (shorter.row.words + 1))
    return np.array([1.0, logit(shorter.sense.whole or 0.0, 1e-3), logit(shorter.sense.joke, 1e-3), lacking])
