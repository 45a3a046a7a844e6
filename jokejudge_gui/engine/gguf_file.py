"""A strict, bounded reader of GGUF headers: what a model file says of itself, found without loading it.

llama.cpp ends the process on some damaged files, so everything here is pure Python: counts, lengths, types and
offsets are checked against the file's real size before anything is read or allocated.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from ..errors import ModelError
from .gguf_reader import GET_ANOTHER, HEADER_LIMIT, Opened, Reader, check_start
from .gguf_types import FILE_TYPES, SLOW_TYPES, TENSOR_TYPES

_MAX_KEYS = 1 << 16
_MAX_TENSORS = 1 << 17
_MAX_KEY_LENGTH = (1 << 16) - 1
_MAX_TENSOR_NAME = 256
_MAX_PARTS = 256
_KEPT_ARRAY = 1024
_SCALARS = {
    0: struct.Struct("<B"),
    1: struct.Struct("<b"),
    2: struct.Struct("<H"),
    3: struct.Struct("<h"),
    4: struct.Struct("<I"),
    5: struct.Struct("<i"),
    6: struct.Struct("<f"),
    7: struct.Struct("<B"),
    10: struct.Struct("<Q"),
    11: struct.Struct("<q"),
    12: struct.Struct("<d"),
}
_BOOL, _STRING, _ARRAY = 7, 8, 9
_PART_NAME = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)

Value = int | float | bool | str | list[int | float | bool] | None


@dataclass(frozen=True)
class GgufFacts:
    """What a GGUF file says of itself.

    ``parameters``: number of weights; ``context_length``: tokens it was trained for (0: not said);
    ``head_count_kv``: the most in any layer; ``sliding_window``: tokens, or None; ``slow_kernels``: most of the
    weights have a quantisation for which llama.cpp has no fast prompt kernel on a CPU; ``size_bytes``: of all parts.
    """

    name: str
    architecture: str
    quantisation: str
    parameters: int
    context_length: int
    embedding_length: int
    block_count: int
    head_count_kv: int
    has_chat_template: bool
    sliding_window: int | None
    size_bytes: int
    vocab_size: int
    slow_kernels: bool
    parts: int = 1


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
        count = 1
        for dimension in self.shape:
            count *= dimension
        return count


@dataclass
class _Header:
    values: dict[str, Value] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)
    tensors: list[TensorInfo] = field(default_factory=list)


def read_gguf(path: Path) -> GgufFacts:
    """Read and check the header of a GGUF file (and, of a model in parts, the headers of the other parts).

    Raises ``ModelError``: E_MODEL_MISSING, E_MODEL_UNREADABLE, E_MODEL_EMPTY, E_MODEL_NOT_GGUF, E_MODEL_VERSION,
    E_MODEL_TRUNCATED, E_MODEL_CORRUPT, E_MODEL_KIND (a projector, an adapter), E_MODEL_PARTS."""
    header, size = _read_header(path)
    sizes = [size]
    tensors = list(header.tensors)
    part_count = _whole(header.values.get("split.count"))
    if part_count > 1:
        for other in _other_parts(path, header, part_count):
            part, part_size = _read_header(other)
            tensors += part.tensors
            sizes.append(part_size)
    return _facts(path, header, tensors, sum(sizes), max(part_count, 1))


def read_tensors(path: Path) -> tuple[TensorInfo, ...]:
    """The tensor table of one file. Raises the same errors as ``read_gguf``."""
    return tuple(_read_header(path)[0].tensors)


def check_magic(path: Path) -> None:
    """The quick check: a regular file that begins like a GGUF model. Raises as ``read_gguf`` does."""
    with Opened(path) as (stream, size):
        check_start(path, stream.read(4096), size)


def _read_header(path: Path) -> tuple[_Header, int]:
    with Opened(path) as (stream, size):
        reader = Reader(path, stream, size)
        try:
            start = stream.read(4096)
        except OSError as error:
            raise ModelError("E_MODEL_UNREADABLE", f"{path} can't be read: {error}.", "Check the disk.") from error
        reader.buffer += start
        check_start(path, start, size)
        reader.position = 4
        version = reader.u32()
        if version not in (2, 3):
            _refuse_version(path, version)
        tensor_count, key_count = reader.u64(), reader.u64()
        if key_count > _MAX_KEYS or tensor_count > _MAX_TENSORS:
            reader.corrupt(f"it claims {key_count} settings and {tensor_count} tensors")
        try:
            header = _Header()
            for _ in range(key_count):
                _read_pair(reader, header)
            for _ in range(tensor_count):
                header.tensors.append(_read_tensor(reader))
            _check_layout(reader, header)
        except OSError as error:
            raise ModelError("E_MODEL_UNREADABLE", f"{path} can't be read: {error}.", "Check the disk.") from error
        return header, size


def _refuse_version(path: Path, version: int) -> NoReturn:
    if version == 1:
        what = "has version 1 of the GGUF format, which is too old"
    elif version and version & 0xFFFF == 0:
        what = "is a GGUF model for big-endian machines"
    else:
        what = f"has version {version} of the GGUF format, which this program doesn't know"
    raise ModelError("E_MODEL_VERSION", f"{path} {what}.", "Get a current GGUF version (2 or 3) of the model.")


def _read_pair(reader: Reader, header: _Header) -> None:
    key = reader.text(_MAX_KEY_LENGTH, "a setting's name")
    if not key or key in header.values:
        reader.corrupt("a setting has no name" if not key else f"the setting {key[:60]!r} stands there twice")
    kind = reader.u32()
    if kind == _STRING:
        header.values[key] = reader.text(HEADER_LIMIT, "a text")
    elif kind == _ARRAY:
        header.values[key] = _read_array(reader, header, key)
    else:
        header.values[key] = _read_scalar(reader, kind)


def _read_scalar(reader: Reader, kind: int) -> int | float | bool:
    form = _SCALARS.get(kind)
    if form is None:
        reader.corrupt(f"a setting has the unknown type {kind}")
    value: int | float = form.unpack_from(reader.buffer, reader.need(form.size))[0]
    return bool(value) if kind == _BOOL else value


def _read_array(reader: Reader, header: _Header, key: str) -> list[int | float | bool] | None:
    kind, count = reader.u32(), reader.u64()
    header.counts[key] = count
    if kind == _STRING:
        reader.skip_texts(count)
        return None
    form = _SCALARS.get(kind)
    if form is None:
        reader.corrupt(f"a list has the unknown type {kind}")
    if count > HEADER_LIMIT:
        reader.corrupt(f"a list has {count} entries")
    if count <= _KEPT_ARRAY:
        return [_read_scalar(reader, kind) for _ in range(count)]
    reader.need(count * form.size)
    return None


def _read_tensor(reader: Reader) -> TensorInfo:
    name = reader.text(_MAX_TENSOR_NAME, "a tensor's name")
    dimensions = reader.u32()
    if not 1 <= dimensions <= 4:
        reader.corrupt(f"a tensor has {dimensions} dimensions")
    shape = tuple(reader.u64() for _ in range(dimensions))
    type_id, offset = reader.u32(), reader.u64()
    known = TENSOR_TYPES.get(type_id)
    if known is None:
        reader.corrupt(f"a tensor has the unknown type {type_id}")
    elements = 1
    for dimension in shape:
        elements *= dimension
    if not 1 <= elements < 1 << 62 or shape[0] % known.block:
        reader.corrupt(f"a tensor has the impossible shape {shape}")
    return TensorInfo(name, shape, type_id, offset, elements // known.block * known.block_bytes)


def _check_layout(reader: Reader, header: _Header) -> None:
    """Every tensor lies on the alignment and inside the file."""
    alignment = header.values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1) or alignment > 1 << 20:
        reader.corrupt("its alignment is impossible")
    if len({t.name for t in header.tensors}) != len(header.tensors):
        reader.corrupt("a tensor stands there twice")
    if any(t.offset % alignment for t in header.tensors):
        reader.corrupt("a tensor is out of line")
    data_start = -(-reader.position // alignment) * alignment
    if header.tensors and data_start + max(t.offset + t.size for t in header.tensors) > reader.size:
        reader.truncated()


def _other_parts(path: Path, header: _Header, count: int) -> list[Path]:
    """The files of parts 2…n of a model in parts; ``path`` must be the first."""
    match = _PART_NAME.search(path.name)
    if count > _MAX_PARTS or match is None:
        raise ModelError(
            "E_MODEL_PARTS",
            f"{path} is one of {count} parts of a model, but its name doesn't say which.",
            "Give the parts their names back (NAME-00001-of-0000N.gguf).",
        )
    stem = path.name[: match.start()]
    names = [f"{stem}-{n:05d}-of-{count:05d}.gguf" for n in range(1, count + 1)]
    if _whole(header.values.get("split.no")) != 0:
        raise ModelError("E_MODEL_PARTS", f"{path} is not the first part of its model.", f"Choose {names[0]}.")
    missing = [name for name in names[1:] if not path.with_name(name).is_file()]
    if missing:
        raise ModelError(
            "E_MODEL_PARTS",
            f"{path} is the first of {count} parts, and {missing[0]} is missing.",
            "Put all the parts into one folder.",
        )
    return [path.with_name(name) for name in names[1:]]


def _facts(path: Path, header: _Header, tensors: list[TensorInfo], size: int, parts: int) -> GgufFacts:
    values = header.values
    architecture = values.get("general.architecture")
    if not isinstance(architecture, str) or not architecture:
        raise ModelError("E_MODEL_CORRUPT", f"{path} doesn't say which kind of model it is.", GET_ANOTHER)
    kind = values.get("general.type")
    if architecture == "clip" or kind in ("mmproj", "adapter", "imatrix"):
        what = {"adapter": "an adapter", "imatrix": "a table of measurements"}.get(
            str(kind), "a projector for pictures"
        )
        raise ModelError("E_MODEL_KIND", f"{path} is {what}, not a language model.", "Choose the model itself.")
    if not tensors:
        raise ModelError("E_MODEL_CORRUPT", f"{path} has no weights in it.", GET_ANOTHER)

    def number(key: str) -> int:
        return _whole(values.get(f"{architecture}.{key}"))

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
        quantisation=stated or TENSOR_TYPES[commonest].name,
        parameters=sum(t.elements for t in tensors),
        context_length=number("context_length"),
        embedding_length=number("embedding_length"),
        block_count=number("block_count"),
        head_count_kv=number("attention.head_count_kv") or number("attention.head_count"),
        has_chat_template=bool(values.get("tokenizer.chat_template")),
        sliding_window=number("attention.sliding_window") or None,
        size_bytes=size,
        vocab_size=number("vocab_size") or header.counts.get("tokenizer.ggml.tokens", 0),
        slow_kernels=commonest in SLOW_TYPES,
        parts=parts,
    )


def _whole(value: Value) -> int:
    """A count out of a setting: the most in a list with one entry for each layer; 0 for anything else."""
    if isinstance(value, list):
        return max((_whole(item) for item in value), default=0)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        return 0
    return value


def _plain(value: Value) -> str:
    """A text from the file as one short printable line."""
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() else " " for c in value[:200]).strip()
