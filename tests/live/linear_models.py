"""Tiny models with a memory that isn't attention, made up of random weights and the embedded model's vocabulary.

No model of these kinds comes with the program, and none small enough can be fetched; what the engine does with their
memory doesn't depend on what the weights say."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np

from jokejudge_gui.engine.gguf import read_header
from tests.gguf_builder import ARRAY, F32, I32, STRING, U32, gguf, pair, tensor

from .damaged_models import pair_at

WIDTH, INNER, STATES, RANK, CONV, BLOCKS = 128, 256, 16, 8, 4, 4
HEADS, KV_HEADS, FEED = 4, 2, 256
Weights = dict[str, np.ndarray]


def recurrent(path: Path, vocabulary: Path) -> Path:
    """A Mamba model: nothing but recurrent layers."""
    random = np.random.default_rng(1)
    weights: Weights = {"output_norm.weight": np.ones(WIDTH)}
    for block in range(BLOCKS):
        name = f"blk.{block}."
        weights |= {
            f"{name}attn_norm.weight": np.ones(WIDTH),
            f"{name}ssm_in.weight": _matrix(random, 2 * INNER, WIDTH),
            f"{name}ssm_conv1d.weight": random.normal(0, 0.5, (INNER, CONV)),
            f"{name}ssm_conv1d.bias": random.normal(0, 0.1, INNER),
            f"{name}ssm_x.weight": _matrix(random, RANK + 2 * STATES, INNER),
            f"{name}ssm_dt.weight": random.normal(0, 0.3, (INNER, RANK)),
            f"{name}ssm_dt.bias": random.normal(-3, 0.5, INNER),
            f"{name}ssm_a": -np.tile(np.arange(1.0, STATES + 1), (INNER, 1)),
            f"{name}ssm_d": np.ones(INNER),
            f"{name}ssm_out.weight": _matrix(random, WIDTH, INNER),
        }
    settings = {
        "ssm.conv_kernel": CONV,
        "ssm.inner_size": INNER,
        "ssm.state_size": STATES,
        "ssm.time_step_rank": RANK,
        "feed_forward_length": 0,
        "attention.head_count": 0,
    }
    return _write(
        path, "mamba", [pair(f"mamba.{key}", U32, value) for key, value in settings.items()], weights, vocabulary
    )


def hybrid(path: Path, vocabulary: Path) -> Path:
    """An LFM2 model: one attention layer among layers of short convolutions, which remember only a few tokens."""
    random = np.random.default_rng(2)
    size = WIDTH // HEADS
    weights: Weights = {"token_embd_norm.weight": np.ones(WIDTH)}
    for block in range(BLOCKS):
        name = f"blk.{block}."
        weights |= {
            f"{name}attn_norm.weight": np.ones(WIDTH),
            f"{name}ffn_norm.weight": np.ones(WIDTH),
            f"{name}ffn_gate.weight": _matrix(random, FEED, WIDTH),
            f"{name}ffn_up.weight": _matrix(random, FEED, WIDTH),
            f"{name}ffn_down.weight": _matrix(random, WIDTH, FEED),
        }
        if block == 2:
            weights |= {
                f"{name}attn_q_norm.weight": np.ones(size),
                f"{name}attn_k_norm.weight": np.ones(size),
                f"{name}attn_q.weight": _matrix(random, WIDTH, WIDTH),
                f"{name}attn_k.weight": _matrix(random, KV_HEADS * size, WIDTH),
                f"{name}attn_v.weight": _matrix(random, KV_HEADS * size, WIDTH),
                f"{name}attn_output.weight": _matrix(random, WIDTH, WIDTH),
            }
        else:
            weights |= {
                f"{name}shortconv.conv.weight": random.normal(0, 0.5, (WIDTH, 3)),
                f"{name}shortconv.in_proj.weight": _matrix(random, 3 * WIDTH, WIDTH),
                f"{name}shortconv.out_proj.weight": _matrix(random, WIDTH, WIDTH),
            }
    settings = {"feed_forward_length": FEED, "attention.head_count": HEADS, "shortconv.l_cache": 3}
    pairs = [pair(f"lfm2.{key}", U32, value) for key, value in settings.items()]
    heads = [KV_HEADS if block == 2 else 0 for block in range(BLOCKS)]
    pairs += [pair("lfm2.attention.head_count_kv", ARRAY, (I32, heads)), pair("lfm2.rope.freq_base", F32, 10_000.0)]
    return _write(path, "lfm2", pairs, weights, vocabulary)


def _matrix(random: np.random.Generator, rows: int, columns: int) -> np.ndarray:
    return random.normal(0, columns**-0.5, (rows, columns))


def _write(path: Path, kind: str, pairs: list[bytes], weights: Weights, vocabulary: Path) -> Path:
    words, copied = _tokeniser(vocabulary)
    random = np.random.default_rng(3)
    weights = {"token_embd.weight": random.normal(0, 0.3, (words, WIDTH)), **weights}
    pairs = [
        pair("general.architecture", STRING, kind),
        pair("general.name", STRING, f"Random {kind}"),
        pair("general.file_type", U32, 1),
        pair(f"{kind}.context_length", U32, 4096),
        pair(f"{kind}.embedding_length", U32, WIDTH),
        pair(f"{kind}.block_count", U32, BLOCKS),
        pair(f"{kind}.vocab_size", U32, words),
        pair(f"{kind}.attention.layer_norm_rms_epsilon", F32, 1e-5),
        *pairs,
        *copied,
    ]
    table, data = [], b""
    for name, values in weights.items():
        # Matrices in F16, as a converter leaves them; vectors and convolutions must stay F32.
        half = values.ndim == 2 and name.endswith(".weight") and "conv" not in name.rsplit(".", 2)[-2]
        table.append(tensor(name, values.shape[::-1], 1 if half else 0, len(data)))
        data += values.astype(np.float16 if half else np.float32).tobytes()
        data += bytes(-len(data) % 32)
    head = gguf(tuple(pairs), tuple(table), data=0)
    path.write_bytes(head + data)
    return path


def _tokeniser(source: Path) -> tuple[int, list[bytes]]:
    """The number of words and the settings of another model's tokeniser, as they stand in its file."""
    data = source.read_bytes()[: 32 << 20]
    at, settings = 24, []
    for _ in range(struct.unpack_from("<Q", data, 16)[0]):
        begin = at
        key, at = pair_at(data, at)
        if key.startswith(b"tokenizer."):
            settings.append(data[begin:at])
    words = next(each for each in read_header(source)[0].tensors if each.name == "token_embd.weight").shape[1]
    return words, settings
