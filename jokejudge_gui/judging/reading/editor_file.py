"""The file of the editor's heads: read so that a damaged or hostile one is an error and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from .audience import DAMAGE, read_archive
from .editor_form import SURE_FORMS, form
from .editor_near import GROUPS
from .editor_traits import TRAITS
from .editor_turn import BUCKETS, BY_STATES, FEATURES, MEASURES, SHAPE, TEXT_AXES, WEIGHTS
from .editor_words import PLACES, WINDOW, word_features

__all__ = ["DAMAGE", "FORMAT", "read_editor_file", "write_arrays"]

FORMAT = 1
_MOST_BYTES = 20 * 10**6
_MOST_IDS = 256
_MOST_SIZE = 1 << 15
_MOST_TEXTS = 1 << 14
_MOST_BUCKETS = 1 << 16
_MOST_AXES = 1024
_MOST = 1e5
"""No number of it is larger; those that ship are under 300."""
_POOLS = 7
_STATS = 6
_BYTES_MIDDLE = 128.0
"""Large arrays are kept as bytes: value = (byte − 128) · step of its column."""
_PACKED = ("axes", "support", "traits")
_PLACES = {"group_ids": np.uint16, "group_ends": np.uint32}
"""Whole numbers."""
_POSITIVE = ("scale", "word_scale", "place_scale", "window_scale", "stats_scale", "sd", "spread", "reach", "weight")
_POSITIVE_BESIDE = ("turn_scale", "turn_span_scale", "turn_text_scale", "traits_scale", "traits_reach")
_TURN: dict[str, tuple[int, ...]] = {
    "turn_centre": (FEATURES,),
    "turn_scale": (FEATURES,),
    "turn_weights": (WEIGHTS, 3),
    "turn_span_centre": (MEASURES,),
    "turn_span_scale": (MEASURES,),
    "turn_span_weights": (MEASURES,),
    "turn_text_weights": (len(SHAPE), TEXT_AXES),
    "turn_word_bias": (BY_STATES - 1,),
    "turn_words": (BUCKETS, 2),
    "turn_stated": (2,),
}
"""Which span of words is the turn: heads of before have none of these."""
_ID = re.compile(r"[a-z][a-z0-9_]{0,63}")

Array = npt.NDArray[Any]
Vector = npt.NDArray[np.float64]


def read_editor_file(path: Path) -> tuple[dict[str, Any], dict[str, Vector]]:
    """Meta and arrays, checked. Raises one of ``DAMAGE``."""
    meta, raw = read_archive(path, _MOST_BYTES)
    _check_meta(meta)
    _check_shapes(meta, raw)
    arrays = {name: _unpacked(name, raw) for name in raw if not name.endswith("_step")}
    arrays.setdefault("weight", np.ones(len(arrays["alpha"])))  # heads of before weights have none
    if any(np.abs(values).max(initial=0.0) > _MOST for name, values in arrays.items() if name not in _PLACES):
        raise ValueError("its weights can't be right")
    for name in (
        *_POSITIVE,
        *(name for name in _POSITIVE_BESIDE if name in arrays),
    ):
        if not (arrays[name] > 0).all():
            raise ValueError(f"its {name} can't be right")
    return meta, arrays


def write_arrays(stream: IO[bytes], meta: dict[str, Any], arrays: dict[str, Vector]) -> None:
    """Write heads to a file: large arrays as bytes, the others as 32-bit numbers."""
    parts: dict[str, Array] = {"meta": np.frombuffer(json.dumps(meta, sort_keys=True).encode("utf-8"), np.uint8)}
    for name, values in arrays.items():
        if name in _PACKED:
            step = np.maximum(np.abs(values).max(axis=0), 1e-12) / 127.0
            parts[name] = np.clip(np.rint(values / step) + _BYTES_MIDDLE, 1, 255).astype(np.uint8)
            parts[f"{name}_step"] = step.astype(np.float32)
        elif name in _PLACES:
            parts[name] = values.astype(_PLACES[name])
        elif name in ("alpha", "word_axes", "rarity", "rarity_of_groups", "weight", "turn_words"):
            parts[name] = values.astype(np.float16)
        else:
            parts[name] = values.astype(np.float32)
    np.savez_compressed(stream, allow_pickle=False, **parts)


def _unpacked(name: str, raw: dict[str, Array]) -> Vector:
    values = raw[name].astype(np.float64)
    if name in _PACKED:
        values = (values - _BYTES_MIDDLE) * raw[f"{name}_step"].astype(np.float64)
    return values


def _check_meta(meta: Any) -> None:
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise ValueError("it is of an unknown version")
    if not isinstance(meta["version"], str) or not re.fullmatch(r"[0-9a-f]{64}", str(meta["model_sha256"])):
        raise ValueError("it doesn't say which model it is for")
    for name in ("factors", "kinds", "faults"):
        ids = meta[name]
        if not isinstance(ids, list) or not 1 <= len(ids) <= _MOST_IDS or len(set(map(str, ids))) != len(ids):
            raise ValueError(f"its {name} can't be read")
        if not all(isinstance(found, str) and _ID.fullmatch(found) for found in ids):
            raise ValueError(f"its {name} can't be read")
    forms = meta["forms"]
    if not isinstance(forms, dict) or not set(forms) <= set(SURE_FORMS):
        raise ValueError("its forms can't be read")
    if not all(isinstance(right, float) and 0.0 <= right <= 1.0 for right in forms.values()):
        raise ValueError("its forms can't be read")
    if not isinstance(meta.get("phrases", ""), str) or not re.fullmatch("[0-9a-f]{8}|", meta.get("phrases", "")):
        raise ValueError("it doesn't say which phrases it knows")


def _check_shapes(meta: dict[str, Any], raw: dict[str, Array]) -> None:
    size, buckets = raw["word_centre"].size, raw["rarity"].size
    texts, axes = raw["alpha"].shape[0], raw["axes"].shape[-1]
    word_axes = raw["word_axes"].shape[-1]
    within = (1 <= size <= _MOST_SIZE, 2 <= buckets <= _MOST_BUCKETS and buckets % 2 == 0, 1 <= texts <= _MOST_TEXTS)
    if not all(within) or not 1 <= axes <= _MOST_AXES or not 1 <= word_axes <= _MOST_AXES:
        raise ValueError("its size can't be right")
    factors = len(meta["factors"])
    outputs = factors + len(meta["kinds"]) + len(meta["faults"]) + 2
    features = _POOLS * size + len(form("")) + buckets
    expected: dict[str, tuple[int, ...]] = {
        "rarity": (buckets,),
        "centre": (features,),
        "scale": (features,),
        "axes": (features, axes),
        "axes_step": (axes,),
        "support": (texts, axes + _STATS),
        "support_step": (axes + _STATS,),
        "stats_centre": (_STATS,),
        "stats_scale": (_STATS,),
        "stats_gain": (1,),
        "reach": (1,),
        "alpha": (texts, outputs),
        "weight": (texts,),
        "mean": (outputs,),
        "slope": (outputs,),
        "offset": (outputs,),
        "sd": (factors,),
        "usual": (factors,),
        "spread": (factors,),
        "word_centre": (size,),
        "word_scale": (size,),
        "word_axes": (size, word_axes),
        "place_centre": (PLACES,),
        "place_scale": (PLACES,),
        "word_weights": (word_features(word_axes), 2),
        "word_bias": (2,),
        "cut_odds": (2,),
        "window_centre": (WINDOW,),
        "window_scale": (WINDOW,),
        "window_weights": (WINDOW + 1,),
    }
    expected |= _companions(raw, texts) if "traits" in raw else {}
    if any(name.startswith("turn_") for name in raw):
        expected |= _TURN | {
            "turn_text_centre": (outputs,),
            "turn_text_scale": (outputs,),
            "turn_text_axes": (outputs, TEXT_AXES),
            "turn_word_weights": (word_features(word_axes), BY_STATES - 1),
        }
    if set(raw) | {"weight"} != set(expected):
        raise ValueError("its parts aren't those of editor's heads")
    for name in raw:
        shape = expected[name]
        if raw[name].shape != shape or raw[name].dtype.kind != ("u" if name in (*_PACKED, *_PLACES) else "f"):
            raise ValueError(f"{name} has the wrong shape")
    if bool(meta.get("phrases")) != ("traits" in raw):
        raise ValueError("it doesn't say which phrases it knows")
    if "traits" in raw:
        ends = raw["group_ends"].astype(np.int64)
        if (np.diff(ends, prepend=0) < 0).any() or ends[-1] != raw["group_ids"].size:
            raise ValueError("its groups of words can't be right")
        if (raw["group_ids"] >= GROUPS).any() or (raw["near_shares"] < 0).any() or raw["near_shares"].sum() <= 0:
            raise ValueError("its groups of words can't be right")


def _companions(raw: dict[str, Array], texts: int) -> dict[str, tuple[int, ...]]:
    """What is known of the texts beside their states: heads of before have none of these."""
    return {
        "traits": (texts, TRAITS),
        "traits_step": (TRAITS,),
        "traits_centre": (TRAITS,),
        "traits_scale": (TRAITS,),
        "traits_reach": (1,),
        "near_shares": (3,),
        "rarity_of_groups": (GROUPS,),
        "group_ids": (raw["group_ids"].size,),
        "group_ends": (texts,),
    }
