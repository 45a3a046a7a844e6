"""The turn of a joke: the probability that a reader would name each span of words, and the choice of the words to show.

Every span of up to LONGEST words has a probability; the span shown is the one likeliest to be right over all of them:
nearly the reader's words, with the last one among them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..core.statistics import Vector
from .features import CLIP, ENDS_SENTENCE, PLACES, STOPS, Span, tokens_of, words_of

LONGEST = 8
"""Most words of a candidate span; of a longer turn, the last ones."""
LEAST_F1 = 0.6
"""Least F1 with the reader's words for shown words to be right, if they contain the reader's last word."""
LONGER = 0.2
"""Log-odds for each word of a span: readers who are asked for the words up to the last one of the punchline name more
words than the readers of the training data."""
OVERLAP = 0.5
"""Weight of the expected overlap relative to the probability of being right: of two spans that are equally often right,
the one nearer to the reader's is chosen."""
CROSSING = 0.1
"""Penalty for each full stop and line break within the words shown, because such a quotation reads badly."""
RAGGED = 0.02
"""Penalty for a small word at their end if the sentence continues."""
LIKELIHOODS = 4
"""Number of likelihood measures of a word: see ``word_likelihoods``."""
BUCKETS = 1 << 15
"""Number of groups of words, and of their first letters."""
_PREFIX = 5
BY_STATES = 4
"""Number of a word's scores by states: in the turn, its first, its last, its only word."""
TEXT_AXES = 6
"""Number of axes of the other heads' outputs for the text."""
_SCORES, _LIKELY, _KNOWN = 1 + 3 * BY_STATES, 13, 4
FEATURES = _SCORES + PLACES + _LIKELY + _KNOWN
WEIGHTS = 3 * FEATURES
"""Number of features of a word, the next and the previous one."""
MEASURES = LONGEST + 16
SHAPE = (*range(LONGEST + 3), LONGEST + 6, LONGEST + 9)
"""Measures of a span whose weights depend on the outputs for the text: length, end, full stops, beginning."""
_LEAST_LIKELY = (-30.0, -25.0, -25.0, 0.0)
_MOST_TOKENS = 20.0
_AFTER_COMMA = 11
_SURE = 1e-4
_STOP = re.compile(r"[.!?…]|\n")
_SHORT = re.compile(r"(?:mr|mrs|ms|dr|st|vs|jr|sr|no|\w)\b", re.IGNORECASE)
"""Words with a full stop that may be in the middle of a sentence."""
_GOES_ON = frozenset(
    ("a", "an", "and", "as", "because", "but", "if", "my", "of", "or", "our", "than", "the", "their", "your")
)
"""Words that no sentence ends with."""
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.floating]


def word_likelihoods(logprobs: Floats, spans: Sequence[Span], words: Sequence[Span]) -> Vector:
    """Return (words, LIKELIHOODS): log-probability (nats) of all of a word's tokens, of its first, of its least likely
    one, and the number of tokens. ``logprobs`` (tokens,) and ``spans`` as in ``Scan``."""
    measures = np.zeros((len(words), LIKELIHOODS))
    own, begins, tokens = tokens_of(tuple(spans), tuple(words))
    if len(own):
        inside, counts = logprobs[tokens].astype(np.float64), np.diff(begins, append=len(tokens))
        least = np.minimum.reduceat(inside, begins)
        measures[own] = np.stack([np.add.reduceat(inside, begins), inside[begins], least, counts], axis=1)
    return np.clip(measures, _LEAST_LIKELY, (0.0, 0.0, 0.0, _MOST_TOKENS))


def word_groups(text: str, words: Sequence[Span]) -> Ints:
    """Return (words, 2): the group of each word, and that of its first letters."""
    plain = [text[start:end].lower().replace("’", "'") for start, end in words]
    groups = [(_group("w" + word), _group("p" + word[:_PREFIX])) for word in plain]
    return np.array(groups, dtype=np.int64).reshape(len(words), 2)


def _group(name: str) -> int:
    return zlib.crc32(name.encode("utf-8", "replace")) % BUCKETS


def turn_features(scores: Vector, where: Vector, likely: Vector, by_words: Vector) -> Vector:
    """Return (words, FEATURES). ``scores`` (words, BY_STATES); ``where``: ``features.places``; ``likely``:
    ``word_likelihoods``; ``by_words`` (words, 4): how much more often than expected by its place a word was in a turn,
    and the number of words that this is based on, by the word and by its first letters."""
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
    columns = [
        likely,
        (all_of_it - all_of_it.mean()) / (all_of_it.std() + 1.0),
        (first - first.mean()) / (first.std() + 1.0),
    ]
    columns += [np.argsort(np.argsort(all_of_it, kind="stable"), kind="stable") / max(1, count - 1), least]
    columns += [(so_far[-1] - so_far) / np.maximum(1, np.arange(count)[::-1])]
    columns += [(so_far - all_of_it) / np.maximum(1, np.arange(count)), all_of_it * (closing == closing[-1])]
    surprise = np.column_stack([*columns, all_of_it * (1.0 - where[:, STOPS])])
    return np.hstack([by_states, where, surprise, by_words])


def with_neighbours(standard: Vector) -> Vector:
    """Return (words, WEIGHTS): one text's standardised features with those of each word's neighbours."""
    zero = np.zeros((1, standard.shape[1]), standard.dtype)
    return np.hstack([standard, np.vstack([standard[1:], zero]), np.vstack([zero, standard[:-1]])])


def turn_spans(count: int) -> Ints:
    """Return (spans, 2): first word and the one after the last of every span of up to LONGEST of ``count`` words."""
    sizes = [np.arange(count - size + 1) for size in range(1, min(LONGEST, count) + 1)]
    return np.concatenate([np.column_stack([first, first + size]) for size, first in enumerate(sizes, start=1)])


def span_measures(spans: Ints, where: Vector) -> Vector:
    """Return (spans, MEASURES): measures of each span's length, beginning, end and inner borders."""
    first, after = spans[:, 0], spans[:, 1]
    count, size = len(where), after - first
    left = np.log1p(count - after)
    ends, commas = where[:, ENDS_SENTENCE] > 0, where[:, _AFTER_COMMA] > 0
    stops = where[:, STOPS]
    before = np.maximum(first - 1, 0)
    opens = (first == 0) | ends[before]
    crossed = crossings(spans, where)
    lengths, at_end, closing = size[:, None] == np.arange(1, LONGEST + 1), after == count, ends[after - 1]
    columns = [lengths, at_end, left, at_end * size, stops[first], stops[after - 1], closing, crossed > 0, crossed]
    columns += [_within(commas, spans), opens, opens & closing, size * left, size * np.log1p(count)]
    columns += [(first > 0) * stops[before], (first > 0) & commas[before], size / count]
    return np.column_stack(columns).astype(np.float64)


def text_shape(outputs: Vector, centre: Vector, scale: Vector, axes: Vector) -> Vector:
    """Return (…, TEXT_AXES): the projection of the other heads' outputs for one or several texts on ``axes``."""
    return np.asarray(np.clip((outputs - centre) / scale, -CLIP, CLIP) @ axes)


def crossings(spans: Ints, where: Vector) -> Ints:
    """Return (spans,): the number of sentence ends within each span, other than at its own end."""
    return _within(where[:, ENDS_SENTENCE] > 0, spans)


def _within(marks: npt.NDArray[np.bool_], spans: Ints) -> Ints:
    so_far = np.concatenate([[0], np.cumsum(marks)])
    return np.asarray(so_far[spans[:, 1] - 1] - so_far[spans[:, 0]], dtype=np.int64)


def span_odds(words: Vector, spans: Ints, spoken: Vector) -> Vector:
    """Return (spans,): log-odds up to a constant. ``words`` (words, 3): contribution of each word within a span, as its
    first and as its last word; ``spoken`` (spans,): contribution of the span's own measures."""
    so_far = np.concatenate([[0.0], np.cumsum(words[:, 0])])
    first, after = spans[:, 0], spans[:, 1]
    return np.asarray(so_far[after] - so_far[first] + words[first, 1] + words[after - 1, 2] + spoken)


def shares(odds: Vector) -> Vector:
    """Return the softmax of log-odds: shares ≥ 0, summing to 1."""
    raised = np.exp(odds - odds.max())
    return np.asarray(raised / raised.sum())


def f1_of(shown: tuple[int, int], named: tuple[int, int]) -> float:
    """Return the F1 0…1 of shown words and a reader's, each as first word and the one after the last."""
    both = min(shown[1], named[1]) - max(shown[0], named[0])
    return 2.0 * max(0, both) / (shown[1] - shown[0] + named[1] - named[0])


def is_right(shown: tuple[int, int], named: tuple[int, int]) -> bool:
    """Whether shown words are right, given the reader's: nearly the same, the last word among them."""
    return f1_of(shown, named) >= LEAST_F1 and shown[0] < named[1] <= shown[1]


def chance_of_being_right(chance: Vector, spans: Ints, count: int) -> tuple[Vector, Vector]:
    """Return two arrays (spans,) 0…1: the probability that each span is right, and its expected F1, given the
    probability ``chance`` (summing to 1) that each of ``spans`` is the reader's. ``count``: words of the text."""
    sizes = spans[:, 1] - spans[:, 0]
    # By first word and number of words, with room before and after.
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
    """For each span that shares a word with one of ``size`` words, return: its start, counted from LONGEST − 1 words
    before that one's first; its own number of words less 1; whether that one is right; and the F1 of both."""
    starts = np.arange(LONGEST + size)[:, None] - (LONGEST - 1)
    lengths = np.arange(1, LONGEST + 1)
    steps, taken = np.nonzero((starts + lengths > 0) & (starts < size))
    named = [
        (int(step) - LONGEST + 1, int(step) - LONGEST + 2 + int(more)) for step, more in zip(steps, taken, strict=True)
    ]
    whole = np.array([float(is_right((0, size), span)) for span in named])
    return steps, taken, whole, np.array([f1_of((0, size), span) for span in named])


def best_words(
    chance: Vector, spans: Ints, where: Vector, text: str, words: Sequence[Span]
) -> tuple[tuple[int, int], float]:
    """Return the words of ``text`` to show, and the log-odds that they are right."""
    raised = chance * np.exp(LONGER * (spans[:, 1] - spans[:, 0]))
    right, f1 = chance_of_being_right(raised / raised.sum(), spans, len(words))
    place = int((right + OVERLAP * f1 - _awkward(spans, where, text, words)).argmax())
    p = min(max(float(right[place]), _SURE), 1.0 - _SURE)
    return (int(spans[place, 0]), int(spans[place, 1])), float(np.log(p / (1.0 - p)))


def of_one_sentence(text: str, words: Sequence[Span], shown: tuple[int, int]) -> tuple[int, int] | None:
    """Return the words to show without those of an earlier sentence; None where they end in the middle of a sentence
    with which the text breaks off."""
    first, after = shown
    between = [text[end:start] for (_, end), (start, _) in pairwise(words)]
    stops = [n for n in range(first, after - 1) if _STOP.search(between[n]) and not _SHORT.match(text, *words[n])]
    last = text[slice(*words[-1])].lower()
    broken = after == len(words) and last in _GOES_ON and not text[words[-1][1] :].strip()
    return None if broken else (stops[-1] + 1 if stops else first, after)


def _awkward(shown: Ints, where: Vector, text: str, words: Sequence[Span]) -> Vector:
    """Return (shown,): the penalty of each span for reading badly."""
    lines = ["\n" in text[end:start] for (_, end), (start, _) in pairwise(words)]
    parted = crossings(shown, where) + _within(np.array([*lines, False]), shown)
    goes_on = np.append(where[:-1, (ENDS_SENTENCE, _AFTER_COMMA)].max(axis=1) <= 0, False)
    ragged = goes_on & (where[:, STOPS] > 0)
    return np.asarray(CROSSING * parted + RAGGED * ragged[shown[:, 1] - 1])


def span_chances(
    a: Mapping[str, Vector], scores: Vector, where: Vector, likely: Vector, groups: Ints, outputs: Vector
) -> tuple[Vector, Ints]:
    """Return (spans,) the probability that each span of a text with at least one word is the reader's, 0…1, summing to
    1; and the spans. ``a``: the arrays ``turn_…`` of the heads' file (``turn_text_…``: of the other heads' outputs for
    the text, ``turn_words``: statistics of words in turns, by group); ``groups``: ``word_groups``; ``outputs``
    (outputs,): by the other heads."""
    by_words = a["turn_words"][groups].reshape(len(scores), _KNOWN)
    features = turn_features(scores, where, likely, by_words)
    standard = np.clip((features - a["turn_centre"]) / a["turn_scale"], -CLIP, CLIP)
    spans = turn_spans(len(scores))
    measures = (span_measures(spans, where) - a["turn_span_centre"]) / a["turn_span_scale"]
    shape = text_shape(outputs, a["turn_text_centre"], a["turn_text_scale"], a["turn_text_axes"])
    spoken = measures @ a["turn_span_weights"] + measures[:, SHAPE] @ (a["turn_text_weights"] @ shape)
    return shares(span_odds(with_neighbours(standard) @ a["turn_weights"], spans, spoken)), spans


def best_turn(
    a: Mapping[str, Vector], scores: Vector, where: Vector, likely: Vector, text: str, outputs: Vector
) -> tuple[tuple[int, int], float]:
    """Return the words of ``text`` to show, and the log-odds that a reader would find them right, calibrated by
    ``turn_whole``; the text must have a word."""
    words = words_of(text)
    chance, spans = span_chances(a, scores, where, likely, word_groups(text, words), outputs)
    run, odds = best_words(chance, spans, where, text, words)
    return run, float(a["turn_whole"][0] * odds + a["turn_whole"][1])
