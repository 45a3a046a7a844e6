"""Replacements for functions that a prebuilt library of llama.cpp lacks (packaging/prebuilt.lock).

Nothing here needs llama.cpp. Import it before llama_cpp: the missing functions are recorded while its bindings are
imported. Its quantiser is reimplemented with numpy, with the same bytes as result."""

from __future__ import annotations

import ctypes
import importlib.machinery
import importlib.util
import platform
import re
import struct
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from ..core.errors import EngineSetupError
from ..core.paths import how_to_compile
from .gguf import TENSOR_TYPES, TensorInfo, read_header

_MOST_SEQUENCES = 256
"""LLAMA_MAX_SEQ of the llama.cpp version that llama-cpp-python 0.3.36 binds."""
_STAND_INS: dict[str, Callable[..., Any]] = {"llama_max_parallel_sequences": lambda: _MOST_SEQUENCES}
_X86_FLAGS = frozenset({"avx2", "fma", "f16c", "bmi2"})
"""CPU features that the prebuilt library was compiled for on x86-64, as in packaging/machine.py."""
lacking: set[str] = set()
"""Functions of llama.cpp that the library lacks."""


def _tolerate_missing_functions() -> None:
    """Allow llama_cpp to be imported with a library that lacks functions; such a function raises ``EngineSetupError``
    when it is called, unless it has a replacement. Changes the loader of the bindings before any of their modules is
    imported."""
    found = importlib.util.find_spec("llama_cpp")
    name = "llama_cpp._ctypes_extensions"
    if found is None or not found.submodule_search_locations or name in sys.modules:
        return
    spec = importlib.machinery.PathFinder.find_spec(name, found.submodule_search_locations)  # in a bundle, too
    assert spec is not None
    assert spec.loader is not None
    extensions = importlib.util.module_from_spec(spec)
    sys.modules[name] = extensions
    spec.loader.exec_module(extensions)
    bind_all = extensions.ctypes_function_for_shared_library

    def bind(library: ctypes.CDLL) -> Callable[..., Any]:
        bound = bind_all(library)

        def function(name: str, *types: Any, **options: Any) -> Callable[..., Any]:
            if hasattr(library, name) or not options.get("enabled", True):
                return bound(name, *types, **options)  # type: ignore[no-any-return]
            lacking.add(name)
            return lambda _declaration: _STAND_INS.get(name) or _absent(name)

        return function

    extensions.ctypes_function_for_shared_library = bind  # type: ignore[attr-defined]


def _absent(name: str) -> Callable[..., Any]:
    def absent(*_: Any) -> Any:
        raise EngineSetupError(
            "E_ENGINE_LACKS",
            f"This build of llama.cpp can't do that: it has no {name}.",
            how_to_compile(),
        )

    return absent


def check_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Raise ``EngineSetupError`` ``E_ENGINE_PROCESSOR`` if the library is the prebuilt one and the processor lacks
    features that it was compiled for: the process would end with an illegal instruction, as in a package moved to an
    older machine."""
    found = importlib.util.find_spec("llama_cpp")
    folders = (found.submodule_search_locations if found else None) or []
    if platform.machine() != "x86_64" or not any(Path(each, "lib", "libllama.so").is_symlink() for each in folders):
        return
    try:
        lines = cpuinfo.read_text("utf-8", "replace").splitlines()
    except OSError:
        return
    flags = next((line.partition(":")[2].split() for line in lines if line.startswith("flags")), None)
    missing = [] if flags is None else sorted(_X86_FLAGS.difference(flags))
    if missing:
        raise EngineSetupError(
            "E_ENGINE_PROCESSOR",
            f"This processor has no {', '.join(missing).upper()}, which the llama.cpp in this program needs.",
            how_to_compile(),
        )


check_processor()
_tolerate_missing_functions()

# -- the quantiser ---------------------------------------------------------------------------------------------------

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

    Raises ``OSError``, ``ModelError`` as ``read_gguf`` does, and ``ValueError`` for a quantisation that the library
    ``gguf`` doesn't read."""
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
                size += file.write((_quantised(rows, tensor.type_id) if _is_quantised(tensor) else rows).tobytes())
            file.write(b"\0" * (-size % head.alignment))


def _rows(original: BinaryIO, tensor: TensorInfo) -> Iterator[np.ndarray[Any, Any]]:
    """Yield the bytes of a tensor's rows: (up to ``_ROWS_AT_ONCE`` rows, bytes of a row)."""
    count = tensor.elements // tensor.shape[0]
    for begin in range(0, count, _ROWS_AT_ONCE):
        rows = min(_ROWS_AT_ONCE, count - begin)
        yield np.frombuffer(original.read(rows * tensor.size // count), np.uint8).reshape(rows, -1)


def _quantised(rows: np.ndarray[Any, Any], type_id: int) -> np.ndarray[Any, Any]:
    import gguf  # slow to import, and needed once per model

    if type_id == _Q8_0:
        return rows
    try:
        plain = gguf.quants.dequantize(rows, gguf.GGMLQuantizationType(type_id))
    except NotImplementedError as error:
        raise ValueError(str(error)) from error
    return np.asarray(gguf.quants.quantize(plain, gguf.GGMLQuantizationType.Q8_0))


def _is_quantised(tensor: TensorInfo) -> bool:
    whole = len(tensor.shape) > 1 and tensor.shape[0] % _BLOCK == 0
    return whole and tensor.name.endswith("weight") and _LEFT.search(tensor.name) is None


def _layer(name: str) -> int:
    found = re.match(r"blk\.(\d+)\.", name)
    return int(found[1]) if found else -1


def _number(name: str, value: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<II", _UINT32, value)
