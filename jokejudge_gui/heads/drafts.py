"""The draft heads: the probability that an editor prefers one of two drafts of a joke, and the fault of the other one.

Trained on drafts.jsonl: jokes with five worse drafts, each with one fault, and an equally good one, all by one author.
The labels are an editor's, made with care by a large language model; they aren't people's votes.
"""

from __future__ import annotations

import difflib
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from ..core.statistics import Vector, sigmoid
from ..core.verdicts import Edit
from ..engine.base import FloatArray, Scan
from .audience import grams, pool
from .files import Head, Meta, Share
from .words import words_named

# Features of two drafts of one joke: the states of a model, the log-probability of each word, and the places where one
# was changed into the other. Everything is measured from a towards b, and a pair's features are the difference of both
# directions, so their sign changes with the order of the drafts.

WORD_BUCKETS = 1 << 14
"""Number of buckets for words and pairs of words, by their CRC-32."""
_ALIKE = 1e-3  # nats: the same token after the same tokens differs by less

_WORD = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])[\"”’]?\s+")
_NAME = re.compile(r"\b[A-Z]\w+")
_NUMBER = re.compile(
    r"\d|^(one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|thousand)$"
)


_GENERAL, _FILLING, _EXPLAINING = map(words_named, ("general", "filling", "explaining"))


@dataclass(frozen=True, eq=False)
class DraftReading:
    """One draft as a model read it. ``tokens``: the characters of each; ``pooled``: see ``audience.pool``; ``alone``:
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
    """Prepare a text that the model has read."""
    logprobs = scan.logprobs.astype(np.float64)
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


@dataclass(frozen=True, eq=False)
class Differences:
    """Features of a pair, a less b. ``states``: pooled states and the last token that only one text has, (5·size + 3);
    ``words``: bucket → count, of the words that only one has; ``shape``: the changes between the texts, see ``SHAPE``;
    ``even``: the sum of both directions, the same for both orders; ``overlap``: share of common tokens, 0…1."""

    states: Vector
    words: dict[int, float]
    shape: Vector
    even: Vector
    overlap: float


def differences(a: DraftReading, b: DraftReading) -> Differences:
    """Return the features of a pair; with a and b exchanged, ``states``, ``words`` and ``shape`` change their signs,
    but to the last bit only if ``canonical`` has ordered them first."""
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
    """Return both drafts in an order that depends on their texts alone, and whether they were exchanged."""
    return (b, a, True) if b.text < a.text else (a, b, False)


def _last(draft: DraftReading, ranges: Sequence[tuple[int, int]]) -> Vector:
    """Return the state of the last token that only this draft has; zeros without one."""
    own = [place for first, last in ranges for place in range(first, last)]
    state: Vector = (
        draft.states[own[-1]].astype(np.float64) if own else np.zeros(draft.states.shape[1], dtype=np.float64)
    )
    return state


def _alone(text: str, words: Sequence[str], logprobs: Vector) -> Vector:
    after = logprobs[1:] if len(logprobs) > 1 else np.zeros(1)
    sentences = [part for part in _SENTENCE.split(text) if part] or [""]
    seen = Counter(words)
    measures = [after.sum() / 10, after.mean(), after[-6:].mean(), after[-2:].mean(), after.min()]
    measures += [np.sort(after)[:3].mean(), (after < -8).mean() * 5, math.log(len(words)), len(words) / 10]
    measures += [text.count(","), len(sentences), len(sentences[-1]) / 20, math.log(1 + len(sentences[-1]))]
    measures += [len(words[-2]) if len(words) > 1 else 0, text.count('"')]
    measures += [sum(word in some for word in words) for some in (_GENERAL, _FILLING)]
    measures += [np.mean([len(word) for word in words]), sum(len(word) > 3 and seen[word] > 1 for word in words)]
    measures += [sum(_NUMBER.search(word) is not None for word in words), len(_NAME.findall(text))]
    return np.array(measures, dtype=np.float64)


def _directed(a: DraftReading, b: DraftReading) -> Vector:
    """Return the measures of a's part that b lacks: its size, its likelihood, its place, and its effect on the
    likelihood of the common words."""
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
    place = [(mine[-1] + 1) / size, mine[0] / size] if mine else [0.0, 1.0]
    measures = [much, len(mine) / 10, own.mean(), own.sum() / 10, own.min(), own.max(), own[0], np.median(own)]
    measures += [shift.sum() / 10, shift.mean() / 2, late.mean() / 2, shift.min() / 2]
    measures += [ends, ends * much, inner * much, only, only * ends, only * inner * much, *place]
    measures += [moved / (1 + max(len(mine), len(theirs))) / 2, math.log1p(moved) / 2]
    measures += [sum(op[2] > op[1] for op in changed)]
    measures += [sum(word in some for word in words) for some in (_GENERAL, _FILLING, _EXPLAINING)]
    measures += [np.mean([len(word) for word in words]) if words else 0.0]
    measures += [sum(len(word) > 3 and a.words.count(word) > 1 for word in words), words.count(",")]
    measures += [sum(word in ".!?" for word in words), len(set(words) & set(b.words)) / (1 + len(words))]
    return np.array(measures, dtype=np.float64)


SHAPE = 21 + 31
"""Number of features in ``Differences.shape``: of the texts by themselves, and of each one's part that the other
lacks."""
EVEN = 31


STATES_CLIP = 6.0
SHAPE_CLIP = 3.0
"""Standardised features are limited to this, so that no unusual text outweighs everything else."""
_LIGHT = 0.5
"""Share of common tokens from which a draft counts as edited, below as rewritten; the agreement differs."""


@dataclass(frozen=True)
class DraftComparison:
    """The comparison of two drafts. ``p_a``: probability that an editor prefers A, 0…1; ``log_odds_a`` the same;
    ``controlled_a``: log-odds without the effect of length; ``agreement``: share of held-out drafts of this sort on
    which the heads agree with the editor; ``faults``: probability of each fault if the less preferred draft is the
    worse one; ``fault``: the likeliest, if it is likely enough to be right in most cases, else None; ``edit``: the
    relation of the two, if more than their words tells it."""

    p_a: float
    log_odds_a: float
    controlled_a: float
    agreement: float
    faults: Mapping[str, float]
    fault: str | None
    edit: Edit | None = None


class DraftMeta(Meta):
    """``agreement``: share of held-out edits of a joke on which the heads agree with the editor;
    ``agreement_rewritten``: the same for drafts in which most words differ; ``faults``: the probability from which each
    is reported; None: never."""

    version: str
    faults: Annotated[
        dict[Annotated[str, Field(pattern="^[a-z][a-z_]{0,31}$")], Share | None], Field(min_length=1, max_length=64)
    ]
    agreement: Share
    agreement_rewritten: Share
    gain: Annotated[float, Field(ge=0.0, le=1e4)]
    fault_gain: Annotated[float, Field(ge=0.0, le=1e4)]
    length_gamma: Annotated[float, Field(ge=-1e2, le=1e2)]
    length_sd: Annotated[float, Field(ge=1.0, le=1e6)]


class DraftHeads(Head[DraftMeta]):
    """Heads for one model."""

    meta_type = DraftMeta
    lost = "drafts are judged as any two jokes"
    schema = """
        scale          f4 5*size+3 >0       <=1e5
        weights        f4 5*size+3          <=1e5
        words          f2 words             <=1e5
        shape_scale    f4 shape >0          <=1e5
        rows           f2 rows,shape        <=1e5
        alpha          f4 rows              <=1e5
        even_centre    f4 even              <=1e5
        even_scale     f4 even >0           <=1e5
        rows_even      f2 pairs,even        <=1e5
        fault_weights  f2 faults,5*size+3   <=1e5
        fault_words    f2 faults,words      <=1e5
        fault_alpha    f4 faults,pairs      <=1e5
        fault_bias     f4 faults            <=1e5
        """

    @classmethod
    def sizes(cls, meta: DraftMeta) -> dict[str, int]:
        return {"words": WORD_BUCKETS, "shape": SHAPE, "even": EVEN, "faults": len(meta.faults)}

    @classmethod
    def check(cls, meta: DraftMeta, arrays: Mapping[str, Vector]) -> None:
        if len(arrays["rows_even"]) > len(arrays["rows"]):
            raise ValueError("its size can't be right")

    def compare(self, a: DraftReading, b: DraftReading) -> DraftComparison:
        """Compare two drafts. With a and b exchanged, ``log_odds_a`` and ``controlled_a`` change their signs and
        ``p_a`` becomes 1 − p_a, to the last bit."""
        meta, (first, second, exchanged) = self.meta, canonical(a, b)
        change = differences(first, second)
        # The less two texts have in common, the less is known of the pair: both score and certainty shrink with it.
        controlled = meta.gain * change.overlap * score_of(self.arrays, change)
        length = meta.length_gamma * math.tanh((len(first.text) - len(second.text)) / meta.length_sd)
        log_odds = controlled + length
        better, worse = (first, second) if log_odds >= 0 else (second, first)
        faults = self.faults(differences(better, worse))
        fault = max(faults, key=lambda name: faults[name])
        least = meta.faults[fault]
        shown = least is not None and faults[fault] >= least and log_odds != 0
        sign = -1.0 if exchanged else 1.0
        surer = sigmoid(abs(log_odds))
        return DraftComparison(
            p_a=surer if sign * log_odds >= 0 else 1.0 - surer,
            log_odds_a=sign * log_odds + 0.0,
            controlled_a=sign * controlled + 0.0,
            agreement=meta.agreement if change.overlap >= _LIGHT else meta.agreement_rewritten,
            faults=faults,
            fault=fault if shown else None,
        )

    def faults(self, change: Differences) -> dict[str, float]:
        """Return the probability of each fault in the second draft, given that the first is the better one."""
        arrays = self.arrays
        pairs = len(arrays["rows_even"])
        even = np.clip((change.even - arrays["even_centre"]) / arrays["even_scale"], -SHAPE_CLIP, SHAPE_CLIP)
        near = kernel(
            np.concatenate([arrays["rows"][:pairs], arrays["rows_even"]], axis=1),
            np.concatenate([_scaled(change.shape, arrays["shape_scale"], SHAPE_CLIP), even]),
        )
        states = _scaled(change.states, arrays["scale"], STATES_CLIP)
        scores = arrays["fault_bias"] + arrays["fault_weights"] @ states + arrays["fault_alpha"] @ near
        if change.words:
            places = np.array(sorted(change.words), dtype=np.int64)
            scores = scores + arrays["fault_words"][:, places] @ [change.words[int(place)] for place in places]
        odds = np.exp(self.meta.fault_gain * (scores - scores.max()))
        return {name: float(p) for name, p in zip(self.meta.faults, odds / odds.sum(), strict=True)}


def score_of(arrays: Mapping[str, Vector], change: Differences) -> float:
    """Return the score of a pair by kernel ridge regression: positive if the first is better."""
    states = _scaled(change.states, arrays["scale"], STATES_CLIP)
    shape = _scaled(change.shape, arrays["shape_scale"], SHAPE_CLIP)
    places = np.array(sorted(change.words), dtype=np.int64)
    counts = np.array([change.words[int(place)] for place in places])
    near = kernel(arrays["rows"], shape) - kernel(arrays["rows"], -shape)
    words = arrays["words"][places] @ counts if len(places) else 0.0
    return float(arrays["weights"] @ states + words + arrays["alpha"] @ near)


def _scaled(values: Vector, scale: Vector, most: float) -> Vector:
    return np.asarray(np.clip(values / scale, -most, most))


def kernel(rows: Vector, shape: Vector) -> Vector:
    """Return the similarity of a pair's shape (features) to each of the training pairs (rows, features): e^−(mean
    distance), 0…1."""
    return np.asarray(np.exp(-np.abs(rows - shape).sum(axis=1) / rows.shape[1]))
