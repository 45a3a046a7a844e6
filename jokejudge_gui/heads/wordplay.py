"""The wordplay head: finds the second meaning of a pun, that is the word with two meanings and the other word that it
stands for.

For every content word of a text the candidates are: words that sound like it, are contained in it or sound like it and
its neighbour together, and the word itself in another sense. The similarity of sounds comes from the table of sounds;
the fit of each candidate to the text from the states of one reading and the rows of the model's output matrix: the
product of a word's row and a state is the word's logit there. A softmax over all candidates and "none", trained on puns
that people marked, chooses the likeliest other words; after each of these the model reads the text's next two tokens
once more, and a second softmax also uses their likelihood.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from ..core.errors import EngineError
from ..core.languages import is_english
from ..core.statistics import Vector, logit, sigmoid
from ..core.verdicts import Wordplay
from ..engine.base import Choice, Prompt, Question, Scan, Segment
from .editor import EditorReading
from .files import Head, Meta, Share
from .sounds import sounds
from .wordplay_features import (
    FEATURES,
    HINTS,
    Link,
    Readings,
    Rows,
    hinted,
    readings_of,
)

Choose = Callable[[Prompt, Sequence[Question]], list[Choice]]
"""``Engine.choose``."""
_FIRST, _A_PUN = len(FEATURES) + len(HINTS), len(FEATURES) + HINTS.index("a pun")
PUN_KINDS = ("pun", "homophone", "double_entendre", "swifty", "portmanteau", "knock_knock")
BEHIND = ("read behind", "what follows", "word read", "together", "beside the next", "follows better")
"""Features from reading the text's continuation after other words."""

# -- Reading the continuation after the likeliest other words.

READ_BEHIND = 5
"""Number of other words, the likeliest, after which the text is read on."""
LEAST_SHARE = 0.1
"""Least share of the likeliest of them for reading on: below it none of 86 second words that were reported on 560 texts
had one (models/training/LOG.md)."""
_BEFORE, _BEHIND = 8, 2
"""Number of tokens of the text read before such a word, and after it."""


def likeliest(readings: Readings, scores: Vector) -> list[int]:
    """Return the readings after which the text is read on: those with another word and the highest first scores, the
    highest first; none if even that one is unlikely."""
    other = np.array([link != "sense" for link in readings.links])
    shares = np.where(other, softmax(scores)[0], -1.0)
    order = np.argsort(-shares, kind="stable")[:READ_BEHIND].tolist()
    return [number for number in order if shares[number] >= 0.0] if shares[order[0]] >= LEAST_SHARE else []


def read_behind(
    text: str, spans: Sequence[tuple[int, int]], readings: Readings, numbers: Sequence[int], choose: Choose
) -> Vector:
    """Return (readings, BEHIND): the likelihood of each word of ``numbers`` and of its continuation in place of the
    written word, relative to the written word; 0 for all other readings, and at the beginning of a text, where it is
    unknown."""
    places: dict[tuple[int, int], list[int]] = {}
    for number in numbers:
        places.setdefault(readings.taken[number], []).append(number)
    questions: list[Question] = []
    asked: list[tuple[str, str, str, list[int]]] = []
    for (start, end), own in places.items():
        gap = len(text[:start].rstrip(" "))
        first = next(token for token, span in enumerate(spans) if span[1] > start)
        before = text[spans[max(0, first - _BEFORE)][0] : gap]
        behind = [span for span in spans if span[0] >= end][:_BEHIND]
        written, follows = text[gap:end], text[end : behind[-1][1]] if behind else ""
        words = [written, *(_spelled_there(readings.seconds[reading], text[gap:start], text[start]) for reading in own)]
        if before.strip():
            labels = dict.fromkeys(label for word in words for label in (word, word + follows))
            questions.append(Question((Segment(before),), tuple(labels)))
            asked.append((written, text[gap:start], follows, own))
    measures = np.zeros((len(readings.seconds), len(BEHIND)))
    together: dict[int, float] = {}
    answers = choose((), questions) if questions else []
    for question, answer, (written, space, follows, own) in zip(questions, answers, asked, strict=True):
        chances = dict(zip(question.labels, answer.logprobs, strict=True))
        for number in own:
            word = _spelled_there(readings.seconds[number], space, written[len(space)])
            alone = chances[word] - chances[written]
            together[number] = chances[word + follows] - chances[written + follows]
            after = min(12.0, max(-12.0, together[number] - alone))
            measures[number, :3] = 1.0, after / 4, min(12.0, max(-12.0, alone)) / 4
            measures[number, 5] = max(0.0, after) / 4
    for number, own_chance in together.items():
        rest = max((chance for other, chance in together.items() if other != number), default=-12.0)
        measures[number, 3] = min(15.0, max(-15.0, own_chance)) / 4
        measures[number, 4] = min(10.0, max(-10.0, own_chance - rest)) / 4
    return measures


def _spelled_there(second: str, space: str, letter: str) -> str:
    """Return a word spelled for the place of one that begins with ``letter`` after ``space``."""
    return space + (second.capitalize() if letter.isupper() else second)


# -- The trained head.

CHOSEN = ("share", "of other words", "beside the same", "a pun", "any at all", *BEHIND)
"""Features from which the probability that the likeliest reading is right is computed."""
SUSPECTED = 0.18
"""Probability of one of PUN_KINDS from which a text is examined: the 30 second words that were reported on
tests/bench/fresh stood in texts above .27, 86 of 560 other texts above .2 (models/training/LOG.md)."""
_LONGEST_TEXT = 120
"""Most words of a text; there are no longer ones in the training data."""
_EXPECTED = 2.0
"""Nats by which the other word must be likelier in its place than the written one for the link "phrase"."""
_CLIP = 5.0
_TINY = 1e-6


def may_be_pun(odds: float) -> bool:
    """Whether a text with these log-odds of its kinds is examined."""
    return odds >= logit(SUSPECTED)


def pun_odds(kinds: Mapping[str, float]) -> float:
    """Return the log-odds that a text is a pun, from the likeliest of PUN_KINDS."""
    return logit(max(kinds.get(kind, 0.0) for kind in PUN_KINDS), 1e-4)


def softmax(scores: Vector) -> tuple[Vector, float]:
    """Return the shares of the readings, and the log-odds that any of them is right; "none" has the score 0."""
    top = max(0.0, float(scores.max()))
    raised = np.exp(scores - top)
    total = float(raised.sum())
    return raised / (total + math.exp(-top)), math.log(total) + top


def chosen(readings: Readings, scores: Vector, values: Vector) -> list[tuple[int, Vector]]:
    """Return the likeliest reading with another word and the likeliest one with the same word, as far as there are any,
    each with (CHOSEN,). ``values``: the features from which ``scores`` were computed."""
    shares, strength = softmax(scores)
    same = np.array([link == "sense" for link in readings.links])
    by_place = np.bincount(readings.of, shares * same, len(readings.places))
    others = np.bincount(readings.of, shares * ~same, len(readings.places))
    likeliest_ones = []
    for which, beside in ((~same, by_place), (same, others)):
        if which.any():
            best = int(np.where(which, shares, -1.0).argmax())
            share = float(shares[best])
            rest = float((shares * which).sum())
            of = float(beside[readings.of[best]])
            measures = (
                logit(share), math.log((share + _TINY) / (rest + _TINY)),
                math.log((share + _TINY) / (share + of + _TINY)), values[best, _A_PUN], strength,
                *values[best, -len(BEHIND) :],
            )  # fmt: skip
            likeliest_ones.append((best, np.array(measures)))
    return likeliest_ones


@dataclass(frozen=True)
class WordplayReading:
    """The result for one text. ``strength``: log-odds that it plays on a word at all; ``said``: the finding, None if
    none is certain enough."""

    strength: float
    said: Wordplay | None


class WordplayMeta(Meta):
    """``editor``: the mark of the editor's heads that it was fitted with; ``bias`` of a reading's score, ``first_bias``
    of its first score; ``sound``: probability from which a reading with another word is right in nine of ten
    cases."""

    editor: str
    bias: Annotated[float, Field(ge=-1e3, le=1e3)]
    first_bias: Annotated[float, Field(ge=-1e3, le=1e3)]
    sound: Share


class WordplayHead(Head[WordplayMeta]):
    """The head for one model."""

    meta_type = WordplayMeta
    most_bytes = 10**6
    lost = "verdicts come without the second meaning"
    schema = f"""
        usual            f4 size           <=1e4
        mean_row         f4 size           <=1e4
        centre           f4 {_FIRST}+{len(BEHIND)}     <=1e4
        scale            f4 {_FIRST}+{len(BEHIND)} >0  <=1e4
        first_weights    f4 {_FIRST}          <=1e4
        weights          f4 {_FIRST}+{len(BEHIND)}     <=1e4
        said             f4 {len(CHOSEN)}+1         <=1e4
        """

    @property
    def editor(self) -> str:
        return self.meta.editor

    def scores(self, values: Vector, first: bool = False) -> Vector:
        """Return (readings,): log-odds of each relative to "none", from values of ``hinted`` and ``read_behind``, or of
        ``hinted`` alone, for choosing the words after which the text is read on (``first``)."""
        a, size = self.arrays, values.shape[1]
        standard = np.clip((values - a["centre"][:size]) / a["scale"][:size], -_CLIP, _CLIP)
        bias = self.meta.first_bias if first else self.meta.bias
        return np.asarray(standard @ a["first_weights" if first else "weights"] + bias)

    def read(self, text: str, scan: Scan, editor: EditorReading, rows: Rows, choose: Choose) -> WordplayReading | None:
        """Find the wordplay of a cleaned English text, from the model's one reading of it and, if a second word is
        likely, some 23 more tokens; None without a word to try. ``rows``: ``Engine.output_rows``, ``choose``:
        ``Engine.choose``. Raises ``EngineError`` ``E_NOT_FINITE``, and the errors of ``rows``, ``choose`` and the table
        of sounds."""
        if len(text.split()) > _LONGEST_TEXT or not is_english(text) or len(scan.states) < 2:
            return None
        try:
            readings = readings_of(text, scan, sounds(), rows, self.arrays["usual"], self.arrays["mean_row"])
        except ValueError:
            return None
        turn = (editor.turn.start, editor.turn.end) if editor.turn is not None else None
        values = hinted(readings, turn, pun_odds(editor.kinds))
        if not np.isfinite(values).all():
            raise EngineError("E_NOT_FINITE", "The model gave no usable numbers.", "Choose another model.")
        numbers = likeliest(readings, self.scores(values, first=True))
        values = np.hstack([values, read_behind(text, scan.spans, readings, numbers, choose)])
        scores = self.scores(values)
        _, strength = softmax(scores)
        for number, chances in chosen(readings, scores, values):
            p = sigmoid(float(chances @ self.arrays["said"][:-1] + self.arrays["said"][-1]))
            if readings.links[number] != "sense" and p >= self.meta.sound:
                return WordplayReading(strength, self._said(text, readings, number, p))
        return WordplayReading(strength, None)

    @staticmethod
    def _said(text: str, readings: Readings, number: int, p: float) -> Wordplay:
        """Return a reading as a finding."""
        start, end = readings.taken[number]
        link = readings.links[number]
        expected = readings.values[number, FEATURES.index("beside the word")] * 4.0 >= _EXPECTED
        shown: Link = "phrase" if link == "sound" and expected else link
        return Wordplay(start=start, end=end, text=text[start:end], second=readings.seconds[number], link=shown, p=p)
