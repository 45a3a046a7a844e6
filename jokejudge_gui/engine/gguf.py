"""GGUF files: a strict, bounded reader of their headers, which reads a model's facts without loading it; and a writer.

llama.cpp ends the process on some damaged files, so counts, lengths, types and offsets are checked against the file's
real size before anything is read or allocated. The reader of the library ``gguf`` isn't used for this: a vocabulary of
49,000 words takes it some seconds, this one a thirtieth of one, and a list with a false length never ends in it.
"""

from __future__ import annotations

import math
import os
import re
import stat
import struct
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from ..core.errors import ModelError

_HEAD, _LARGEST_HEAD = 8 << 20, 64 << 20
"""Bytes in which nearly every header ends, and in which all do."""
_GET_ANOTHER = "Choose another file, or get a model with `jokejudge models get NAME`."
_MAX_KEYS, _MAX_TENSORS, _MAX_PARTS = 1 << 16, 1 << 17, 256
_MAX_KEY_LENGTH, _MAX_TENSOR_NAME = (1 << 16) - 1, 256
_SCALARS = {kind: struct.Struct(f"<{code}") for kind, code in zip((*range(8), 10, 11, 12), "BbHhIifBQqd", strict=True)}
_BOOL, _STRING, _ARRAY = 7, 8, 9
_U32, _U64 = struct.Struct("<I"), struct.Struct("<Q")
_PART_NAME = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)

TENSOR_TYPES = {
    0: ("F32", 1, 4), 1: ("F16", 1, 2), 2: ("Q4_0", 32, 18),
    3: ("Q4_1", 32, 20), 6: ("Q5_0", 32, 22), 7: ("Q5_1", 32, 24),
    8: ("Q8_0", 32, 34), 9: ("Q8_1", 32, 36), 10: ("Q2_K", 256, 84),
    11: ("Q3_K", 256, 110), 12: ("Q4_K", 256, 144), 13: ("Q5_K", 256, 176),
    14: ("Q6_K", 256, 210), 15: ("Q8_K", 256, 292), 16: ("IQ2_XXS", 256, 66),
    17: ("IQ2_XS", 256, 74), 18: ("IQ3_XXS", 256, 98), 19: ("IQ1_S", 256, 50),
    20: ("IQ4_NL", 32, 18), 21: ("IQ3_S", 256, 110), 22: ("IQ2_S", 256, 82),
    23: ("IQ4_XS", 256, 136), 24: ("I8", 1, 1), 25: ("I16", 1, 2),
    26: ("I32", 1, 4), 27: ("I64", 1, 8), 28: ("F64", 1, 8),
    29: ("IQ1_M", 256, 56), 30: ("BF16", 1, 2), 34: ("TQ1_0", 256, 54),
    35: ("TQ2_0", 256, 66), 39: ("MXFP4", 32, 17), 40: ("NVFP4", 64, 36),
    41: ("Q1_0", 128, 18), 42: ("Q2_0", 64, 18),
}  # fmt: skip

# Types that read prompts slowly on a CPU: neither repacked nor multiplied in tiles (Q4_1: 12 tokens per CPU second,
# compared with 41 of Q4_K, 32 of Q8_0 and 28 of Q5_0, on Qwen2.5-1.5B; Q5_1 is similar), or decoded through tables
# (most IQ types). Types that weren't measured aren't listed.
SLOW_TYPES = frozenset({3, 7, 16, 17, 18, 19, 21, 22, 29})

FILE_TYPES = {
    0: "F32", 1: "F16", 2: "Q4_0", 3: "Q4_1", 7: "Q8_0", 8: "Q5_0", 9: "Q5_1", 10: "Q2_K", 11: "Q3_K_S", 12: "Q3_K_M",
    13: "Q3_K_L", 14: "Q4_K_S", 15: "Q4_K_M", 16: "Q5_K_S", 17: "Q5_K_M", 18: "Q6_K", 19: "IQ2_XXS", 20: "IQ2_XS",
    21: "Q2_K_S", 22: "IQ3_XS", 23: "IQ3_XXS", 24: "IQ1_S", 25: "IQ4_NL", 26: "IQ3_S", 27: "IQ3_M", 28: "IQ2_S",
    29: "IQ2_M", 30: "IQ4_XS", 31: "IQ1_M", 32: "BF16", 36: "TQ1_0", 37: "TQ2_0", 38: "MXFP4", 39: "NVFP4", 40: "Q1_0",
    41: "Q2_0",
}  # fmt: skip

Value = int | float | bool | str | None


@dataclass(frozen=True)
class GgufFacts:
    """Facts in the header of a GGUF file. ``parameters``: number of weights; ``slow_kernels``: most of the weights have
    a quantisation for which llama.cpp has no fast prompt kernel on a CPU; ``size_bytes``: of all parts."""

    name: str
    architecture: str
    quantisation: str
    parameters: int
    size_bytes: int
    slow_kernels: bool


@dataclass(frozen=True)
class TensorInfo:
    """One row of the tensor table. ``shape`` has 1…4 dimensions; ``offset`` and ``size`` are bytes in the data."""

    name: str
    shape: tuple[int, ...]
    type_id: int
    offset: int
    size: int

    @property
    def elements(self) -> int:
        return math.prod(self.shape)


@dataclass
class Header:
    """The header of a file. ``values``: settings, None for lists; ``spans``: the bytes of a setting in the file, its
    name and type included (begin, end); ``data_start``: offset in bytes of the first tensor."""

    values: dict[str, Value] = field(default_factory=dict)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    tensors: list[TensorInfo] = field(default_factory=list)
    alignment: int = 32
    data_start: int = 0


def read_gguf(path: Path) -> GgufFacts:
    """Read and check the header of a GGUF file (and, of a model in parts, the headers of the other parts).

    Raises ``ModelError``: E_MODEL_MISSING, E_MODEL_UNREADABLE, E_MODEL_NOT_GGUF, E_MODEL_VERSION, E_MODEL_CORRUPT,
    E_MODEL_KIND (a projector, an adapter), E_MODEL_PARTS."""
    header, size = read_header(path)
    tensors = list(header.tensors)
    part_count = header.values.get("split.count")
    if isinstance(part_count, int) and part_count > 1:
        for other in _other_parts(path, header, part_count):
            part, part_size = read_header(other)
            tensors += part.tensors
            size += part_size
    return _facts(path, header, tensors, size)


class OutputMatrix:
    """The output matrix, which turns a final state into logits, with a row for each token of the vocabulary. Its rows
    are read from the file on demand."""

    def __init__(self, path: Path) -> None:
        """Open the matrix of a model file. Raises the errors of ``read_gguf``, and E_OUTPUT_MATRIX if the matrix isn't
        in this file."""
        header, _ = read_header(path)
        tensors = {tensor.name: tensor for tensor in header.tensors}
        # Small models often use their input matrix for the output too.
        tensor = tensors.get("output.weight", tensors.get("token_embd.weight"))
        if tensor is None or len(tensor.shape) != 2:
            raise ModelError("E_OUTPUT_MATRIX", f"{path} has no output matrix that can be read.", _GET_ANOTHER)
        self._type_id = tensor.type_id
        count = tensor.shape[1]
        self._raw = np.memmap(
            path, np.uint8, "r", header.data_start + tensor.offset, shape=(count, tensor.size // count)
        )

    def rows(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the rows of tokens: (tokens, embedding size)."""
        from .llama_cpp import floats

        return floats(self._raw[list(tokens)], self._type_id)


def unknown_architecture(path: str, log: str) -> ModelError | None:
    """Return the error for a model architecture that llama.cpp's ``log`` reports as unknown; None if it reports
    none."""
    named = re.search(r"unknown model architecture: '([^']*)'", log)
    if named is None:
        return None
    sentence = f"This program's llama.cpp doesn't know the model architecture “{named[1][:60]}” of {path}."
    return ModelError("E_MODEL_UNKNOWN_ARCHITECTURE", sentence, "Choose another model, or update JokeJudge.")


def bad_template(path: str, what: str) -> ModelError:
    """Return the error for a model whose chat template can't be used."""
    hint = "Choose another model, or a copy of this one with another template."
    return ModelError("E_MODEL_TEMPLATE", f"The chat template of {path} {what}.", hint)


def check_magic(path: Path) -> None:
    """Check quickly that a path is a regular file that begins like a GGUF model. Raises as ``read_gguf`` does."""
    with _opened(path):
        pass


_READ: dict[Path, tuple[tuple[int, ...], Header]] = {}
"""The last header read from each file, with values that change with its content: a vocabulary takes a tenth of a
second, and a start needs the header three times."""


def read_header(path: Path) -> tuple[Header, int]:
    """Return the checked header of one file and the file's size in bytes. Raises the errors of ``read_gguf``, except
    for those about the kind of model."""
    with _opened(path) as stream:
        try:
            status = os.fstat(stream.fileno())
            state = status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
            if path not in _READ or _READ[path][0] != state:
                _READ[path] = state, _header_of(path, stream, status.st_size)
            return _READ[path][1], status.st_size
        except OSError as error:
            raise ModelError("E_MODEL_UNREADABLE", f"{path} can't be read: {error}.", "Check the disk.") from error


def _opened(path: Path) -> BinaryIO:
    """Open a regular file that begins as a model does; never a pipe or a device, on which reading could block
    forever."""
    try:
        regular = stat.S_ISREG(path.stat().st_mode)
        stream = path.open("rb") if regular else None
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise ModelError("E_MODEL_MISSING", f"There is no file {path}.", _GET_ANOTHER) from error
    except OSError as error:
        sentence = f"{path} can't be read: {error.strerror or error}."
        raise ModelError("E_MODEL_UNREADABLE", sentence, "Check the file's permissions, or choose another.") from error
    if stream is None or stream.read(4) != b"GGUF":
        if stream is not None:
            stream.close()
        raise ModelError("E_MODEL_NOT_GGUF", f"{path} is not a GGUF model.", _GET_ANOTHER)
    return stream


def _header_of(path: Path, stream: BinaryIO, size: int) -> Header:
    for most in (_HEAD, _LARGEST_HEAD):
        stream.seek(0)
        data = stream.read(most)
        try:
            (version,) = _U32.unpack_from(data, 4)
            if version not in (2, 3):
                sentence = f"{path} has version {version} of the GGUF format, which this program doesn't read."
                raise ModelError("E_MODEL_VERSION", sentence, "Get a current GGUF version (2 or 3) of the model.")
            return _parsed(data, size)
        except (struct.error, OverflowError):
            if len(data) == size:
                break
        except ValueError:
            break
    raise ModelError(
        "E_MODEL_CORRUPT", f"{path} is damaged or cut off.", "Fetch the file again, or choose another model."
    )


def _parsed(data: bytes, size: int) -> Header:
    """Return the header at the beginning of a file of ``size`` bytes. Raises ``ValueError`` for an unsound one, and
    ``struct.error`` or ``OverflowError`` for one that goes on behind ``data``."""
    at = 24
    tensor_count, key_count = struct.unpack_from("<QQ", data, 8)
    if key_count > _MAX_KEYS or tensor_count > _MAX_TENSORS:
        raise ValueError
    header = Header()

    def number(form: struct.Struct) -> int:
        nonlocal at
        at += form.size
        return int(form.unpack_from(data, at - form.size)[0])

    def text(most: int = _LARGEST_HEAD) -> str:
        nonlocal at
        length = number(_U64)
        if length > most:
            raise ValueError
        at += length
        if at > len(data):
            raise struct.error
        return data[at - length : at].decode("utf-8", errors="replace")

    for _ in range(key_count):
        begin = at
        key, kind = text(_MAX_KEY_LENGTH), number(_U32)
        if not key or key in header.values:
            raise ValueError
        if kind == _STRING:
            header.values[key] = text()
        elif kind == _ARRAY:
            at = _behind_list(data, at)
            header.values[key] = None
        elif kind in _SCALARS:
            value = _SCALARS[kind].unpack_from(data, at)[0]
            at += _SCALARS[kind].size
            header.values[key] = bool(value) if kind == _BOOL else value
        else:
            raise ValueError
        header.spans[key] = begin, at
    for _ in range(tensor_count):
        name, dimensions = text(_MAX_TENSOR_NAME), number(_U32)
        if not 1 <= dimensions <= 4:
            raise ValueError
        shape = tuple(number(_U64) for _ in range(dimensions))
        type_id, offset, elements = number(_U32), number(_U64), math.prod(shape)
        _, block, block_bytes = TENSOR_TYPES.get(type_id, ("", 0, 0))
        if not block or not 1 <= elements < 1 << 62 or shape[0] % block:
            raise ValueError
        header.tensors.append(TensorInfo(name, shape, type_id, offset, elements // block * block_bytes))
    alignment = header.values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1) or alignment > 1 << 20:
        raise ValueError
    header.alignment, header.data_start = alignment, -(-at // alignment) * alignment
    names = {tensor.name for tensor in header.tensors}
    end = max((tensor.offset + tensor.size for tensor in header.tensors), default=0)
    unaligned = any(tensor.offset % alignment for tensor in header.tensors)
    if len(names) != len(header.tensors) or unaligned or header.data_start + end > size:
        raise ValueError
    return header


def _behind_list(data: bytes, at: int) -> int:
    """Return the end of a list, without calls for its texts: vocabularies have hundreds of thousands."""
    kind, count = struct.unpack_from("<IQ", data, at)
    at += 12
    if count > _LARGEST_HEAD or (kind != _STRING and kind not in _SCALARS):
        raise ValueError
    if kind != _STRING:
        return at + int(count) * _SCALARS[kind].size
    if count * 8 > len(data) - at:
        raise struct.error
    unpack = _U64.unpack_from
    for _ in range(count):
        at += 8 + unpack(data, at)[0]
    return at


def _other_parts(path: Path, header: Header, count: int) -> list[Path]:
    """Return the files of parts 2…n of a model in parts; ``path`` must be the first."""
    match = _PART_NAME.search(path.name)
    stem = path.name[: match.start()] if match is not None and count <= _MAX_PARTS else path.stem
    parts = [path.with_name(f"{stem}-{n:05d}-of-{count:05d}.gguf") for n in range(1, min(count, _MAX_PARTS) + 1)]
    if header.values.get("split.no") != 0 or parts[0].name != path.name:
        sentence = f"{path} is not the first of its model's {count} parts, by its name and content."
        raise ModelError("E_MODEL_PARTS", sentence, f"Choose the first one, under its name (such as {parts[0].name}).")
    if missing := [part.name for part in parts if not part.is_file()]:
        sentence = f"{path} is the first of {count} parts, and {missing[0]} is missing."
        raise ModelError("E_MODEL_PARTS", sentence, "Put all the parts into one folder.")
    return parts[1:]


def _facts(path: Path, header: Header, tensors: list[TensorInfo], size: int) -> GgufFacts:
    values = header.values
    architecture, kind = values.get("general.architecture"), values.get("general.type")
    if not isinstance(architecture, str) or not architecture or not tensors:
        what = "weights" if architecture else "architecture"
        raise ModelError("E_MODEL_CORRUPT", f"{path} names no {what}, so it can't be loaded.", _GET_ANOTHER)
    if architecture == "clip" or kind in ("mmproj", "adapter", "imatrix"):
        what = {"adapter": "an adapter", "imatrix": "a table of measurements"}.get(
            str(kind), "a projector for pictures"
        )
        raise ModelError("E_MODEL_KIND", f"{path} is {what}, not a language model.", "Choose the model itself.")
    weights: Counter[int] = Counter()
    for tensor in tensors:
        if len(tensor.shape) > 1:
            weights[tensor.type_id] += tensor.elements
    commonest = weights.most_common(1)[0][0] if weights else tensors[0].type_id
    file_type = values.get("general.file_type")
    stated = FILE_TYPES.get(file_type) if isinstance(file_type, int) else None
    return GgufFacts(
        name=_plain(values.get("general.name")) or path.stem,
        architecture=_plain(architecture),
        quantisation=stated or TENSOR_TYPES[commonest][0],
        parameters=sum(t.elements for t in tensors),
        size_bytes=size,
        slow_kernels=commonest in SLOW_TYPES,
    )


def _plain(value: Value) -> str:
    """Return a text from the file as one short printable line."""
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() else " " for c in value[:200]).strip()


# Quantising of a model to Q8_0: the same bytes as llama.cpp's own quantiser of files, which not every build has.

_LATE = ("general.quantization_version", "general.file_type")
"""Settings that llama.cpp writes anew, and therefore at the end of the header."""
_QUANTISATION_VERSION, _FILE_TYPE, _UINT32 = 2, 7, 4  # of Q8_0
_ROWS_AT_ONCE = 4096
_Q8_0, _BLOCK, _BLOCK_BYTES = 8, 32, 34
"""The number of Q8_0, and the size of its block in weights and in bytes; tensors whose rows aren't whole blocks are not
quantised."""
_LEFT = re.compile(
    r"_norm\.weight|ffn_gate_inp\.weight|ssm_conv1d|shortconv\.conv\.weight|time_mix_|position_embd|token_types|"
    r"altup|laurel|per_layer_model_proj|attn_rel_b"
)
"""Weights that llama.cpp doesn't quantise: small ones, and those that lose accuracy."""


def write_q8_0(source: Path, target: Path) -> None:
    """Write ``source`` in Q8_0 to ``target``: two-dimensional weights in Q8_0, the others as they are.

    Raises ``OSError``, and ``ModelError``: those of ``read_gguf``, and E_MODEL_QUANTIZE for a quantisation that
    llama.cpp doesn't read."""
    from .llama_cpp import floats, in_q8_0

    head, _ = read_header(source)
    settings = [span for name, span in head.spans.items() if name not in _LATE]
    layers = {tensor.name: re.match(r"blk\.(\d+)\.", tensor.name) for tensor in head.tensors}
    layer = {name: int(match[1]) if match else -1 for name, match in layers.items()}
    tensors = sorted(head.tensors, key=lambda tensor: (layer[tensor.name], tensor.name))
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
                    if _is_quantised(tensor) and tensor.type_id != _Q8_0:
                        rows = in_q8_0(floats(rows, tensor.type_id))
                except ValueError as error:
                    sentence = f"The model {source} could not be turned into Q8_0."
                    raise ModelError("E_MODEL_QUANTIZE", sentence, "Use the file as it is.") from error
                size += file.write(rows.tobytes())
            file.write(b"\0" * (-size % head.alignment))


def _rows(original: BinaryIO, tensor: TensorInfo) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the bytes of a tensor's rows: (up to ``_ROWS_AT_ONCE`` rows, bytes of a row)."""
    count = tensor.elements // tensor.shape[0]
    for begin in range(0, count, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, count - begin)
        yield np.frombuffer(original.read(rows * tensor.size // count), np.uint8).reshape(rows, -1)


def _is_quantised(tensor: TensorInfo) -> bool:
    whole = len(tensor.shape) > 1 and tensor.shape[0] % _BLOCK == 0
    return whole and tensor.name.endswith("weight") and _LEFT.search(tensor.name) is None


def _number(name: str, value: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<II", _UINT32, value)
