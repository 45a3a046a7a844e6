"""The laughs head: the chance that people laugh after each sentence of a longer text.

Small networks read the model's states: one layer of attention, weaker with distance, one of rectified sums, then each
sentence (its end, its mean, and the tokens that count most) beside its neighbours; a line over ends and means is added.
They were trained on what studio audiences laughed at, the networks on strings of jokes and plain texts, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from ..core.statistics import Vector, sigmoid
from ..core.texts import word_set
from ..core.verdicts import Laugh
from ..core.words import WORD, sentences
from ..engine.base import Scan
from .features import tokens_of as tokens_within
from .files import Array, Head, Meta, Share

FORM = 17
"""Number of a sentence's features of form."""
NEAR = 2
"""Number of sentences on either side that a sentence is seen beside."""
CLIP = 6.0
_TOGETHER, _AROUND = 24, 8
"""Sentences that are read at once, and those on either side of them that are read, too."""
_ENDS = "\"”’')]"
_I, _YOU = word_set("i i'm my me i've i'd"), word_set("you your you're")


class LaughsMeta(Meta):
    """The calibration of the scores to log-odds; the area under the curve on a show left out."""

    slope: Annotated[float, Field(gt=0.0, le=1e2)]
    offset: Annotated[float, Field(ge=-1e2, le=1e2)]
    area: Share


class LaughsHead(Head[LaughsMeta]):
    """The head for one model."""

    meta_type = LaughsMeta
    most_bytes = 8 * 10**6
    lost = "verdicts don't say where people would laugh"
    schema = f"""
        centre       f4 size                            <=1e4
        scale        f4 size >0                         <=1e4
        line         f4 3,2*size+{FORM}                 <=1e4
        first        f2 nets,size,width                 <=1e4
        first_bias   f4 nets,width                      <=1e4
        attend       f2 nets,4,width,width              <=1e4
        attend_bias  f4 nets,4,width                    <=1e4
        reach        f4 nets,heads                      <=1e4
        norm         f4 nets,4,width                    <=1e4
        wide         f2 nets,width,2*width              <=1e4
        wide_bias    f4 nets,2*width                    <=1e4
        back         f2 nets,2*width,width              <=1e4
        back_bias    f4 nets,width                      <=1e4
        counts       f4 nets,width                      <=1e4
        whole        f2 nets,3*width+{FORM},inner       <=1e4
        whole_bias   f4 nets,inner                      <=1e4
        whole_norm   f4 nets,2,inner                    <=1e4
        near         f2 nets,{2 * NEAR + 1}*inner,inner <=1e4
        near_bias    f4 nets,inner                      <=1e4
        out          f4 nets,2*inner                    <=1e4
        out_bias     f4 nets                            <=1e4
        """

    def __init__(self, meta: LaughsMeta, arrays: dict[str, Vector]) -> None:
        super().__init__(meta, arrays)
        arrays = {name: values.astype(np.float32) for name, values in arrays.items()}
        self._centre, self._scale, self._line = (arrays.pop(name) for name in ("centre", "scale", "line"))
        self._nets = [{name: values[n] for name, values in arrays.items()} for n in range(len(arrays["out_bias"]))]

    def of_scan(self, text: str, scan: Scan) -> tuple[Laugh, ...]:
        """Return the chance of a laugh after each sentence of a cleaned text that the model has read."""
        spans = sentences(text)
        laughs = []
        for start in range(0, len(spans), _TOGETHER):
            first, last = max(0, start - _AROUND), start + _TOGETHER
            scores = self._scores(text, scan, spans, range(first, min(len(spans), last + _AROUND)))
            odds = (self.meta.slope * scores + self.meta.offset).tolist()[start - first : last - first]
            laughs += [Laugh(start=a, end=b, p=sigmoid(x)) for (a, b), x in zip(spans[start:last], odds, strict=True)]
        return tuple(laughs)

    def _scores(self, text: str, scan: Scan, spans: Sequence[tuple[int, int]], some: range) -> Vector:
        places = tokens_of(spans[some.start : some.stop], scan.spans)
        begin, end = places[0][0], places[-1][-1] + 1
        x = standard(scan.states[begin:end], self._centre, self._scale)
        form = np.array([form_of(text, spans, place) for place in some], np.float32)
        places = [[n - begin for n in own] for own in places]
        total = sum(_network(x, places, form, net) for net in self._nets)
        own = [np.concatenate([x[at[-1]], x[at].mean(axis=0), its]) for at, its in zip(places, form, strict=True)]
        parts = np.pad(np.stack(own) @ self._line.T, ((1, 1), (0, 0)))
        return np.asarray(total / len(self._nets) + parts[:-2, 0] + parts[1:-1, 1] + parts[2:, 2], np.float64)


def standard(states: Array, centre: Array, scale: Array) -> Array:
    """Return states in units of their spread."""
    return np.asarray(np.clip((states - centre) / scale, -CLIP, CLIP))


def tokens_of(spans: Sequence[tuple[int, int]], tokens: Sequence[tuple[int, int]]) -> list[list[int]]:
    """Return the tokens of each sentence, at least one."""
    own, begins, inside = tokens_within(tokens, spans)
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


def _normal(x: Array, scale: Array, shift: Array) -> Array:
    centred = x - x.mean(axis=-1, keepdims=True)
    return np.asarray(centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-5) * scale + shift)


def _softmax(x: Array) -> Array:
    e = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(e / e.sum(axis=-1, keepdims=True))


def _network(x: Array, places: Sequence[Sequence[int]], form: Array, a: dict[str, Array]) -> Array:
    """Return one network's scores of the sentences whose tokens are at ``places`` of ``x``."""
    x = np.maximum(x @ a["first"] + a["first_bias"], 0.0)
    y = _normal(x, a["norm"][0], a["norm"][1])
    query, key, value = (y @ a["attend"][n] + a["attend_bias"][n] for n in range(3))
    apart = np.abs(np.subtract.outer(np.arange(len(x)), np.arange(len(x)))).astype(np.float32)
    heads, parts = len(a["reach"]), []
    for reach, *own in zip(a["reach"], *(np.split(m, heads, axis=1) for m in (query, key, value)), strict=True):
        weights = _softmax(own[0] @ own[1].T / np.sqrt(np.float32(own[0].shape[1])) - reach * apart)
        parts.append(weights @ own[2])
    x = x + np.concatenate(parts, axis=1) @ a["attend"][3] + a["attend_bias"][3]
    y = _normal(x, a["norm"][2], a["norm"][3])
    x = x + np.maximum(y @ a["wide"] + a["wide_bias"], 0.0) @ a["back"] + a["back_bias"]
    counts = x @ a["counts"]
    rows = [
        np.concatenate([x[own[-1]], x[own].mean(axis=0), _softmax(counts[own]) @ x[own], its])
        for own, its in zip(places, form, strict=True)
    ]
    u = np.maximum(np.stack(rows) @ a["whole"] + a["whole_bias"], 0.0)
    u = _normal(u, a["whole_norm"][0], a["whole_norm"][1])
    padded = np.pad(u, ((NEAR, NEAR), (0, 0)))
    beside = np.concatenate([padded[n : n + len(u)] for n in range(2 * NEAR + 1)], axis=1)
    v = np.maximum(beside @ a["near"] + a["near_bias"], 0.0)
    return np.asarray(np.concatenate([u, v], axis=1) @ a["out"] + a["out_bias"])
