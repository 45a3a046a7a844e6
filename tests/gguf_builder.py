"""Builds tiny GGUF files, valid and invalid, for tests."""

from __future__ import annotations

import struct
from typing import Any

U8, I32, U32, F32, BOOL, STRING, ARRAY, U64 = 0, 5, 4, 6, 7, 8, 9, 10


def text(value: str | bytes) -> bytes:
    data = value if isinstance(value, bytes) else value.encode()
    return struct.pack("<Q", len(data)) + data


def pair(key: str, kind: int, value: Any) -> bytes:
    return text(key) + struct.pack("<I", kind) + payload(kind, value)


def payload(kind: int, value: Any) -> bytes:
    if kind == STRING:
        return text(value)
    if kind == ARRAY:
        inner, items = value
        return struct.pack("<IQ", inner, len(items)) + b"".join(payload(inner, item) for item in items)
    return struct.pack({U8: "<B", I32: "<i", U32: "<I", F32: "<f", BOOL: "<?", U64: "<Q"}[kind], value)


def tensor(name: str, shape: tuple[int, ...], type_id: int, offset: int) -> bytes:
    return (
        text(name)
        + struct.pack("<I", len(shape))
        + struct.pack(f"<{len(shape)}Q", *shape)
        + struct.pack("<IQ", type_id, offset)
    )


BASICS = (
    pair("general.architecture", STRING, "llama"),
    pair("general.name", STRING, "Tiny"),
    pair("general.file_type", U32, 7),
    pair("llama.context_length", U32, 2048),
    pair("llama.embedding_length", U32, 64),
    pair("llama.block_count", U32, 2),
    pair("llama.attention.head_count", U32, 8),
    pair("llama.attention.head_count_kv", U32, 4),
    pair("tokenizer.ggml.tokens", ARRAY, (STRING, ["a", "bc", "", "däf"])),
    pair("tokenizer.chat_template", STRING, "{{ messages }}"),
)
# Two tensors: 64 × 4 in Q8_0 (272 bytes, padded to 288) and 64 in F32 (256 bytes).
TENSORS = (tensor("w", (64, 4), 8, 0), tensor("b", (64,), 0, 288))


def gguf(
    pairs: tuple[bytes, ...] = BASICS,
    tensors: tuple[bytes, ...] = TENSORS,
    *,
    data: int = 544,
    version: int = 3,
    counts: tuple[int, int] | None = None,
) -> bytes:
    tensor_count, key_count = counts or (len(tensors), len(pairs))
    head = b"GGUF" + struct.pack("<IQQ", version, tensor_count, key_count) + b"".join(pairs) + b"".join(tensors)
    return head + bytes(-len(head) % 32) + bytes(data)
