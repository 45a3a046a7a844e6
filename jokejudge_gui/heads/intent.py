"""Whether a text is meant as a joke, whatever text was added before or after it.

The audience head reads a text as a whole, so praise, an order to the judge or any other sentence after a news item can
carry it past the limit. Therefore the beginnings of the text up to each end of a sentence are scored too: the model
reads from left to right, so their states are already known at no cost. The text without its first sentence, and without
a run of praise, is read separately, but only if the head is in doubt or there is such a run. A part counts only if it
is clearly not a joke.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator

from ..engine.base import Scan
from .audience import AudienceHead, pool
from .words import compiled, forms

CLEARLY_NOT = -math.log(9.0)
"""Log-odds under which a text is clearly not meant as a joke."""
DOUBT = 4.0
"""Log-odds under which parts of a text are read separately; one joke in twenty is below."""
_LEAST_PART = 40
"""Least characters of a part that is scored; a shorter one can't be judged."""
_MOST_OF_IT = 0.6
"""Least share of a text that must remain after its first sentence for the rest to be scored."""
_END = re.compile(r"[.!?…]+[\"”’')\]]*(?=\s)|\n+")
_MAY_END = re.compile(rf"{_END.pattern}|(?<=[a-z0-9])(?= [A-Z])")
"""A possible end of a sentence: headlines have no full stop, so one may end before any capital letter."""
_MOST_PARTS = 12
"""Number of sentence ends tried from either end of a text; a long one has hundreds."""
_PRAISE = re.compile(
    r"\b(?:(?:hilarious|funny|funniest|joke|yes|true|best|good|great|amazing|brilliant|perfect|admit|five|ten|5/5|10/10|"
    r"5|10|stars?|out|of|rating|score|laugh(?:ed|ing|s)?|l[uo]l|rofl|lmao|a?(?:ha)+h?)\b[\s,.!:;]*){4,}",
    re.IGNORECASE,
)


def joke_odds(head: AudienceHead, scan: Scan, text: str, read: Callable[[str], Scan]) -> float | None:
    """Return the log-odds that a cleaned ``text``, read as ``scan``, is meant as a joke; if a part of it clearly isn't,
    those of that part. ``read`` reads a part separately. None if the head has no such map. Raises the errors of
    ``read``."""
    whole = head.joke_odds(pool(scan.states, text))
    if whole is None or whole < CLEARLY_NOT:
        return whole
    odds = [head.joke_odds(pool(scan.states[:tokens], part)) for part, tokens in _beginnings(scan, text)]
    if not any(part_odds is not None and part_odds < CLEARLY_NOT for part_odds in odds):
        rests = _rests(text, doubtful=whole < DOUBT)
        odds += (head.joke_odds(pool(read(part).states, part)) for part in rests)
    return min((part_odds for part_odds in odds if part_odds is not None and part_odds < CLEARLY_NOT), default=whole)


def _beginnings(scan: Scan, text: str) -> Iterator[tuple[str, int]]:
    """Yield the text before each end of a sentence, and the number of its tokens."""
    ends = list(_ends(text, _MAY_END))
    for end in sorted({*ends[:_MOST_PARTS], *ends[-_MOST_PARTS:]}):
        part = text[:end].rstrip()
        if len(part) >= _LEAST_PART:
            yield part, sum(after <= len(part) for _, after in scan.spans)


def _rests(text: str, *, doubtful: bool) -> list[str]:
    """Return the text without a run of praise and, if ``doubtful``, without its first sentence."""
    rests = []
    plain = _PRAISE.sub(" ", text).strip()
    if plain != text:
        rests.append(plain)
    first = next(_ends(text), None) if doubtful else None
    if first is not None and not text[:first].rstrip("\n").endswith("?"):  # an answer alone is seldom a joke
        rest = text[first:].lstrip()
        rests += [rest] if len(rest) >= _MOST_OF_IT * len(text) else []
    return [part for part in dict.fromkeys(rests) if len(part) >= _LEAST_PART]


def _ends(text: str, end: re.Pattern[str] = _END) -> Iterator[int]:
    for match in end.finditer(text):
        if text[: match.start()].strip() and text[match.end() :].strip():
            yield match.end()


_MOST_OF_FORM, _MOST_OF_HEADING = 400, 90
"""Most characters of such a line, and of a heading; longer texts are none of these."""
_FORMS = tuple((reason, compiled(form)) for reason, form in forms("line "))
"""Forms of lines that occur between the jokes of a list. Of 61,468 jokes, captions and headlines 42 match; of the
families' 65 lines labelled dirt 54, most of which were known when the forms were written (models/training/LOG.md). A
list that a model wrote may break off in its last line (10 of those 61,468 end so) or leave a riddle without its answer
(3; of the families' 467 torsos 23)."""


def form_of(text: str) -> str:
    """Return the form of a text that can't be a joke ("a refusal", "a preamble", "a heading", "a remark", "code", "an
    unfinished line", "an unanswered riddle", "a recipe", "a link"); empty for any other text."""
    plain = text.replace("’", "'").replace("‘", "'")
    if not plain.strip() or len(plain) > _MOST_OF_FORM:
        return ""
    forms_here = (reason for reason, pattern in _FORMS if pattern.search(plain))
    return next((form for form in forms_here if form != "a heading" or len(plain) <= _MOST_OF_HEADING), "")
