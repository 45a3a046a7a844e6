"""Writes a fitted head as the file that the program reads, and its card."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from fit import KindFit, Model
from sets import Array, Set

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.heads.audience import FORMAT


def quantiles(model: Model, sets: list[Set], fits: dict[str, KindFit]) -> Array:
    """101 quantiles of the score over jokes that people voted on, each set counted alike. The scores are out of fold:
    a head spreads the texts that it learned from more widely than new ones."""
    values, weights = [], []
    for part in sets:
        chosen = ~part.test & part.joke & part.read
        if not chosen.any():
            continue
        counts = [count for count, keep in zip(part.counts, chosen, strict=True) if keep]
        scores, shares = model.parts(part.values[chosen], counts)
        if part.name in fits:
            scores[:, model.kinds.index(part.name)] = fits[part.name].oof[chosen]
        values.append((scores * shares).sum(axis=1))
        weights.append(np.full(int(chosen.sum()), 1 / chosen.sum()))
    value, weight = np.concatenate(values), np.concatenate(weights)
    order = np.argsort(value)
    reached = (np.cumsum(weight[order]) - weight[order] / 2) / weight.sum()
    return np.maximum.accumulate(np.interp(np.linspace(0, 1, 101), reached, value[order]))


def write(path: Path, model: Model, table: Array, meta: dict[str, Any]) -> None:
    head = {"format": FORMAT, "kinds": model.kinds, **meta}
    joke = model.joke
    told: dict[str, Any] = {}
    if joke is not None:
        told["joke"] = np.append(joke.slope * joke.weights, joke.bias).astype(np.float32)
    text = json.dumps(head, sort_keys=True).encode()
    with atomic_writer(path) as stream:
        np.savez_compressed(
            stream,
            meta=np.frombuffer(text, np.uint8),
            centre=model.centre.astype(np.float32),
            scale=model.scale.astype(np.float32),
            weights=model.weights.astype(np.float32),
            bias=model.bias.astype(np.float64),
            gate=model.gate.astype(np.float32),
            gate_bias=model.gate_bias.astype(np.float64),
            grams=model.grams.astype(np.float16),
            rarity=model.rarity.astype(np.float16),
            quantiles=table.astype(np.float64),
            **told,
        )
    path.chmod(0o644)
