"""The audience head: predicts people's votes from a model's own hidden states with a few linear maps.

There is one map for each kind of text that people voted on (one-liners, edited headlines, …), and a gate that gives a
text's probabilities of each kind. A text is scored alone, so a duel has no position bias.
"""

from __future__ import annotations

import copy
import functools
import itertools
import math
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from statistics import NormalDist
from typing import Annotated, Any, ClassVar, NamedTuple, Self

from pydantic import Field, model_validator

from ..core.errors import damaged
from ..core.files import sha256_of
from ..core.lazily import np, npt
from ..core.statistics import Vector
from ..core.texts import clean_text
from ..core.verdicts import Audience
from ..engine.base import CancelToken, Engine, FloatArray, Segment
from .files import DAMAGE, Head, Meta, Share, Strict

_CLIP = 8.0
_Length = tuple[Annotated[float, Field(ge=-10.0, le=10.0)], Annotated[float, Field(ge=1.0, le=1e6)]]


def plain_headline(text: str) -> str:
    """Return a headline without what differs between newspapers: capitals, a full stop."""
    return " ".join(text.split()).lower().rstrip(".")


def alike(a: Sequence[float], b: Sequence[float]) -> float:
    """Return the similarity of two texts' kinds, 0…1: the cosine of their shares, symmetric to the last bit."""
    both = math.fsum(x * y for x, y in zip(a, b, strict=True))
    sizes = math.fsum(x * x for x in a) * math.fsum(y * y for y in b)
    return min(1.0, both / math.sqrt(sizes)) if sizes > 0.0 else 0.0


class JointMeta(Strict):
    """A map that combines the states with the outputs of the editor's heads with the mark ``editor`` for a text and its
    form, instead of the one of its ``kind``. Among one-liners people's votes correlate with an editor's findings
    (clarity, wordplay, …); the editor's heads, which were trained on readings, estimate these best."""

    kind: str
    editor: str


# The odds that a text is in the upper half of people's votes, by its likeness to texts that people voted on: a Gaussian
# kernel over states and the editor's findings. Fitted to be right on sources that nothing was learned from.


class Points:
    """Points of the texts that were learned from (texts, axes)."""

    def __init__(self, points: Vector) -> None:
        self._points, self._squares = points, (points**2).sum(axis=1)

    def near(self, point: Vector, reach: float) -> Vector:
        """Return (texts,): the Gaussian kernel 0…1 of each point and this one."""
        point = point.astype(self._points.dtype)
        apart = self._squares + point @ point - 2.0 * (self._points @ point)
        return np.asarray(np.exp(-reach * np.maximum(apart, 0.0)))


@dataclass(frozen=True, eq=False)
class Odds:
    """``support``: points of the texts that were learned from; ``alpha``: their weights in the score, and, for squared
    likenesses, in how near a text is to all of them, 0…1, which the score is multiplied by: of a text unlike all of
    these the odds are even."""

    axes: Vector
    centre: Vector
    scale: Vector
    support: Vector
    reach: Vector
    alpha: Vector
    mean: Vector

    @functools.cached_property
    def _learned(self) -> Points:
        return Points(self.support)

    def points(self, standard: Vector, findings: Vector) -> Vector:
        """Return the points (…, axes) of texts, from their standardised states and the findings."""
        findings = np.clip((findings[..., : len(self.centre)] - self.centre) / self.scale, -_CLIP, _CLIP)
        states = standard[..., : len(self.axes) - len(self.centre)]
        return np.asarray(np.concatenate([states, findings], axis=-1).astype(self.axes.dtype) @ self.axes)

    def upper(self, standard: Vector, findings: Vector) -> float:
        """Return the log-odds of the upper half."""
        likeness = self._learned.near(self.points(standard, findings), 1.0 / float(self.reach[0]))
        score, near = likeness @ self.alpha[:, 0] + self.mean[0], likeness**2 @ self.alpha[:, 1]
        return float(score * min(1.0, max(0.0, near)))


# A text's wording as numbers: words, word pairs and letter groups in hashed buckets, weighted by rarity. Shared by all
# heads, their baselines and their training.

WORD = re.compile(r"\w+(?:['’]\w+)*")
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")
_USUAL_WORD = 40
"""Most letters of a word whose letter groups are cached."""


def grams(text: str, buckets: int) -> dict[int, float]:
    """Return the damped counts (1 + ln n) of words, word pairs and letter groups of 2 to 5, each in one of ``buckets``
    by its CRC-32. Words and pairs are in the lower half of the buckets, letter groups in the upper one."""
    half = buckets // 2
    if half == 0:
        return {}
    words, letters = _codes(text)
    counts = Counter((words % half).tolist())
    counts.update((half + letters % half).tolist())
    return {place: 1.0 + math.log(count) if count > 1 else 1.0 for place, count in counts.items()}


@functools.lru_cache(8)
def _codes(text: str) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the CRC-32 of each word and pair, and of each letter group; every head asks for those of a text."""
    words = _TOKEN.findall(unicodedata.normalize("NFKC", text).lower().replace("’", "'"))
    pairs = itertools.starmap("2{} {}".format, itertools.pairwise(words))
    # Most words recur; a text without spaces is one long word, which isn't worth caching.
    groups = (_letters(word) if len(word) <= _USUAL_WORD else _letters.__wrapped__(word) for word in words)
    codes = [_code("1" + word) for word in words], list(itertools.chain.from_iterable(groups))
    return np.array([*codes[0], *map(_code, pairs)], np.int64), np.array(codes[1], np.int64)


@functools.lru_cache(maxsize=4096)
def _letters(word: str) -> tuple[int, ...]:
    """Return the CRC-32 of a word's letter groups."""
    padded = f" {word} "
    return tuple(_code(padded[start : start + size]) for size in range(2, 6) for start in range(len(padded) - size + 1))


def _code(gram: str) -> int:
    return zlib.crc32(gram.encode("utf-8", "replace"))


def weigh(counted: dict[int, float], rarity: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Vector]:
    """Return the buckets in order and their values: count times rarity, words and letter groups each scaled to length
    1."""
    places = np.array(sorted(counted), dtype=np.int64)
    values = np.array([counted[place] for place in places.tolist()]) * rarity[places].astype(np.float64)
    low = places < len(rarity) // 2
    for half in (low, ~low):
        norm = math.sqrt(float(values[half] @ values[half]))
        if norm > 0:
            values[half] /= norm
    return places, values


_OF_ODDS = 0.75
"""Log-odds of a pair, by the difference of two texts' log-odds of the upper half."""
_UNVOTED = {"other": 0.5, "plain": 0.5}
"""Share of the odds in a pair's difference, for kinds without votes of their own."""
BEFORE_HEADLINE = "A headline"
"""What a headline is read behind to tell satire from news."""
LEAST_SHARE = 1e-6
"""Keeps the product of two texts' kinds above zero when they have none in common."""
_QUANTILES = 101


@dataclass(frozen=True, eq=False)
class Features:
    """The head's outputs for one text. ``scores[k]``: log-odds scale of kind k; ``kinds[k]``: probability of kind k,
    0…1, summing to 1; ``joke``: log-odds that it is meant as a joke, None if the head has no such map; ``upper``:
    log-odds of the upper half of people's votes, None without such a map, or without outputs of the editor's heads."""

    scores: tuple[float, ...]
    kinds: tuple[float, ...]
    joke: float | None = None
    upper: float | None = None


class AudienceMeta(Meta):
    """``agreement``: share of held-out pairs on which the head agrees with most people; ``one_person``: share on which
    one of the voters agrees with most of the others, 0 if single votes are unknown; ``kind_agreement``: the agreement
    by kind, with the lower end of its interval, if the file has it; ``adapter``: hash of the low-rank adapter that the
    model reads headlines with."""

    version: str
    kinds: Annotated[list[str], Field(min_length=1, max_length=32)]
    agreement: Share
    one_person: Share
    kind_agreement: dict[str, tuple[Share, Share]] = Field(default_factory=dict)
    length: dict[str, _Length] = Field(default_factory=dict)
    joint: JointMeta | None = None
    adapter: Annotated[str, Field(pattern="^[0-9a-f]{64}$")] | None = None

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        named = {*self.kind_agreement, *self.length}
        if not named | ({self.joint.kind} if self.joint else set()) <= set(self.kinds):
            raise ValueError("it names kinds of text that it hasn't learned")
        if any(low > share for share, low in self.kind_agreement.values()):
            raise ValueError("its agreement by kind can't be right")
        return self


class AudienceHead(Head[AudienceMeta]):
    """A head for one model. ``adapter``: the file of the low-rank adapter, beside the head's."""

    meta_type = AudienceMeta
    lost = "verdicts come without the audience"
    empty: ClassVar = ("half",)  # heads that a user fitted have no word groups
    schema = """
        centre          f4 4*size+3           <=1e6
        scale           f4 4*size+3 >1e-9     <=1e6
        weights         f4 kinds,4*size+3     <=1e3
        bias            f8 kinds              <=1e3
        gate            f4 kinds,4*size+3     <=1e3
        gate_bias       f8 kinds              <=1e3
        rarity          f2 2*half             <=1e3
        grams           f2 kinds,2*half       <=1e3
        quantiles       f8 101                <=1e3
        [joke]
        joke            f4 4*size+4           <=1e3
        [satire]
        satire          f4 4*size+4           <=1e3
        [joint]
        joint_centre    f4 findings
        joint_scale     f4 findings >0
        joint_weights   f4 4*size+findings+4  <=1e3
        [odds]
        odds_centre     f4 known              <=1e4
        odds_scale      f4 known >0           <=1e6
        odds_axes       u1 4*size+known,axes  <=1e4
        odds_support    u1 texts,axes         <=1e4
        odds_reach      f8 1 >1e-9            <=1e6
        odds_alpha      f2 texts,2            <=1e4
        odds_mean       f8 1                  <=1e4
        """

    narrow = ("odds_axes", "odds_support")
    adapter: Path | None = None

    def __init__(self, meta: AudienceMeta, arrays: dict[str, Vector]) -> None:
        super().__init__(meta, arrays)
        self.version, self.kinds = meta.version, tuple(meta.kinds)
        odds = {name.removeprefix("odds_"): v for name, v in self.arrays.items() if name.startswith("odds_")}
        self._odds = Odds(**odds) if odds else None
        self._other: AudienceHead | None = None  # the head whose "joke or not" map is used instead of this one's

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file, and check that of its adapter. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
        head = super().load(path)
        if head.meta.adapter is not None:
            head.adapter = path.with_suffix(".lora")
            try:
                if sha256_of(head.adapter) != head.meta.adapter:
                    raise ValueError("it isn't the one that the head was trained with")
            except DAMAGE as error:
                raise damaged(head.adapter, error, cls.lost) from error
        return head

    @classmethod
    def sizes(cls, meta: AudienceMeta) -> dict[str, int]:
        return {"kinds": len(meta.kinds)}

    @classmethod
    def check(cls, meta: AudienceMeta, arrays: Mapping[str, Vector]) -> None:
        if (meta.joint is None) == ("joint_centre" in arrays):
            raise ValueError("its joint map can't be right")
        if (np.diff(arrays["quantiles"]) < 0).any():
            raise ValueError("its scales can't be right")

    def with_joke_of(self, other: AudienceHead) -> AudienceHead:
        """Return this head with the "joke or not" map of ``other``, a head of the same model, if it has one: new votes
        retrain what people find funny, not what a joke looks like."""
        if "joke" not in other.arrays or len(other.arrays["centre"]) != len(self.arrays["centre"]):
            return self
        both = copy.copy(self)
        both._other = other
        return both

    def read(self, engine: Engine, text: str, cancel: CancelToken | None = None) -> Features:
        """Read ``text`` with the model that this head was fitted on, with one ``embed`` call. Raises the errors of
        ``embed`` and ``clean_text``."""
        text = clean_text(text)
        return self.of_states(engine.embed([text], cancel)[0], text)

    @property
    def joined(self) -> str | None:
        """The mark of the editor's heads whose outputs this head can use as well; None if it uses none."""
        return None if self.meta.joint is None else self.meta.joint.editor

    def of_states(self, states: FloatArray, text: str, findings: Vector | None = None) -> Features:
        """Return the features from the final hidden states (tokens, size) of a cleaned text, and from the outputs of
        the editor's heads (``findings`` of ``EditorHeads.found``), which must be those with the mark ``joined``."""
        return self.features_of(pool(states, text), text, findings)

    def features_of(self, values: Vector, text: str, findings: Vector | None = None) -> Features:
        """Return the features from the output of ``pool`` for a text; ``findings``: see ``of_states``."""
        a, counted = self.arrays, grams(text, len(self.arrays["rarity"]))
        standard = self.standardised(values)
        scores = a["weights"] @ standard + a["bias"]
        if counted:
            places, weights = weigh(counted, a["rarity"])
            scores = scores + a["grams"][:, places] @ weights
        if self.meta.joint is not None and findings is not None:
            beside = np.clip((findings - a["joint_centre"]) / a["joint_scale"], -_CLIP, _CLIP)
            weights, size = a["joint_weights"], len(standard)
            joint = float(weights[:size] @ standard + weights[size:-1] @ beside) + float(weights[-1])
            scores[self.kinds.index(self.meta.joint.kind)] = joint
        upper = self._odds.upper(standard, findings) if self._odds is not None and findings is not None else None
        logits = a["gate"] @ standard + a["gate_bias"]
        shares = np.exp(logits - logits.max())
        joke = self.joke_odds(values)
        return Features(tuple(map(float, scores)), tuple(map(float, shares / shares.sum())), joke, upper)

    def standardised(self, values: Vector) -> Vector:
        """Return the output of ``pool`` standardised for the maps."""
        return np.asarray(np.clip((values - self.arrays["centre"]) / self.arrays["scale"], -_CLIP, _CLIP))

    def joke_odds(self, values: Vector) -> float | None:
        """Return the log-odds that a text is meant as a joke, from the output of ``pool``; None if the head has no such
        map."""
        by = self._other or self
        weights = by.arrays.get("joke")
        return None if weights is None else float(weights[:-1] @ by.standardised(values) + weights[-1])

    def satire(self, engine: Engine, text: str, cancel: CancelToken | None = None) -> float | None:
        """Return the log-odds that a headline is satire and no news, whatever its capitals; None if the head has no
        such map."""
        text = plain_headline(text)
        weights = self.arrays.get("satire")
        if weights is None or not text:
            return None
        prompt = (Segment(BEFORE_HEADLINE + "\n", constant=True),)
        states = engine.embed([text], cancel, prompt=prompt, adapter=self.adapter)[0]
        return float(weights[:-1] @ pool(states, text) + weights[-1])

    def score(self, features: Features) -> float:
        """Return the predicted funniness on a log-odds scale; 0 is about the middle of the jokes that people voted
        on."""
        return math.fsum(share * score for share, score in zip(features.kinds, features.scores, strict=True))

    def audience(self, features: Features) -> Audience:
        """Return the score, and its percentile 0…100 among jokes that people voted on."""
        score = self.score(features)
        return Audience(percentile=self._percentile(score), score=score)

    def _percentile(self, score: float) -> float:
        return float(np.interp(score, self.arrays["quantiles"], np.linspace(0.0, 100.0, _QUANTILES)))

    def normal(self, score: float) -> float:
        """Return a score on the normal scale of jokes that people voted on; extrapolated linearly beyond the last of
        them."""
        unit = max((self.score_at(84.13) - self.score_at(15.87)) / 2.0, _LEAST_UNIT)
        low, high = self.score_at(_ENDS), self.score_at(100.0 - _ENDS)
        beyond = max(0.0, score - high) + min(0.0, score - low)
        return normal_of(self._percentile(score)) + min(_MOST_BEYOND, max(-_MOST_BEYOND, beyond / unit))

    def score_at(self, percentile: float) -> float:
        """Return the score at a percentile 0…100."""
        return float(np.interp(percentile, np.linspace(0.0, 100.0, _QUANTILES), self.arrays["quantiles"]))

    def difference(self, a: Features, b: Features, length: float | None = None) -> float:
        """Return the log-odds that people find a the funnier; swapping a and b negates it to the last bit. ``length``:
        characters of a less those of b; if given, the effect of length in this head's scores is removed."""
        # Two compared texts are mostly of one kind, so each kind is weighted by the product of the shares. Products are
        # symmetric, the difference of two scores only changes its sign, and fsum is exact before it rounds.
        both = [kind_a * kind_b + LEAST_SHARE for kind_a, kind_b in zip(a.kinds, b.kinds, strict=True)]
        lengths = [self.meta.length.get(kind, (0.0, 1.0)) for kind in self.kinds]
        pulls = [0.0 if length is None else gamma * math.tanh(length / sd) for gamma, sd in lengths]
        gaps = [score_a - score_b - pull for score_a, score_b, pull in zip(a.scores, b.scores, pulls, strict=True)]
        total = math.fsum(both)
        if a.upper is None or b.upper is None:
            # + 0.0 turns −0.0 into 0.0.
            return math.fsum(share * gap for share, gap in zip(both, gaps, strict=True)) / total + 0.0
        # Maps of different kinds have no common scale: the less alike the kinds, the more weight the common scale has.
        beyond = _OF_ODDS * (a.upper - b.upper)
        parts = [_UNVOTED.get(kind, 0.0) for kind in self.kinds]
        mixed = [(1.0 - part) * gap + part * beyond for part, gap in zip(parts, gaps, strict=True)]
        within = math.fsum(share * gap for share, gap in zip(both, mixed, strict=True)) / total
        apart = (1.0 - alike(a.kinds, b.kinds)) ** 2
        return (1.0 - apart) * within + apart * beyond + 0.0


def pool(states: FloatArray, text: str) -> Vector:
    """Pool the final hidden states (tokens, size) into one vector of 4·size + 3: the means of the first half, of the
    second half and of the last four tokens, the last token, and three measures of length."""
    half = len(states) // 2
    parts = (states[: max(1, half)], states[half:], states[-4:], states[-1:])
    lengths = np.log1p([len(text), len(WORD.findall(text)), text.count("\n")])
    return np.concatenate([*(part.mean(axis=0, dtype=np.float64) for part in parts), lengths])


# The uncertainty of an audience estimate, from its head's agreement with people on pairs of that kind.

COVER = 0.8
"""Share of jokes whose place in people's order is inside the interval."""
_NORMAL = NormalDist()
_ENDS = 0.5
"""Percentiles are limited to this distance from both ends, where the normal scale becomes infinite."""
_ELSEWHERE = 0.7
"""What is left of a correlation with people among texts of other sources."""
_LEAST_RHO, _LEAST_UNIT, _MOST_BEYOND = 1e-3, 1e-6, 1.5


def correlation_of(agreement: float) -> float:
    """Return the correlation that corresponds to a share of pairs put in the right order: a = ½ + asin(ρ)/π for two
    normal variables (Kendall's τ = 2a − 1; Greiner's relation). 0 for chance level and below."""
    return math.sin(math.pi * (min(1.0, max(0.5, agreement)) - 0.5))


class PercentileEstimate(NamedTuple):
    """The estimated place of a joke in people's order: ``percentile``, the mean, between ``low`` and ``high``;
    ``upper``: the odds of the upper half, for a text of a source that nothing was learned from."""

    percentile: float
    low: float
    high: float
    upper: float


def normal_of(percentile: float) -> float:
    """Return a percentile 0…100 on the normal scale, 0 in the middle."""
    return _NORMAL.inv_cdf(min(100.0 - _ENDS, max(_ENDS, percentile)) / 100.0)


def believed(z: float, agreement: float, cover: float = COVER) -> PercentileEstimate:
    """Return the estimate for a joke that the head puts at ``z`` on the normal scale; people's place for it is in the
    interval with probability ``cover``.

    The head's and people's order are modelled as two normal variables with the correlation ρ that ``agreement``
    implies: given the head's z, people's is normal about ρ·z with variance 1 − ρ². Its mean percentile is that of ρ·z /
    √(2 − ρ²), never on an edge of the interval."""
    rho = correlation_of(agreement)
    half = _NORMAL.inv_cdf(0.5 + cover / 2.0) * math.sqrt(1.0 - rho * rho)
    low, high = (100.0 * _NORMAL.cdf(rho * z + side * half) for side in (-1.0, 1.0))
    percentile = 100.0 * _NORMAL.cdf(rho * z / math.sqrt(2.0 - rho * rho))
    less = _ELSEWHERE * rho
    return PercentileEstimate(percentile, low, high, _NORMAL.cdf(less * z / math.sqrt(1.0 - less * less)))


def head_normal(percentile: float, agreement: float) -> float:
    """Return the head's own z of a joke for which ``believed`` gives this ``percentile``; 0 without agreement."""
    rho = correlation_of(agreement)
    return normal_of(percentile) * math.sqrt(2.0 - rho * rho) / rho if rho > _LEAST_RHO else 0.0


@dataclass(frozen=True)
class KindAgreement:
    """A kind of text that an audience head was trained on: its name in words, the share of held-out pairs of that kind
    that the head put in people's order, and the lower end of that share's interval."""

    name: str
    agreement: float
    low: float | None = None


_ELSE = 0.5
"""Probability from which a text is of a kind that wasn't learned."""


@dataclass(frozen=True)
class KindAgreements:
    """The kinds that a head was trained on, by the head's names, and its agreement on other kinds; ``unknown`` is None
    if that wasn't measured."""

    known: Mapping[str, KindAgreement] = field(default_factory=dict)
    unknown: KindAgreement | None = None
    strangers: frozenset[str] = frozenset()
    """Kinds of the head's gate that mean "something else"."""

    def taken_for(self, kinds: Mapping[str, float]) -> str:
        """Return the recognised kind of a text, from the probabilities of ``kinds``: the likeliest, but "something
        else" only if that is likelier than all learned kinds together."""
        other = [kind for kind in kinds if kind in self.strangers]
        if 0.0 < sum(kinds[kind] for kind in other) < _ELSE:
            kinds = {kind: p for kind, p in kinds.items() if kind not in other} or kinds
        return max(kinds, key=kinds.__getitem__)

    def of(self, kind: str) -> KindAgreement | None:
        """Return the agreement on texts of a kind; None if unknown."""
        return self.unknown if kind in self.strangers else self.known.get(kind, self.unknown)
