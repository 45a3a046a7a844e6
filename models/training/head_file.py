"""Writes a fitted audience head as the file that the program reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from fit import KindFit, Model
from sets import Array, Set

from jokejudge_gui.core.files import atomic_writer
from jokejudge_gui.heads.audience import AudienceHead
from jokejudge_gui.heads.files import FORMAT


def quantiles(model: Model, sets: list[Set], fits: dict[str, KindFit]) -> Array:
    """101 quantiles of the score over jokes with people's votes, each set with the same weight. The scores are out of
    fold: a head spreads its training texts more widely than new ones."""
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
    arrays = {
        "centre": model.centre,
        "scale": model.scale,
        "weights": model.weights,
        "bias": model.bias,
        "gate": model.gate,
        "gate_bias": model.gate_bias,
        "grams": model.grams,
        "rarity": model.rarity,
        "quantiles": table,
    }
    if model.joke is not None:
        arrays["joke"] = np.append(model.joke.slope * model.joke.weights, model.joke.bias)
    with atomic_writer(path) as stream:
        AudienceHead.write(stream, {"format": FORMAT, "kinds": model.kinds, **meta}, arrays)
    path.chmod(0o644)
