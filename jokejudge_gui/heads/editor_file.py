"""The file of the editor's heads, and their card; a damaged or malicious file only raises an error."""

from __future__ import annotations

import itertools
import json
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import numpy.typing as npt
from pydantic import Field, ValidationError, model_validator

from ..core.errors import damaged
from ..core.statistics import Vector
from ..core.verdicts import Frozen, ModelRef
from .audience import Points
from .features import CLIP, ENDS_SENTENCE, PLACES, SURE_FORMS, WINDOW, Span, form, phrases
from .features import MEASURES as PHRASES
from .files import Meta, Share
from .punchline import BUCKETS, BY_STATES, FEATURES, MEASURES, SHAPE, TEXT_AXES, WEIGHTS

CORE = (
    "wordplay", "surprise", "economy", "clarity", "punchline", "setup", "originality", "wit", "logic", "imagery",
    "recognition", "misdirection", "accessibility", "playfulness", "daring", "truth",
)  # fmt: skip
"""The factors of a reading's 16 scores, in their order."""

# The card of the editor's heads: the accuracy of each output on this model, measured on held-out texts.


class ItemFigure(Frozen):
    """Accuracy of one output. ``worth``: correlation with the readings (factors), or area under the curve (all others),
    with its 95 % interval from ``low`` to ``high``; ``n``: texts, ``named``: those in which a reader named it."""

    worth: float
    low: float
    high: float
    n: int
    named: int


class EditorFigures(Frozen):
    """Figures of the heads as a whole. ``kinds_first``: share of all jokes whose likeliest kind is one of the reader's;
    ``kinds_first_shown``: the same for those jokes (share ``kinds_any``) with a kind of p ≥ .5; precision and recall of
    kinds and faults at p ≥ .5; ``*_error``: calibration errors, of those stated at p ≥ .1; ``turn``: share of turns
    shown that nearly equal the reader's and contain its last word."""

    factors: float
    factors_shown: int
    kinds: float
    kinds_first: float
    kinds_first_shown: float
    kinds_any: float
    kinds_precision: float
    kinds_recall: float
    kinds_error: float
    faults: float
    faults_precision: float
    faults_recall: float
    faults_error: float
    turn: float
    turn_error: float
    joke: float
    complete: float
    cut: float


class NoteFigure(Frozen):
    """A sentence of the editor's note: the strength ``least`` 0…1 from which it is given, and the share ``right`` of
    ``cases`` in which it was, on texts held out from both the heads and the threshold."""

    least: float = Field(ge=0.0, le=1.0)
    right: float = Field(ge=0.0, le=1.0)
    cases: int = Field(ge=0)


class EditorCard(Frozen):
    """The card. ``items[section][id]``; sections: factor, kind, fault, check. ``notes``: by id of the note, those
    frequent enough to be measured."""

    format: Literal[1] = 1
    model: ModelRef
    version: str
    date: str
    command: str
    data: str
    readings: int
    drafts: int
    note: str
    figures: EditorFigures
    items: dict[str, dict[str, ItemFigure]]
    notes: dict[str, NoteFigure] = Field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> EditorCard:
        """Read a card. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
        try:
            return cls.model_validate_json(path.read_bytes())
        except (OSError, ValidationError) as error:
            raise damaged(path, type(error).__name__, "verdicts come without the editor's note") from error

    def text(self, *, notes: bool = True) -> str:
        """Return the card as written to its file; without ``notes`` the same for the same heads, whatever notes they
        give."""
        left_out = None if notes else {"notes"}
        return json.dumps(self.model_dump(mode="json", exclude=left_out), indent=1, ensure_ascii=False) + "\n"


# Measures of a text other than its states: the surprisal of its words, and the frequency of its phrases in other jokes.
# Surprisal can hardly be recovered from the states, and the frequency of phrases not at all; factors, faults and kinds
# all become more accurate with them (models/training/LOG.md).

SURPRISE = 24
TURNING = 13
TOKENS = 12
USUAL = TOKENS + PHRASES
TRAITS = SURPRISE + TURNING + USUAL
_FAR = 40
_SURE = 8.0
"""Sharpness of the softmax over the turn's scores that weights its surprisal."""
_LITTLE, _MUCH = 1.0, 8.0
"""Surprisals in nats: below the first a word counts as expected, above the second as unexpected."""


def traits(text: str, words: tuple[Span, ...], likely: Vector, where: Vector, turn: Vector, usual: Vector) -> Vector:
    """Return (TRAITS,). ``likely`` (words, 4): ``punchline.word_likelihoods``; ``where``: ``features.places``; ``turn``
    (words,): scores of the turn; ``usual`` (USUAL,)."""
    if not words:
        return np.concatenate([np.zeros(SURPRISE + TURNING), usual])
    surprise = -likely[:, 0]
    return np.concatenate([_surprise(text, words, surprise, where), _turning(words, likely, surprise, turn), usual])


def usual(text: str, logprobs: npt.NDArray[np.floating]) -> Vector:
    """Return (USUAL,): the surprisal of a text's tokens, marks at its end included, from their ``logprobs`` (tokens,)
    by ``Engine.scan``; and the frequency of its phrases."""
    surprise = np.clip(-logprobs[1:].astype(np.float64), 0.0, 25.0) if len(logprobs) > 1 else np.zeros(1)
    count = len(surprise)
    measures = [surprise.mean(), surprise.max(), np.sort(surprise)[-3:].mean(), surprise[-1]]
    measures += [surprise[-2:].mean(), surprise[-6:].mean(), surprise[: max(1, count // 2)].mean()]
    measures += [surprise[count // 2 :].mean(), surprise.std(), (surprise < 0.5).mean(), np.median(surprise)]
    measures += [np.diff(surprise).std() if count > 2 else 0.0]
    return np.concatenate([measures, phrases().measures(text)])


def _surprise(text: str, words: tuple[Span, ...], surprise: Vector, where: Vector) -> Vector:
    """Return (SURPRISE,): the surprisal of all words, of both halves, the last words, the last sentence, and of
    repeated words."""
    count = len(surprise)
    half, mean, greatest = count // 2, float(surprise.mean()), int(surprise.argmax())
    closed = np.flatnonzero(where[:-1, ENDS_SENTENCE] > 0)
    last = surprise[closed[-1] + 1 :] if len(closed) else surprise
    again = _again(text, words, surprise)
    before = surprise[-10:-3] if count > 5 else surprise
    steps = np.diff(surprise)
    measures = [mean, surprise.sum() / 50.0, surprise.max(), np.sort(surprise)[-3:].mean(), surprise[-1]]
    measures += [surprise[-2:].mean(), surprise[-6:].mean(), surprise[:half].mean() if half else mean]
    measures += [surprise[half:].mean(), surprise.std(), np.median(surprise)]
    measures += [(surprise < _LITTLE).mean(), (surprise > _MUCH).mean(), greatest / count]
    measures += [min(_FAR, count - 1 - greatest), surprise[-1] - mean, last.mean(), last.max(), last.mean() - mean]
    measures += [again.mean() if len(again) else 0.0, len(again), before.mean()]
    return np.array([*measures, steps.std() if len(steps) > 1 else 0.0, np.log1p(count)])


def _again(text: str, words: tuple[Span, ...], surprise: Vector) -> Vector:
    """Return the surprisal of words that the text had before."""
    seen: set[str] = set()
    repeated = []
    for (start, end), value in zip(words, surprise, strict=True):
        word = text[start:end].lower()
        if word in seen and len(word) > 3:
            repeated.append(float(value))
        seen.add(word)
    return np.array(repeated)


def _turning(words: tuple[Span, ...], likely: Vector, surprise: Vector, turn: Vector) -> Vector:
    """Return (TURNING,): the surprisal of the turn, the words after it, its certainty; and the number of tokens per
    word."""
    count = len(surprise)
    share = np.exp((turn - turn.max()) * _SURE)
    share /= share.sum()
    place = int(turn.argmax())
    behind = count - 1 - place
    ordered = np.sort(turn)
    pieces = likely[:, 3]
    letters = np.array([end - start for start, end in words], dtype=np.float64)
    measures = [share @ surprise, share @ surprise - surprise.mean(), surprise[place]]
    measures += [surprise[max(0, place - 1) : place + 2].sum(), surprise[place + 1 :].mean() if behind else 0.0]
    measures += [min(behind, 60), behind / count, ordered[-1], ordered[-1] - ordered[-2] if count > 1 else 0.0]
    measures += [(pieces / letters).mean() * 5.0, (pieces >= 3).sum(), (pieces >= 3).mean(), (pieces / letters).max()]
    return np.array(measures)


# The similarity of a text to each training text of the editor's heads: by its states, by the surprisal and frequency of
# its words and phrases, and by common words and pairs of words.

GROUPS = 1 << 16
"""Number of groups of words and pairs of words."""
_WORD = re.compile(r"[a-z']+|[?!:\"]")
_LONG = 3

Ints = npt.NDArray[np.int64]


def word_groups_of(text: str) -> Ints:
    """Return the groups of a text's words and pairs of words in order, each once; a plural is in its singular's
    group."""
    words = [
        word[:-1] if len(word) > _LONG and word.endswith("s") else word
        for word in _WORD.findall(text.lower().replace("’", "'"))
    ]
    pairs = [f"{first} {second}" for first, second in itertools.pairwise(words)]
    return np.array(sorted({zlib.crc32(gram.encode()) % GROUPS for gram in (*words, *pairs)}), dtype=np.int64)


class Companions:
    """Data of the training texts other than their states: their traits (texts, TRAITS), standardised, the texts that
    contain a group of words and its weight in them, in the order of groups, and the start of each group."""

    def __init__(self, arrays: Mapping[str, Vector], texts_of: str = "") -> None:
        """``texts_of``: "device_" for the jokes of each device."""
        groups, ends = (arrays[f"{texts_of}{name}"].astype(np.int64) for name in ("group_ids", "group_ends"))
        texts = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        self._traits, self._a = Points(arrays[f"{texts_of}traits"]), arrays
        self._rarity = arrays["rarity_of_groups"]
        weight = self._rarity[groups]
        lengths = np.sqrt(np.bincount(texts, weight**2, minlength=len(ends)))
        small = groups.size > 0 and groups.min() >= 0 and groups.max() <= np.iinfo(np.uint16).max
        order = np.argsort(groups.astype(np.uint16) if small else groups, kind="stable")  # small ones are sorted faster
        self._places, self._values = texts[order], (weight / np.maximum(lengths[texts], 1e-9))[order]
        self._starts = np.searchsorted(groups[order], np.arange(GROUPS + 1))

    def near(self, states: Vector, shown: Vector, text: str) -> Vector:
        """Return (texts,): the combined similarity; ``states`` (texts,): the similarity by states; ``shown``: the
        text's traits."""
        shares, by_words = self._a["near_shares"], np.zeros(len(states))
        groups = word_groups_of(text)
        weight = self._rarity[groups]
        length = float(np.sqrt(weight @ weight))
        for group, value in zip(groups[weight > 0], weight[weight > 0] / (length or 1.0), strict=True):
            inside = slice(self._starts[group], self._starts[group + 1])
            by_words[self._places[inside]] += value * self._values[inside]
        standard = np.clip((shown - self._a["traits_centre"]) / self._a["traits_scale"], -CLIP, CLIP)
        by_traits = self._traits.near(standard, float(self._a["traits_reach"][0]))
        return np.asarray(shares[0] * states + shares[1] * by_traits + shares[2] * by_words)


_Id = Annotated[str, Field(pattern="^[a-z][a-z0-9_]{0,63}$")]
_Ids = Annotated[list[_Id], Field(min_length=1, max_length=256)]


class EditorMeta(Meta):
    """``kinds``: under their names at training; ``phrases``: the mark of the table that the heads were trained with."""

    version: str
    factors: _Ids
    kinds: _Ids
    faults: _Ids
    forms: dict[str, Share]
    phrases: Annotated[str, Field(pattern="^[0-9a-f]{8}$")]
    devices: Annotated[tuple[_Id, ...], Field(max_length=256)] = ()
    least: dict[str, Share] = Field(default_factory=dict)  # earlier heads have none

    @model_validator(mode="after")
    def _consistent(self) -> EditorMeta:
        if any(len({*ids}) < len(ids) for ids in (self.factors, self.kinds, self.faults, self.devices)):
            raise ValueError("an id appears in it twice")
        if not set(self.forms) <= set(SURE_FORMS):
            raise ValueError("its forms can't be read")
        return self


_FORM = len(form(""))
EDITOR_SCHEMA = f"""
    word_centre         f4 size                            <=1e5
    word_scale          f4 size                            >0 <=1e5
    word_axes           f2 size,word_axes                  <=1e5
    place_centre        f4 {PLACES}                        <=1e5
    place_scale         f4 {PLACES}                        >0 <=1e5
    word_weights        f4 per_word,2                      <=1e5
    word_bias           f4 2                               <=1e5
    cut_odds            f4 2                               <=1e5
    rarity              f2 2*half                          <=1e5
    centre              f4 7*size+{_FORM}+2*half   <=1e5
    scale               f4 7*size+{_FORM}+2*half   >0 <=1e5
    axes                u1 7*size+{_FORM}+2*half,axes     <=1e5
    support             u1 texts,axes+6                    <=1e5
    stats_centre        f4 6                               <=1e5
    stats_scale         f4 6                               >0 <=1e5
    stats_gain          f4 1                               <=1e5
    reach               f4 1                               >0 <=1e5
    alpha               f2 texts,outputs                   <=1e5
    mean                f4 outputs                         <=1e5
    slope               f4 outputs                         <=1e5
    offset              f4 outputs                         <=1e5
    sd                  f4 factors                         >0 <=1e5
    usual               f4 factors                         <=1e5
    spread              f4 factors                         >0 <=1e5
    weight              f2 texts                           >0 <=1e5
    traits              u1 texts,{TRAITS}                  <=1e5
    traits_centre       f4 {TRAITS}                        <=1e5
    traits_scale        f4 {TRAITS}                        >0 <=1e5
    traits_reach        f4 1                               >0 <=1e5
    near_shares         f4 3                               <=1e5
    rarity_of_groups    f2 {GROUPS}                        <=1e5
    group_ids           u2 named
    group_ends          u4 texts
    [window]
    window_centre       f4 {WINDOW}                        <=1e5
    window_scale        f4 {WINDOW}                        >0 <=1e5
    window_weights      f4 {WINDOW}+1                      <=1e5
    [turn]
    turn_centre         f4 {FEATURES}                      <=1e5
    turn_scale          f4 {FEATURES}                      >0 <=1e5
    turn_weights        f4 {WEIGHTS},3                     <=1e5
    turn_span_centre    f4 {MEASURES}                      <=1e5
    turn_span_scale     f4 {MEASURES}                      >0 <=1e5
    turn_span_weights   f4 {MEASURES}                      <=1e5
    turn_text_centre    f4 outputs                         <=1e5
    turn_text_scale     f4 outputs                         >0 <=1e5
    turn_text_axes      f4 outputs,{TEXT_AXES}             <=1e5
    turn_text_weights   f4 {len(SHAPE)},{TEXT_AXES}        <=1e5
    turn_word_weights   f4 per_word,{BY_STATES - 1}          <=1e5
    turn_word_bias      f4 {BY_STATES - 1}                   <=1e5
    turn_words          f2 {BUCKETS},2                     <=1e5
    turn_whole          f4 2                               <=1e5
    [devices]
    device_support      u1 more,axes+6                     <=1e5
    device_traits       u1 more,{TRAITS}                   <=1e5
    device_group_ids    u2 more_named
    device_group_ends   u4 more
    device_alpha        f2 texts+more,devices              <=1e5
    device_odds         f4 3,devices                       <=1e5
    """
"""See ``Head.schema``. A file has the turn head (``turn_…``) or the older choice among runs of words (``window_…``);
``device_…`` are the jokes of each device (``device_odds``: mean, slope and offset)."""
