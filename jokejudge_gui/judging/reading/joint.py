"""A map of an audience head that hears more than states: what the editor's heads found in a text, and its form.

Among one-liners people's votes go with what an editor finds in them (clarity, wordplay, …); that is known best where
the editor's heads have learned it from readings, so the map takes their findings beside the states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

JOINT = ("joint_weights", "joint_centre", "joint_scale")
"""The arrays of such a map in a head's file, beside ``joint`` in its meta: ``{"kind", "editor"}``."""
_MOST = 1e3
_MOST_FOUND = 4096
_CLIP = 8.0
Vector = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class JointMap:
    """``place`` of the kind of text that it is for; ``editor``: the mark of the editor's heads that it was fitted with;
    ``weights`` of standardised states, of findings, and a constant."""

    place: int
    editor: str
    weights: Vector
    centre: Vector
    scale: Vector

    @classmethod
    def of(cls, meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> JointMap | None:
        """The map of a head's file that was checked; None if it has none."""
        if "joint" not in meta:
            return None
        weights, centre, scale = (arrays[name].astype(np.float64) for name in JOINT)
        return cls(list(meta["kinds"]).index(meta["joint"]["kind"]), meta["joint"]["editor"], weights, centre, scale)

    def score(self, standard: Vector, found: Vector) -> float:
        """Log-odds scale, as the other maps give it."""
        beside = np.clip((found - self.centre) / self.scale, -_CLIP, _CLIP)
        return float(self.weights[: len(standard)] @ standard + self.weights[len(standard) : -1] @ beside) + float(
            self.weights[-1]
        )


def check_joint(meta: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], size: int) -> None:
    """Raises ``ValueError`` or ``KeyError`` where such a map can't be right; ``size``: of the states' features."""
    there = [name in arrays for name in JOINT]
    if not any(there) and "joint" not in meta:
        return
    said = meta["joint"]
    if not all(there) or not isinstance(said, dict) or said["kind"] not in meta["kinds"]:
        raise ValueError("its joint map can't be read")
    if not isinstance(said["editor"], str):
        raise ValueError("its joint map can't be read")
    weights, centre, scale = (arrays[name] for name in JOINT)
    if centre.ndim != 1 or not 1 <= centre.size <= _MOST_FOUND or scale.shape != centre.shape:
        raise ValueError("its joint map has the wrong shape")
    if weights.shape != (size + centre.size + 1,) or any(arrays[name].dtype.kind != "f" for name in JOINT):
        raise ValueError("its joint map has the wrong shape")
    if np.abs(weights).max() > _MOST or not (scale > 0).all():
        raise ValueError("its joint map can't be right")
