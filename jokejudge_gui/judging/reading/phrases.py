"""How often a text's phrases stand in other jokes: stock forms and set phrases show in that, without a model.

models/phrases.npz holds phrases of two to four words that stand in more than one of some 17,000 jokes that nobody read
with the rubric in hand, as hashes with counts; no text can be had from it (models/training/phrases.py makes it).
"""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
import numpy.typing as npt

from ...errors import ModelError
from ...paths import models_dir
from .audience import DAMAGE, read_archive

SIZES = (2, 3, 4)
MOST = 255
"""A phrase isn't counted further."""
MEASURES = 3 + 5 * (len(SIZES) - 1)
_OFTEN = 3
_LAST = 3
_WORD = re.compile(r"[a-z0-9']+")
_MOST_BYTES = 10**7
Vector = npt.NDArray[np.float64]


def phrase_hashes(text: str, size: int) -> npt.NDArray[np.uint32]:
    """(phrases,): CRC-32 of every ``size`` words that follow one another."""
    words = _WORD.findall(text.lower().replace("’", "'"))
    found = [" ".join(words[at : at + size]) for at in range(len(words) - size + 1)]
    return np.array([zlib.crc32(phrase.encode()) for phrase in found], dtype=np.uint32)


@dataclass(frozen=True, eq=False)
class Phrases:
    """``hashes`` (n,) in order, ``counts`` (n,) 2…MOST: in how many jokes each stands; ``mark`` tells this table from
    others."""

    hashes: npt.NDArray[np.uint32]
    counts: npt.NDArray[np.uint8]

    @cached_property
    def mark(self) -> str:
        return f"{zlib.crc32(self.counts.tobytes(), zlib.crc32(self.hashes.tobytes())):08x}"

    @classmethod
    def load(cls, path: Path) -> Phrases:
        """The table of a file. Raises one of ``DAMAGE`` where it can't be read."""
        _, found = read_archive(path, _MOST_BYTES)
        hashes, counts = found["hashes"], found["counts"]
        if hashes.dtype != np.uint32 or counts.dtype != np.uint8 or hashes.shape != counts.shape or hashes.ndim != 1:
            raise ValueError("it holds no phrases")
        if not (hashes[1:] > hashes[:-1]).all():
            raise ValueError("its phrases aren't in order")
        return cls(hashes, counts)

    def save(self, path: Path) -> None:
        np.savez_compressed(path, hashes=self.hashes, counts=self.counts)

    def measures(self, text: str) -> Vector:
        """(MEASURES,): by number of words: which share of the text's phrases stands in other jokes at all, in more than
        a few, and how often on average; of longer ones how many do, and how often the last ones."""
        found: list[float] = []
        for size in SIZES:
            counts = self._counts(phrase_hashes(text, size))
            found += [float((counts > 0).mean()), float((counts > _OFTEN).mean()), float(np.log1p(counts).mean())]
            if size > SIZES[0]:
                found += [float(np.log1p((counts > 0).sum())), float(np.log1p(counts[-_LAST:]).mean())]
        return np.array(found)

    def _counts(self, hashes: npt.NDArray[np.uint32]) -> Vector:
        """(phrases,), one 0 where there are none."""
        if not len(hashes) or not len(self.hashes):
            return np.zeros(max(1, len(hashes)))
        places = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[places] == hashes, self.counts[places], 0).astype(np.float64)


_LEAST_PHRASES, _MUCH = 3, 0.3


@lru_cache(4096)
def in_other_jokes(text: str) -> bool:
    """Whether much of a text's longest phrases stands in other jokes; False for a text of few words."""
    try:
        table = phrases()
    except ModelError:
        return False
    hashes = phrase_hashes(text, SIZES[-1])
    return len(hashes) >= _LEAST_PHRASES and float((table._counts(hashes) > 0).mean()) >= _MUCH


@lru_cache(1)
def phrases() -> Phrases:
    """The table that ships with the program. Raises ``ModelError`` ``E_PHRASES_DAMAGED``."""
    path = models_dir() / "phrases.npz"
    try:
        return Phrases.load(path)
    except DAMAGE as error:
        raise ModelError(
            "E_PHRASES_DAMAGED",
            f"The table of phrases {path.name} can't be read ({error}).",
            "Install the program again; verdicts come without the editor's note until then.",
        ) from error


def must_be_today(mark: str, file: str) -> None:
    """Heads in ``file`` that learned with the table of this ``mark`` ("": with none) must find the same one. Raises
    ``ModelError`` ``E_EDITOR_OLD`` or ``E_PHRASES_DAMAGED``."""
    if mark and mark != phrases().mark:
        raise ModelError(
            "E_EDITOR_OLD",
            f"The editor's heads {file} learned with another table of phrases than this program has.",
            "Write `jokejudge models fit --editor` to teach the model anew, or install the program again; verdicts "
            "come without the editor's note until then.",
        )
