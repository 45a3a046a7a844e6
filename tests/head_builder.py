"""Heads with made-up numbers that fit the fake engine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

SHA256 = "f" * 64
KINDS = 3
SIZE = 4 * 8 + 3
BUCKETS = 64
FOUND = 3
Arrays = dict[str, Any]


def meta(**changes: Any) -> np.ndarray:
    values = {"format": 1, "version": "1", "model_sha256": SHA256, "kinds": ["one", "two", "three"]}
    values |= {"agreement": 0.7, "one_person": 0.66} | changes
    return np.frombuffer(json.dumps(values).encode(), np.uint8)


def parts() -> Arrays:
    random = np.random.default_rng(3)
    return {
        "meta": meta(),
        "centre": random.normal(size=SIZE).astype(np.float32),
        "scale": np.ones(SIZE, np.float32),
        "weights": random.normal(size=(KINDS, SIZE)).astype(np.float32),
        "bias": np.zeros(KINDS),
        "gate": random.normal(size=(KINDS, SIZE)).astype(np.float32),
        "gate_bias": np.zeros(KINDS),
        "grams": random.normal(size=(KINDS, BUCKETS)).astype(np.float16),
        "rarity": np.ones(BUCKETS, np.float16),
        "quantiles": np.linspace(-2, 2, 101),
    }


def joint_parts(editor: str = "0123abcd") -> Arrays:
    """A head whose first kind takes the findings of the editor's heads, and nothing else."""
    weights = np.zeros(SIZE + FOUND + 1, np.float32)
    weights[SIZE:] = [1.0, 2.0, 0.0, 0.5]
    return parts() | {
        "meta": meta(joint={"kind": "one", "editor": editor}),
        "joint_weights": weights,
        "joint_centre": np.zeros(FOUND, np.float32),
        "joint_scale": np.ones(FOUND, np.float32),
    }


def across_parts(editor: str = "0123abcd", kinds: dict[str, float] | None = None, **changes: Any) -> Arrays:
    """A head whose map for all kinds takes the first two findings of the editor's heads, the second one up to 1."""
    said = {"editor": editor, "kinds": kinds or {}, "length": [0.5, 40.0]} | changes
    return parts() | {
        "meta": meta(across=said),
        "across_weights": np.array([1.0, 2.0], np.float32),
        "across_centre": np.zeros(2, np.float32),
        "across_scale": np.ones(2, np.float32),
        "across_ceiling": np.array([8.0, 1.0], np.float32),
    }


def save(folder: Path, arrays: Arrays, name: str = f"{SHA256[:16]}.npz") -> Path:
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)
    return path
