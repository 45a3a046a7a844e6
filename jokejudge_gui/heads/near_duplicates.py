"""Detection of drafts of the same joke, by common words, letter groups and pairs of words."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from ..engine.base import CancelToken
from .words import words_named

THRESHOLD = 0.28
"""Likeness from which two texts are drafts of one joke; measured on drafts.jsonl and on readings of one kind
(models/training/LOG.md)."""
LONGEST = 2000
"""Most characters of a draft; longer texts are no drafts of a short joke, and slow to compare."""

LEAST_OWN = 0.4
"""Likeness from which a text is another version of one among thousands of the same person's."""

_WORD = re.compile(r"\w+(?:['’]\w+)*")
_LETTERS = 4


_COMMON = words_named("common in drafts")
_FRAMES = words_named("of stock forms")
"""Words common to jokes of a form; their letters don't identify a draft."""
_PLAIN = words_named("plain at an end")
"""Words, in addition to the common ones, that don't characterise an ending."""
_ENDING = 4
"""Most words of an ending; in a short text half of its words."""


def same_joke(a: str, b: str) -> bool:
    """Whether b looks like another version of a. Symmetric; a text is a version of itself."""
    return max(len(a), len(b)) <= LONGEST and likeness(a, b) >= THRESHOLD


def likeness(a: str, b: str) -> float:
    """Return the similarity of two texts' wording, 0…1."""
    return likeness_of(signature(a), signature(b))


@dataclass(frozen=True)
class Signature:
    """The compared features of a text: all its ``words``, its content words (``telling``), their letter groups, and
    pairs of neighbours; ``stems``: beginnings of its words, and ``ending`` those of the last ones."""

    words: tuple[str, ...]
    telling: frozenset[str]
    letters: frozenset[str]
    neighbours: frozenset[tuple[str, str]]
    stems: frozenset[str]
    ending: frozenset[str]


@lru_cache(1 << 12)
def signature(text: str) -> Signature:
    """Return the compared features of a text, computed once for many comparisons."""
    words = _WORD.findall(unicodedata.normalize("NFKC", text).lower().replace("’", "'"))
    telling = {word for word in words if word not in _COMMON and word not in _FRAMES} or set(words)
    stems = [_stem(word) for word in words if word in telling and word not in _PLAIN] or [_stem(word) for word in words]
    letters = {f" {word} "[at : at + _LETTERS] for word in telling for at in range(max(1, len(word) + 3 - _LETTERS))}
    return Signature(
        tuple(words),
        frozenset(telling),
        frozenset(letters),
        frozenset(pair for pair in itertools.pairwise(words) if not telling.isdisjoint(pair)),
        frozenset(stems),
        frozenset(stems[-min(_ENDING, max(1, len(stems) // 2)) :]),
    )


def likeness_of(one: Signature, other: Signature) -> float:
    """Return the ``likeness`` of two texts by their signatures."""
    if not one.words or not other.words:
        return float(one.words == other.words)
    pairs = ((one.telling, other.telling), (one.letters, other.letters), (one.neighbours, other.neighbours))
    return sum(_share(*pair) for pair in pairs) / len(pairs)


def same_ending(one: Signature, other: Signature) -> bool:
    """Whether the texts are equal, or one contains a word of the other's ending. Jokes with the same form and beginning
    but different endings are different jokes."""
    return one.words == other.words or not (one.ending.isdisjoint(other.stems) and other.ending.isdisjoint(one.stems))


def _stem(word: str) -> str:
    return word[: max(4, len(word) - 3)]


def _share(first: AbstractSet[Hashable], second: AbstractSet[Hashable]) -> float:
    both = len(first) + len(second)
    return 2 * len(first & second) / both if both else 1.0


# Groups of versions of one joke among many texts, without comparing all pairs.

_ALL = 300
"""Number of texts up to which all pairs are compared."""
_RARE = 60
"""A word in more texts than this, and than a twentieth of them, is too common to find candidates by."""
_LEAST_SHARED = 0.15
"""Least share of content words that similar texts have in common."""
_SHORT_LIST, _STEEPER, _STRICTEST = 100, 0.16, 0.6
"""Number of texts from which the threshold rises, rise for each factor of ten, and maximum."""


def threshold_of(count: int) -> float:
    """Return the likeness from which two of ``count`` texts count as versions of one joke. Pairs of different jokes
    grow with the square of a list, versions only with its length; for nineteen of twenty pairs to be right in a list a
    tenth of which has another version, the threshold must rise with its length."""
    rise = _STEEPER * math.log10(max(count, _SHORT_LIST) / _SHORT_LIST)
    return min(_STRICTEST, THRESHOLD + rise)


def alike(
    texts: Sequence[str], threshold: float | None = None, cancel: CancelToken | None = None
) -> list[tuple[int, int, float]]:
    """Return the pairs (i < j) of texts that look like versions of one joke, with their likeness 0…1, in order; their
    endings must be similar too. Equal texts are pairs as well. Among many texts a pair that shares only common words
    may be missed. ``threshold``: None for ``threshold_of`` this number of texts. Raises ``Cancelled``."""
    token = cancel or CancelToken()
    threshold = threshold_of(len(texts)) if threshold is None else threshold
    signatures = [signature(text) if len(text) <= LONGEST else None for text in texts]
    pairs = []
    for i, j in _candidates(signatures, token):
        one, other = signatures[i], signatures[j]
        if one is None or other is None or not same_ending(one, other):
            continue
        if (near := likeness_of(one, other)) >= threshold:
            pairs.append((i, j, near))
    return pairs


def _candidates(signatures: Sequence[Signature | None], cancel: CancelToken) -> list[tuple[int, int]]:
    n = len(signatures)
    if n <= _ALL:
        return [(i, j) for i in range(n) for j in range(i + 1, n)]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(signatures):
        for word in one.telling if one is not None else ():
            holders[word].append(place)
    common = max(_RARE, n // 20)
    pairs = []
    for place, one in enumerate(signatures):
        cancel.check()
        if one is None:
            continue
        shared: Counter[int] = Counter()
        for word in one.telling:
            if len(holders[word]) <= common:
                shared.update(other for other in holders[word] if other > place)
        for other, count in shared.items():
            second = signatures[other]
            if second is not None and 2 * count >= _LEAST_SHARED * (len(one.telling) + len(second.telling)):
                pairs.append((place, other))
    return sorted(pairs)
