"""A projector for pictures with random weights (llama.cpp's mtmd): it tests the passing of pictures to a model, not the
model's understanding of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

SIDE, PATCH, WIDTH, INNER, LAYERS, HEADS = 56, 14, 64, 128, 2, 4


def write_projector(path: Path, *, out: int, heads: int = HEADS, side: int = SIDE, patch: int = PATCH) -> None:
    """Write a LLaVA projector of random weights for a model whose states have ``out`` numbers, with ``heads``, ``side``
    and ``patch`` in its header."""
    import gguf

    draw = np.random.default_rng(29)
    writer = gguf.GGUFWriter(path, "clip")
    writer.add_bool("clip.has_vision_encoder", True)
    writer.add_bool("clip.use_gelu", True)
    writer.add_string("clip.projector_type", "mlp")
    sizes = {
        "embedding_length": WIDTH, "feed_forward_length": INNER, "block_count": LAYERS, "projection_dim": out,
        "image_size": side, "patch_size": patch, "attention.head_count": heads,
    }  # fmt: skip
    for name, size in sizes.items():
        writer.add_uint32(f"clip.vision.{name}", size)
    writer.add_float32("clip.vision.attention.layer_norm_epsilon", 1e-5)
    writer.add_array("clip.vision.image_mean", [0.5] * 3)
    writer.add_array("clip.vision.image_std", [0.5] * 3)

    def add(name: str, *shape: int) -> None:
        values = draw.standard_normal(shape) / np.sqrt(shape[-1] if len(shape) > 1 else 2500)
        writer.add_tensor(name, values.astype(np.float32))

    def linear(name: str, rows: int, columns: int) -> None:
        add(f"{name}.weight", rows, columns)
        add(f"{name}.bias", rows)

    add("v.patch_embd.weight", WIDTH, 3, PATCH, PATCH)
    add("v.class_embd", WIDTH)
    add("v.position_embd.weight", (SIDE // PATCH) ** 2 + 1, WIDTH)
    for norm in ["v.pre_ln", *(f"v.blk.{layer}.{name}" for layer in range(LAYERS) for name in ("ln1", "ln2"))]:
        writer.add_tensor(f"{norm}.weight", np.ones(WIDTH, np.float32))
        add(f"{norm}.bias", WIDTH)
    for layer in range(LAYERS):
        for name in ("attn_q", "attn_k", "attn_v", "attn_out"):
            linear(f"v.blk.{layer}.{name}", WIDTH, WIDTH)
        linear(f"v.blk.{layer}.ffn_up", INNER, WIDTH)
        linear(f"v.blk.{layer}.ffn_down", WIDTH, INNER)
    linear("mm.0", out, WIDTH)
    linear("mm.2", out, out)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def picture(seed: int) -> np.ndarray[Any, Any]:
    return np.random.default_rng(seed).integers(0, 256, (240, 320, 3), dtype=np.uint8)
