"""Figures of LOG.md on pooling, kernels, static embeddings and the gate. Everything is cross-validated on training
texts (pairs of out-of-fold scores); no held-out text is used.

    python models/training/explore.py MODEL.gguf CACHE pooling|kernel|gate SET
    python models/training/explore.py MODEL.gguf CACHE static SET       (needs the package gguf)
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import data
import numpy as np
from fit import fit, shares
from linear import learn
from sets import Array, Set, cached_states, gram_matrix, read_set, standardise

from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.learning.audience_fit import FOLDS

Pool = Callable[[Array], list[Array]]
POOLS: dict[str, Pool] = {
    "mean": lambda s: [s.mean(axis=0)],
    "last": lambda s: [s[-1]],
    "mean, last": lambda s: [s.mean(axis=0), s[-1]],
    "mean, last, largest, least": lambda s: [s.mean(axis=0), s[-1], s.max(axis=0), s.min(axis=0)],
    "mean, deviation, last": lambda s: [s.mean(axis=0), s.std(axis=0), s[-1]],
    "mean, last four, last": lambda s: [s.mean(axis=0), s[-4:].mean(axis=0), s[-1]],
    "halves, last four, last": lambda s: [
        s[: max(1, len(s) // 2)].mean(axis=0), s[len(s) // 2 :].mean(axis=0), s[-4:].mean(axis=0), s[-1],
    ],
}  # fmt: skip


def scaled(values: Array, train: Array) -> Array:
    return standardise(values, values[train].mean(axis=0), values[train].std(axis=0) + 1e-6)


def told(name: str, part: Set, oof: Array, train: Array) -> None:
    chosen = train[part.pairs].all(axis=1)
    hits = (oof[part.pairs[:, 0]] > oof[part.pairs[:, 1]])[chosen]
    strong = part.strong[chosen]
    print(
        f"{name:32} pairs {hits.mean():.3f}, strong {hits[strong].mean():.3f} ({len(hits)}, {strong.sum()})", flush=True
    )


def pooling(part: Set, states: dict[str, Array]) -> None:
    train = part.read & ~part.test
    for name, pool in POOLS.items():
        width = len(np.concatenate(pool(next(iter(states.values())).astype(np.float32))))
        values = np.zeros((len(part.texts), width), np.float32)
        for place in np.flatnonzero(train):
            values[place] = np.concatenate(pool(states[data.key(part.texts[place])].astype(np.float32)))
        told(name, part, learn(name, part, scaled(values, train), train, by_pairs=False).oof, train)


def kernel(part: Set) -> None:
    """Ridge with a Gaussian kernel on the pooled states."""
    train = part.read & ~part.test
    members = np.flatnonzero(train)
    x = scaled(part.values, train)[members]
    y = (part.target[members] - part.target[members].mean()) / part.target[members].std()
    square = (x * x).sum(axis=1)
    distance = (square[:, None] + square - 2 * x @ x.T) / x.shape[1]
    for width in (0.3, 1.0):
        inner = 2 * np.exp(-width * distance)
        for strength in (0.3, 1.0):
            oof = np.zeros(len(part.texts))
            for fold in range(FOLDS):
                outside = part.fold[members] == fold
                inside = ~outside
                system = inner[np.ix_(inside, inside)] + strength * np.eye(int(inside.sum()))
                weights = np.linalg.solve(system, y[inside])
                oof[members[outside]] = inner[np.ix_(outside, inside)] @ weights
            told(f"kernel {width}, strength {strength}", part, oof, train)


def static(part: Set, model: Path) -> None:
    """The mean of the words' input embeddings, which don't depend on the context."""
    from gguf import GGUFReader, dequantize

    reader = GGUFReader(model)
    table = next(tensor for tensor in reader.tensors if tensor.name == "token_embd.weight")
    field = reader.fields["tokenizer.ggml.tokens"]
    places = {bytes(field.parts[at]).decode("utf-8", "replace"): token for token, at in enumerate(field.data)}
    known: dict[str, Array] = {}

    def embedding(word: str) -> Array:
        if word not in known:
            rest, found = "Ġ" + word, []
            while rest:
                size = next((size for size in range(len(rest), 0, -1) if rest[:size] in places), 0)
                found += [places[rest[:size]]] if size else []
                rest = rest[max(size, 1) :]
            known[word] = dequantize(table.data[found], table.tensor_type).mean(axis=0) if found else np.zeros(())
        return known[word]

    train = ~part.test
    words = [re.findall(r"\w+(?:['’]\w+)*|[^\w\s]", text) or ["."] for text in part.texts]
    values = scaled(np.stack([np.mean([embedding(word) for word in row], axis=0) for row in words]), train)
    for by_pairs in (False, True):
        learner = learn("static", part, values, train, by_pairs=by_pairs)
        told("static, pairs" if by_pairs else "static, ratings", part, learner.oof, train)


def gate(sets: list[Set]) -> None:
    """Two ways for a duel to mix the kinds: by the mean of the two texts' shares or by their product. Scores of the
    training texts are out of fold."""
    model, fits = fit(sets)
    for part in sets:
        if part.name not in fits:
            continue
        train = part.read & ~part.test
        pairs = part.pairs[train[part.pairs].all(axis=1)]
        standard = standardise(part.values, model.centre, model.scale)
        words = gram_matrix(part.counts, model.rarity)
        scores = standard @ model.weights.T + words.times(model.grams.T) + model.bias
        scores[:, model.kinds.index(part.name)] = fits[part.name].oof
        kinds = shares(standard @ model.gate.T + model.gate_bias)
        a, b = pairs.T
        own = np.zeros_like(kinds)
        own[:, model.kinds.index(part.name)] = 1
        for name, both in {"mean": kinds[a] + kinds[b], "product": kinds[a] * kinds[b], "told": own[a]}.items():
            gap = (both * (scores[a] - scores[b])).sum(axis=1) / both.sum(axis=1)
            print(f"{part.name:12} {name:8} pairs {np.mean(gap > 0):.3f}, log-loss {np.logaddexp(0, -gap).mean():.4f}")


def main() -> None:
    model, cache, what, names = Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4].split(",")
    sha256 = sha256_of(model)
    sets = [part for name in names if (part := read_set(cache, sha256, name)) is not None]
    if what == "gate":
        gate(sets)
        return
    for part in sets:
        print(f"\n{part.name}, {what}")
        if what == "pooling":
            pooling(part, cached_states(cache, sha256, part.name))
        elif what == "kernel":
            kernel(part)
        else:
            static(part, model)


if __name__ == "__main__":
    main()
