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


def odds_parts(editor: str = "0123abcd") -> Arrays:
    """A head whose odds take the two first findings of the editor's heads: a text like (1, 0) is in the upper half."""
    axes = np.zeros((SIZE - 3 + 2, 2), np.uint8) + np.uint8(128)
    axes[-2, 0] = axes[-1, 1] = 255
    return joint_parts(editor) | {
        "odds_centre": np.zeros(2, np.float32),
        "odds_scale": np.ones(2, np.float32),
        "odds_axes": axes,
        "odds_axes_step": np.full(2, 1 / 127, np.float32),
        "odds_support": np.array([[255, 128], [1, 128]], np.uint8),
        "odds_support_step": np.full(2, 1 / 127, np.float32),
        "odds_reach": np.ones(1),
        "odds_alpha": np.array([[1.0, 1.0], [-1.0, 1.0]], np.float16),
        "odds_mean": np.zeros(1),
    }


def save(folder: Path, arrays: Arrays, name: str = f"{SHA256[:16]}.npz") -> Path:
    path = folder / name
    folder.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **arrays)
    return path


def written(kind: Any, folder: Path, meta: dict[str, Any], arrays: Arrays) -> Any:
    """Heads of a kind that were written to a folder, as they are read from there."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{meta['model_sha256'][:16]}.npz").open("wb") as stream:
        kind.write(stream, meta, arrays)
    found = kind.find(meta["model_sha256"], folder)
    assert found is not None
    return found
