"""The 0–5 scale: from the label log-probabilities of a model to a distribution, its expectation and spread."""

from __future__ import annotations

import math
from collections.abc import Sequence

from .questions import Levels

Distribution = tuple[float, ...]


def level_distribution(levels: Levels, bias: tuple[Sequence[float], Sequence[float]] | None = None) -> Distribution:
    """p_k ∝ exp(z_k − ½(b_k − mean b)) in each order, log p averaged over the two orders (METHODS, b).

    ``bias``: mean log-probabilities of the levels over neutral texts, ascending and descending; None: no correction.
    """
    rows = []
    for index, values in enumerate((levels.ascending, levels.descending)):
        offsets = bias[index] if bias is not None else [0.0] * len(values)
        middle = math.fsum(offsets) / len(offsets)
        rows.append(_normalised([z - 0.5 * (b - middle) for z, b in zip(values, offsets, strict=True)]))
    averaged = _normalised([0.5 * (up + down) for up, down in zip(*rows, strict=True)])
    return tuple(math.exp(value) for value in averaged)


def expectation(distribution: Distribution) -> float:
    """E = Σ k·p_k, in 0…5."""
    return math.fsum(level * p for level, p in enumerate(distribution))


def spread(distribution: Distribution) -> float:
    """SD = √Σ(k−E)²p_k."""
    middle = expectation(distribution)
    return math.sqrt(math.fsum((level - middle) ** 2 * p for level, p in enumerate(distribution)))


def entropy(distribution: Distribution) -> float:
    """Entropy over its greatest value ln 6: 0 certain, 1 says nothing."""
    return -math.fsum(p * math.log(p) for p in distribution if p > 0) / math.log(len(distribution))


def _normalised(values: Sequence[float]) -> list[float]:
    top = max(values)
    total = top + math.log(math.fsum(math.exp(value - top) for value in values))
    return [value - total for value in values]
