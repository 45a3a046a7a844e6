"""Counts in a text, differences between two texts, and figures as they are written, without a model."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import Literal

from .verdicts import Span

WORD = re.compile(r"\w+(?:['’]\w+)*")
SPOKEN_PER_SECOND = 2.83
"""Words spoken in a second (170 in a minute)."""


def a_minute(count: int, seconds: float, what: str = "") -> str:
    """Return ", 3.1 a minute", a rate of speech; empty for less than a minute of it."""
    return f", {60.0 * count / seconds:.1f}{what} a minute" if seconds >= 60.0 else ""


def facts_of(text: str, turn: Span | None = None) -> dict[str, int | None]:
    """Return facts of a cleaned text: its ``words``; ``seconds`` of speech, whole, 0 for under one; the number of the
    word (from 1) at which it turns and of the words after the turn, None without a known ``turn``."""
    words = list(WORD.finditer(text))
    at = after = None
    if turn is not None:
        at = sum(word.end() <= turn.start for word in words) + 1
        after = sum(word.start() >= turn.end for word in words)
    spoken = len(words) / SPOKEN_PER_SECOND
    return {
        "words": len(words), "seconds": round(spoken) if spoken >= 1.0 else 0, "turn_word": at, "after": after
    }  # fmt: skip


def fact_lines(text: str, turn: Span | None = None) -> tuple[str, ...]:
    """Return the facts as they are shown, in their order, to be joined by " · "."""
    words, seconds, at, after = facts_of(text, turn).values()
    parts = [f"{words:,} word{'' if words == 1 else 's'}", f"{seconds} s spoken" if seconds else "under 1 s spoken"]
    if at is not None:
        parts += [f"turn at word {at}", *([f"{after} word{'' if after == 1 else 's'} after it"] if after else [])]
    return tuple(parts)


# -- sentences ---------------------------------------------------------------------------------------------------------

LONG, _FEW_SENTENCES, _LEAST_OF_FEW = 60, 4, 30
"""Words above which a text is a long one; number of sentences above which one of at least so many words is, too."""
_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s|$)\s*|\s*\n\s*")
_ABBREVIATED = re.compile(r"(?:^|[\s(\"'“‘])(?:(?i:mr|mrs|ms|dr|st|jr|sr|prof|rev|vs|e\.g|i\.e|no)\.|[A-HJ-Z]\.)$")
_GOES_ON = re.compile(r"(?:…|\.\.|[\"”’')\]]\s|\]$)")


@lru_cache(64)
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """Return the sentences of a text, and the lines of one without marks: (start, end) in characters, without the
    blanks between them."""
    spans, start = [], 0
    for match in _END.finditer(text):
        inside = match.end() < len(text) and "\n" not in match.group()
        if inside and _ABBREVIATED.search(text[start : match.start() + 1]):
            continue
        if inside and text[match.end()].islower() and _GOES_ON.search(match.group()):
            continue
        if WORD.search(text, start, match.end()):
            spans.append((start, match.end()))
            start = match.end()
    if WORD.search(text, start):
        spans.append((start, len(text)))
    pieces = ((a, text[a:b]) for a, b in spans)
    return tuple((a + len(piece) - len(piece.lstrip()), a + len(piece.rstrip())) for a, piece in pieces)


def is_long(text: str) -> bool:
    """Whether a text is shown sentence by sentence."""
    words = len(WORD.findall(text))
    return words > LONG or (words >= _LEAST_OF_FEW and len(sentences(text)) > _FEW_SENTENCES)


MOST_WORDS = 8
"""A longer quotation is shortened in its middle."""
_ENDS_SHOWN = 3
_EDGES = " \t\n\"“”„‘’'«».,;:!?…-–—()[]*"


def quoted_words(words: str) -> str:
    """Return words as a sentence quotes them, shortened in the middle if long; empty where there is no word."""
    plain = " ".join(words.strip(_EDGES).split())
    spoken = list(WORD.finditer(plain))
    if len(spoken) <= MOST_WORDS:
        return plain if spoken else ""
    return f"{plain[: spoken[_ENDS_SHOWN - 1].end()]} … {plain[spoken[-_ENDS_SHOWN].start() :]}"


# -- two texts ---------------------------------------------------------------------------------------------------------

_PIECE = re.compile(r"\w+(?:['’]\w+)*|\s+|[^\w\s]")

Mark = Literal["same", "gone", "new"]


Place = tuple[int, int]
"""Start and end in characters."""


def changed_places(a: str, b: str) -> Iterator[tuple[Place, Place]]:
    """Yield where two texts differ, in whole words: the place in ``a``, and that in ``b``."""
    pieces = _PIECE.findall(a), _PIECE.findall(b)
    ends = [[0, *accumulate(map(len, own))] for own in pieces]
    for tag, i, j, k, m in difflib.SequenceMatcher(None, *pieces, autojunk=False).get_opcodes():
        if tag != "equal":
            yield (ends[0][i], ends[0][j]), (ends[1][k], ends[1][m])


def changed_words(before: str, after: str) -> list[tuple[str, Mark]]:
    """Merge both texts, in whole words: ``same`` and ``gone`` together are exactly ``before``, ``same`` and ``new``
    exactly ``after``."""
    runs, at = list[tuple[str, Mark]](), 0
    for (start, end), new in changed_places(before, after):
        runs += (before[at:start], "same"), (before[start:end], "gone"), (after[slice(*new)], "new")
        at = end
    return [run for run in (*runs, (before[at:], "same")) if run[0]]


def differing(a: str, b: str) -> tuple[tuple[Place, ...], tuple[Place, ...]]:
    """Return the differences of two texts: the places of those in ``a`` alone, and of those in ``b`` alone, without
    blanks at their ends. Exchanging the texts exchanges the results."""
    if b < a:
        first, second = differing(b, a)
        return second, first
    sides: tuple[list[Place], list[Place]] = ([], [])
    for places in changed_places(a, b):
        for text, (start, end), bare in zip((a, b), places, sides, strict=True):
            if words := text[start:end].strip():
                start += text[start:end].index(words)
                bare.append((start, start + len(words)))
    return tuple(sides[0]), tuple(sides[1])


def of_100(share: float | None, low: float | None = None, high: float | None = None, unit: str = "") -> str:
    """Return a share 0…1 in hundredths, with its interval if it is known: ``71 (67 to 75)``; a dash for None. ``unit``:
    words after the figure itself."""
    if share is None:
        return "–"
    ends = f" ({100 * low:.0f} to {100 * high:.0f})" if low is not None and high is not None else ""
    return f"{100 * share:.0f}{unit}{ends}"
