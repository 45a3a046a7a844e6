"""A text's wording as numbers: words, word pairs and letter groups in hashed buckets, weighed by how rare they are. One
code for every head, for what a head is measured against, and for what fits heads."""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
import zlib
from collections import Counter
from typing import Any

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]

WORD = re.compile(r"\w+(?:['’]\w+)*")
_TOKEN = re.compile(r"\w+(?:['’]\w+)*|[^\w\s]")


def grams(text: str, buckets: int) -> dict[int, float]:
    """Counts of words, word pairs and letter groups of 2 to 5, each in one of ``buckets`` by its CRC-32. Words are in
    the lower half of the buckets, letter groups in the upper one."""
    plain = unicodedata.normalize("NFKC", text).lower().replace("’", "'")
    words = _TOKEN.findall(plain)
    half = buckets // 2
    found: Counter[int] = Counter()
    if half == 0:
        return {}
    for word in words:
        found[_bucket("1" + word, half)] += 1
    for first, second in itertools.pairwise(words):
        found[_bucket(f"2{first} {second}", half)] += 1
    for word in words:
        padded = f" {word} "
        for size in range(2, 6):
            for start in range(len(padded) - size + 1):
                found[half + _bucket(padded[start : start + size], half)] += 1
    return {place: 1.0 + math.log(count) for place, count in found.items()}


def weigh(counted: dict[int, float], rarity: npt.NDArray[Any]) -> tuple[npt.NDArray[np.int64], Vector]:
    """Buckets in order and their values: count times rarity, words and letter groups each scaled to length 1."""
    places = np.array(sorted(counted), dtype=np.int64)
    values = np.array([counted[int(place)] for place in places]) * rarity[places].astype(np.float64)
    low = places < len(rarity) // 2
    for half in (low, ~low):
        norm = math.sqrt(float(values[half] @ values[half]))
        if norm > 0:
            values[half] /= norm
    return places, values


def _bucket(gram: str, size: int) -> int:
    return zlib.crc32(gram.encode("utf-8", "replace")) % size
