"""Files of heads (NumPy's npz, no pickles), which a damaged or malicious file can't harm: it only raises an error.

Each sort of heads is a ``Head``, which defines the arrays of its file (a schema with a line for each) and its metadata
(``Meta``). Reading, checking, writing and finding files are the same for all.
"""

from __future__ import annotations

import json
import lzma
import math
import struct
import zipfile
import zlib
from collections.abc import Collection, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, Annotated, Any, ClassVar, Generic, Literal, Self, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from ..core.errors import damaged
from ..core.files import read_json
from ..core.lazily import np, npt
from ..core.statistics import Vector

FORMAT = 1
MOST_BYTES = 20 * 10**6
_MOST_CARD = 1 << 20
# Exceptions of reading a damaged or malicious archive; RuntimeError: encrypted, an unknown compression, or nested too
# deeply; AttributeError and the like: a value of an unexpected type or shape.
DAMAGE = (
    OSError, ValueError, LookupError, TypeError, AttributeError, EOFError, RuntimeError, ArithmeticError, MemoryError,
    struct.error, zipfile.BadZipFile, zlib.error, lzma.LZMAError,
)  # fmt: skip
_MIDDLE = 128.0
"""Offset of arrays that are stored as bytes: value = (byte − 128) · step of its column."""
Array: TypeAlias = "npt.NDArray[Any]"
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
    """One line of a schema: an array's name, type, sizes, and bounds (``>0`` of each number, ``<=9`` of its absolute
    value). Types in the file: f2, f4, f8, u2, u4; u1: floats as bytes, with the step of each column in an additional
    array. A size is a number, a name, or a sum of products of them: ``4*size+3``."""

    name: str
    stored: str
    sizes: tuple[str, ...]
    above: float | None
    most: float
    group: str


@cache
def parts_of(schema: str) -> tuple[Part, ...]:
    """Return the parts of a schema. A line ``[name]`` begins a group, of which a file has all parts or none."""
    parts, group = [], ""
    for line in schema.strip().splitlines():
        if line.strip().startswith("["):
            group = line.strip(" []")
            continue
        name, stored, sizes, *bounds = line.split()
        bound = {given[0]: float(given.lstrip("><=")) for given in bounds}
        parts.append(Part(name, stored, tuple(sizes.split(",")), bound.get(">"), bound.get("<", math.inf), group))
    return tuple(parts)


def _fit(count: int, size: str, sizes: dict[str, int], empty: Collection[str]) -> bool:
    """Whether a length is that of a schema; the one name in it that isn't known yet gets its number in ``sizes``, 0
    only where it is among ``empty``."""
    left, factor, unknown = count, 1, ""
    for term in size.split("+"):
        names = term.split("*")
        product = math.prod(int(name) if name.isdigit() else sizes.get(name, 1) for name in names)
        open_names = [name for name in names if not name.isdigit() and name not in sizes]
        if open_names:
            [unknown], factor = open_names, product
        else:
            left -= product
    if not unknown:
        return left == 0
    sizes[unknown], rest = divmod(left, factor)
    return rest == 0 and sizes[unknown] >= (unknown not in empty)


_M = TypeVar("_M", bound=Meta)


class Head(Generic[_M]):
    """Heads for one model, in the file ``<16 digits of its hash>.npz``. ``schema``: its arrays, see ``Part``;
    ``empty``: the sizes that may be 0; ``narrow``: large arrays, which are kept as 32-bit numbers."""

    embedding_size: int
    """Size of a state of the model that they were made for; known of heads that were loaded."""
    meta_type: ClassVar[type[Meta]]
    schema: ClassVar[str]
    empty: ClassVar[Collection[str]] = ()
    narrow: ClassVar[Collection[str]] = ()
    most_bytes: ClassVar[int] = MOST_BYTES
    lost: ClassVar[str]
    """What verdicts lack where the file is damaged."""

    def __init__(self, meta: _M, arrays: dict[str, Vector]) -> None:
        self.meta = meta
        self.arrays = {name: v.astype("f4") if name in self.narrow else v for name, v in arrays.items()}

    @classmethod
    def sizes(cls, meta: _M) -> dict[str, int]:
        """Return the sizes in the schema that don't depend on the arrays."""
        return {}

    @classmethod
    def check(cls, meta: _M, arrays: Mapping[str, Vector]) -> None:
        """Check what the schema can't say. Raises ``ValueError``."""

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read a file. Raises ``ModelError`` ``E_FILE_DAMAGED``."""
        try:
            text, raw = read_archive(path, cls.most_bytes)
            meta = cls._meta(text)
            arrays, sizes = cls._checked(meta, raw)
            head = cls(meta, arrays)
            head.embedding_size = sizes["size"]
            return head
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
                if head.meta.model_sha256 == sha256:
                    return head
        return None

    @classmethod
    def write(cls, stream: IO[bytes], meta: Mapping[str, Any], arrays: Mapping[str, Vector]) -> None:
        """Write heads to a file. Raises ``ValueError`` or ``KeyError`` if they couldn't be read again."""
        text = json.dumps(meta, sort_keys=True).encode("utf-8")
        raw: dict[str, Array] = {}
        for part in parts_of(cls.schema):
            if part.name not in arrays:
                continue
            values = np.ascontiguousarray(arrays[part.name])
            if part.stored == "u1":
                step = np.maximum(np.abs(values).max(axis=0), 1e-12) / 127.0
                values = np.clip(np.rint(values / step) + _MIDDLE, 1, 255)
                raw[f"{part.name}_step"] = step.astype(np.float32)
            raw[part.name] = values.astype(part.stored)
        cls._checked(cls._meta(text), raw)
        if not all(np.isfinite(values).all() for values in raw.values()):
            raise ValueError("a number isn't finite")
        np.savez_compressed(stream, allow_pickle=False, meta=np.frombuffer(text, np.uint8), **raw)

    @classmethod
    def _meta(cls, text: bytes | None) -> _M:
        if text is None:
            raise ValueError("it doesn't say what it is")
        try:
            return cls.meta_type.model_validate_json(text)  # type: ignore[return-value]
        except ValidationError as error:
            raise ValueError(f"its {'.'.join(map(str, error.errors()[0]['loc']))} can't be right") from error

    @classmethod
    def _checked(cls, meta: _M, raw: Mapping[str, Array]) -> tuple[dict[str, Vector], dict[str, int]]:
        """Return the arrays of a file as 64-bit numbers, and the sizes in its schema. Raises ``ValueError`` if they
        aren't those of the schema."""
        groups = {"", *(part.group for part in parts_of(cls.schema) if part.name in raw)}
        parts = [part for part in parts_of(cls.schema) if part.group in groups]
        steps = {f"{part.name}_step" for part in parts if part.stored == "u1"}
        if set(raw) != {part.name for part in parts} | steps:
            raise ValueError("its parts aren't those of such heads")
        sizes, arrays = cls.sizes(meta), dict[str, Vector]()
        for part in parts:
            stored = raw[part.name]
            fits = stored.ndim == len(part.sizes) and stored.dtype.kind == part.stored[0]
            if not fits or not all(
                _fit(n, size, sizes, cls.empty) for n, size in zip(stored.shape, part.sizes, strict=True)
            ):
                raise ValueError(f"{part.name} has the wrong shape")
            values = stored.astype(np.float64)
            if part.stored == "u1":
                step = raw[f"{part.name}_step"]
                if step.shape != stored.shape[-1:] or step.dtype.kind != "f":
                    raise ValueError(f"{part.name} has the wrong shape")
                values -= _MIDDLE
                values *= step.astype(np.float64)
            low, high = values.min(initial=0.0), values.max(initial=0.0)  # faster than all absolute values
            if max(-low, high) > part.most or (part.above is not None and not (values > part.above).all()):
                raise ValueError(f"its {part.name} can't be right")
            arrays[part.name] = values
        cls.check(meta, arrays)
        return arrays, sizes


def read_archive(path: Path, most: int) -> tuple[bytes | None, dict[str, Array]]:
    """Return the ``meta`` of a file of at most ``most`` bytes, unchecked, and its arrays of finite numbers; None for
    ``meta`` if it has none. Raises one of ``DAMAGE``."""
    with path.open("rb") as stream:
        with zipfile.ZipFile(stream) as archive:
            if path.stat().st_size > most or sum(part.file_size for part in archive.infolist()) > 4 * most:
                raise ValueError("it is too large")
        stream.seek(0)
        with np.load(stream, allow_pickle=False) as stored:
            arrays = {name: stored[name] for name in stored.files}
    for name, array in arrays.items():
        if array.dtype.kind not in "fu" or (array.dtype.kind == "f" and not np.isfinite(array).all()):
            raise ValueError(f"{name} holds something else than finite numbers")
    meta = arrays.pop("meta", None)
    return None if meta is None else meta.tobytes(), arrays


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
