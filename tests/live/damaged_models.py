"""Copies of a sound model with one thing wrong: weights of a word that are no numbers, a setting, a template."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np

from jokejudge_gui.engine.gguf import read_header
from tests.gguf_builder import ARRAY, STRING, pair, tensor

_SIZES = {0: 1, 1: 1, 2: 2, 3: 2, 4: 4, 5: 4, 6: 4, 7: 1, 10: 8, 11: 8, 12: 8}
_Q8_BLOCK = 34
_ALIGNMENT = 32


def nan_words(source: Path, target: Path, tokens: tuple[int, ...]) -> Path:
    """``source`` (in Q8_0) with embeddings of ``tokens`` that are no numbers. The output gets weights of its own, so
    that only a text with one of these words shows it."""
    data = source.read_bytes()
    table = next(found for found in read_header(source)[0].tensors if found.name == "token_embd.weight")
    count, pairs = struct.unpack_from("<QQ", data, 8)
    at, start = _end_of_table(data), _end_of_header(data)
    weights = bytearray(data[start:] + bytes(-(len(data) - start) % _ALIGNMENT))
    added = tensor("output.weight", table.shape, table.type_id, len(weights))
    weights += weights[table.offset : table.offset + table.size]
    row = table.shape[0] // 32 * _Q8_BLOCK
    for token in tokens:
        first = table.offset + token * row
        for block in range(first, first + row, _Q8_BLOCK):
            weights[block : block + 2] = np.float16(np.nan).tobytes()
    head = data[:8] + struct.pack("<QQ", count + 1, pairs) + data[24:at] + added
    target.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + weights)
    return target


def with_setting(source: Path, target: Path, key: str, kind: int, value: Any) -> Path:
    """``source`` with another value of one setting."""
    data = source.read_bytes()
    tensors, pairs = struct.unpack_from("<QQ", data, 8)
    at, kept = 24, b""
    for _ in range(pairs):
        begin = at
        name, at = pair_at(data, at)
        if name != key.encode():
            kept += data[begin:at]
    end = at
    for _ in range(tensors):
        end = _tensor(data, end)
    head = data[:16] + struct.pack("<Q", pairs) + kept + pair(key, kind, value) + data[at:end]
    target.write_bytes(head + bytes(-len(head) % _ALIGNMENT) + data[_end_of_header(data) :])
    return target


def _end_of_header(data: bytes) -> int:
    at = _end_of_table(data)
    return at + -at % _ALIGNMENT


def _end_of_table(data: bytes) -> int:
    tensors, pairs = struct.unpack_from("<QQ", data, 8)
    at = 24
    for _ in range(pairs):
        at = pair_at(data, at)[1]
    for _ in range(tensors):
        at = _tensor(data, at)
    return at


def pair_at(data: bytes, at: int) -> tuple[bytes, int]:
    """The name of the setting at a place of a file, and where the next one begins."""
    name, at = _text(data, at)
    kind = struct.unpack_from("<I", data, at)[0]
    at += 4
    if kind != ARRAY:
        return name, _text(data, at)[1] if kind == STRING else at + _SIZES[kind]
    inner, items = struct.unpack_from("<IQ", data, at)
    at += 12
    if inner != STRING:
        return name, at + items * _SIZES[inner]
    for _ in range(items):
        at = _text(data, at)[1]
    return name, at


def _tensor(data: bytes, at: int) -> int:
    at = _text(data, at)[1]
    return at + 4 + 8 * struct.unpack_from("<I", data, at)[0] + 12


def _text(data: bytes, at: int) -> tuple[bytes, int]:
    length = struct.unpack_from("<Q", data, at)[0]
    return bytes(data[at + 8 : at + 8 + length]), at + 8 + length
