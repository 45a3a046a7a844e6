"""Sounds of English words: a table of pronunciations, rules for words that aren't in it, and search for words that
sound alike or are contained in another's sound.

The table (``models/sounds.npz``) is made by models/training/sounds.py from the CMU Pronouncing Dictionary and from
counts of words. It is read when it is first needed.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ..core.errors import damaged
from ..core.paths import models_dir
from .files import DAMAGE, read_archive

PHONES = (
    "AA", "AE", "AH", "AO", "AW", "AX", "AY", "EH", "ER", "EY", "IH", "IY", "OW", "OY", "UH", "UW",
    "B", "CH", "D", "DH", "F", "G", "HH", "JH", "K", "L", "M", "N", "NG", "P", "R", "S",
    "SH", "T", "TH", "V", "W", "Y", "Z", "ZH",
)  # fmt: skip
"""The phones of the dictionary; AX is its unstressed AH."""
VOWELS = 16
LONGEST = 14
"""Most phones of a word that is compared."""
_SHARED = 0.45
"""Least share of common phones of two words that are compared."""
_LEAST_INSIDE = 3
_ONSET = 0.6
"""Factor on the cost of substituting the first phone: rhyming words are mistaken for one another."""
LEFT, RIGHT = 3, 3
"""Letters before and after a letter that may determine its sound."""
FORMAT = 1
_MOST_BYTES = 4 * 10**6
_NONE = len(PHONES)
_BANNED = 2.0
"""Cost of substituting a vowel for a consonant or the reverse, so high that it never happens."""
_DROPPED = 0.9
_EASILY_DROPPED = {"AX": 0.5, "HH": 0.5, "IH": 0.7, "T": 0.7, "D": 0.7, "S": 0.7, "Z": 0.7, "R": 0.7, "Y": 0.6}
# Vowels: height, frontness, roundness at their beginning and at their end.
_VOWELS = {
    "AA": (0.0, 0.3, 0.1, 0.0, 0.3, 0.1), "AE": (0.2, 0.9, 0.0, 0.2, 0.9, 0.0), "AH": (0.3, 0.4, 0.0, 0.3, 0.4, 0.0),
    "AO": (0.3, 0.0, 0.6, 0.3, 0.0, 0.6), "AW": (0.1, 0.5, 0.0, 0.8, 0.1, 0.8), "AX": (0.4, 0.5, 0.0, 0.4, 0.5, 0.0),
    "AY": (0.1, 0.4, 0.0, 0.8, 0.9, 0.0), "EH": (0.5, 0.9, 0.0, 0.5, 0.9, 0.0), "ER": (0.5, 0.4, 0.4, 0.5, 0.4, 0.4),
    "EY": (0.5, 0.9, 0.0, 0.9, 1.0, 0.0), "IH": (0.8, 0.8, 0.0, 0.8, 0.8, 0.0), "IY": (1.0, 1.0, 0.0, 1.0, 1.0, 0.0),
    "OW": (0.5, 0.1, 0.7, 0.8, 0.0, 1.0), "OY": (0.4, 0.0, 0.7, 0.8, 0.9, 0.0), "UH": (0.8, 0.2, 0.7, 0.8, 0.2, 0.7),
    "UW": (1.0, 0.1, 1.0, 1.0, 0.1, 1.0),
}  # fmt: skip
# Consonants: place from the lips to the throat, kind (stop, affricate, fricative, nasal, liquid, glide), voice.
_CONSONANTS = {
    "B": (0.0, 0, 1), "P": (0.0, 0, 0), "D": (0.4, 0, 1), "T": (0.4, 0, 0), "G": (0.8, 0, 1), "K": (0.8, 0, 0),
    "CH": (0.55, 1, 0), "JH": (0.55, 1, 1), "F": (0.1, 2, 0), "V": (0.1, 2, 1), "TH": (0.25, 2, 0), "DH": (0.25, 2, 1),
    "S": (0.4, 2, 0), "Z": (0.4, 2, 1), "SH": (0.55, 2, 0), "ZH": (0.55, 2, 1), "HH": (1.0, 2, 0), "M": (0.0, 3, 1),
    "N": (0.4, 3, 1), "NG": (0.8, 3, 1), "L": (0.45, 4, 1), "R": (0.55, 4, 1), "W": (0.1, 5, 1), "Y": (0.6, 5, 1),
}  # fmt: skip
_KINDS = (
    (0.0, 0.4, 0.6, 0.6, 0.9, 0.9), (0.4, 0.0, 0.3, 0.9, 0.9, 0.9), (0.6, 0.3, 0.0, 0.9, 0.9, 0.8),
    (0.6, 0.9, 0.9, 0.0, 0.7, 0.9), (0.9, 0.9, 0.9, 0.7, 0.0, 0.5), (0.9, 0.9, 0.8, 0.9, 0.5, 0.0),
)  # fmt: skip

_NEARLY = (("ER", "R"), ("IY", "Y"), ("UW", "W"))
"""Pairs of a vowel and the consonant that it may be mistaken for."""

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float32]
Phones = tuple[int, ...]
Near = tuple[Ints, Floats]
"""Words of the table by their index, with the cost of hearing each instead of the given sound: (words,) each."""


def _substitution() -> Floats:
    """Return (phones + 1, phones + 1): the cost of substituting one phone for another; the last one is padding."""
    costs = np.full((_NONE + 1, _NONE + 1), _BANNED, np.float32)
    for one, a in enumerate(PHONES):
        for other, b in enumerate(PHONES):
            if a in _VOWELS and b in _VOWELS:
                apart = np.abs(np.subtract(_VOWELS[a], _VOWELS[b])).sum() / 2.0
                costs[one, other] = 0.0 if a == b else min(0.9, 0.15 + 0.5 * apart)
                if "AX" in (a, b):
                    costs[one, other] = min(costs[one, other], 0.35 if a != b else 0.0)
            elif a in _CONSONANTS and b in _CONSONANTS:
                (place, kind, voice), (place_b, kind_b, voice_b) = _CONSONANTS[a], _CONSONANTS[b]
                cost = 0.7 * abs(place - place_b) + _KINDS[kind][kind_b] + 0.25 * (voice != voice_b)
                costs[one, other] = 0.0 if a == b else min(1.2, 0.1 + cost)
    for vowel, glide in _NEARLY:
        one, other = PHONES.index(vowel), PHONES.index(glide)
        costs[one, other] = costs[other, one] = 0.4
    return costs


SUBSTITUTION = _substitution()
DROPPED: Floats = np.array([*(_EASILY_DROPPED.get(name, _DROPPED) for name in PHONES), 0.0], np.float32)
"""Cost of omitting or inserting each phone."""
_LEAST_DROPPED = float(DROPPED[:-1].min())


_NOTHING: Near = np.zeros(0, np.int64), np.zeros(0, np.float32)


class Sounds:
    """The table. ``words``: the most common first; ``commonness``: log10 of each one's frequency in print, (words,);
    ``codes``: (words, LONGEST) phones, padded; ``lengths``, ``vowels`` (words,): number of phones, ``vowels_of``
    them."""

    def __init__(self, words: Sequence[str], commonness: Floats, codes: Bytes, rules: dict[str, Phones]) -> None:
        """``rules``: the sounds of a letter by its neighbours, see ``rule_keys``."""
        self.words = tuple(words)
        self.commonness = commonness
        self.codes = codes
        self.lengths: Ints = (codes < _NONE).sum(axis=1)
        self.vowels = vowels_of(codes)
        self._rules = rules
        self._least_shared = lru_cache(64)(self._least_shared_of)
        self._bags = np.zeros((_NONE + 1, len(codes)), np.int8)
        for column in codes.T:
            self._bags[column, np.arange(len(codes))] += 1
        self._has = np.minimum(self._bags, np.int8(1))

    @cached_property
    def place(self) -> dict[str, int]:
        """The index of each word."""
        return {word: place for place, word in reversed(list(enumerate(self.words)))}

    def phones(self, word: str) -> Phones:
        """Return the phones of a word, from the table or else by rules for its letters; () without letters."""
        plain = _plain(word)
        place = self.place.get(plain)
        if place is not None:
            return tuple(int(code) for code in self.codes[place, : self.lengths[place]])
        return self._by_rule(plain)

    def _by_rule(self, word: str) -> Phones:
        phones: list[int] = []
        for place in range(len(word)):
            for key in rule_keys(word, place):
                if (sound := self._rules.get(key)) is not None:
                    phones += [code for code in sound if not phones or code != phones[-1]]
                    break
        return tuple(phones)

    def near(self, phones: Phones, most: float) -> Near:
        """Return the words that sound like ``phones`` at a cost of at most ``most``."""
        if not 1 <= len(phones) <= LONGEST:
            return _NOTHING
        return self._within(phones, self._shared(phones) >= self._least_shared(len(phones), most), most, inside=False)

    def inside(self, phones: Phones, most: float) -> Near:
        """Return the words of ``_LEAST_INSIDE`` phones or more that sound like a part of ``phones`` at a cost of at
        most ``most``."""
        if not _LEAST_INSIDE < len(phones) <= 2 * LONGEST:
            return _NOTHING
        fit = (self.lengths >= _LEAST_INSIDE) & (self.lengths < len(phones))
        return self._within(phones, fit & (self._shared(phones) >= self.lengths - 1), most, inside=True)

    def _least_shared_of(self, count: int, most: float) -> npt.NDArray[np.int8]:
        """Return (words,): the least number of phones in common with a sound of ``count`` phones for a cost of at most
        ``most`` to be possible; more than there are where it isn't."""
        least = np.ceil(_SHARED * np.maximum(self.lengths, count))
        return np.where(np.abs(self.lengths - count) * 0.5 <= most, least, 127).astype(np.int8)

    def _within(self, phones: Phones, fit: npt.NDArray[np.bool_], most: float, *, inside: bool) -> Near:
        places = np.flatnonzero(fit)
        costs = _edits(phones, self.codes[places], self.lengths[places], inside=inside, most=most)
        kept = costs <= most
        return places[kept], costs[kept]

    def _shared(self, phones: Phones) -> npt.NDArray[np.int8]:
        """Return (words,): the number of phones in common with ``phones``, in any order."""
        shared: npt.NDArray[np.int8] = np.add.reduce(self._has[list(set(phones))], axis=0, dtype=np.int8)
        for phone in set(phones):
            if (count := phones.count(phone)) > 1:
                shared += np.minimum(self._bags[phone], np.int8(count)) - self._has[phone]
        return shared


def _edits(phones: Phones, codes: Bytes, lengths: Ints, *, inside: bool, most: float) -> Floats:
    """Return (words,): the lowest edit cost from ``phones`` to each word, or any number over ``most``. ``inside``:
    phones before and after the word may be omitted at no cost."""
    count, width = len(codes), int(lengths.max(initial=0))
    rows = np.ascontiguousarray(codes[:, :width].T, np.intp)
    added = DROPPED.take(rows)
    before = np.zeros((width + 1, count), np.float32)
    np.cumsum(added, axis=0, out=before[1:])
    words = np.arange(count)
    best = before[lengths, words]
    away = width if inside else int(most / _LEAST_DROPPED)  # more phones apart cost more than most
    for number, phone in enumerate(phones):
        first, last = max(0, number - away), min(width, number + 1 + away)
        after = np.full_like(before, np.inf)
        if first == 0:
            after[0] = 0.0 if inside else before[0] + DROPPED[phone]
        swapped = SUBSTITUTION[phone].take(rows[first:last])
        if number == 0 and not inside:
            swapped[:1] *= _ONSET
        swapped += before[first:last]
        np.minimum(swapped, before[first + 1 : last + 1] + DROPPED[phone], out=after[first + 1 : last + 1])
        for place in range(first, last):
            np.minimum(after[place + 1], after[place] + added[place], out=after[place + 1])
        before = after
        if inside:
            best = np.minimum(best, before[lengths, words])
    return best if inside else before[lengths, words]


def vowels_of(codes: Bytes) -> Ints:
    """Return (words,): a number for the vowels of each word in their order."""
    numbers = np.zeros(len(codes), np.int64)
    for column in codes.T.astype(np.int64):
        numbers = np.where(column < VOWELS, numbers * (VOWELS + 1) + column + 1, numbers)
    return numbers


def _plain(word: str) -> str:
    return "".join(letter for letter in word.lower().replace("’", "'") if letter.isalpha() or letter == "'").strip("'")


def rule_keys(word: str, place: int) -> list[str]:
    """Return the keys of the rules for the sound of the letter at ``place``, those with the most letters first."""
    padded = "#" * LEFT + word + "#" * RIGHT
    middle = place + LEFT
    spans = ((3, 3), (2, 3), (2, 2), (1, 2), (1, 1), (0, 1), (1, 0), (0, 0))
    return [
        f"{padded[middle - left : middle]}{word[place]}{padded[middle + 1 : middle + 1 + right]}:{left}"
        for left, right in spans
    ]


@lru_cache(1)
def sounds() -> Sounds:
    """Return the shipped table. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    return load_sounds(models_dir() / "sounds.npz")


def load_sounds(path: Path) -> Sounds:
    """Read a table. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
    try:
        stated, arrays = read_archive(path, _MOST_BYTES)
        if stated != str(FORMAT).encode():
            raise ValueError("it is of an unknown version")
        words = arrays["letters"].tobytes().decode("ascii").split("\n")
        lengths = arrays["lengths"].astype(np.int64)
        keys = arrays["keys"].tobytes().decode("ascii").split("\n")
        sizes = arrays["sizes"].astype(np.int64)
        if max(arrays["phones"].max(initial=0), arrays["rules"].max(initial=0)) >= _NONE:
            raise ValueError("it names a sound that doesn't exist")
        codes = np.full((len(words), LONGEST), _NONE, np.uint8)
        codes[np.arange(LONGEST) < lengths[:, None]] = arrays["phones"]
        ends = np.cumsum(sizes)
        flat = arrays["rules"].tolist()
        rules = {
            key: tuple(flat[end - size : end])
            for key, size, end in zip(keys, sizes.tolist(), ends.tolist(), strict=True)
        }
        return Sounds(words, arrays["commonness"].astype(np.float32) / 10.0, codes, rules)
    except DAMAGE as error:
        raise damaged(path, error, "puns aren't explained") from error
