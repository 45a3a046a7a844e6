"""A map of an audience head for texts of any kind: what the editor's heads found in a text, on one scale for all.

The maps of single kinds of text are each on a scale of their own, so they can't tell which of two texts of different
kinds is the funnier. What an editor finds means the same everywhere; this map is learned from pairs of every kind and
across kinds, and counts the more the less alike the kinds of two texts are.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

ACROSS = ("across_weights", "across_centre", "across_scale", "across_ceiling")
"""The arrays of such a map in a head's file, beside ``across`` in its meta: ``{"editor", "kinds", "length"}``."""
_MOST = 1e3
_MOST_FOUND = 4096
_MOST_PULL = 10.0
_MOST_LENGTH = 1e6
_CLIP = 8.0
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class AcrossMap:
    """``editor``: the mark of the editor's heads that it was fitted with; ``shares`` 0…1: how much of each kind's own
    difference is this map's, for kinds without votes of their own; ``length``: γ and sd of what length adds to it;
    ``weights`` of standardised findings, each of which counts up to its ``ceiling``: above it a text is no more of a
    joke than another one."""

    editor: str
    shares: tuple[float, ...]
    length: tuple[float, float]
    weights: Vector
    centre: Vector
    scale: Vector
    ceiling: Vector

    @classmethod
    def of(cls, meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> AcrossMap | None:
        """The map of a head's file that was checked; None if it has none."""
        if "across" not in meta:
            return None
        said = meta["across"]
        gamma, sd = said["length"]
        return cls(
            said["editor"],
            tuple(float(said["kinds"].get(kind, 0.0)) for kind in meta["kinds"]),
            (float(gamma), float(sd)),
            *(arrays[name].astype(np.float64) for name in ACROSS),
        )

    def score(self, found: Vector) -> float:
        """Log-odds scale; only differences mean anything. ``found``: as ``EditorHeads.found`` gives it."""
        standard = np.clip((found[: len(self.centre)] - self.centre) / self.scale, -_CLIP, _CLIP)
        return float(self.weights @ np.minimum(standard, self.ceiling))

    def pull(self, length: float | None) -> float:
        """What ``length`` characters more add to a difference; 0 for None."""
        gamma, sd = self.length
        return 0.0 if length is None else gamma * math.tanh(length / sd)


def alike(a: Sequence[float], b: Sequence[float]) -> float:
    """How alike two texts' kinds are, 0…1: the cosine of their shares, the same to the last bit either way round."""
    both = math.fsum(x * y for x, y in zip(a, b, strict=True))
    sizes = math.fsum(x * x for x in a) * math.fsum(y * y for y in b)
    return min(1.0, both / math.sqrt(sizes)) if sizes > 0.0 else 0.0


def check_across(meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> None:
    """Raises ``ValueError``, ``KeyError`` or ``TypeError`` where such a map can't be right."""
    there = [name in arrays for name in ACROSS]
    if not any(there) and "across" not in meta:
        return
    said = meta["across"]
    if not all(there) or not isinstance(said, dict) or not isinstance(said["editor"], str):
        raise ValueError("its map for all kinds can't be read")
    gamma, sd = said["length"]
    if not -_MOST_PULL <= gamma <= _MOST_PULL or not 1.0 <= sd <= _MOST_LENGTH:
        raise ValueError("what its map for all kinds says of length can't be right")
    kinds = said["kinds"]
    if not isinstance(kinds, dict) or any(k not in meta["kinds"] or not 0.0 <= v <= 1.0 for k, v in kinds.items()):
        raise ValueError("the kinds of its map for all kinds can't be right")
    found = [arrays[name] for name in ACROSS]
    size = found[0].shape
    if len(size) != 1 or not 1 <= size[0] <= _MOST_FOUND or any(array.shape != size for array in found):
        raise ValueError("its map for all kinds has the wrong shape")
    if any(array.dtype.kind != "f" for array in found) or np.abs(arrays["across_weights"]).max() > _MOST:
        raise ValueError("its map for all kinds can't be right")
    if not (arrays["across_scale"] > 0).all():
        raise ValueError("its map for all kinds can't be right")
