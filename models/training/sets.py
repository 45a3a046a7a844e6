"""Data sets beside the features of their texts: pooled hidden states, word and letter groups, pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import data
import numpy as np
import numpy.typing as npt
from shipping import Reads

from jokejudge_gui.heads.audience import grams, pool
from jokejudge_gui.learning.audience_fit import FOLDS
from jokejudge_gui.learning.wording import Wording, of_counts

Array = npt.NDArray[Any]
BUCKETS = 1 << 16
CLIP = 8.0
"""Standardised features are clipped to this, as in the program."""


@dataclass
class Set:
    """One data set with the features of its texts. ``values``: (texts, features) as ``audience.pool`` returns them,
    zeros where the text wasn't ``read`` by the model; ``pairs``: (n, 2) places of texts, the first one the funnier, by
    ``gap``; ``strong``, ``jokes``: flags of the pairs."""

    name: str
    texts: list[str]
    counts: list[dict[int, float]]
    values: Array
    read: Array
    target: Array
    joke: Array
    test: Array
    fold: Array
    pairs: Array
    gap: Array
    strong: Array
    jokes: Array


def standardise(values: Array, centre: Array, scale: Array) -> Array:
    return np.clip((values - centre) / scale, -CLIP, CLIP)


def training(part: Set, everything: bool) -> Array:
    """Flags of the texts of a set that a map may be trained on."""
    return part.read if everything else part.read & ~part.test


LIMITS = {"rjokes": 800, "stupidstuff": 0}
"""Number of texts of a set that are read by the model; the others are read whole."""


def read_set(reads: Reads, name: str) -> Set | None:
    """A whole set, with hidden states of the texts that are read; None if those are hardly any."""
    items = data.items(name)
    limit = LIMITS.get(name, len(items))
    read = np.arange(len(items)) < limit
    if read.sum() < 200:
        return None
    places = {data.key(item.text): place for place, item in enumerate(items)}
    of_text = {item.text: place for place, item in enumerate(items[:limit])}
    values: Array = np.zeros((len(items), 0), np.float32)
    for text, scan in reads.each(list(of_text)):
        row = pool(scan.states.astype(np.float32), text)
        if not values.size:
            values = np.zeros((len(items), len(row)), np.float32)
        values[of_text[text]] = row
    target = np.array([item.target for item in items])
    test = np.array([item.test for item in items])
    pairs, gap, strong, jokes = _pairs(name, places, target, test, read)
    return Set(
        name=name,
        texts=[item.text for item in items],
        counts=[grams(item.text, BUCKETS) for item in items],
        values=values,
        read=read,
        target=target,
        joke=np.array([item.joke for item in items]),
        test=test,
        fold=np.array([int(data.fraction(item.group, "fold") * FOLDS) for item in items]),
        pairs=pairs,
        gap=gap,
        strong=strong,
        jokes=jokes,
    )


def _pairs(
    name: str, places: dict[str, int], target: Array, test: Array, read: Array
) -> tuple[Array, Array, Array, Array]:
    """Pairs with people's votes, or random ones with different means; both texts on one side of the split."""
    voted = {"ukp": data.ukp_pairs, "headlines": data.headline_pairs}
    if name in voted:
        rows = []
        for pair in voted[name]():
            a, b = places.get(data.key(pair.a)), places.get(data.key(pair.b))
            if a is not None and b is not None and test[a] == test[b]:
                rows.append(((a, b) if pair.gap > 0 else (b, a), abs(pair.gap), pair.strong, pair.jokes))
        return tuple(np.array(column) for column in zip(*rows, strict=True))  # type: ignore[return-value]
    random = np.random.default_rng(20)
    found = []
    for side in (False, True):
        members = np.flatnonzero((test == side) & read)
        chosen = random.choice(members, (min(6000, 20 * len(members)), 2))
        chosen = chosen[target[chosen[:, 0]] != target[chosen[:, 1]]]
        swap = target[chosen[:, 0]] < target[chosen[:, 1]]
        chosen[swap] = chosen[swap][:, ::-1]
        found.append(chosen)
    pairs = np.concatenate(found)
    gap = target[pairs[:, 0]] - target[pairs[:, 1]]
    if not len(pairs):  # nobody rated them
        return pairs, gap, np.zeros(0, bool), np.zeros(0, bool)
    return pairs, gap, gap >= np.quantile(gap, 0.75), np.ones(len(pairs), bool)


def rarities(counts: list[dict[int, float]]) -> Array:
    """Rarity of each bucket among training texts; 0 for buckets of one text or none. In the precision of the shipped
    file."""
    return of_counts(counts, BUCKETS).rarity(least=2).astype(np.float16)


def gram_matrix(counts: list[dict[int, float]], rarity: Array) -> Wording:
    """(texts, buckets), each row weighted as in the program."""
    return of_counts(counts, BUCKETS).weighed(rarity)
