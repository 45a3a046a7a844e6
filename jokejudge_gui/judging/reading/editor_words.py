"""Word by word: where a joke turns, and which words could go, read off the states of each word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .editor_form import STOP_WORDS
from .wording import WORD

Vector = npt.NDArray[np.float64]
Span = tuple[int, int]

CLIP = 5.0
"""Standardised features are kept within this, so that no odd word can weigh without bound."""
MOST_WORDS_SHOWN = 3
PLACES = 24
"""Measures of a word's place."""
_CROSSED = (0, 1, 5, 6, 8)
"""Places that are multiplied with the leading axes of a word's states."""
_LEADING = 24
STOPS = 8
ENDS_SENTENCE = 10
"""Places that say whether it is a word like *the*, and whether a sentence ends behind it."""
WINDOW = 17
"""Measures of a run of words."""


def words_of(text: str) -> list[Span]:
    """First character and the one after the last of each word."""
    return [found.span() for found in WORD.finditer(text)]


def word_states(states: npt.NDArray[np.floating], spans: Sequence[Span], words: Sequence[Span]) -> Vector:
    """(words, size): the mean of the states of each word's tokens. ``spans``: of the tokens, the last ones of
    ``states`` (what goes before them is the model's opening)."""
    lead = max(0, len(states) - len(spans))
    starts = np.array([start for start, _ in spans], dtype=np.int64)
    ends = np.array([end for _, end in spans], dtype=np.int64)
    found = np.zeros((len(words), states.shape[1]))
    for row, (start, end) in zip(found, words, strict=True):
        inside = lead + np.flatnonzero((starts < end) & (ends > start))
        inside = inside[inside < len(states)]
        if len(inside):
            row[:] = states[inside].mean(axis=0, dtype=np.float64)
    return found


def places(text: str, words: Sequence[Span]) -> Vector:
    """(words, PLACES): where each word stands and what stands about it."""
    plain = [text[start:end].lower().replace("’", "'") for start, end in words]
    count = len(words)
    found = np.zeros((count, PLACES))
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    for number, word in enumerate(plain):
        first.setdefault(word, number)
        last[word] = number
    question = text.rfind("?")
    asked = text.find("?")
    broken = text.rfind("\n")
    for number, (start, end) in enumerate(words):
        left = count - 1 - number
        word, after = plain[number], text[end : end + 3]
        found[number] = (
            left == 0,
            left == 1,
            left == 2,
            left == 3,
            4 <= left < 7,
            np.log1p(left),
            number / count,
            np.log1p(number),
            word in STOP_WORDS,
            len(word) / 8,
            any(mark in ".?!" for mark in after),
            after[:1] == ",",
            text[start].isupper(),
            any(mark in "\"'“”‘’" for mark in text[max(0, start - 1) : start]),
            any(mark in '"”' for mark in after),
            first[word] < number,
            last[word] > number,
            any(character.isdigit() for character in word),
            broken >= end,
            question >= end,
            0 <= asked < start,
            np.log1p(count),
            number == 0,
            "-" in after,
        )
    return found


@dataclass(frozen=True, eq=False)
class WordHead:
    """Maps from a word's states and place to scores: in the turn, could go and, where it was learned, the turn's first,
    last and only word. ``centre``, ``scale`` (size,), ``axes`` (size, k), ``place_centre``, ``place_scale`` (PLACES,),
    ``weights`` (features, 2 or 5), ``bias`` (2,) or (5,)."""

    centre: Vector
    scale: Vector
    axes: Vector
    place_centre: Vector
    place_scale: Vector
    weights: Vector
    bias: Vector

    def scores(self, states: npt.NDArray[np.floating], where: Vector) -> Vector:
        """(words, 2 or 5), about 0…1."""
        found: Vector = self.features(states, where) @ self.weights + self.bias
        return found

    def features(self, states: npt.NDArray[np.floating], where: Vector) -> Vector:
        """(words, 4·k + PLACES + crossed): of the word, the next, the one before, against the text's mean."""
        axes = np.clip((states - self.centre) / self.scale, -CLIP, CLIP) @ self.axes
        place = np.clip((where - self.place_centre) / self.place_scale, -CLIP, CLIP)
        zero = np.zeros((1, axes.shape[1]))
        following, before = np.vstack([axes[1:], zero]), np.vstack([zero, axes[:-1]])
        leading = axes[:, :_LEADING]
        crossed = [0.7 * leading * place[:, [column]] for column in _CROSSED]
        return np.hstack([axes, following, 0.7 * before, axes - axes.mean(axis=0), 2.0 * place, *crossed])


def word_features(axes: int) -> int:
    """Columns of ``WordHead.features`` for so many axes."""
    return 4 * axes + PLACES + len(_CROSSED) * min(axes, _LEADING)


def windows(scores: Vector, where: Vector) -> tuple[list[tuple[int, int]], Vector]:
    """Runs of up to MOST_WORDS_SHOWN words within a sentence (first, after the last), and (runs, WINDOW) measures of
    each. ``scores``
    (words,): of the turn."""
    count = len(scores)
    ends = where[:, ENDS_SENTENCE] > 0
    runs = [
        (a, a + size)
        for size in range(1, min(MOST_WORDS_SHOWN, count) + 1)
        for a in range(count - size + 1)
        if not ends[a : a + size - 1].any()
    ]
    top, total = float(scores.max()), max(float(np.abs(scores).sum()), 1e-9)
    measures = np.zeros((len(runs), WINDOW))
    for row, (a, b) in zip(measures, runs, strict=True):
        inside, size, left = scores[a:b], b - a, count - b
        total_inside, most = float(inside.sum()), float(inside.max())
        row[:] = (
            total_inside,
            most,
            float(inside.min()),
            total_inside / total,
            scores[a - 1] if a else 0.0,
            scores[b] if b < count else 0.0,
            most - top,
            size == 2,
            size == 3,
            left == 0,
            np.log1p(left),
            where[a, 8],
            where[b - 1, 8],
            where[b - 1, 10],
            where[a : b - 1, 11].any(),
            total_inside * (size - 2),
            most * (size - 2),
        )
    return runs, measures


@dataclass(frozen=True, eq=False)
class WindowHead:
    """Log-odds that a run of words is the turn: ``weights``, ``centre``, ``scale`` (WINDOW,), ``bias``."""

    centre: Vector
    scale: Vector
    weights: Vector
    bias: float

    def best(self, scores: Vector, where: Vector) -> tuple[tuple[int, int], float]:
        """The likeliest run and its log-odds; there is at least one word."""
        runs, measures = windows(scores, where)
        odds = np.clip((measures - self.centre) / self.scale, -CLIP, CLIP) @ self.weights + self.bias
        place = int(odds.argmax())
        return runs[place], float(odds[place])


def turn_stats(scores: Vector) -> Vector:
    """(6,): how sure the turn is and where it lies, of the scores (words,)."""
    count = len(scores)
    share = turn_shares(scores)
    middle = float(share @ np.arange(count))
    left = count - 1 - int(scores.argmax())
    spread = -float(share @ np.log(share + 1e-12))
    return np.array([scores.max(), left, np.log1p(left), middle / count, np.log1p(count - 1 - middle), spread])


def turn_shares(scores: Vector) -> Vector:
    """Scores as shares of the turn, each > 0, summing to 1."""
    raised = np.clip(scores, 0.001, 1.0) ** 1.5
    found: Vector = raised / raised.sum()
    return found
