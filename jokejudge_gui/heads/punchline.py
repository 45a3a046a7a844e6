"""The words on which a joke turns: how likely a reader would name each span of words, and which words to show for it.

Every span of up to LONGEST words has a chance; what is shown is the span that is likeliest to be right by all of them:
to be nearly the reader's words, the last one among them.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from .features import CLIP, ENDS_SENTENCE, PLACES, STOPS, Span, tokens_of, words_of

LONGEST = 8
"""Words of the longest span that has a chance; of a longer turn its last ones."""
LEAST_F1 = 0.6
"""From which on words shown are right, if they hold the last of the reader's."""
LONGER = 0.2
"""Log-odds for each word of a span: readers who were asked for the words to the last one of the punchline name more of
them than those that the chances were learned from."""
OVERLAP = 0.5
"""What the overlap to be expected counts beside the chance of being right: of two spans that are right as often the one
that is nearer to the reader's."""
CROSSING = 0.1
"""What each full stop and new line within the words shown must be worth: such a quotation reads badly."""
RAGGED = 0.02
"""And a small word at their end, behind which the sentence goes on."""
LIKELIHOODS = 4
"""Measures of how likely the model held a word: see ``word_likelihoods``."""
BUCKETS = 1 << 15
"""Groups into which words, and their first letters, fall."""
_PREFIX = 5
BY_STATES = 4
"""Scores of a word by its states: in the turn, its first, its last, its only word."""
TEXT_AXES = 6
"""Of what the other heads found in the text."""
_SCORES, _LIKELY, _KNOWN = 1 + 3 * BY_STATES, 13, 4
FEATURES = _SCORES + PLACES + _LIKELY + _KNOWN
WEIGHTS = 3 * FEATURES
"""Of a word, the next and the one before."""
MEASURES = LONGEST + 16
SHAPE = (*range(LONGEST + 3), LONGEST + 6, LONGEST + 9)
"""Measures of a span that count more or less by what was found in the text: length, end, full stops, beginning."""
_LEAST_LIKELY = (-30.0, -25.0, -25.0, 0.0)
_MOST_TOKENS = 20.0
_AFTER_COMMA = 11
_SURE = 1e-4
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]


def word_likelihoods(logprobs: Floats, spans: Sequence[Span], words: Sequence[Span]) -> Vector:
    """(words, LIKELIHOODS): log-probability (nats) of all of a word's tokens, of its first, of its least likely one,
    and how many there are. ``logprobs`` (tokens,) and ``spans`` as ``Scan`` has them."""
    found = np.zeros((len(words), LIKELIHOODS))
    for row, tokens in zip(found, tokens_of(spans, words), strict=True):
        inside = logprobs[tokens].astype(np.float64)
        if len(inside):
            row[:] = inside.sum(), inside[0], inside.min(), len(inside)
    return np.clip(found, _LEAST_LIKELY, (0.0, 0.0, 0.0, _MOST_TOKENS))


def word_groups(text: str, words: Sequence[Span]) -> Ints:
    """(words, 2): the group of each word, and that of its first letters."""
    plain = [text[start:end].lower().replace("’", "'") for start, end in words]
    found = [(_group("w" + word), _group("p" + word[:_PREFIX])) for word in plain]
    return np.array(found, dtype=np.int64).reshape(len(words), 2)


def _group(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "replace")) % BUCKETS


def turn_features(scores: Vector, where: Vector, likely: Vector, known: Vector) -> Vector:
    """(words, FEATURES). ``scores`` (words, BY_STATES); ``where``: ``features.places``; ``likely``:
    ``word_likelihoods``; ``known`` (words, 4): how much oftener than its place says a word was in a turn, and of how
    many words that is known, by the word and by its first letters."""
    count = len(scores)
    total = np.maximum(np.abs(scores).sum(axis=0), 1e-6)
    first_of_all = np.arange(count) == scores[:, 0].argmax()
    by_states = np.column_stack([scores, scores - scores.max(axis=0), scores / total, first_of_all])
    all_of_it, first = likely[:, 0], likely[:, 1]
    closing = np.concatenate([[0], np.cumsum(where[:-1, ENDS_SENTENCE] > 0)])
    least = np.zeros((count, 2))
    least[all_of_it.argmin(), 0] = 1.0
    for sentence in range(int(closing[-1]) + 1):
        inside = np.flatnonzero(closing == sentence)
        least[inside[all_of_it[inside].argmin()], 1] = 1.0
    so_far = np.cumsum(all_of_it)
    surprise = np.column_stack(
        [
            likely,
            (all_of_it - all_of_it.mean()) / (all_of_it.std() + 1.0),
            (first - first.mean()) / (first.std() + 1.0),
            np.argsort(np.argsort(all_of_it, kind="stable"), kind="stable") / max(1, count - 1),
            least,
            (so_far[-1] - so_far) / np.maximum(1, np.arange(count)[::-1]),
            (so_far - all_of_it) / np.maximum(1, np.arange(count)),
            all_of_it * (closing == closing[-1]),
            all_of_it * (1.0 - where[:, STOPS]),
        ]
    )
    return np.hstack([by_states, where, surprise, known])


def with_neighbours(standard: Vector) -> Vector:
    """(words, WEIGHTS) of one text's standardised features."""
    zero = np.zeros((1, standard.shape[1]), standard.dtype)
    return np.hstack([standard, np.vstack([standard[1:], zero]), np.vstack([zero, standard[:-1]])])


def turn_spans(count: int) -> Ints:
    """(spans, 2): first word and the one after the last of every span of up to LONGEST of so many words."""
    sizes = [np.arange(count - size + 1) for size in range(1, min(LONGEST, count) + 1)]
    return np.concatenate([np.column_stack([first, first + size]) for size, first in enumerate(sizes, start=1)])


def span_measures(spans: Ints, where: Vector) -> Vector:
    """(spans, MEASURES): how long each span is, and what it begins with, ends with and goes over."""
    first, after = spans[:, 0], spans[:, 1]
    count, size = len(where), after - first
    left = np.log1p(count - after)
    ends, commas = where[:, ENDS_SENTENCE] > 0, where[:, _AFTER_COMMA] > 0
    stops = where[:, STOPS]
    before = np.maximum(first - 1, 0)
    opens = (first == 0) | ends[before]
    crossed = crossings(spans, where)
    return np.column_stack(
        [
            size[:, None] == np.arange(1, LONGEST + 1),
            after == count,
            left,
            (after == count) * size,
            stops[first],
            stops[after - 1],
            ends[after - 1],
            crossed > 0,
            crossed,
            _within(commas, spans),
            opens,
            opens & ends[after - 1],
            size * left,
            size * np.log1p(count),
            (first > 0) * stops[before],
            (first > 0) & commas[before],
            size / count,
        ]
    ).astype(np.float64)


def text_shape(found: Vector, centre: Vector, scale: Vector, axes: Vector) -> Vector:
    """(…, TEXT_AXES): how a text, or several, differ from others by what the other heads found."""
    return np.asarray(np.clip((found - centre) / scale, -CLIP, CLIP) @ axes)


def crossings(spans: Ints, where: Vector) -> Ints:
    """(spans,): how many sentences end before a span does."""
    return _within(where[:, ENDS_SENTENCE] > 0, spans)


def _within(marks: npt.NDArray[np.bool_], spans: Ints) -> Ints:
    so_far = np.concatenate([[0], np.cumsum(marks)])
    return np.asarray(so_far[spans[:, 1] - 1] - so_far[spans[:, 0]], dtype=np.int64)


def span_odds(words: Vector, spans: Ints, spoken: Vector) -> Vector:
    """(spans,): log-odds up to a constant. ``words`` (words, 3): what each adds within a span, as its first and as its
    last word; ``spoken`` (spans,): what the span's own measures add."""
    so_far = np.concatenate([[0.0], np.cumsum(words[:, 0])])
    first, after = spans[:, 0], spans[:, 1]
    return np.asarray(so_far[after] - so_far[first] + words[first, 1] + words[after - 1, 2] + spoken)


def shares(odds: Vector) -> Vector:
    """Log-odds as shares, each ≥ 0, summing to 1."""
    raised = np.exp(odds - odds.max())
    return np.asarray(raised / raised.sum())


def f1_of(shown: tuple[int, int], named: tuple[int, int]) -> float:
    """0…1: how far words shown are those that a reader named, as first word and the one after the last."""
    both = min(shown[1], named[1]) - max(shown[0], named[0])
    return 2.0 * max(0, both) / (shown[1] - shown[0] + named[1] - named[0])


def is_right(shown: tuple[int, int], named: tuple[int, int]) -> bool:
    """Whether words shown are right of a reader who named others: nearly the same, the last word among them."""
    return f1_of(shown, named) >= LEAST_F1 and shown[0] < named[1] <= shown[1]


def chance_of_being_right(chance: Vector, spans: Ints, count: int) -> tuple[Vector, Vector]:
    """(spans,) 0…1 each: the chance that each is right, and the F1 that is to be expected of it, where the reader's is
    each of ``spans`` (of a text of ``count`` words) with a ``chance`` (summing to 1)."""
    sizes = spans[:, 1] - spans[:, 0]
    # By first word and number of words, with room before and behind.
    chances = np.zeros((count + 2 * LONGEST, LONGEST))
    chances[spans[:, 0] + LONGEST - 1, sizes - 1] = chance
    right, f1 = np.zeros((2, len(spans)))
    for size in range(1, min(LONGEST, count) + 1):
        steps, taken, whole, both = _overlapping(size)
        of = sizes == size
        near = chances[spans[of, 0][:, None] + steps, taken]
        right[of], f1[of] = near @ whole, near @ both
    return np.clip(right, 0.0, 1.0), f1


@lru_cache(LONGEST)
def _overlapping(size: int) -> tuple[Ints, Ints, Vector, Vector]:
    """For each span that shares a word with one of ``size`` words: how many words it starts behind LONGEST − 1 words
    before that one's first, its own number of words less 1, whether that one is right, and the F1 of both."""
    starts = np.arange(LONGEST + size)[:, None] - (LONGEST - 1)
    lengths = np.arange(1, LONGEST + 1)
    steps, taken = np.nonzero((starts + lengths > 0) & (starts < size))
    named = [
        (int(step) - LONGEST + 1, int(step) - LONGEST + 2 + int(more)) for step, more in zip(steps, taken, strict=True)
    ]
    whole = np.array([float(is_right((0, size), each)) for each in named])
    return steps, taken, whole, np.array([f1_of((0, size), each) for each in named])


def best_words(
    chance: Vector, spans: Ints, where: Vector, text: str, words: Sequence[Span]
) -> tuple[tuple[int, int], float]:
    """The words of ``text`` to show, and the log-odds that they are right."""
    right, f1 = chance_of_being_right(_with_longer(chance, spans), spans, len(words))
    place = int((right + OVERLAP * f1 - _awkward(spans, where, text, words)).argmax())
    p = min(max(float(right[place]), _SURE), 1.0 - _SURE)
    return (int(spans[place, 0]), int(spans[place, 1])), float(np.log(p / (1.0 - p)))


def _with_longer(chance: Vector, spans: Ints) -> Vector:
    raised = chance * np.exp(LONGER * (spans[:, 1] - spans[:, 0]))
    return np.asarray(raised / raised.sum())


def _awkward(shown: Ints, where: Vector, text: str, words: Sequence[Span]) -> Vector:
    """(shown,) what each must be worth more because it reads badly."""
    lines = ["\n" in text[end:start] for (_, end), (start, _) in pairwise(words)]
    parted = crossings(shown, where) + _within(np.array([*lines, False]), shown)
    goes_on = np.append(where[:-1, (ENDS_SENTENCE, _AFTER_COMMA)].max(axis=1) <= 0, False)
    ragged = goes_on & (where[:, STOPS] > 0)
    return np.asarray(CROSSING * parted + RAGGED * ragged[shown[:, 1] - 1])


@dataclass(frozen=True, eq=False)
class TurnHead:
    """Chances of spans. ``centre``, ``scale`` (FEATURES,), ``weights`` (WEIGHTS, 3), ``span_centre``, ``span_scale``,
    ``span_weights`` (MEASURES,), ``text_centre``, ``text_scale`` (outputs,), ``text_axes`` (outputs, TEXT_AXES) and
    ``text_weights`` (SHAPE, TEXT_AXES): of what the other heads found; ``words`` (BUCKETS, 2): what turns hold, by
    group; ``whole`` (2,): slope and constant that make honest the log-odds that all of the turn is found."""

    centre: Vector
    scale: Vector
    weights: Vector
    span_centre: Vector
    span_scale: Vector
    span_weights: Vector
    text_centre: Vector
    text_scale: Vector
    text_axes: Vector
    text_weights: Vector
    words: Vector
    whole: Vector

    def chances(
        self, scores: Vector, where: Vector, likely: Vector, groups: Ints, found: Vector
    ) -> tuple[Vector, Ints]:
        """(spans,) the chance of each span of a text of one word or more to be the reader's, 0…1, summing to 1; and the
        spans. ``groups``: ``word_groups``; ``found`` (outputs,): by the other heads."""
        known = self.words[groups].reshape(len(scores), _KNOWN)
        standard = np.clip((turn_features(scores, where, likely, known) - self.centre) / self.scale, -CLIP, CLIP)
        spans = turn_spans(len(scores))
        measures = (span_measures(spans, where) - self.span_centre) / self.span_scale
        shape = text_shape(found, self.text_centre, self.text_scale, self.text_axes)
        spoken = measures @ self.span_weights + measures[:, SHAPE] @ (self.text_weights @ shape)
        return shares(span_odds(with_neighbours(standard) @ self.weights, spans, spoken)), spans

    def best(
        self, scores: Vector, where: Vector, likely: Vector, text: str, found: Vector
    ) -> tuple[tuple[int, int], float]:
        """The words of ``text`` to show, and the log-odds that a reader would find them right; it has a word."""
        words = words_of(text)
        chance, spans = self.chances(scores, where, likely, word_groups(text, words), found)
        run, odds = best_words(chance, spans, where, text, words)
        return run, float(self.whole[0] * odds + self.whole[1])
