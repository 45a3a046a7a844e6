"""The laughs head: the chance that people laugh after each sentence of a longer text.

A line over the model's states at the end of a sentence, their mean and its form, between those of the sentences before
and behind it. There are two, for recorded dialogue and for what a single person says; the text's mean state tells how
much each counts. The first was learned on what studio audiences laughed at, the other on bits with marks, too.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..core.statistics import sigmoid
from ..core.texts import word_set
from ..core.verdicts import Laugh
from ..core.words import WORD, sentences
from ..engine.base import Scan
from .features import tokens_of as tokens_within
from .files import Array, Head, Meta, Share

FORM = 17
"""Number of a sentence's features of form."""
CLIP = 6.0
_ENDS = "\"”’')]"
_I, _YOU = word_set("i i'm my me i've i'd"), word_set("you your you're")


class LaughsMeta(Meta):
    """The area under the curve on a show left out."""

    area: Share


class LaughsHead(Head[LaughsMeta]):
    """The head for one model."""

    meta_type = LaughsMeta
    most_bytes = 8 * 10**6
    lost = "verdicts don't say where people would laugh"
    schema = f"""
        centre       f4 size                            <=1e4
        scale        f4 size >0                         <=1e4
        gate         f4 size+1                          <=1e4
        line         f4 2,6*size+{3 * FORM}             <=1e4
        offset       f4 2                               <=1e2
        """

    def of_scan(self, text: str, scan: Scan) -> tuple[Laugh, ...]:
        """Return the chance of a laugh after each sentence of a cleaned text that the model has read."""
        own, spans = self.arrays, sentences(text)
        x = standard(scan.states, own["centre"], own["scale"])
        alone = sigmoid(float(np.append(x.mean(axis=0), 1.0) @ own["gate"]))
        scores = beside(x, text, spans, tokens_of(spans, scan.spans)) @ own["line"].T + own["offset"]
        odds = (scores @ (1.0 - alone, alone)).tolist()
        return tuple(Laugh(start=a, end=b, p=sigmoid(one)) for (a, b), one in zip(spans, odds, strict=True))


def beside(x: Array, text: str, spans: Sequence[tuple[int, int]], places: Sequence[Sequence[int]]) -> Array:
    """Return what a line is over, a row for each sentence, whose tokens are at ``places`` of ``x``, the states in units
    of their spread."""
    own = [
        np.concatenate([x[at[-1]], x[at].mean(axis=0), form_of(text, spans, place)]) for place, at in enumerate(places)
    ]
    padded = np.pad(np.stack(own), ((1, 1), (0, 0)))
    return np.hstack([padded[n : n + len(own)] for n in range(3)])


def standard(states: Array, centre: Array, scale: Array) -> Array:
    """Return states in units of their spread."""
    return np.asarray(np.clip((states - centre) / scale, -CLIP, CLIP))


def tokens_of(spans: Sequence[tuple[int, int]], tokens: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the tokens of each sentence, at least one."""
    own, begins, inside = tokens_within(tuple(tokens), tuple(spans))
    of = dict(zip(own.tolist(), np.split(inside, begins[1:]), strict=False))
    return [of[place].tolist() if place in of else [0] for place in range(len(spans))]


def form_of(text: str, spans: Sequence[tuple[int, int]], place: int) -> list[float]:
    """Return what can be counted of a sentence and its neighbours."""
    start, end = spans[place]
    words = [word.lower() for word in WORD.findall(text[start:end])]
    before = {word.lower() for word in WORD.findall(text[max(0, start - 1500) : start]) if len(word) > 3}
    plain = text[start:end].rstrip(_ENDS)
    last = text[slice(*spans[place - 1])] if place else ""
    following = text[slice(*spans[place + 1])] if place + 1 < len(spans) else ""
    return [
        np.log1p(len(words)), np.log1p(len(WORD.findall(last))), np.log1p(len(WORD.findall(following))),
        plain.endswith("?"), plain.endswith("!"), plain.endswith(("...", "…")),
        text.count(",", start, end) / 3, place == 0, place + 1 == len(spans),
        sum(word in before for word in words if len(word) > 3) / 3,
        any(letter.isdigit() for letter in plain), '"' in text[start:end] or "“" in text[start:end],
        sum(word in _I for word in words) / 3, sum(word in _YOU for word in words) / 3,
        sum(map(len, words)) / max(1, len(words)) / 5, last.rstrip(_ENDS).endswith("?"), "\n" in text,
    ]  # fmt: skip
