"""The file of draft heads: read so that a damaged or hostile one is an error and nothing else."""

from __future__ import annotations

import json
import math
import re
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from .audience import read_archive
from .draft_features import EVEN, SHAPE, WORD_BUCKETS
from .wording import Vector

FORMAT = 1
_MOST_BYTES = 20 * 10**6
_MOST_STATES = 1 << 17
_MOST_ROWS = 1 << 14
_MOST_FAULTS = 64
_PARTS = (
    "scale",
    "weights",
    "words",
    "shape_scale",
    "rows",
    "alpha",
    "even_centre",
    "even_scale",
    "rows_even",
    "fault_weights",
    "fault_words",
    "fault_alpha",
    "fault_bias",
)
_MOST = 1e5
"""No number of it is larger; those that ship are under 50."""
_POSITIVE = ("scale", "shape_scale", "even_scale")
_COARSE = ("words", "rows", "rows_even", "fault_weights", "fault_words")  # 16 bits are enough of these
_SHARES = ("agreement", "agreement_rewritten")
_NUMBERS = {"gain": (0.0, 1e4), "fault_gain": (0.0, 1e4), "length_gamma": (-1e2, 1e2), "length_sd": (1.0, 1e6)}

Array = npt.NDArray[Any]


def read_draft_file(path: Path) -> tuple[dict[str, Any], dict[str, Vector]]:
    """Meta and arrays, checked. Raises one of ``audience.DAMAGE``."""
    meta, raw = read_archive(path, _MOST_BYTES)
    if set(raw) != set(_PARTS):
        raise ValueError("its parts aren't those of draft heads")
    check_meta(meta)
    _check_shapes(meta, raw)
    return meta, {name: values.astype(np.float64) for name, values in raw.items()}


def write_draft_file(stream: IO[bytes], meta: dict[str, Any], arrays: dict[str, Vector]) -> None:
    """Write heads to a file. Raises ``ValueError`` where they couldn't be read again."""
    check_meta(meta)
    parts: dict[str, Array] = {
        name: np.ascontiguousarray(arrays[name], dtype=np.float16 if name in _COARSE else np.float32) for name in _PARTS
    }
    _check_shapes(meta, parts)
    if not all(np.isfinite(values).all() for values in parts.values()):
        raise ValueError("a number isn't finite")
    text = json.dumps(meta, sort_keys=True).encode("utf-8")
    np.savez_compressed(stream, allow_pickle=False, meta=np.frombuffer(text, dtype=np.uint8), **parts)


def check_meta(meta: Any) -> None:
    """Raises ``ValueError``, ``KeyError`` or ``TypeError`` where it can't be the meta of draft heads."""
    if not isinstance(meta, dict) or meta.get("format") != FORMAT:
        raise ValueError("it is of an unknown version")
    if not isinstance(meta["version"], str) or not re.fullmatch(r"[0-9a-f]{64}", str(meta["model_sha256"])):
        raise ValueError("it doesn't say which model it is for")
    faults = meta["faults"]
    if not isinstance(faults, dict) or not 1 <= len(faults) <= _MOST_FAULTS:
        raise ValueError("its faults can't be read")
    if not all(re.fullmatch(r"[a-z][a-z_]{0,31}", name) for name in faults):
        raise ValueError("its faults can't be read")
    for least in faults.values():
        if least is not None:
            _check_number(least, 0.0, 1.0)
    for name in _SHARES:
        _check_number(meta[name], 0.0, 1.0)
    for name, (low, high) in _NUMBERS.items():
        _check_number(meta[name], low, high)


def _check_number(value: Any, low: float, high: float) -> None:
    if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
        raise ValueError("a figure of it can't be right")


def _check_shapes(meta: dict[str, Any], raw: dict[str, Array]) -> None:
    size, rows, pairs = raw["scale"].size, len(raw["alpha"]), len(raw["rows_even"])
    if not 3 < size <= _MOST_STATES or not 1 <= pairs <= rows <= _MOST_ROWS or (size - 3) % 5:
        raise ValueError("its size can't be right")
    faults = len(meta["faults"])
    expected = {
        "scale": (size,),
        "weights": (size,),
        "words": (WORD_BUCKETS,),
        "shape_scale": (SHAPE,),
        "rows": (rows, SHAPE),
        "alpha": (rows,),
        "even_centre": (EVEN,),
        "even_scale": (EVEN,),
        "rows_even": (pairs, EVEN),
        "fault_weights": (faults, size),
        "fault_words": (faults, WORD_BUCKETS),
        "fault_alpha": (faults, pairs),
        "fault_bias": (faults,),
    }
    for name, shape in expected.items():
        if raw[name].shape != shape or raw[name].dtype.kind != "f":
            raise ValueError(f"{name} has the wrong shape")
    if any(float(np.abs(values).max(initial=0.0)) > _MOST for values in raw.values()):
        raise ValueError("its weights can't be right")
    for name in _POSITIVE:
        if not (raw[name] > 0).all():
            raise ValueError("its scales can't be right")
