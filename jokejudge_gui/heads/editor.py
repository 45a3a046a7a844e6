"""The editor's heads: predict a careful reader's findings on a joke from a model's own hidden states.

One reading of the joke gives its factors, kinds and faults, its turn, the words that could be cut, and whether it is
complete and meant as a joke. A text is represented as a point among the training texts, which were read with the
rubric, and gets a weighted mean of the labels of those near it; the turn is chosen among the words. The accuracy of
each output is on the heads' card.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ..core import verdicts
from ..core.statistics import Vector, sigmoid
from ..core.verdicts import Frozen
from ..rubric.xml_parser import kind_today, kinds_today, wider_kinds
from .audience import Points, grams, weigh
from .editor_file import (
    EDITOR_SCHEMA,
    GROUPS,
    Companions,
    EditorMeta,
    traits,
    usual,
)
from .features import (
    CLIP,
    SURE_FORMS,
    Span,
    WordHead,
    best_window,
    form,
    must_be_today,
    places,
    turn_shares,
    turn_stats,
    word_features,
    word_states,
    words_of,
)
from .files import Head
from .punchline import best_turn, of_one_sentence, word_likelihoods

States = npt.NDArray[np.floating]
BLOCKS = 7
"""Pools of the states: those of ``pools``, and the mean weighted by the turn."""
PUNS = ("pun", "homophone", "double_entendre", "bent_phrase")
_CUT_FROM = 0.5
_MOST_CUTS = 3
_TURN, _CUT = 0, 1
_SPANS = (_TURN, 2, 3, 4)
"""Columns of the words' scores: in the turn; its first, its last and its only word."""


class FactorReading(Frozen):
    """``expected`` 0…5 with the standard deviation ``sd`` of a reader's score about it; ``standing`` 0…1: the share of
    jokes with a lower score."""

    expected: float
    sd: float
    standing: float


class EditorReading(Frozen):
    """The heads' outputs for one text. Probabilities are calibrated: of those stated at p, about p are right.

    ``puns``: the kinds of puns by which a text is called one, learned from more jokes than those in ``kinds``, on which
    other heads rely. ``turn``: None if the text has no words, or breaks off there; its ``p``: that a reader would
    name these words. ``cuts``: words that could be cut, in the text's order."""

    factors: dict[str, FactorReading]
    kinds: dict[str, float]
    puns: dict[str, float] = Field(default_factory=dict)
    faults: dict[str, float]
    turn: verdicts.Span | None
    cuts: tuple[verdicts.Span, ...]
    joke: float
    complete: float

    def without(self, unread: Mapping[str, Collection[str]]) -> EditorReading:
        """Return the reading without items (ids by kind) that these heads learned with another meaning."""
        if not unread:
            return self
        return self.replaced(
            factors={id: value for id, value in self.factors.items() if id not in unread.get("factor", ())},
            kinds={id: value for id, value in self.kinds.items() if id not in unread.get("kind", ())},
            faults={id: value for id, value in self.faults.items() if id not in unread.get("fault", ())},
        )


@dataclass(frozen=True, eq=False)
class TextRow:
    """Measures of a text from which the heads predict: ``pools`` ((BLOCKS − 1)·size,), for each word ``states`` (words,
    size) and ``places``, ``counted`` groups of words and letters, ``form``; ``likely`` (words, LIKELIHOODS): the
    model's likelihoods of each word; ``usual``: see ``editor_file``."""

    text: str
    words: tuple[Span, ...]
    pools: Vector
    states: States
    places: Vector
    counted: dict[int, float]
    form: Vector
    likely: Vector
    usual: Vector


def measure(states: States, text: str, spans: Sequence[Span], buckets: int, logprobs: States) -> TextRow:
    """Measure a cleaned text that the model has read: ``states`` (tokens, size), ``spans`` and ``logprobs`` (tokens,)
    as in ``Scan``. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    words = words_of(text)
    return TextRow(
        text=text,
        words=tuple(words),
        pools=pools(states),
        states=word_states(states, spans, words),
        places=places(text, words),
        counted=grams(text, buckets),
        form=form(text),
        likely=word_likelihoods(logprobs, spans, words),
        usual=usual(text, logprobs),
    )


def pools(states: States) -> Vector:
    """Return ((BLOCKS − 1)·size,): means of the first half, the second half and the last four tokens, the last token,
    the mean and the standard deviation of all but the first."""
    half = len(states) // 2
    inner = states[1:] if len(states) > 1 else states
    wide = inner.astype(np.float64)
    means = (states[: max(1, half)], states[half:], states[-4:], states[-1:])
    return np.concatenate([*(part.mean(axis=0, dtype=np.float64) for part in means), wide.mean(0), wide.std(0)])


def turn_pool(row: TextRow, scores: Vector) -> tuple[Vector, Vector]:
    """Return (size,): the words' states weighted by their shares of the turn; and ``turn_stats``. Without words: the
    mean of all tokens, and zeros."""
    if not row.words:
        size = len(row.pools) // (BLOCKS - 1)
        return row.pools[4 * size : 5 * size], np.zeros(6)
    return turn_shares(scores) @ row.states, turn_stats(scores)


def row_traits(row: TextRow, turn: Vector) -> Vector:
    """Return the traits (TRAITS,) of a text whose words have the turn scores ``turn``."""
    return traits(row.text, row.words, row.likely, row.places, turn, row.usual)


class EditorHeads(Head[EditorMeta]):
    """The heads for one model. ``factors``, ``kinds``, ``faults``: their ids; ``learned_kinds``: the kinds under their
    names at training; ``mark``: identifies the heads. Its ``meta.least``: probabilities from which kinds are named."""

    meta_type = EditorMeta
    lost = "verdicts come without the editor's note"
    schema = EDITOR_SCHEMA
    narrow = ("axes", "support", "traits", "device_support", "device_traits")

    def __init__(self, meta: EditorMeta, arrays: dict[str, Vector]) -> None:
        super().__init__(meta, arrays)
        self.factors, self.faults = tuple(meta.factors), tuple(meta.faults)
        self.learned_kinds, self.kinds = tuple(meta.kinds), kinds_today(tuple(meta.kinds))
        self.mark = f"{zlib.crc32(arrays['alpha'].tobytes(), zlib.crc32(arrays['support'].tobytes())):08x}"
        self._buckets = int(arrays["rarity"].size)
        self._reach: float = float(arrays["reach"][0])
        self._scales = [arrays[name].tolist() for name in ("sd", "usual", "spread")]
        self._texts = Points(self.arrays["support"]), Companions(self.arrays)
        if meta.devices:
            self._of_devices = Points(self.arrays["device_support"]), Companions(self.arrays, "device_")
        self._words = WordHead(
            **{name: arrays[f"word_{name}"] for name in ("centre", "scale", "axes")},
            **{name: arrays[name] for name in ("place_centre", "place_scale")},
            weights=np.hstack([arrays[name] for name in ("word_weights", "turn_word_weights") if name in arrays]),
            bias=np.concatenate([arrays[name] for name in ("word_bias", "turn_word_bias") if name in arrays]),
        )

    @classmethod
    def sizes(cls, meta: EditorMeta) -> dict[str, int]:
        factors = len(meta.factors)
        outputs = factors + len(meta.kinds) + len(meta.faults) + 2
        return {"factors": factors, "outputs": outputs, "devices": len(meta.devices)}

    @classmethod
    def check(cls, meta: EditorMeta, arrays: Mapping[str, Vector]) -> None:
        if len(arrays["word_weights"]) != word_features(arrays["word_axes"].shape[1]):
            raise ValueError("its size can't be right")
        if "turn_words" not in arrays and "window_weights" not in arrays:
            raise ValueError("it can't choose the turn")
        if bool(meta.devices) != ("device_alpha" in arrays):
            raise ValueError("it doesn't say which devices it knows")
        for of in ("", "device_") if meta.devices else ("",):
            ids, ends, shares = arrays[f"{of}group_ids"], arrays[f"{of}group_ends"], arrays["near_shares"]
            if (np.diff(ends, prepend=0) < 0).any() or ends[-1] != ids.size or (ids >= GROUPS).any():
                raise ValueError("its groups of words can't be right")
            if (shares < 0).any() or shares.sum() <= 0:
                raise ValueError("its groups of words can't be right")

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read the heads' file. Raises ``ModelError`` ``E_FILE_DAMAGED``, and ``E_EDITOR_OLD`` if they learned with
        another table of phrases."""
        heads = super().load(path)
        must_be_today(heads.meta.phrases, path.name)
        return heads

    def word_scores(self, row: TextRow) -> Vector:
        """Return (words, BY_STATES) of a text with words: the scores by states from which the turn is chosen."""
        return self._words.scores(row.states, row.places)[:, _SPANS]

    def found(
        self,
        states: States,
        text: str,
        spans: Sequence[Span],
        logprobs: States,
        values: Vector | None = None,
    ) -> tuple[EditorReading, Vector]:
        """Return the reading of a cleaned text that the model has read (see ``measure``), and the same as plain numbers
        for another head: every output before scaling, then the text's form. ``values``: the outputs, where they are
        known by heads that didn't learn from this very text."""
        row = measure(states, text, spans, self._buckets, logprobs)
        scores = self._words.scores(row.states, row.places) if row.words else np.zeros((0, 2))
        point, shown = self.point(row, scores[:, _TURN]), row_traits(row, scores[:, _TURN])
        points, companions = self._texts
        near = companions.near(points.near(point, self._reach), shown, text)
        values = near @ self.arrays["alpha"] + self.arrays["mean"] if values is None else values
        slope, offset = self.arrays["slope"], self.arrays["offset"]
        stated = slope * values + offset
        first, second = len(self.factors), len(self.factors) + len(self.learned_kinds)
        third = second + len(self.faults)
        p = 1.0 / (1.0 + np.exp(-np.clip(stated[first:], -30.0, 30.0)))
        devices = self._device(near, point, shown, text)
        puns = {name: devices.pop(name) for name in PUNS if name in devices}
        reading = EditorReading(
            factors=self._factors(stated[:first]),
            kinds=self._kinds({**dict(zip(self.learned_kinds, p, strict=False)), **devices}, text),
            puns=puns,
            faults={name: float(v) for name, v in zip(self.faults, p[second - first : third - first], strict=True)},
            turn=self._turn(row, scores, values),
            cuts=self._cuts(row, scores),
            joke=float(p[-2]),
            complete=float(p[-1]),
        )
        return reading, np.concatenate([values, row.form])

    def _device(self, near: Vector, point: Vector, shown: Vector, text: str) -> dict[str, float]:
        """Return the probability of each device, learned from the readings and from more jokes of each."""
        if not self.meta.devices:
            return {}
        points, companions = self._of_devices
        more = companions.near(points.near(point, self._reach), shown, text)
        mean, slope, offset = self.arrays["device_odds"]
        values = np.concatenate([near, more]) @ self.arrays["device_alpha"] + mean
        return dict(zip(self.meta.devices, map(sigmoid, slope * values + offset), strict=True))

    def point(self, row: TextRow, turn: Vector) -> Vector:
        """Return (axes + 6,): the place of a text among the training texts; ``turn``: its words' turn scores."""
        pooled, stats = turn_pool(row, turn)
        counted = np.zeros(self._buckets)
        if row.counted:
            at, weights = weigh(row.counted, self.arrays["rarity"])
            counted[at] = weights
        raw = np.concatenate([row.pools, pooled, row.form, counted])
        standard = np.clip((raw - self.arrays["centre"]) / self.arrays["scale"], -CLIP, CLIP)
        axes = standard.astype(self.arrays["axes"].dtype) @ self.arrays["axes"]
        where = np.clip((stats - self.arrays["stats_centre"]) / self.arrays["stats_scale"], -CLIP, CLIP)
        return np.concatenate([axes, where * self.arrays["stats_gain"][0]])

    def _factors(self, stated: Vector) -> dict[str, FactorReading]:
        rows = zip(self.factors, stated.tolist(), *self._scales, strict=True)
        return {
            name: FactorReading(
                expected=min(5.0, max(0.0, value)),
                sd=sd,
                standing=0.5 * (1.0 + math.erf((value - usual) / spread / math.sqrt(2.0))),
            )
            for name, value, sd, usual, spread in rows
        }

    def _kinds(self, p: Mapping[str, float], text: str) -> dict[str, float]:
        # The probability of merged kinds is that of the likeliest.
        kinds: dict[str, float] = {}
        for learned, value in p.items():
            name = kind_today(learned)
            kinds[name] = max(kinds.get(name, 0.0), float(value))
        for name, right in self.meta.forms.items():
            if SURE_FORMS[name].search(text):
                kinds[name] = max(kinds.get(name, 0.0), right)
        # Every homophone is a pun.
        for name, wider in wider_kinds().items():
            if name in kinds and wider in kinds:
                kinds[wider] = max(kinds[wider], kinds[name])
        return kinds

    def _turn(self, row: TextRow, scores: Vector, values: Vector) -> verdicts.Span | None:
        if not row.words:
            return None
        if "turn_words" in self.arrays:
            shown, odds = best_turn(self.arrays, scores[:, _SPANS], row.places, row.likely, row.text, values)
        else:
            shown, odds = best_window(scores[:, _TURN], row.places, self.arrays)
        whole = of_one_sentence(row.text, row.words, shown)
        return _span(row, *whole, 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))) if whole is not None else None

    def _cuts(self, row: TextRow, scores: Vector) -> tuple[verdicts.Span, ...]:
        if not row.words:
            return ()
        a, b = self.arrays["cut_odds"]
        p = 1.0 / (1.0 + np.exp(-np.clip(a * scores[:, _CUT] + b, -30.0, 30.0)))
        spans: list[verdicts.Span] = []
        place = 0
        while place < len(p):
            after = place
            while after < len(p) and p[after] >= _CUT_FROM:
                after += 1
            if after > place:
                spans.append(_span(row, place, after, float(p[place:after].mean())))
            place = after + 1
        likeliest = sorted(spans, key=lambda span: -span.p)[:_MOST_CUTS]
        return tuple(sorted(likeliest, key=lambda span: span.start))


def _span(row: TextRow, first: int, after: int, p: float) -> verdicts.Span:
    start, end = row.words[first][0], row.words[after - 1][1]
    return verdicts.Span(start=start, end=end, text=row.text[start:end], p=p)
