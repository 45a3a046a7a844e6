"""Files of heads (NumPy's npz, no pickles), which a damaged or malicious file can't harm: it only raises an error.

Each sort of heads is a ``Head``, which defines the arrays of its file (``Part``) and its metadata (``Meta``). Reading,
checking, writing and finding files are the same for all.
"""

from __future__ import annotations

import json
import lzma
import math
import re
import struct
import zipfile
import zlib
from abc import ABC, abstractmethod
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar, Generic, Literal, Self, TypeVar

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.errors import damaged
from ..core.files import read_json
from ..core.statistics import Vector

FORMAT = 1
MOST_BYTES = 20 * 10**6
_MOST_PARTS = 64
_MOST_CARD = 1 << 20
_HEADER = re.compile(
    rb"\{'descr': '([<>|=]?[fu][1248])', 'fortran_order': (True|False), 'shape': \(([0-9, ]{0,80})\), \} *\n"
)
"""NumPy's header of an array of plain numbers. NumPy's own reader would evaluate the header's text."""
# Exceptions of reading a damaged or malicious archive; RuntimeError: encrypted, an unknown compression, or nested too
# deeply; AttributeError and the like: a value of an unexpected type or shape.
DAMAGE = (
    OSError,
    ValueError,
    LookupError,
    TypeError,
    AttributeError,
    EOFError,
    RuntimeError,
    ArithmeticError,
    MemoryError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
)
_MIDDLE = 128.0
"""Offset of arrays that are stored as bytes: value = (byte − 128) · step of its column."""
Array = npt.NDArray[Any]
Share = Annotated[float, Field(ge=0.0, le=1.0)]


class Strict(BaseModel):
    """Base of data from untrusted files; unknown fields are ignored."""

    model_config = ConfigDict(strict=True, frozen=True, allow_inf_nan=False, defer_build=True)


class Meta(Strict):
    """Metadata in a file of heads."""

    format: Literal[1]
    model_sha256: Annotated[str, Field(pattern="^[0-9a-f]{64}$")]


@dataclass(frozen=True)
class Part:
    """One array. ``stored``: its type in the file, a float (f2, f4, f8) or integers (u2, u4); u1: floats as bytes, with
    the step of each column in an additional array. No number is larger than ``most`` in absolute value; with ``above``
    each is greater than that."""

    shape: tuple[int, ...]
    stored: str = "f4"
    most: float = math.inf
    above: float | None = None


Parts = Mapping[str, Part]
_M = TypeVar("_M", bound=Meta)


class Head(ABC, Generic[_M]):
    """Heads for one model, in the file ``<16 digits of its hash>.npz``."""

    model_sha256: str
    meta_type: ClassVar[type[Meta]]
    most_bytes: ClassVar[int] = MOST_BYTES
    lost: ClassVar[str]
    """What verdicts lack where the file is damaged."""

    @abstractmethod
    def __init__(self, meta: dict[str, Any], arrays: dict[str, Vector]) -> None: ...

    @classmethod
    @abstractmethod
    def parts(cls, meta: _M, raw: Mapping[str, Array]) -> Parts:
        """Return the parts of a file, from its metadata and the sizes of some of its arrays. Raises ``ValueError`` if
        these are invalid, ``KeyError`` if one is missing."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
        try:
            said, raw = read_archive(path, cls.most_bytes)
            meta = cls._meta(said)
            return cls(meta.model_dump(), _checked(raw, cls.parts(meta, raw)))
        except DAMAGE as error:
            raise damaged(path, error, cls.lost) from error

    @classmethod
    def find(cls, sha256: str, *folders: Path) -> Self | None:
        """Return the heads for the model with this hash, from the first folder that has a file; None without one.
        Raises as ``load`` does."""
        for folder in folders:
            path = folder / f"{sha256[:16]}.npz"
            if path.is_file():
                head = cls.load(path)
                if head.model_sha256 == sha256:
                    return head
        return None

    @classmethod
    def write(cls, stream: IO[bytes], said: Mapping[str, Any], arrays: Mapping[str, Vector]) -> None:
        """Write heads to a file. Raises ``ValueError`` or ``KeyError`` if they couldn't be read again."""
        text = json.dumps(said, sort_keys=True).encode("utf-8")
        parts = cls.parts(cls._meta(text), arrays)
        raw: dict[str, Array] = {}
        for name, part in parts.items():
            if name not in arrays:
                continue
            values = np.ascontiguousarray(arrays[name])
            if part.stored == "u1":
                step = np.maximum(np.abs(values).max(axis=0), 1e-12) / 127.0
                values = np.clip(np.rint(values / step) + _MIDDLE, 1, 255)
                raw[f"{name}_step"] = step.astype(np.float32)
            raw[name] = values.astype(part.stored)
        _checked(raw, parts)
        if not all(np.isfinite(values).all() for values in raw.values()):
            raise ValueError("a number isn't finite")
        np.savez_compressed(stream, allow_pickle=False, meta=np.frombuffer(text, np.uint8), **raw)

    @classmethod
    def _meta(cls, said: bytes | None) -> _M:
        if said is None:
            raise ValueError("it doesn't say what it is")
        try:
            return cls.meta_type.model_validate_json(said)  # type: ignore[return-value]
        except ValidationError as error:
            where = error.errors()[0]["loc"]
            name = where[0] if where else "description"
            raise ValueError(_SAID.get(str(name), f"its {name} can't be right")) from error


_SAID = {"format": "it is of an unknown version", "model_sha256": "it doesn't say which model it is for"}
OPTIONAL = "weight"
"""Array missing in the first versions' heads, whose training texts all have the same weight."""


def _checked(raw: Mapping[str, Array], parts: Parts) -> dict[str, Vector]:
    """Return the arrays of a file as 64-bit numbers. Raises ``ValueError`` or ``KeyError`` if they are invalid."""
    steps = {f"{name}_step" for name, part in parts.items() if part.stored == "u1"}
    if set(raw) | ({OPTIONAL} & set(parts)) != set(parts) | steps:
        raise ValueError("its parts aren't those of such heads")
    found: dict[str, Vector] = {}
    for name, part in parts.items():
        if name not in raw:
            found[name] = np.ones(part.shape)
            continue
        if raw[name].shape != part.shape or raw[name].dtype.kind != part.stored[0]:
            raise ValueError(f"{name} has the wrong shape")
        values = raw[name].astype(np.float64)
        if part.stored == "u1":
            step = raw[f"{name}_step"]
            if step.shape != part.shape[-1:] or step.dtype.kind != "f":
                raise ValueError(f"{name} has the wrong shape")
            values -= _MIDDLE
            values *= step.astype(np.float64)
        low, high = values.min(initial=0.0), values.max(initial=0.0)  # faster than all absolute values
        if max(-low, high) > part.most or (part.above is not None and not (values > part.above).all()):
            raise ValueError(f"its {name} can't be right")
        found[name] = values
    return found


def read_archive(path: Path, most: int) -> tuple[bytes | None, dict[str, Array]]:
    """Return the ``meta`` of a file of at most ``most`` bytes, unchecked, and its arrays; None for ``meta`` if it has
    none. Raises one of ``DAMAGE``."""
    if path.stat().st_size > most:
        raise ValueError("it is too large")
    left = 4 * most
    arrays: dict[str, Array] = {}
    with zipfile.ZipFile(path) as archive:
        files = archive.namelist()
        names = [name.removesuffix(".npy") for name in files]
        if len(files) > _MOST_PARTS or len({*names}) < len(files) or not all(name.endswith(".npy") for name in files):
            raise ValueError("its parts aren't those of such heads")
        for name, file in zip(names, files, strict=True):
            with archive.open(file) as stream:
                raw = stream.read(left + 1)
            left -= len(raw)
            if left < 0:
                raise ValueError("it unpacks to too much")
            arrays[name] = _array(name, raw)
    meta = arrays.pop("meta", None)
    return None if meta is None else meta.tobytes(), arrays


def _array(name: str, raw: bytes) -> Array:
    """Return one array of plain numbers; its size is checked against the bytes before anything is allocated."""
    if not raw.startswith(b"\x93NUMPY\x01\x00"):
        raise ValueError(f"{name} is of an unknown version")
    begins = 10 + int.from_bytes(raw[8:10], "little")
    said = _HEADER.fullmatch(raw, 10, begins)
    if said is None or said[2] == b"True":
        raise ValueError(f"{name} holds something else than plain numbers")
    dtype = np.dtype(said[1].decode("ascii"))
    shape = tuple(int(size) for size in said[3].replace(b" ", b"").split(b",") if size)
    rest = raw[begins:]
    if math.prod(shape) * dtype.itemsize != len(rest):
        raise ValueError(f"{name} is cut off")
    array = np.frombuffer(rest, dtype=dtype).reshape(shape) if rest else np.zeros(shape, dtype)
    if dtype.kind == "f" and not np.isfinite(array).all():
        raise ValueError(f"{name} holds infinite numbers")
    return array


# -- cards beside heads ------------------------------------------------------------------------------------------------


def heads_figures(sha256: str, *folders: Path) -> dict[str, Any]:
    """Return the figures on the card of the heads that a model's verdicts use, those of the first folder that has some;
    empty without heads or without a readable card."""
    for folder in folders:
        stem = folder / sha256[:16]
        if stem.with_suffix(".npz").is_file():
            with suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
                data = read_json(stem.with_suffix(".json"), _MOST_CARD)
                if data["model"]["sha256"] == sha256 and isinstance(data["figures"], dict):
                    return data["figures"]
            break
    return {}


def share_of(value: Any) -> float | None:
    """Return a share 0…1 from a file; None for any other value."""
    good = type(value) in (int, float) and math.isfinite(value) and 0 <= value <= 1
    return float(value) if good else None
