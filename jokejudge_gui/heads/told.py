"""Where a joke is told: its words compared with those of jokes in public collections, of which no text is kept.

``models/told.npz`` holds the stems of the content words as hashes with their weights and their substitutes in other
tellings, and for each joke the numbers of its stems, which of them are in its punchline, and which collections have it
(models/training/told.py). Names count little; numbers, laughter and signs don't."""

from __future__ import annotations

import itertools
import math
import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from ..core.languages import is_english
from ..core.paths import models_dir
from ..core.statistics import sigmoid
from ..core.verdicts import Heard
from .features import STOP_WORDS
from .files import DAMAGE, MOST_BYTES, read_archive
from .set_phrases import base

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    from ..core.lazily import numpy as np

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_NUMBERS = frozenset(
    WORD.findall(
        "one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand "
        "million first second third"
    )
)
_LAUGHTER = re.compile(r"(?:a?(?:ha)+h?|(?:he)+|lo+l|lmao|rofl|x+d)$")
_DERIVED = re.compile(r"(?<=[a-z]{4})(?:ation|atio|ment|ness|nes|anc|enc|abl|ibl|ful|ist|iv|al|ic|or|ly|l)$")
"""What is left of endings that make another word of a stem: insurance, insurer."""
_SENTENCE = re.compile(r"(?<=[.!?…])[\"”’')\]]*\s+|\n+")
LONGEST = 3000
"""Most characters of a text that is looked up."""
LEAST = 0.5
"""Least likeness from which a text is told."""
_WHOLE = 0.5
"""Least part of one of the texts that they share where it isn't the punchline alone."""
_LEAST = 8.0
"""Least worth of the words of a text that is looked up."""
_MOST_OF = 0.6
"""Least part of a text's worth that a part of it must have to be looked up instead."""
_CORE, _MUCH = 45.0, 10.0
"""Worth of the words that a joke is known by: retold in short, a long one keeps about as much."""
_CANDIDATES, _NEARLY = 40, 0.8
BESIDE = 3
"""Number of bits beside a stem's number: two for the share of tellings that have it, one for whether it is in the
punchline."""
_ALMOST = 0.6
"""Worth of a substitute beside that of the word itself."""


@lru_cache(1 << 14)
def stem_of(word: str) -> str:
    """Return a word's stem; empty for one without content."""
    plain = word.lower().replace("’", "'").removesuffix("'s")
    if len(plain) < 2 or "'" in plain or plain in STOP_WORDS or plain in _NUMBERS or _LAUGHTER.match(plain):
        return ""
    return _DERIVED.sub("", base(plain))


class Stem(NamedTuple):
    """A content word of a text: ``start`` and ``end`` in characters."""

    stem: str
    start: int
    end: int


def stems(text: str) -> list[Stem]:
    return [Stem(stem, word.start(), word.end()) for word in WORD.finditer(text) if (stem := stem_of(word[0]))]


def punchline_at(text: str, words: Sequence[Stem]) -> int:
    """Return the character at which the punchline begins: after the question, else at the last sentence that leaves
    two fifths of the words before it, else in the middle."""
    asked = [mark.end() for mark in re.finditer(r"\?", text)]
    ends = [mark.end() for mark in _SENTENCE.finditer(text)]
    for places, most in ((asked, 1.0), (ends, 0.6)):
        for place in reversed(places):
            after = sum(word.start >= place for word in words)
            if 0 < after < len(words) and after <= most * len(words):
                return place
    return words[len(words) // 2].start if len(words) > 1 else 0


def profile(text: str) -> dict[str, bool]:
    """Return the stems of a text, each with whether it is in the punchline."""
    words, marked = stems(text), dict[str, bool]()
    turn = punchline_at(text, words)
    for word in words:
        marked[word.stem] = marked.get(word.stem, False) or word.start >= turn
    return marked


def hash_of(stem: str) -> int:
    return zlib.crc32(stem.encode())


MEASURES = 17


class Asked:
    """A text that is compared with others: its stems by number, their worth, and whether they are in its punchline."""

    def __init__(self, index: Index, marked: Mapping[int, bool]) -> None:
        self.posts = [id << BESIDE | 6 | end for id, end in marked.items()]
        self._index, self._ends = index, [*marked.values()]
        self._weights = [index.worth[id] for id in marked]
        self.total, self._total_end = sum(self._weights), sum(itertools.compress(self._weights, self._ends))
        self.near = {
            int(other) - 1: (at, _ALMOST) for at, id in enumerate(marked) for other in index.substitutes[id] if other
        }
        self.near |= {id: (at, 1.0) for at, id in enumerate(marked)}

    def measures(self, posts: Sequence[int], times: float) -> list[float]:
        """Compare with another text by its stems: how much they share, and what part of each of them and of their
        punchlines that is. ``times``: the logarithm of how often the other is told."""
        index = self._index
        shared = total = shared_end = total_end = both = 0.0
        matched = [0.0] * len(self._weights)
        for post in posts:
            id, part, end = post >> BESIDE, ((post >> 1 & 3) + 1) / 4.0, post & 1
            worth = index.worth[id] * part
            total += worth
            total_end += worth * end
            if (near := self.near.get(id)) is not None:
                at, like = near
                shared += worth * like
                shared_end += worth * like * end
                both += worth * like * (end and self._ends[at])
                matched[at] = max(matched[at], like * min(1.0, 2.0 * part))
        mine = [weight * like for weight, like in zip(self._weights, matched, strict=True)]
        there, here = min(1.0, shared / (total + 3.0)), min(1.0, sum(mine) / (self.total + 1.0))
        end_there = min(1.0, shared_end / (total_end + 2.0))
        end_here = min(1.0, sum(itertools.compress(mine, self._ends)) / (self._total_end + 2.0))
        core = min(1.0, shared / (min(total, _CORE) + 3.0)) * min(1.0, sum(mine) / (min(self.total, _CORE) + 3.0))
        much = min(3.0, shared / 20.0)
        return [
            math.log1p(shared), there, here, end_there, end_here, math.log1p(both), times, much, there * here,
            min(there, here), max(there, here), end_there * end_here, much * there, much * here, core, core * much, 1.0,
        ]  # fmt: skip


class Index:
    """The jokes that are told. ``hashes`` (n,) of stems, with their ``weights`` (tenths) and ``substitutes`` (n, few;
    numbers from 1, 0 for none); ``counts`` (jokes,) of each joke's ``stems``, whose ``marks`` hold what is beside their
    number; ``times`` and ``places`` (jokes,): how often each is told, and a bit for each of ``of`` collections;
    ``fit``: the weights of ``Asked.measures``."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.number = {key: id for id, key in enumerate(arrays["hashes"].tolist())}
        self.worth = (arrays["weights"] / 10.0).tolist()
        self.substitutes = arrays["substitutes"]
        counts, stems = arrays["counts"].astype(np.int64), arrays["stems"]
        self._starts = np.concatenate([[0], np.cumsum(counts)])
        self._posts = stems.astype(np.uint32) << BESIDE | arrays["marks"]
        order = np.argsort(stems, kind="stable")
        self._holders = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)[order]
        self._first = np.searchsorted(stems[order], np.arange(len(self.worth) + 1))
        worth = np.array(self.worth, dtype=np.float32)
        self._totals = np.add.reduceat(worth[stems] * ((arrays["marks"] >> 1) + 1) / 4.0, self._starts[:-1])
        self.times, self._places = arrays["times"], arrays["places"]
        self.of = int(arrays["of"][0])
        self._fit = arrays["fit"].astype(float).tolist()

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file. Raises one of ``DAMAGE`` if it can't be read."""
        arrays = read_archive(path, MOST_BYTES)[1]
        words, jokes = len(arrays["hashes"]), len(arrays["counts"])
        sizes = {"weights": words, "substitutes": words, "times": jokes, "places": jokes, "of": 1}
        sizes |= {"stems": int(arrays["counts"].sum()), "marks": len(arrays["stems"]), "fit": MEASURES}
        if any(len(arrays[name]) != size for name, size in sizes.items()) or not min(arrays["counts"]) > 0:
            raise ValueError("its parts don't belong together")
        if max(int(arrays["stems"].max()), int(arrays["substitutes"].max()) - 1) >= words or jokes <= _CANDIDATES:
            raise ValueError("it names stems that it doesn't have")
        return cls(arrays)

    def candidates(self, asked: Asked) -> list[tuple[int, float]]:
        """Return the jokes that share most with a text, each with the logarithm of how often it and those that share
        nearly as much are told: many of them are tellings of one joke."""
        slices = [slice(self._first[id], self._first[id + 1]) for id in asked.near]
        worth = [self.worth[id] * like for id, (_, like) in asked.near.items()]
        holders = np.concatenate([self._holders[one] for one in slices])
        each = np.repeat(worth, [one.stop - one.start for one in slices])
        shared = np.bincount(holders, each, len(self._totals))
        core = np.minimum(self._totals, _CORE)
        score = shared / (core + min(asked.total, _CORE) + 4.0) + 0.5 * shared / (core + 3.0) * (shared > _MUCH)
        best = np.argpartition(-score, _CANDIDATES)[:_CANDIDATES]
        near = score[best] >= _NEARLY * score[best][:, None]
        return list(zip(best.tolist(), np.log1p(near @ self.times[best].astype(float)).tolist(), strict=True))

    def posts(self, joke: int) -> list[int]:
        posts: list[int] = self._posts[self._starts[joke] : self._starts[joke + 1]].tolist()
        return posts

    def asked(self, text: str) -> Asked:
        stems = ((self.number.get(hash_of(stem)), end) for stem, end in profile(text).items())
        return Asked(self, {id: end for id, end in stems if id is not None})

    def likeness(self, measures: Sequence[float]) -> float:
        """Return the probability that two texts are tellings of one joke."""
        return sigmoid(sum(weight * value for weight, value in zip(self._fit, measures, strict=True)))

    def heard(self, text: str) -> Heard | None:
        """Return where a text is told; None if it isn't in what is known."""
        whole, *parts = map(self.asked, windows_of(text))
        if whole.total < _LEAST:
            return None
        windows = [whole, *(part for part in parts if part.total >= _MOST_OF * whole.total)]
        alike: dict[int, tuple[float, list[float]]] = {}
        for joke, times in self.candidates(whole):
            measured = [asked.measures(self.posts(joke), times) for asked in windows]
            near, best = max((self.likeness(one), one) for one in measured)
            if near >= LEAST:
                alike[joke] = near, best
        if not alike:
            return None
        near, (_, there, here, *_) = max(alike.values())
        collections = int(np.bitwise_or.reduce(self._places[[*alike]])).bit_count()
        return Heard(
            where=f"{collections} of {self.of} collections",
            likeness=round(near, 3),
            same="joke" if max(there, here) >= _WHOLE else "punchline",
            collections=collections,
            of=self.of,
            times=int(self.times[[*alike]].sum(dtype=int)),
        )


def windows_of(text: str) -> list[str]:
    """Return a text, and what is left of it without its first and without its last sentence: what stands around a joke
    doesn't make another one of it."""
    ends = [mark.end() for mark in _SENTENCE.finditer(text)]
    return [text, *([text[ends[0] :], text[: ends[-1]]] if ends else [])]


@lru_cache(1)
def told() -> Index | None:
    """Return the shipped index, loaded when it is first needed; None if it is damaged: verdicts come without it."""
    try:
        return Index.load(models_dir() / "told.npz")
    except DAMAGE:
        return None


@lru_cache(4096)
def heard(text: str) -> Heard | None:
    """Return where a text is told; None for a text in another language, a long one, and one that isn't known."""
    index = told() if len(text) <= LONGEST and is_english(text) else None
    return index.heard(text) if index is not None else None


def shared_words(text: str, other: str) -> list[tuple[int, int]]:
    """Return the characters of the words of a text that the other one has too, neighbours as one."""
    there, spans = profile(other).keys(), list[tuple[int, int]]()
    for stem, start, end in stems(text):
        if stem in there:
            joined = bool(spans) and not text[spans[-1][1] : start].strip()
            spans.append((spans.pop()[0] if joined else start, end))
    return spans
