"""An experiment, not part of the product (LOG.md): low-rank adapters on the last layers of a llama-type model, trained
on votes from the frozen head's own solution, compared with that head on the same texts. No held-out text is used: of
the training texts, folds 0 and 1 are kept apart.

    python models/training/adapter.py MODEL.gguf SET [--epochs 4] [--from-layer 20] [--rank 8] [--rate 1e-4]

Needs the packages jax, optax and gguf beside SciPy. Weights are those of the GGUF file, so the adapter's matrices
would be those of llama.cpp's adapter files (``blk.N.attn_q.weight.lora_a`` …).
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import data
import jax
import jax.numpy as jnp
import numpy as np
import optax
from gguf import GGUFReader, dequantize
from linear import dense_ridge
from tokenizers import Tokenizer, decoders, models, pre_tokenizers

Tree = dict[str, Any]
ADAPTED = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
STEP = 8
"""Texts are padded to a multiple of this many tokens, so that few shapes are compiled."""
BATCH = 16


class Llama:
    """The layers of a llama-type model as JAX functions over float32 weights."""

    def __init__(self, path: Path) -> None:
        reader = GGUFReader(path)
        arch = "llama"
        value = lambda key: reader.fields[f"{arch}.{key}"].parts[-1][0]  # noqa: E731
        self.layers = int(value("block_count"))
        self.heads = int(value("attention.head_count"))
        self.kv_heads = int(value("attention.head_count_kv"))
        self.eps = float(value("attention.layer_norm_rms_epsilon"))
        self.theta = float(value("rope.freq_base"))
        self.weights = {
            tensor.name.removesuffix(".weight"): jnp.asarray(dequantize(tensor.data, tensor.tensor_type), jnp.float32)
            for tensor in reader.tensors
        }
        self.size = self.weights["token_embd"].shape[1]
        self.tokens = _tokenizer(reader)

    def layer(self, index: int, x: jax.Array, adapter: Tree) -> jax.Array:
        """Return the layer's output for x: (texts, tokens, size)."""

        def linear(name: str, y: jax.Array) -> jax.Array:
            out = y @ self.weights[f"blk.{index}.{name}"].T
            if adapter:
                pair = adapter[f"{index}.{name}"]
                out = out + (y @ pair["a"].T) @ pair["b"].T
            return out

        texts, length, _ = x.shape
        y = self._norm(x, self.weights[f"blk.{index}.attn_norm"])
        size = self.size // self.heads
        q = self._turn(linear("attn_q", y).reshape(texts, length, self.heads, size))
        k = self._turn(linear("attn_k", y).reshape(texts, length, self.kv_heads, size))
        v = linear("attn_v", y).reshape(texts, length, self.kv_heads, size)
        k, v = (jnp.repeat(part, self.heads // self.kv_heads, axis=2) for part in (k, v))
        scores = jnp.einsum("bqhd,bkhd->bhqk", q, k) / np.sqrt(size)
        scores = jnp.where(jnp.tril(jnp.ones((length, length), bool)), scores, -jnp.inf)
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores), v).reshape(texts, length, self.size)
        x = x + linear("attn_output", mixed)
        y = self._norm(x, self.weights[f"blk.{index}.ffn_norm"])
        return x + linear("ffn_down", jax.nn.silu(linear("ffn_gate", y)) * linear("ffn_up", y))

    def finish(self, x: jax.Array) -> jax.Array:
        return self._norm(x, self.weights["output_norm"])

    def _norm(self, x: jax.Array, gain: jax.Array) -> jax.Array:
        return x * jax.lax.rsqrt(jnp.mean(x * x, axis=-1, keepdims=True) + self.eps) * gain

    def _turn(self, x: jax.Array) -> jax.Array:
        """Rotary positions over neighbouring pairs, in llama.cpp's layout of llama-type models."""
        size, length = x.shape[-1], x.shape[1]
        rate = self.theta ** (-jnp.arange(0, size, 2) / size)
        angle = (jnp.arange(length)[:, None] * rate)[None, :, None, :]
        even, odd = x[..., 0::2], x[..., 1::2]
        turned = (even * jnp.cos(angle) - odd * jnp.sin(angle), even * jnp.sin(angle) + odd * jnp.cos(angle))
        return jnp.stack(turned, axis=-1).reshape(x.shape)


def _tokenizer(reader: GGUFReader) -> Tokenizer:
    """The file's byte-level BPE (SmolLM2: digits one by one)."""
    text = lambda key: [bytes(part).decode("utf-8") for part in _parts(reader, key)]  # noqa: E731
    tokens, merges = text("tokenizer.ggml.tokens"), text("tokenizer.ggml.merges")
    vocabulary = {token: place for place, token in enumerate(tokens)}
    made = Tokenizer(models.BPE(vocabulary, [tuple(merge.split(" ")) for merge in merges]))
    made.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    )
    made.decoder = decoders.ByteLevel()
    return made


def _parts(reader: GGUFReader, key: str) -> list[np.ndarray]:
    field = reader.fields[key]
    return [field.parts[place] for place in field.data]


class Texts:
    """The outputs of the layers below the adapted ones for each text, computed once."""

    def __init__(self, model: Llama, texts: list[str], first: int) -> None:
        self.model, self.first = model, first
        self.states: list[np.ndarray] = []
        encoded = [model.tokens.encode(text, add_special_tokens=False).ids for text in texts]

        @jax.jit
        def below(tokens: jax.Array) -> jax.Array:
            x = model.weights["token_embd"][tokens]
            for index in range(first):
                x = model.layer(index, x, {})
            return x

        order = sorted(range(len(texts)), key=lambda place: len(encoded[place]))
        found: dict[int, np.ndarray] = {}
        for start in range(0, len(order), BATCH):
            part = (order[start : start + BATCH] * BATCH)[:BATCH]
            length = padded(max(len(encoded[place]) for place in part))
            rows = np.array([encoded[place] + [0] * (length - len(encoded[place])) for place in part])
            for place, row in zip(part, np.asarray(below(rows)), strict=True):
                found[place] = row[: len(encoded[place])].astype(np.float32)
        self.states = [found[place] for place in range(len(texts))]

    def batch(self, places: list[int]) -> tuple[np.ndarray, np.ndarray]:
        """States (texts, tokens, size) below the adapted layers, and lengths."""
        lengths = np.array([len(self.states[place]) for place in places])
        out = np.zeros((len(places), padded(int(lengths.max())), self.model.size), np.float32)
        for row, place in enumerate(places):
            out[row, : lengths[row]] = self.states[place]
        return out, lengths


def padded(length: int) -> int:
    return -(-length // STEP) * STEP


def pooled(states: jax.Array, lengths: jax.Array) -> jax.Array:
    """The pooling of ``audience.pool`` without its lengths: means of the halves and of the last four tokens, the last
    token."""
    place = jnp.arange(states.shape[1])[None]
    size = lengths[:, None]
    half = size // 2
    parts = (
        (place < jnp.maximum(half, 1)),
        (place >= half) & (place < size),
        (place >= size - 4) & (place < size),
        place == size - 1,
    )
    means = []
    for part in parts:
        weight = part / part.sum(axis=1, keepdims=True)
        means.append(jnp.einsum("bt,btd->bd", weight, states))
    return jnp.concatenate(means, axis=1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("set")
    parser.add_argument("--epochs", type=int, default=4)
    parser.add_argument("--from-layer", type=int, default=20)
    parser.add_argument("--rank", type=int, default=8)
    parser.add_argument("--rate", type=float, default=1e-4)
    parser.add_argument("--texts", type=int, default=10**9)
    options = parser.parse_args()
    items = [item for item in data.items(options.set) if not item.test and len(item.text) < 300][: options.texts]
    fold = np.array([int(data.fraction(item.group, "fold") * 5) for item in items])
    learn, keep = np.flatnonzero(fold >= 2), np.flatnonzero(fold < 2)
    target = np.array([item.target for item in items])
    target = (target - target[learn].mean()) / target[learn].std()
    print(f"{options.set}: {len(learn)} texts learned from, {len(keep)} kept apart", flush=True)
    model = Llama(options.model)
    texts = Texts(model, [item.text for item in items], options.from_layer)
    print("read", flush=True)
    random = np.random.default_rng(5)
    adapter: Tree = {}
    for index in range(options.from_layer, model.layers):
        for name in ADAPTED:
            rows, columns = model.weights[f"blk.{index}.{name}"].shape
            a = random.normal(0, 1 / np.sqrt(columns), (options.rank, columns))
            adapter[f"{index}.{name}"] = {"a": jnp.asarray(a, jnp.float32), "b": jnp.zeros((rows, options.rank))}

    @jax.jit
    def features(adapter: Tree, states: jax.Array, lengths: jax.Array) -> jax.Array:
        x = states
        for index in range(options.from_layer, model.layers):
            x = model.layer(index, x, adapter)
        return pooled(model.finish(x), lengths)

    def all_features(adapter: Tree) -> np.ndarray:
        out = np.zeros((len(items), 4 * model.size))
        order = sorted(range(len(items)), key=lambda place: len(texts.states[place]))
        for start in range(0, len(order), BATCH):
            part = (order[start : start + BATCH] * BATCH)[:BATCH]
            out[part] = np.asarray(features(adapter, *texts.batch(part)))
        return out

    pairs = kept_pairs(options.set, items, keep, target)
    first = all_features(adapter)
    centre, scale = first[learn].mean(axis=0), first[learn].std(axis=0) + 1e-6
    x = np.clip((first - centre) / scale, -8, 8)
    begin = x[learn].mean(axis=0)
    found = dense_ridge(x[learn] - begin, target[learn], (3.0,))[0]
    told("frozen states, ridge", (x - begin) @ found, pairs, target, keep)
    weights = {"adapter": adapter, "readout": jnp.asarray(found, jnp.float32), "scale": jnp.ones(())}

    def scores(weights: Tree, states: jax.Array, lengths: jax.Array) -> jax.Array:
        y = jnp.clip((features(weights["adapter"], states, lengths) - centre) / scale, -8, 8) - begin
        return y @ weights["readout"] * weights["scale"]

    def loss(weights: Tree, states: jax.Array, lengths: jax.Array, goal: jax.Array) -> jax.Array:
        """Loss over all pairs of a batch's texts; a pair's votes follow from the difference of the ratings."""
        guess = scores(weights, states, lengths)
        gap, wanted = guess[:, None] - guess, jax.nn.sigmoid(2 * (goal[:, None] - goal))
        return jnp.mean(jax.nn.softplus(gap) - wanted * gap)

    steps = options.epochs * (len(learn) // BATCH)
    optimiser = optax.chain(
        optax.clip_by_global_norm(1.0), optax.adamw(optax.cosine_decay_schedule(options.rate, steps), weight_decay=0.01)
    )
    state = optimiser.init(weights)

    @jax.jit
    def step(weights: Tree, state: Any, *batch: jax.Array) -> tuple[Tree, Any, jax.Array]:
        value, gradient = jax.value_and_grad(loss)(weights, *batch)
        change, state = optimiser.update(gradient, state, weights)
        return optax.apply_updates(weights, change), state, value

    for epoch in range(options.epochs):
        # Texts of about one length share a batch, so that there is little padding.
        order = sorted(learn, key=lambda place: len(texts.states[place]) + random.uniform(0, 6))
        groups = [order[start : start + BATCH] for start in range(0, len(order) - BATCH + 1, BATCH)]
        random.shuffle(groups)
        total = 0.0
        for group in groups:
            weights, state, value = step(weights, state, *texts.batch([int(place) for place in group]), target[group])
            total += float(value)
        made = all_features(weights["adapter"])
        y = np.clip((made - centre) / scale, -8, 8)
        told(
            f"epoch {epoch + 1}, loss {total / len(groups):.4f}",
            y @ np.asarray(weights["readout"]),
            pairs,
            target,
            keep,
        )
        again = (y[learn] - y[learn].mean(axis=0)).std(axis=0) + 1e-6
        middle = y[learn].mean(axis=0)
        ridge = dense_ridge((y[learn] - middle) / again, target[learn], (3.0,))[0]
        told("  its states, ridge again", ((y - middle) / again) @ ridge, pairs, target, keep)


def kept_pairs(name: str, items: list[Any], keep: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Pairs with people's votes among the texts kept apart, the funnier one first; random pairs where people rated."""
    kept = set(map(int, keep))
    place = {data.key(item.text): at for at, item in enumerate(items)}
    voted = {"ukp": data.ukp_pairs, "headlines": data.headline_pairs}
    if name in voted:
        found = []
        for pair in voted[name]():
            a, b = place.get(data.key(pair.a)), place.get(data.key(pair.b))
            if a in kept and b in kept:
                found.append((a, b) if pair.gap > 0 else (b, a))
        return np.array(found)
    random = np.random.default_rng(20)
    rows: np.ndarray = random.choice(keep, (6000, 2))
    rows = rows[target[rows[:, 0]] != target[rows[:, 1]]]
    swap = target[rows[:, 0]] < target[rows[:, 1]]
    rows[swap] = rows[swap][:, ::-1]
    return rows


def told(name: str, score: np.ndarray, pairs: np.ndarray, target: np.ndarray, keep: np.ndarray) -> None:
    right = float(np.mean(score[pairs[:, 0]] > score[pairs[:, 1]]))
    rank = lambda values: np.argsort(np.argsort(values))  # noqa: E731
    order = float(np.corrcoef(rank(score[keep]), rank(target[keep]))[0, 1])
    print(f"{name:32} pairs {right:.3f} of {len(pairs)}, rank correlation {order:.3f}", flush=True)


if __name__ == "__main__":
    main()
