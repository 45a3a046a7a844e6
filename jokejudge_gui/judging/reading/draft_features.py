"""What tells two drafts of one joke apart, in numbers: the states of a model, how much it expected each word, and where
the one was changed into the other.

Everything is read from a towards b, and a pair's features are the difference of both directions, so that they turn
their sign with the order of the drafts.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ...engine.base import FloatArray, Scan
from .audience import pool
from .wording import Vector, grams

WORD_BUCKETS = 1 << 14
"""Words and pairs of words, each in one of so many buckets by its CRC-32."""
_ALIKE = 1e-3  # nats: the same token after the same tokens differs by less
_NEW = -3.0
"""Nats, the usual log-probability of a token: what is supposed of one that wasn't read."""

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’]?\s+")
_NAME = re.compile(r"\b[A-Z]\w+")
_NUMBER = re.compile(
    r"\d|^(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)$"
)


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_GENERAL = _set(
    "something someone somebody somewhere thing things stuff it one some anyone anything everything people man woman"
    " person place time other another somehow kind sort bit lot few way they"
)
_FILLING = _set(
    "actually really basically just very quite rather then so well all at of course simply literally in fact that which"
    " who would could"
)
_EXPLAINING = _set("because so meaning since means which that's get joke pun funny haha therefore hence as")


@dataclass(frozen=True, eq=False)
class DraftReading:
    """One draft as a model read it. ``tokens``: the characters of each; ``pooled``: see ``wording.pool``; ``alone``:
    measures of this text by itself; ``words``: its words and marks in lower case; ``grams``: bucket → count."""

    text: str
    tokens: tuple[str, ...]
    states: FloatArray
    logprobs: Vector
    pooled: Vector
    alone: Vector
    words: tuple[str, ...]
    grams: dict[int, float]


def reading(text: str, scan: Scan) -> DraftReading:
    """Prepare a text that the model has read. Raises ``ValueError`` where a number isn't finite."""
    logprobs = scan.logprobs.astype(np.float64)
    if not (np.isfinite(scan.states).all() and np.isfinite(logprobs).all()):
        raise ValueError("the model's states are not finite")
    words = tuple(_WORD.findall(text.lower())) or ("",)
    return DraftReading(
        text=text,
        tokens=tuple(text[first:last] for first, last in scan.spans),
        states=scan.states,
        logprobs=logprobs,
        pooled=pool(scan.states, text),
        alone=_alone(text, words, logprobs),
        words=words,
        grams={place: count for place, count in grams(text, 2 * WORD_BUCKETS).items() if place < WORD_BUCKETS},
    )


def foreseen(known: DraftReading, text: str, spans: Sequence[tuple[int, int]]) -> DraftReading:
    """About what reading ``text``, an edit of ``known``, would give, told without the model: a token that stays keeps
    what was read of it, a new one gets the state at its place. ``spans``: ``text``'s tokens, as ``Engine.spans``."""
    tokens = [text[first:last] for first, last in spans]
    states = np.empty((len(tokens), known.states.shape[1]), dtype=known.states.dtype)
    logprobs = np.full(len(tokens), _NEW, dtype=np.float32)
    matcher = difflib.SequenceMatcher(None, known.tokens, tokens, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        for place in range(first, last):
            before = min(start + place - first, max(start, end - 1), len(known.tokens) - 1)
            states[place] = known.states[before]
            if kind == "equal":
                logprobs[place] = known.logprobs[before]
    logprobs[:1] = 0.0
    return reading(text, Scan(states, logprobs, tuple(spans)))


@dataclass(frozen=True, eq=False)
class Differences:
    """What a pair differs by, a less b. ``states``: pooled states and the last token that only the one has, (5·size +
    3); ``words``: bucket → count, of the words that only one has; ``shape``: how the texts were changed into each
    other, see ``SHAPE``; ``even``: the sum of both directions, the same for both orders; ``overlap``: share of tokens
    that both have, 0…1."""

    states: Vector
    words: dict[int, float]
    shape: Vector
    even: Vector
    overlap: float


def differences(a: DraftReading, b: DraftReading) -> Differences:
    """Features of a pair; with a and b exchanged, ``states``, ``words`` and ``shape`` turn their signs, but to the last
    bit only if ``canonical`` brought them into order first."""
    there, back = _directed(a, b), _directed(b, a)
    matcher = difflib.SequenceMatcher(None, a.tokens, b.tokens, autojunk=False)
    ops = matcher.get_opcodes()
    ends = _last(a, [op[1:3] for op in ops if op[0] != "equal"]) - _last(b, [op[3:5] for op in ops if op[0] != "equal"])
    only = {place: count for place, count in a.grams.items() if place not in b.grams}
    only |= {place: -count for place, count in b.grams.items() if place not in a.grams}
    return Differences(
        states=np.concatenate([a.pooled - b.pooled, ends]),
        words=only,
        shape=np.concatenate([a.alone - b.alone, there - back]),
        even=there + back,
        overlap=2 * sum(op[2] - op[1] for op in ops if op[0] == "equal") / max(1, len(a.tokens) + len(b.tokens)),
    )


def canonical(a: DraftReading, b: DraftReading) -> tuple[DraftReading, DraftReading, bool]:
    """Both in an order that depends on their texts alone, and whether that exchanged them."""
    return (b, a, True) if b.text < a.text else (a, b, False)


def _last(draft: DraftReading, ranges: Sequence[tuple[int, int]]) -> Vector:
    """The state of the last token that only this draft has; zeros where it has none."""
    own = [place for first, last in ranges for place in range(first, last)]
    found: Vector = (
        draft.states[own[-1]].astype(np.float64) if own else np.zeros(draft.states.shape[1], dtype=np.float64)
    )
    return found


def _alone(text: str, words: Sequence[str], logprobs: Vector) -> Vector:
    after = logprobs[1:] if len(logprobs) > 1 else np.zeros(1)
    sentences = [part for part in _SENTENCE.split(text) if part] or [""]
    seen = Counter(words)
    return np.array(
        [
            after.sum() / 10,
            after.mean(),
            after[-6:].mean(),
            after[-2:].mean(),
            after.min(),
            np.sort(after)[:3].mean(),
            (after < -8).mean() * 5,
            math.log(len(words)),
            len(words) / 10,
            text.count(","),
            len(sentences),
            len(sentences[-1]) / 20,
            math.log(1 + len(sentences[-1])),
            len(words[-2]) if len(words) > 1 else 0,
            text.count('"'),
            sum(word in _GENERAL for word in words),
            sum(word in _FILLING for word in words),
            np.mean([len(word) for word in words]),
            sum(len(word) > 3 and seen[word] > 1 for word in words),
            sum(_NUMBER.search(word) is not None for word in words),
            len(_NAME.findall(text)),
        ],
        dtype=np.float64,
    )


def _directed(a: DraftReading, b: DraftReading) -> Vector:
    """What a has that b hasn't: its size, how expected it is, where it stands, and what it does to the words that both
    have."""
    ops = difflib.SequenceMatcher(None, a.tokens, b.tokens, autojunk=False).get_opcodes()
    changed = [op for op in ops if op[0] != "equal"]
    mine = [place for op in changed for place in range(op[1], op[2])]
    theirs = [place for op in changed for place in range(op[3], op[4])]
    both = [(op[1] + step, op[3] + step) for op in ops if op[0] == "equal" for step in range(op[2] - op[1])]
    size = len(a.tokens)
    moved = (Counter(a.tokens[place] for place in mine) & Counter(b.tokens[place] for place in theirs)).total()
    aligned = difflib.SequenceMatcher(None, a.words, b.words, autojunk=False).get_opcodes()
    words = [word for op in aligned if op[0] != "equal" for word in a.words[op[1] : op[2]]]
    gains = [(first, a.logprobs[first] - b.logprobs[second]) for first, second in both if first > 0 and second > 0]
    shift = np.array([gain for _, gain in gains if abs(gain) > _ALIKE] or [0.0])
    late = np.array([gain for first, gain in gains if first >= size - 8] or [0.0])
    own = np.array([a.logprobs[place] for place in mine if place > 0] or [0.0])
    ends = float(bool(mine) and mine[-1] >= size - 2)
    inner = float(bool(mine) and not ends)
    only = float(bool(mine) and not theirs)
    much = math.log1p(len(mine))
    return np.array(
        [
            much,
            len(mine) / 10,
            own.mean(),
            own.sum() / 10,
            own.min(),
            own.max(),
            own[0],
            np.median(own),
            shift.sum() / 10,
            shift.mean() / 2,
            late.mean() / 2,
            shift.min() / 2,
            ends,
            ends * much,
            inner * much,
            only,
            only * ends,
            only * inner * much,
            (mine[-1] + 1) / size if mine else 0.0,
            mine[0] / size if mine else 1.0,
            moved / (1 + max(len(mine), len(theirs))) / 2,
            math.log1p(moved) / 2,
            sum(op[2] > op[1] for op in changed),
            sum(word in _GENERAL for word in words),
            sum(word in _FILLING for word in words),
            sum(word in _EXPLAINING for word in words),
            np.mean([len(word) for word in words]) if words else 0.0,
            sum(len(word) > 3 and a.words.count(word) > 1 for word in words),
            words.count(","),
            sum(word in ".!?" for word in words),
            len(set(words) & set(b.words)) / (1 + len(words)),
        ],
        dtype=np.float64,
    )


SHAPE = 21 + 31
"""Features of ``Differences.shape``: of the texts by themselves, and of what the one has beyond the other."""
EVEN = 31
