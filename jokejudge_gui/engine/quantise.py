"""Quantising of a model to Q8_0; same bytes as llama.cpp's own quantiser of files, which not every build has."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..core.errors import ModelError
from .gguf import TENSOR_TYPES, TensorInfo, read_header

_LATE = ("general.quantization_version", "general.file_type")
"""Settings that llama.cpp writes anew, and therefore at the end of the header."""
_QUANTISATION_VERSION, _FILE_TYPE, _UINT32 = 2, 7, 4  # of Q8_0
_ROWS_AT_ONCE = 4096
_Q8_0 = 8
_, _BLOCK, _BLOCK_BYTES = TENSOR_TYPES[_Q8_0]
"""Size of a block in weights and in bytes; tensors whose rows aren't whole blocks are not quantised."""
_LEFT = re.compile(
    r"_norm\.weight|ffn_gate_inp\.weight|ssm_conv1d|shortconv\.conv\.weight|time_mix_|position_embd|token_types|"
    r"altup|laurel|per_layer_model_proj|attn_rel_b"
)
"""Weights that llama.cpp doesn't quantise: small ones, and those that lose accuracy."""


def write_q8_0(source: Path, target: Path) -> None:
    """Write ``source`` in Q8_0 to ``target``: two-dimensional weights in Q8_0, the others as they are.

    Raises ``OSError``, and ``ModelError``: those of ``read_gguf``, and E_MODEL_QUANTIZE for a quantisation that
    llama.cpp doesn't read."""
    head, _ = read_header(source)
    settings = [span for name, span in head.spans.items() if name not in _LATE]
    tensors = sorted(head.tensors, key=lambda tensor: (_layer(tensor.name), tensor.name))
    with source.open("rb") as original, target.open("wb") as file:
        length = file.write(b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(settings) + len(_LATE)))
        for begin, end in settings:
            original.seek(begin)
            length += file.write(original.read(end - begin))
        length += file.write(_number(_LATE[0], _QUANTISATION_VERSION) + _number(_LATE[1], _FILE_TYPE))
        offset = 0
        for tensor in tensors:
            quantised = _is_quantised(tensor)
            size = tensor.elements // _BLOCK * _BLOCK_BYTES if quantised else tensor.size
            name = tensor.name.encode()
            length += file.write(struct.pack("<Q", len(name)) + name)
            kind, shape = _Q8_0 if quantised else tensor.type_id, tensor.shape
            length += file.write(struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, kind, offset))
            offset += size + -size % head.alignment
        file.write(b"\0" * (-length % head.alignment))
        for tensor in tensors:
            original.seek(head.data_start + tensor.offset)
            size = 0
            for rows in _rows(original, tensor):
                try:
                    written = _quantised(rows, tensor.type_id) if _is_quantised(tensor) else rows
                except ValueError as error:
                    sentence = f"The model {source} could not be turned into Q8_0."
                    raise ModelError("E_MODEL_QUANTIZE", sentence, "Use the file as it is.") from error
                size += file.write(written.tobytes())
            file.write(b"\0" * (-size % head.alignment))


def _rows(original: BinaryIO, tensor: TensorInfo) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the bytes of a tensor's rows: (up to ``_ROWS_AT_ONCE`` rows, bytes of a row)."""
    count = tensor.elements // tensor.shape[0]
    for begin in range(0, count, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, count - begin)
        yield np.frombuffer(original.read(rows * tensor.size // count), np.uint8).reshape(rows, -1)


def _quantised(rows: np.ndarray[Any, Any], type_id: int) -> np.ndarray[Any, Any]:
    from .llama_cpp import floats, in_q8_0

    return rows if type_id == _Q8_0 else in_q8_0(floats(rows, type_id))


def _is_quantised(tensor: TensorInfo) -> bool:
    whole = len(tensor.shape) > 1 and tensor.shape[0] % _BLOCK == 0
    return whole and tensor.name.endswith("weight") and _LEFT.search(tensor.name) is None


def _layer(name: str) -> int:
    layer = re.match(r"blk\.(\d+)\.", name)
    return int(layer[1]) if layer else -1


def _number(name: str, value: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<II", _UINT32, value)
