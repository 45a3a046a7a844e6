"""A strict, bounded reader of GGUF headers, which reads a model file's facts without loading it.

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
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from ..core.errors import ModelError

# A cursor over the head of a GGUF file that never reads, allocates or waits without bounds.

HEADER_LIMIT = 64 << 20
GET_ANOTHER = "Choose another file, or get a model with `jokejudge models get NAME`."
FETCH_AGAIN = "Fetch the file again: the download or copy was probably cut off."
_MAGIC = b"GGUF"
_CHUNK = 1 << 20
_MAX_ARRAY_STRINGS = 1 << 22
_U32 = struct.Struct("<I")
_U64 = struct.Struct("<Q")


@contextmanager
def opened(path: Path) -> Iterator[tuple[BinaryIO, int]]:
    """Open a regular file and yield it with its size; never a pipe or a device, on which reading could block
    forever."""
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            what = "a folder, not a GGUF model" if stat.S_ISDIR(status.st_mode) else "not a regular file"
            raise ModelError("E_MODEL_NOT_GGUF", f"{path} is {what}.", "Choose a .gguf file.")
        stream = path.open("rb")
    except (FileNotFoundError, NotADirectoryError, ValueError) as error:
        raise ModelError("E_MODEL_MISSING", f"There is no file {path}.", GET_ANOTHER) from error
    except OSError as error:
        raise ModelError(
            "E_MODEL_UNREADABLE",
            f"{path} can't be read: {error.strerror or error}.",
            "Check the file's permissions, or choose another.",
        ) from error
    with stream:
        yield stream, status.st_size


def check_start(path: Path, start: bytes, size: int) -> None:
    if size == 0:
        raise ModelError("E_MODEL_EMPTY", f"{path} is empty.", FETCH_AGAIN)
    if start[:4] == _MAGIC:
        return
    if start.startswith(b"version https://git-lfs"):
        raise ModelError(
            "E_MODEL_NOT_GGUF", f"{path} is a Git LFS pointer, not the model itself.", "Fetch the file it points to."
        )
    if start.lstrip()[:1] == b"<" and re.match(rb"\s*<(!doctype|html)", start, re.IGNORECASE):
        raise ModelError("E_MODEL_NOT_GGUF", f"{path} is a web page, not a GGUF model.", FETCH_AGAIN)
    raise ModelError("E_MODEL_NOT_GGUF", f"{path} is not a GGUF model.", GET_ANOTHER)


class Reader:
    """A cursor over the head of a file that reads ahead in blocks and never past its bounds."""

    def __init__(self, path: Path, stream: BinaryIO, size: int) -> None:
        self.path = path
        self.size = size
        self.position = 0
        self.buffer = bytearray()
        self._stream = stream

    def corrupt(self, what: str) -> NoReturn:
        raise ModelError("E_MODEL_CORRUPT", f"{self.path} is damaged: {what}.", FETCH_AGAIN)

    def truncated(self) -> NoReturn:
        raise ModelError("E_MODEL_TRUNCATED", f"{self.path} is cut off: it ends before its content does.", FETCH_AGAIN)

    def need(self, count: int) -> int:
        """Make ``count`` bytes at the cursor readable; return their start and move the cursor past them."""
        start = self.position
        end = start + count
        if end > HEADER_LIMIT:
            self.corrupt("its header is larger than that of any model")
        while len(self.buffer) < end:
            block = self._stream.read(max(_CHUNK, end - len(self.buffer)))
            if not block:
                self.truncated()
            self.buffer += block
        self.position = end
        return start

    def u32(self) -> int:
        return int(_U32.unpack_from(self.buffer, self.need(4))[0])

    def u64(self) -> int:
        return int(_U64.unpack_from(self.buffer, self.need(8))[0])

    def text(self, most: int, what: str) -> str:
        length = self.u64()
        if length > most:
            self.corrupt(f"{what} is {length} bytes long")
        start = self.need(length)
        return self.buffer[start : start + length].decode("utf-8", errors="replace")

    def skip_texts(self, count: int) -> None:
        """Skip ``count`` strings; written without calls because vocabularies have hundreds of thousands."""
        if count > _MAX_ARRAY_STRINGS:
            self.corrupt(f"a list has {count} texts")
        if count * 8 > self.size - self.position:
            self.truncated()
        position, buffered, unpack = self.position, len(self.buffer), _U64.unpack_from
        for _ in range(count):
            if position + 8 > buffered:
                self.position = position
                self.need(8)
                buffered = len(self.buffer)
            length = unpack(self.buffer, position)[0]
            position += 8 + length
            if position > buffered:
                if length > HEADER_LIMIT:
                    self.corrupt(f"a text is {length} bytes long")
                self.position = position - length
                self.need(length)
                buffered = len(self.buffer)
        self.position = position


# Tables of the GGUF format: layouts of tensor types, names of file types.


class TensorType(NamedTuple):
    """A tensor type: ``block`` weights take ``block_bytes`` bytes."""

    name: str
    block: int
    block_bytes: int


TENSOR_TYPES = {
    0: TensorType("F32", 1, 4), 1: TensorType("F16", 1, 2), 2: TensorType("Q4_0", 32, 18),
    3: TensorType("Q4_1", 32, 20), 6: TensorType("Q5_0", 32, 22), 7: TensorType("Q5_1", 32, 24),
    8: TensorType("Q8_0", 32, 34), 9: TensorType("Q8_1", 32, 36), 10: TensorType("Q2_K", 256, 84),
    11: TensorType("Q3_K", 256, 110), 12: TensorType("Q4_K", 256, 144), 13: TensorType("Q5_K", 256, 176),
    14: TensorType("Q6_K", 256, 210), 15: TensorType("Q8_K", 256, 292), 16: TensorType("IQ2_XXS", 256, 66),
    17: TensorType("IQ2_XS", 256, 74), 18: TensorType("IQ3_XXS", 256, 98), 19: TensorType("IQ1_S", 256, 50),
    20: TensorType("IQ4_NL", 32, 18), 21: TensorType("IQ3_S", 256, 110), 22: TensorType("IQ2_S", 256, 82),
    23: TensorType("IQ4_XS", 256, 136), 24: TensorType("I8", 1, 1), 25: TensorType("I16", 1, 2),
    26: TensorType("I32", 1, 4), 27: TensorType("I64", 1, 8), 28: TensorType("F64", 1, 8),
    29: TensorType("IQ1_M", 256, 56), 30: TensorType("BF16", 1, 2), 34: TensorType("TQ1_0", 256, 54),
    35: TensorType("TQ2_0", 256, 66), 39: TensorType("MXFP4", 32, 17), 40: TensorType("NVFP4", 64, 36),
    41: TensorType("Q1_0", 128, 18), 42: TensorType("Q2_0", 64, 18),
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


_MAX_KEYS = 1 << 16
_MAX_TENSORS = 1 << 17
_MAX_KEY_LENGTH = (1 << 16) - 1
_MAX_TENSOR_NAME = 256
_MAX_PARTS = 256
_SCALARS = {kind: struct.Struct(f"<{code}") for kind, code in zip((*range(8), 10, 11, 12), "BbHhIifBQqd", strict=True)}
_BOOL, _STRING, _ARRAY = 7, 8, 9
_PART_NAME = re.compile(r"-(\d{5})-of-(\d{5})\.gguf$", re.IGNORECASE)

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

    Raises ``ModelError``: E_MODEL_MISSING, E_MODEL_UNREADABLE, E_MODEL_EMPTY, E_MODEL_NOT_GGUF, E_MODEL_VERSION,
    E_MODEL_TRUNCATED, E_MODEL_CORRUPT, E_MODEL_KIND (a projector, an adapter), E_MODEL_PARTS."""
    header, size = read_header(path)
    sizes = [size]
    tensors = list(header.tensors)
    part_count = header.values.get("split.count")
    if isinstance(part_count, int) and part_count > 1:
        for other in _other_parts(path, header, part_count):
            part, part_size = read_header(other)
            tensors += part.tensors
            sizes.append(part_size)
    return _facts(path, header, tensors, sum(sizes))


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
            raise ModelError("E_OUTPUT_MATRIX", f"{path} has no output matrix that can be read.", GET_ANOTHER)
        self._type = TENSOR_TYPES[tensor.type_id]
        self._type_id = tensor.type_id
        count = tensor.shape[1]
        self._raw = np.memmap(
            path, np.uint8, "r", header.data_start + tensor.offset, shape=(count, tensor.size // count)
        )

    def rows(self, tokens: Sequence[int]) -> npt.NDArray[np.float32]:
        """Return the rows of tokens: (tokens, embedding size)."""
        raw = np.ascontiguousarray(self._raw[list(tokens)])
        if self._type.name == "Q8_0":  # as ``floats`` does, for tests without a llama.cpp
            blocks = raw.reshape(len(raw), -1, self._type.block_bytes)
            scale = blocks[:, :, :2].copy().view(np.float16).astype(np.float32)
            return np.asarray((blocks[:, :, 2:].view(np.int8) * scale).reshape(len(raw), -1), np.float32)
        from .llama_cpp import floats

        return floats(raw, self._type_id)


def unknown_architecture(path: str, log: str) -> ModelError | None:
    """Return the error for a model architecture that llama.cpp's ``log`` reports as unknown; None if it reports
    none."""
    named = re.search(r"unknown model architecture: '([^']*)'", log)
    if named is None:
        return None
    return ModelError(
        "E_MODEL_UNKNOWN_ARCHITECTURE",
        f"This program's llama.cpp doesn't know the model architecture “{named[1][:60]}” of {path}.",
        "Choose another model, or update JokeJudge.",
    )


def check_magic(path: Path) -> None:
    """Check quickly that a path is a regular file that begins like a GGUF model. Raises as ``read_gguf`` does."""
    with opened(path) as (stream, size):
        check_start(path, stream.read(4096), size)


_READ: dict[Path, tuple[tuple[int, ...], Header]] = {}
"""The last header read from each file, with values that change with its content: a vocabulary takes a tenth of a
second, and a start needs the header three times."""


def read_header(path: Path) -> tuple[Header, int]:
    """Return the checked header of one file and the file's size in bytes. Raises the errors of ``read_gguf``, except
    for those about the kind of model."""
    with opened(path) as (stream, size):
        try:
            status = os.fstat(stream.fileno())
            state = status.st_dev, status.st_ino, size, status.st_mtime_ns, status.st_ctime_ns
            if path not in _READ or _READ[path][0] != state:
                _READ[path] = state, _header_of(path, stream, size)
            return _READ[path][1], size
        except OSError as error:
            raise ModelError("E_MODEL_UNREADABLE", f"{path} can't be read: {error}.", "Check the disk.") from error


def _header_of(path: Path, stream: BinaryIO, size: int) -> Header:
    reader = Reader(path, stream, size)
    start = stream.read(4096)
    reader.buffer += start
    check_start(path, start, size)
    reader.position = 4
    version = reader.u32()
    if version not in (2, 3):
        sentence = f"{path} has version {version} of the GGUF format, which this program doesn't read."
        raise ModelError("E_MODEL_VERSION", sentence, "Get a current GGUF version (2 or 3) of the model.")
    tensor_count, key_count = reader.u64(), reader.u64()
    if key_count > _MAX_KEYS or tensor_count > _MAX_TENSORS:
        reader.corrupt(f"it claims {key_count} settings and {tensor_count} tensors")
    header = Header()
    for _ in range(key_count):
        _read_pair(reader, header)
    for _ in range(tensor_count):
        header.tensors.append(_read_tensor(reader))
    _check_layout(reader, header)
    return header


def _read_pair(reader: Reader, header: Header) -> None:
    begin = reader.position
    key = reader.text(_MAX_KEY_LENGTH, "a setting's name")
    if not key or key in header.values:
        reader.corrupt("a setting has no name" if not key else f"the setting {key[:60]!r} appears twice")
    kind = reader.u32()
    if kind == _STRING:
        header.values[key] = reader.text(HEADER_LIMIT, "a text")
    elif kind == _ARRAY:
        _skip_array(reader)
        header.values[key] = None
    else:
        header.values[key] = _read_scalar(reader, kind)
    header.spans[key] = begin, reader.position


def _read_scalar(reader: Reader, kind: int) -> int | float | bool:
    form = _SCALARS.get(kind)
    if form is None:
        reader.corrupt(f"a setting has the unknown type {kind}")
    value: int | float = form.unpack_from(reader.buffer, reader.need(form.size))[0]
    return bool(value) if kind == _BOOL else value


def _skip_array(reader: Reader) -> None:
    kind, count = reader.u32(), reader.u64()
    if kind == _STRING:
        reader.skip_texts(count)
        return
    form = _SCALARS.get(kind)
    if form is None:
        reader.corrupt(f"a list has the unknown type {kind}")
    if count > HEADER_LIMIT:
        reader.corrupt(f"a list has {count} entries")
    reader.need(count * form.size)


def _read_tensor(reader: Reader) -> TensorInfo:
    name = reader.text(_MAX_TENSOR_NAME, "a tensor's name")
    dimensions = reader.u32()
    if not 1 <= dimensions <= 4:
        reader.corrupt(f"a tensor has {dimensions} dimensions")
    shape = tuple(reader.u64() for _ in range(dimensions))
    type_id, offset = reader.u32(), reader.u64()
    layout = TENSOR_TYPES.get(type_id)
    if layout is None:
        reader.corrupt(f"a tensor has the unknown type {type_id}")
    elements = math.prod(shape)
    if not 1 <= elements < 1 << 62 or shape[0] % layout.block:
        reader.corrupt(f"a tensor has the impossible shape {shape}")
    return TensorInfo(name, shape, type_id, offset, elements // layout.block * layout.block_bytes)


def _check_layout(reader: Reader, header: Header) -> None:
    """Check that every tensor is aligned and inside the file."""
    alignment = header.values.get("general.alignment", 32)
    if not isinstance(alignment, int) or alignment < 1 or alignment & (alignment - 1) or alignment > 1 << 20:
        reader.corrupt("its alignment is impossible")
    if len({t.name for t in header.tensors}) != len(header.tensors):
        reader.corrupt("a tensor appears twice")
    if any(t.offset % alignment for t in header.tensors):
        reader.corrupt("a tensor isn't aligned")
    header.alignment = alignment
    data_start = -(-reader.position // alignment) * alignment
    header.data_start = data_start
    if header.tensors and data_start + max(t.offset + t.size for t in header.tensors) > reader.size:
        reader.truncated()


def _other_parts(path: Path, header: Header, count: int) -> list[Path]:
    """Return the files of parts 2…n of a model in parts; ``path`` must be the first."""
    match = _PART_NAME.search(path.name)
    if count > _MAX_PARTS or match is None:
        raise ModelError(
            "E_MODEL_PARTS",
            f"{path} is one of {count} parts of a model, but its name doesn't say which.",
            "Give the parts their names back (NAME-00001-of-0000N.gguf).",
        )
    stem = path.name[: match.start()]
    names = [f"{stem}-{n:05d}-of-{count:05d}.gguf" for n in range(1, count + 1)]
    if header.values.get("split.no") != 0:
        raise ModelError("E_MODEL_PARTS", f"{path} is not the first part of its model.", f"Choose {names[0]}.")
    missing = [name for name in names[1:] if not path.with_name(name).is_file()]
    if missing:
        raise ModelError(
            "E_MODEL_PARTS",
            f"{path} is the first of {count} parts, and {missing[0]} is missing.",
            "Put all the parts into one folder.",
        )
    return [path.with_name(name) for name in names[1:]]


def _facts(path: Path, header: Header, tensors: list[TensorInfo], size: int) -> GgufFacts:
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
        size_bytes=size,
        slow_kernels=commonest in SLOW_TYPES,
    )


def _plain(value: Value) -> str:
    """Return a text from the file as one short printable line."""
    if not isinstance(value, str):
        return ""
    return "".join(c if c.isprintable() else " " for c in value[:200]).strip()
