"""Whether a text is meant as a joke, whatever was put before or behind it.

A head reads a text as a whole, and a sentence of praise, an order to the judge or any other sentence behind a news item
carries it past the limit. So what stands before each end of a sentence is asked, too: the model reads from left to
right, so its states up to there are those of the beginning alone, and that costs nothing. What stands behind the first
sentence, or is left without a run of praise, is read by itself, but only where the head is in some doubt or finds such
a run. A part counts only if it is clearly no joke. ``python -m tests.bench.injected`` prints what that changes on news
and on jokes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from ..engine.base import Scan
from .audience import AudienceHead, pool

CLEARLY_NOT = -math.log(9.0)
"""Log-odds under which a text is clearly not meant as a joke."""
DOUBT = 4.0
"""Under these log-odds parts of a text are read by themselves; one joke in twenty lies there."""
_LEAST_PART = 40
"""Characters of the shortest part that is asked; of less nothing can be told."""
_MOST_OF_IT = 0.6
"""Share of a text that has to be left for it to be judged by what is left behind its first sentence."""
_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s)|\n+")
_MAY_END = re.compile(rf"{_END.pattern}|(?<=[a-z0-9])(?= [A-Z])")
"""Headlines have no full stop, so a sentence may end before any capital letter."""
_MOST_PARTS = 12
"""Ends of sentences that are tried from either end of a text: a long one has hundreds."""
_PRAISE = re.compile(
    r"\b(?:(?:hilarious|funny|funniest|joke|yes|true|best|good|great|amazing|brilliant|perfect|admit|five|ten|5/5|10/10|"
    r"5|10|stars?|out|of|rating|score|laugh(?:ed|ing|s)?|l[uo]l|rofl|lmao|a?(?:ha)+h?)\b[\s,.!:;]*){4,}",
    re.IGNORECASE,
)


def joke_odds(head: AudienceHead, scan: Scan, text: str, read: Callable[[str], Scan]) -> float | None:
    """Log-odds that a cleaned ``text``, read as ``scan``, is meant as a joke; where a part of it clearly isn't, that
    part's. ``read`` reads a part by itself. None where the head can't tell. Raises what ``read`` raises."""
    whole = head.joke_odds(pool(scan.states, text))
    if whole is None or whole < CLEARLY_NOT:
        return whole
    odds = [head.joke_odds(pool(scan.states[:tokens], part)) for part, tokens in _beginnings(scan, text)]
    rests = [] if any(_clear(each) for each in odds) else _rests(text, doubtful=whole < DOUBT)
    odds += (head.joke_odds(pool(read(part).states, part)) for part in rests)
    return min((each for each in odds if each is not None and each < CLEARLY_NOT), default=whole)


def _clear(odds: float | None) -> bool:
    return odds is not None and odds < CLEARLY_NOT


def _beginnings(scan: Scan, text: str) -> Iterator[tuple[str, int]]:
    """What stands before each end of a sentence, and the number of its tokens."""
    ends = list(_ends(text, _MAY_END))
    for end in sorted({*ends[:_MOST_PARTS], *ends[-_MOST_PARTS:]}):
        part = text[:end].rstrip()
        if len(part) >= _LEAST_PART:
            yield part, sum(after <= len(part) for _, after in scan.spans)


def _rests(text: str, *, doubtful: bool) -> list[str]:
    """The text without a run of praise, and, where it is in doubt, without its first sentence."""
    found = []
    plain = _PRAISE.sub(" ", text).strip()
    if plain != text:
        found.append(plain)
    first = next(_ends(text), None) if doubtful else None
    if first is not None and not text[:first].rstrip("\n").endswith("?"):  # an answer alone is seldom a joke
        rest = text[first:].lstrip()
        found += [rest] if len(rest) >= _MOST_OF_IT * len(text) else []
    return [part for part in dict.fromkeys(found) if len(part) >= _LEAST_PART]


def _ends(text: str, end: re.Pattern[str] = _END) -> Iterator[int]:
    for match in end.finditer(text):
        if text[: match.start()].strip() and text[match.end() :].strip():
            yield match.end()
