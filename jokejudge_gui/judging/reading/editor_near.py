"""How near a text lies to each text that the editor's heads learned from: by its states, by how surprising and how
usual its words are, and by the words and pairs of words that both have."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from .editor_words import CLIP

GROUPS = 1 << 16
"""Groups into which words and pairs of words fall."""
_WORD = re.compile(r"[a-z']+|[?!:\"]")
_LONG = 3
Vector = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


def word_groups_of(text: str) -> Ints:
    """The groups of a text's words and pairs of words in order, each once; a plural falls into its singular's."""
    words = [
        word[:-1] if len(word) > _LONG and word.endswith("s") else word
        for word in _WORD.findall(text.lower().replace("’", "'"))
    ]
    pairs = [f"{first} {second}" for first, second in itertools.pairwise(words)]
    return np.array(sorted({zlib.crc32(gram.encode()) % GROUPS for gram in (*words, *pairs)}), dtype=np.int64)


def nearness(a: Vector, b: Vector, reach: float) -> Vector:
    """Gaussian: (rows of a,), 0…1, how near the point ``b`` lies to each."""
    found: Vector = np.exp(-reach * ((a - b) ** 2).sum(axis=1))
    return found


@dataclass(frozen=True, eq=False)
class Companions:
    """What is known beside the states of the texts that were learned from. ``traits`` (texts, TRAITS), standardised;
    ``reach`` of their Gaussian; ``shares`` (3,): what states, traits and words count; ``rarity`` (GROUPS,): weight of a
    group, 0 of those that nothing is known of; ``places``, ``values``: the texts that have a group and what it counts
    in them, in the order of groups; ``starts`` (GROUPS + 1,) where each group begins."""

    traits: Vector
    centre: Vector
    scale: Vector
    reach: float
    shares: Vector
    rarity: Vector
    places: Ints
    values: Vector
    starts: Ints

    @classmethod
    def of(cls, arrays: Mapping[str, Vector]) -> Companions | None:
        """Those of the heads' file; None if it has none."""
        if "near_shares" not in arrays:
            return None
        groups, ends = arrays["group_ids"].astype(np.int64), arrays["group_ends"].astype(np.int64)
        texts = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        rarity = arrays["rarity_of_groups"]
        weight = rarity[groups]
        lengths = np.sqrt(np.bincount(texts, weight**2, minlength=len(ends)))
        order = np.argsort(groups, kind="stable")
        return cls(
            traits=arrays["traits"],
            centre=arrays["traits_centre"],
            scale=arrays["traits_scale"],
            reach=float(arrays["traits_reach"][0]),
            shares=arrays["near_shares"],
            rarity=rarity,
            places=texts[order],
            values=(weight / np.maximum(lengths[texts], 1e-9))[order],
            starts=np.searchsorted(groups[order], np.arange(GROUPS + 1)),
        )

    def standard(self, shown: Vector | None) -> Vector:
        """A text's traits, standardised; those of an average text where they aren't known."""
        if shown is None:
            return np.zeros(len(self.centre))
        return np.clip((shown - self.centre) / self.scale, -CLIP, CLIP)

    def near(self, states: Vector, shown: Vector | None, text: str) -> Vector:
        """(texts,): ``states`` (texts,) is how near it lies by its states; ``shown`` its traits."""
        by_traits = nearness(self.traits, self.standard(shown), self.reach)
        found: Vector = self.shares[0] * states + self.shares[1] * by_traits + self.shares[2] * self._by_words(text)
        return found

    def _by_words(self, text: str) -> Vector:
        near = np.zeros(len(self.traits))
        groups = word_groups_of(text)
        weight = self.rarity[groups]
        length = float(np.sqrt(weight @ weight))
        if length <= 0.0:
            return near
        for group, value in zip(groups[weight > 0], weight[weight > 0] / length, strict=True):
            inside = slice(self.starts[group], self.starts[group + 1])
            near[self.places[inside]] += value * self.values[inside]
        return near
