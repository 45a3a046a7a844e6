"""Where a joke is told: its words compared with those of jokes in public collections, of which no text is kept.

``models/told.npz`` holds the stems of the content words as hashes with their weights and their substitutes in other
tellings, and for each joke the numbers of its stems, which of them are in its punchline, and which collections have it
(models/training/told.py). Names count little; numbers, laughter and signs don't."""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, Self

from ..core.languages import is_english
from ..core.lazily import np, npt
from ..core.paths import models_dir
from ..core.verdicts import Heard
from .features import STOP_WORDS
from .files import DAMAGE, MOST_BYTES, read_archive
from .set_phrases import base

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
LEAST_WORTH = 8.0
"""Least worth of the words of a text that is looked up."""
_MOST_OF = 0.6
"""Least part of a text's worth that a part of it must have to be looked up instead."""
_CORE, _MUCH = 45.0, 10.0
"""Worth of the words that a joke is known by: retold in short, a long one keeps about as much."""
_CANDIDATES, _NEARLY = 40, 0.8
MEASURES, _END_HERE = 22, 4
_LEAST_END = 0.25
"""Least part of a text's punchline that the joke that it is most like has, too: otherwise they share a frame alone."""
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


class Asked:
    """A text that is looked up: its stems by number, with their worth and whether they are in its punchline (``ends``).
    ``at`` and ``like`` (stems of the index,): which of its stems each stands for, −1 for none, and how well."""

    def __init__(self, index: Index, marked: Mapping[int, bool]) -> None:
        ids = np.array([*marked], dtype=np.int64)
        self.weights, self.ends = index.worth[ids], np.array([*marked.values()], dtype=np.float64)
        self.total = float(self.weights.sum())
        self.at, self.like = np.full(len(index.worth), -1), np.zeros(len(index.worth))
        others = index.substitutes[ids].astype(np.int64) - 1
        own, place = np.nonzero(others >= 0)
        self.at[others[own, place]], self.like[others[own, place]] = own, _ALMOST
        self.at[ids], self.like[ids] = np.arange(len(ids)), 1.0


class Index:
    """The jokes that are told. ``hashes`` (n,) of stems, with their ``weights`` (tenths) and ``substitutes`` (n, few;
    numbers from 1, 0 for none); ``counts`` (jokes,) of each joke's ``stems``, whose ``marks`` hold what is beside their
    number; ``times`` and ``places`` (jokes,): how often each is told, and a bit for each of ``of`` collections;
    ``fit``: the weights of ``measures``."""

    def __init__(self, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.number = {key: id for id, key in enumerate(arrays["hashes"].tolist())}
        self.worth = arrays["weights"] / np.float32(10.0)
        self.substitutes = arrays["substitutes"]
        counts, self.stems, self.marks = arrays["counts"].astype(np.int64), arrays["stems"], arrays["marks"]
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        parts = ((self.marks >> 1) + 1) / np.float32(4.0)
        self._totals = np.add.reduceat(self.worth[self.stems] * parts, self.starts[:-1])
        order = np.argsort(self.stems, kind="stable").astype(np.uint32)
        self._holders = np.repeat(np.arange(len(counts), dtype=np.uint32), counts)[order]
        self._first = np.concatenate([[0], np.cumsum(np.bincount(self.stems, minlength=len(self.worth)))])
        self.times, self._places = arrays["times"], arrays["places"]
        self.of = int(arrays["of"][0])
        self._fit = arrays["fit"].astype(np.float64)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file. Raises one of ``DAMAGE`` if it can't be read."""
        arrays = read_archive(path, MOST_BYTES)[1]
        words, jokes = len(arrays["hashes"]), len(arrays["counts"])
        sizes = {"weights": words, "substitutes": words, "times": jokes, "places": jokes, "of": 1}
        sizes |= {"stems": int(arrays["counts"].sum()), "marks": len(arrays["stems"]), "fit": MEASURES}
        if any(len(arrays[name]) != size for name, size in sizes.items()) or not arrays["counts"].min() > 0:
            raise ValueError("its parts don't belong together")
        if max(int(arrays["stems"].max()), int(arrays["substitutes"].max()) - 1) >= words or jokes <= _CANDIDATES:
            raise ValueError("it names stems that it doesn't have")
        return cls(arrays)

    def candidates(self, asked: Asked) -> npt.NDArray[np.int64]:
        """Return the jokes that share most with a text."""
        near = np.nonzero(asked.at >= 0)[0]
        slices = [slice(self._first[id], self._first[id + 1]) for id in near]
        holders = np.concatenate([self._holders[one] for one in slices])
        worth = np.repeat(self.worth[near] * asked.like[near], [one.stop - one.start for one in slices])
        shared = np.bincount(holders, worth, len(self._totals))
        core = np.minimum(self._totals, _CORE)
        score = shared / (core + min(asked.total, _CORE) + 4.0) + 0.5 * shared / (core + 3.0) * (shared > _MUCH)
        return np.argpartition(-score, _CANDIDATES)[:_CANDIDATES]

    def measures(self, asked: Asked, jokes: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return (jokes, MEASURES): how much a text shares with each joke, what part of both and of their punchlines
        that is, and how often the jokes that share the same with it are told."""
        count, posts = len(jokes), [slice(self.starts[joke], self.starts[joke + 1]) for joke in jokes]
        owner = np.repeat(np.arange(count), [one.stop - one.start for one in posts])
        ids, marks = (np.concatenate([of[one] for one in posts]) for of in (self.stems, self.marks))
        at, part, end = asked.at[ids], ((marks >> 1) + 1) / 4.0, (marks & 1).astype(np.float64)
        worth = self.worth[ids] * part
        gain, hit = worth * asked.like[ids], at >= 0
        matched = np.zeros((count, len(asked.weights)))
        np.maximum.at(matched, (owner[hit], at[hit]), (asked.like[ids] * np.minimum(1.0, 2.0 * part))[hit])
        mine = matched * asked.weights
        total, total_end, shared, shared_end, both = (
            np.bincount(owner, value, count)
            for value in (worth, worth * end, gain, gain * end, gain * end * asked.ends[at] * hit)
        )
        here_all, own_end = mine.sum(1), float((asked.weights * asked.ends).sum())
        same = np.minimum(mine[:, None, :], mine[None, :, :]).sum(2) >= _NEARLY * here_all[:, None]
        there, here = np.minimum(1.0, shared / (total + 3.0)), np.minimum(1.0, here_all / (asked.total + 1.0))
        end_there = np.minimum(1.0, shared_end / (total_end + 2.0))
        end_here = np.minimum(1.0, mine @ asked.ends / (own_end + 2.0))
        core = np.minimum(1.0, shared / (np.minimum(total, _CORE) + 3.0))
        core *= np.minimum(1.0, here_all / (min(asked.total, _CORE) + 3.0))
        much, crowd = np.minimum(3.0, shared / 20.0), np.log1p(same @ self.times[jokes].astype(np.float64))
        words, least = np.minimum((matched > 0.5).sum(1), 8) / 4.0, np.minimum(there, here)
        measured = (
            np.log1p(shared), there, here, end_there, end_here, np.log1p(both), crowd, much, there * here, least,
            np.maximum(there, here), end_there * end_here, much * there, much * here, core, core * much, words,
            crowd * least, crowd * core, crowd * much, words * least, np.ones(count),
        )  # fmt: skip
        return np.stack(measured, axis=1)

    def asked(self, text: str) -> Asked:
        stems = ((self.number.get(hash_of(stem)), end) for stem, end in profile(text).items())
        return Asked(self, {id: end for id, end in stems if id is not None})

    def likeness(self, measures: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        """Return the probabilities that two texts are tellings of one joke."""
        return 1.0 / (1.0 + np.exp(-(measures @ self._fit)))

    def heard(self, text: str) -> Heard | None:
        """Return where a text is told; None if it isn't in what is known."""
        whole, *parts = map(self.asked, windows_of(text))
        if whole.total < LEAST_WORTH:
            return None
        jokes = self.candidates(whole)
        windows = [whole, *(part for part in parts if part.total >= _MOST_OF * whole.total)]
        measured = np.stack([self.measures(asked, jokes) for asked in windows])
        near = self.likeness(measured)
        window, best = np.unravel_index(int(near.argmax()), near.shape)
        ends = measured[..., _END_HERE] >= _LEAST_END
        if near.max() < LEAST or not ends[window, best]:
            return None
        tellings = (near * ends).max(0) >= LEAST / 2  # once it is told, what is nearly as like is another telling
        collections = int(np.bitwise_or.reduce(self._places[jokes[tellings]])).bit_count()
        return Heard(
            where=f"{collections} of {self.of} collections",
            likeness=round(float(near.max()), 3),
            same="joke" if measured[window, best, 1:3].max() >= _WHOLE else "punchline",
            collections=collections,
            of=self.of,
            times=max(1, int(self.times[jokes[tellings]].sum(dtype=int))),
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
