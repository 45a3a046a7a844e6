"""Whether some people would take offence at a joke, read off a model's hidden states and the joke's wording by one
linear map.

It was fitted to what twenty people each said of a text, from 0 (no offence) to 5. Some take offence where their mean is
1 or more. It says nothing of how funny a joke is, and no score hears it.
"""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from ..core.errors import ModelError
from ..core.statistics import Vector
from ..core.verdicts import Offence
from ..engine.base import FloatArray
from .audience import DAMAGE, grams, pool, read_archive, weigh

FORMAT = 1
TAKEN = 1.0
"""Mean of 0…5 from which on some take offence."""
STATED = 0.6
"""Probability from which on it is said that some would."""
BUCKETS = 1 << 13
CLIP = 8.0
_LENGTHS = 3
_PARTS = ("centre", "scale", "weights", "rarity", "words")
_COARSE = ("weights", "rarity", "words")
_MOST_BYTES = 4 * 10**6
_MOST_STATES = 65536
_MOST = 1e4
_NUMBERS = {"bias": (-10.0, 10.0), "slope": (0.0, 1e3), "offset": (-1e3, 1e3), "correlation": (0.0, 1.0)}


class OffenceHead:
    """The head for one model. ``trust``: correlation with the raters' mean, on texts that it hadn't learned from."""

    def __init__(self, meta: dict[str, Any], arrays: dict[str, Vector]) -> None:
        self.model_sha256: str = meta["model_sha256"]
        self.trust: float = meta["correlation"]
        self._bias, self._slope, self._offset = meta["bias"], meta["slope"], meta["offset"]
        self._a = arrays

    @property
    def embedding_size(self) -> int:
        """How many numbers a state has of the model that it was made for."""
        return (len(self._a["centre"]) - _LENGTHS) // 4

    @classmethod
    def load(cls, path: Path) -> OffenceHead:
        """Read a head's file (NumPy's npz, no pickles). Raises ``ModelError`` ``E_OFFENCE_DAMAGED``."""
        try:
            return cls(*_read(path))
        except DAMAGE as error:
            raise ModelError(
                "E_OFFENCE_DAMAGED",
                f"The head for offence {path.name} is damaged ({error}).",
                "Install the program again; verdicts come without a word on offence until then.",
            ) from error

    def heard(self, states: FloatArray, text: str) -> Offence:
        """What the final hidden states (tokens, size) of a cleaned text and its wording say."""
        values = states_row(pool(states, text), self._a["centre"], self._a["scale"])
        score = float(values @ self._a["weights"]) + self._bias
        counted = grams(text, BUCKETS)
        if counted:
            places, weights = weigh(counted, self._a["rarity"])
            score += float(self._a["words"][places] @ weights)
        odds = max(-30.0, min(30.0, self._slope * score + self._offset))
        p = 1.0 / (1.0 + math.exp(-odds))
        return Offence(p=p, trust=self.trust, stated=p >= STATED)


def states_row(values: Vector, centre: Vector, scale: Vector) -> Vector:
    """What ``audience.pool`` gave of a text as the map takes it: standardised, in all about of length 1."""
    found: Vector = np.clip((values - centre) / scale, -CLIP, CLIP) / math.sqrt(len(values))
    return found


def offence_for(sha256: str, folder: Path) -> OffenceHead | None:
    """The head for the model with this hash (``<16 digits>.npz``); None if there is none. Raises ``ModelError``
    ``E_OFFENCE_DAMAGED``."""
    path = folder / f"{sha256[:16]}.npz"
    if path.is_file():
        head = OffenceHead.load(path)
        if head.model_sha256 == sha256:
            return head
    return None


def write_offence_file(stream: IO[bytes], meta: dict[str, Any], arrays: dict[str, Vector]) -> None:
    """Write a head. Raises ``ValueError`` where it couldn't be read again."""
    parts: dict[str, npt.NDArray[Any]] = {
        name: np.ascontiguousarray(arrays[name], dtype=np.float16 if name in _COARSE else np.float32) for name in _PARTS
    }
    _check(meta, parts)
    text = json.dumps(meta, sort_keys=True).encode("utf-8")
    np.savez_compressed(stream, allow_pickle=False, meta=np.frombuffer(text, dtype=np.uint8), **parts)


def _read(path: Path) -> tuple[dict[str, Any], dict[str, Vector]]:
    meta, raw = read_archive(path, _MOST_BYTES)
    if set(raw) != set(_PARTS):
        raise ValueError("its parts aren't those of a head for offence")
    _check(meta, raw)
    return meta, {name: values.astype(np.float64) for name, values in raw.items()}


def _check(meta: Any, raw: dict[str, npt.NDArray[Any]]) -> None:
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise ValueError("it is of an unknown version")
    if not re.fullmatch(r"[0-9a-f]{64}", str(meta["model_sha256"])):
        raise ValueError("it doesn't say which model it is for")
    for name, (low, high) in _NUMBERS.items():
        value = meta[name]
        if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
            raise ValueError("a figure of it can't be right")
    size = raw["centre"].size
    if not _LENGTHS < size <= _MOST_STATES or (size - _LENGTHS) % 4:
        raise ValueError("its size can't be right")
    shapes = {"centre": size, "scale": size, "weights": size, "rarity": BUCKETS, "words": BUCKETS}
    for name, length in shapes.items():
        values = raw[name]
        if values.shape != (length,) or values.dtype.kind != "f":
            raise ValueError(f"{name} has the wrong shape")
        if not np.isfinite(values).all() or float(np.abs(values).max(initial=0.0)) > _MOST:
            raise ValueError("its weights can't be right")
    if not (raw["scale"] > 0).all():
        raise ValueError("its scales can't be right")
