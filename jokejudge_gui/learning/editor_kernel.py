"""How near the texts that the editor's heads learn from lie to one another, all at once: see ``editor_near``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..judging.reading.editor import TextRow, row_traits
from ..judging.reading.editor_near import GROUPS, word_groups_of
from ..judging.reading.editor_words import CLIP
from ..statistics import Vector

SHARES = (0.85, 0.2, 0.25)
"""What states, traits and words count; they needn't sum to 1, since the ridge's strength is in the same units."""
_LEAST_TEXTS = 3
"""Of the readings that have a group of words: rarer ones tell nothing."""
_SMALL = 1e-6
_SOME = 400
Matrix = npt.NDArray[np.float32]


def gaussian(points: Vector, reach: float) -> Matrix:
    """(texts, texts), 0…1, of ``points`` (texts, axes)."""
    found = points.astype(np.float32)
    lengths = (found**2).sum(axis=1)
    away = np.maximum(lengths[:, None] + lengths - 2.0 * found @ found.T, 0.0)
    nearness: Matrix = np.exp(-np.float32(reach) * away, dtype=np.float32)
    return nearness


def usual_distance(points: Vector) -> float:
    """The median squared distance between some of the texts."""
    some = points[:_SOME]
    away = np.maximum((some**2).sum(axis=1)[:, None] + (some**2).sum(axis=1) - 2.0 * some @ some.T, 0.0)
    return max(_SMALL, float(np.median(away[np.triu_indices(len(some), 1)])))


def companions(rows: Sequence[TextRow], turn: Sequence[Vector], readings: int) -> dict[str, Vector]:
    """What is known of the texts beside their states, as the heads' file keeps it; the first ``readings`` rows say what
    is usual. Empty where nothing is known of how likely a text's words are."""
    found = [row_traits(row, scores) for row, scores in zip(rows, turn, strict=True)]
    known = np.array([values for values in found if values is not None])
    if len(known) < len(rows):
        return {}
    centre, scale = known[:readings].mean(axis=0), known[:readings].std(axis=0) + _SMALL
    standard = np.clip((known - centre) / scale, -CLIP, CLIP)
    groups = [word_groups_of(row.text) for row in rows]
    seen = np.bincount(np.concatenate([*groups[:readings], np.zeros(0, np.int64)]), minlength=GROUPS)
    rarity = np.where(seen >= _LEAST_TEXTS, np.log(readings / np.maximum(seen, 1)), 0.0).astype(np.float16)
    kept = [found[rarity[found] > 0] for found in groups]
    return {
        "traits": standard,
        "traits_centre": centre,
        "traits_scale": scale,
        "traits_reach": np.array([1.0 / (2.0 * usual_distance(standard[:readings]))]),
        "near_shares": np.array(SHARES),
        "rarity_of_groups": rarity.astype(np.float64),
        "group_ids": np.concatenate([*kept, np.zeros(0, np.int64)]).astype(np.float64),
        "group_ends": np.cumsum([len(found) for found in kept]).astype(np.float64),
    }


def with_companions(near: Matrix, arrays: Mapping[str, Vector]) -> Matrix:
    """(texts, texts): nearness by states (which is changed) and by all else that ``companions`` gave."""
    if "near_shares" not in arrays:
        return near
    shares = arrays["near_shares"].astype(near.dtype)
    near *= shares[0]
    near += shares[1] * gaussian(arrays["traits"], float(arrays["traits_reach"][0]))
    ends = arrays["group_ends"].astype(np.int64)
    columns, groups = np.unique(arrays["group_ids"].astype(np.int64), return_inverse=True)
    counted = np.zeros((len(ends), len(columns)), dtype=np.float32)
    counted[np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0)), groups] = 1.0
    counted *= arrays["rarity_of_groups"][columns].astype(np.float32)
    counted /= np.maximum(np.linalg.norm(counted, axis=1, keepdims=True), np.float32(_SMALL))
    near += shares[2] * (counted @ counted.T)
    return near
