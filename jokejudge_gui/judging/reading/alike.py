"""Which of many texts are versions of one joke, without comparing every one with every other."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from ...engine.base import CancelToken
from .same_joke import LONGEST, THRESHOLD, Signature, likeness_of, same_ending, signature

_ALL = 300
"""Up to so many texts are compared each with each."""
_RARE = 60
"""A word in so many texts, or in a twentieth of them, tells too little to look for others by it."""
_LEAST_SHARED = 0.15
"""Texts that are alike share at least this much of their telling words."""
_SHORT_LIST, _STEEPER, _STRICTEST = 100, 0.16, 0.6
"""From so many texts on the threshold rises, by so much with every tenfold, to at most so much."""


def threshold_of(count: int) -> float:
    """The likeness from which two of ``count`` texts are taken for versions of one joke. Pairs of different jokes grow
    with the square of a list, versions only with its length: so that of twenty pairs taken nineteen are right in a list
    a tenth of which has another version, it must be the stricter the longer the list (tests/bench/duplicates.py)."""
    rise = _STEEPER * math.log10(max(count, _SHORT_LIST) / _SHORT_LIST)
    return min(_STRICTEST, THRESHOLD + rise)


def alike(
    texts: Sequence[str], threshold: float | None = None, cancel: CancelToken | None = None
) -> list[tuple[int, int, float]]:
    """Pairs (i < j) of texts that look like versions of one joke, with their likeness 0…1, in order: what is alike, and
    ends alike. Equal texts are pairs, too. Among many texts a pair that shares only common words may be missed.
    ``threshold``: None for that of a list of this length. Raises ``Cancelled``."""
    token = cancel or CancelToken()
    threshold = threshold_of(len(texts)) if threshold is None else threshold
    signatures = [signature(text) if len(text) <= LONGEST else None for text in texts]
    found = []
    for i, j in _candidates(signatures, token):
        one, other = signatures[i], signatures[j]
        if one is None or other is None or not same_ending(one, other):
            continue
        if (near := likeness_of(one, other)) >= threshold:
            found.append((i, j, near))
    return found


def _candidates(signatures: Sequence[Signature | None], cancel: CancelToken) -> list[tuple[int, int]]:
    n = len(signatures)
    if n <= _ALL:
        return [(i, j) for i in range(n) for j in range(i + 1, n)]
    holders: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(signatures):
        for word in one.telling if one is not None else ():
            holders[word].append(place)
    common = max(_RARE, n // 20)
    found = []
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
                found.append((place, other))
    return sorted(found)
