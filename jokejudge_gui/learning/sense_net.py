"""Trains the small networks of the heads for sense (``heads.sense.networks``): stochastic gradient descent over texts,
with all texts around one joke in one batch, so that the joke is held against what only looks like one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ..engine.base import CancelToken
from ..heads.sense import SCORES
from ..heads.sense_features import BLOCKS

NETWORKS = 3
_WIDTH, _HIDDEN = 48, 256
"""Numbers that a block of states is turned into, and the length of a hidden layer."""
_ROUNDS, _LEAST = 4, 60
"""Number of times that each text is learned from, more often where that makes fewer steps than ``_LEAST``. More make
the networks know their own texts, and others worse."""
_BATCH = 256
_RATE, _WARM = 1e-3, 50
"""Greatest step, and the number of steps in which it is reached; it falls to 0 at the end."""
_DECAY = 0.05
"""Decay of the weights, as a share of each step (Loshchilov and Hutter, "Decoupled weight decay", 2019)."""
_DROPPED = 0.3
_OF_WHOLE = 0.3
"""Weight of the score "whole" beside the two others."""
_GAP = 8.0
"""Least difference in "funny" of two texts of a group of which one is to be above the other."""
_FIRST, _SECOND, _TINY = 0.9, 0.999, 1e-8
"""Constants of Adam (Kingma and Ba, 2015)."""
Wide = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Examples:
    """Texts to learn from. ``states``, ``plain``: ``heads.sense.inputs`` (the states may have 16 bits); ``joke``,
    ``whole``: (texts, 2), a label of 0 or 1 and its weight; ``funny``: 0…100 within its group, NaN where unknown;
    ``group``: number of the group of each text."""

    states: npt.NDArray[Any]
    plain: Wide
    joke: Wide
    whole: Wide
    funny: Wide
    group: npt.NDArray[np.int64]


def train(examples: Examples, use: npt.NDArray[np.bool_], cancel: CancelToken) -> dict[str, Any]:
    """Train ``NETWORKS`` networks on the examples with ``use``; return the arrays of ``heads.sense.networks``, of which
    each network has an equal share. The same examples give the same networks on the same machine. Raises
    ``Cancelled``."""
    trained = [_network(examples, use, seed, cancel) for seed in range(NETWORKS)]
    arrays: dict[str, Any] = {f"net_{name}": np.stack([network[name] for network in trained]) for name in trained[0]}
    arrays["net_out"] = arrays["net_out"] / NETWORKS
    arrays["net_out_bias"] = arrays["net_out_bias"].mean(axis=0)
    return arrays


def _network(examples: Examples, use: npt.NDArray[np.bool_], seed: int, cancel: CancelToken) -> dict[str, Wide]:
    random = np.random.default_rng(seed)
    size, plain = examples.states.shape[1] // BLOCKS, examples.plain.shape[1]
    inner = BLOCKS * _WIDTH + plain

    def begun(rows: int, columns: int) -> Wide:
        return np.asarray((random.uniform(-1.0, 1.0, size=(rows, columns)) / np.sqrt(rows)).astype(np.float32))

    project = random.standard_normal((BLOCKS, size, _WIDTH), dtype=np.float32) / np.float32(np.sqrt(size))
    weights = {
        "project": project,
        "first": begun(inner, _HIDDEN),
        "first_bias": np.zeros(_HIDDEN, np.float32),
        "second": begun(_HIDDEN, _HIDDEN),
        "second_bias": np.zeros(_HIDDEN, np.float32),
        "out": begun(_HIDDEN, len(SCORES)),
        "out_bias": np.zeros(len(SCORES), np.float32),
    }
    means = {name: np.zeros_like(array) for name, array in weights.items()}
    squares = {name: np.zeros_like(array) for name, array in weights.items()}
    batches: list[npt.NDArray[np.int64]] = []
    while len(batches) < _LEAST or len(batches) < _ROUNDS * use.sum() / _BATCH:
        batches += _batches(examples.group, use, random)
    for step, batch in enumerate(batches):
        cancel.check()
        rate = _RATE * min(1.0, (step + 1) / _WARM) * (1.0 - step / len(batches))
        for name, slope in _slopes(weights, examples, batch, random).items():
            at, mean, square = weights[name], means[name], squares[name]
            mean += np.float32(1.0 - _FIRST) * (slope - mean)
            square += np.float32(1.0 - _SECOND) * (slope * slope - square)
            longer = np.float32(rate / (1.0 - _FIRST ** (step + 1)))
            at *= np.float32(1.0 - rate * _DECAY)
            at -= longer * mean / (np.sqrt(square / np.float32(1.0 - _SECOND ** (step + 1))) + np.float32(_TINY))
    return weights


def _batches(
    group: npt.NDArray[np.int64], use: npt.NDArray[np.bool_], random: np.random.Generator
) -> list[npt.NDArray[np.int64]]:
    """Return all used texts once, whole groups in one batch, in a random order."""
    used = np.flatnonzero(use)
    used = used[np.argsort(group[used], kind="stable")]
    members = np.split(used, np.flatnonzero(np.diff(group[used])) + 1)
    batches: list[npt.NDArray[np.int64]] = []
    batch: list[npt.NDArray[np.int64]] = []
    for n in random.permutation(len(members)):
        batch.append(members[n])
        if sum(map(len, batch)) >= _BATCH:
            batches.append(np.concatenate(batch))
            batch = []
    return batches + ([np.concatenate(batch)] if batch else [])


def _slopes(
    weights: dict[str, Wide], examples: Examples, batch: npt.NDArray[np.int64], random: np.random.Generator
) -> dict[str, Wide]:
    """Return the derivatives of the loss of a batch."""

    def kept(*shape: int) -> Wide:
        """1 / (1 − share) for what is kept, 0 for what is dropped."""
        return (random.random(shape, dtype=np.float32) >= _DROPPED) * np.float32(1.0 / (1.0 - _DROPPED))

    states = examples.states[batch].astype(np.float32)
    states *= kept(*states.shape)
    blocks = states.reshape(len(batch), BLOCKS, -1).transpose(1, 0, 2)
    turned = np.matmul(blocks, weights["project"]).transpose(1, 0, 2).reshape(len(batch), -1)
    inner = np.concatenate([turned, examples.plain[batch]], axis=1)
    first = np.maximum(inner @ weights["first"] + weights["first_bias"], 0.0)
    first_kept = kept(*first.shape) * (first > 0)
    first = first * first_kept
    second = np.maximum(first @ weights["second"] + weights["second_bias"], 0.0)
    second_kept = kept(*second.shape) * (second > 0)
    both = first + second * second_kept
    out = both @ weights["out"] + weights["out_bias"]
    of_out = np.stack(
        [
            _apart(out[:, 0], examples.joke[batch]),
            _OF_WHOLE * _apart(out[:, 1], examples.whole[batch]),
            _order(out[:, 2], examples.funny[batch], examples.group[batch]),
        ],
        axis=1,
    )
    of_both = of_out @ weights["out"].T
    of_second = of_both * second_kept
    of_first = (of_both + of_second @ weights["second"].T) * first_kept
    of_turned = (of_first @ weights["first"].T)[:, : turned.shape[1]]
    of_turned = of_turned.reshape(len(batch), BLOCKS, -1).transpose(1, 0, 2)
    return {
        "project": np.matmul(blocks.transpose(0, 2, 1), of_turned),
        "first": inner.T @ of_first,
        "first_bias": of_first.sum(axis=0),
        "second": first.T @ of_second,
        "second_bias": of_second.sum(axis=0),
        "out": both.T @ of_out,
        "out_bias": of_out.sum(axis=0),
    }


def _apart(odds: Wide, labels: Wide) -> Wide:
    """Return the derivatives of the cross entropy of log-odds and labels, averaged by their weights."""
    p = 1.0 / (1.0 + np.exp(-np.clip(odds, -30.0, 30.0)))
    return np.asarray((labels[:, 1] * (p - labels[:, 0]) / (labels[:, 1].sum() + 1.0)).astype(np.float32))


def _order(score: Wide, funny: Wide, group: npt.NDArray[np.int64]) -> Wide:
    """Return the derivatives of the mean logistic loss of pairs of a group, the funnier text above the other one."""
    with np.errstate(invalid="ignore"):
        above = (group[:, None] == group) & (funny[:, None] - funny >= _GAP)
    if not above.any():
        return np.zeros_like(score)
    wrong = above / (1.0 + np.exp(np.clip(score[:, None] - score, -30.0, 30.0))) / above.sum()
    return np.asarray((wrong.sum(axis=0) - wrong.sum(axis=1)).astype(np.float32))
