"""What a prebuilt library of llama.cpp lacks, and what stands in for it (packaging/prebuilt.lock).

Nothing here needs llama.cpp. Import it before llama_cpp: the functions that the library lacks are noted while its
bindings are imported. Its quantiser is done again with numpy, byte for byte."""

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
from typing import Any

import numpy as np

from ..core.errors import EngineSetupError
from ..core.paths import how_to_compile

_MOST_SEQUENCES = 256
"""LLAMA_MAX_SEQ of the llama.cpp that llama-cpp-python 0.3.36 speaks to."""
_STAND_INS: dict[str, Callable[..., Any]] = {"llama_max_parallel_sequences": lambda: _MOST_SEQUENCES}
_X86_FLAGS = frozenset({"avx2", "fma", "f16c", "bmi2"})
"""What the prebuilt library was compiled for on x86-64, as in packaging/machine.py."""
lacking: set[str] = set()
"""Functions of llama.cpp that the library doesn't have."""


def _tolerate_missing_functions() -> None:
    """Let llama_cpp be imported over a library that lacks functions; each of those raises ``EngineSetupError`` when it
    is called, or is answered for. Changes the loader of the bindings before anything of theirs is imported."""
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
    """Raise ``EngineSetupError`` ``E_ENGINE_PROCESSOR`` where the library is the prebuilt one and the processor lacks
    what it was compiled for: it would die of an illegal instruction, as in a package moved to an older machine."""
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
"""Set anew by llama.cpp, and therefore at the end of the header."""
_QUANTISATION_VERSION, _FILE_TYPE, _UINT32 = 2, 7, 4  # of Q8_0
_ROWS_AT_ONCE = 4096
_BLOCK = 32
"""Numbers in a block of Q8_0; a row that isn't made of whole ones is left as it is."""
_LEFT = re.compile(
    r"_norm\.weight|ffn_gate_inp\.weight|ssm_conv1d|shortconv\.conv\.weight|time_mix_|position_embd|token_types|"
    r"altup|laurel|per_layer_model_proj|attn_rel_b"
)
"""Weights that llama.cpp doesn't quantise: small ones, and those that lose by it."""


def write_q8_0(source: Path, target: Path) -> None:
    """Write ``source`` in Q8_0 to ``target``: two-dimensional weights in Q8_0, the others as they are.

    Raises ``OSError``, and ``ValueError`` for a file or a quantisation that the library ``gguf`` doesn't read."""
    import gguf  # takes its time to load, and is needed once in the life of a model

    reader = gguf.GGUFReader(source)
    settings = [field for name, field in reader.fields.items() if not name.startswith("GGUF.") and name not in _LATE]
    tensors = sorted(reader.tensors, key=lambda tensor: (_layer(tensor.name), tensor.name))
    header = [b"GGUF", struct.pack("<IQQ", 3, len(tensors), len(settings) + len(_LATE))]
    header += [part.tobytes() for field in settings for part in field.parts]
    header += [_number(_LATE[0], _QUANTISATION_VERSION), _number(_LATE[1], _FILE_TYPE)]
    q8_0, alignment, offset = gguf.GGMLQuantizationType.Q8_0, int(reader.alignment), 0
    for tensor in tensors:
        shape = [int(size) for size in tensor.shape]
        kind = q8_0 if _is_quantised(tensor.name, shape) else tensor.tensor_type
        size = _bytes(shape, q8_0, gguf) if kind == q8_0 else int(tensor.n_bytes)
        name = tensor.name.encode()
        header.append(struct.pack("<Q", len(name)) + name)
        header.append(struct.pack(f"<I{len(shape)}QIQ", len(shape), *shape, int(kind), offset))
        offset += size + -size % alignment
    with target.open("wb") as file:
        length = file.write(b"".join(header))
        file.write(b"\0" * (-length % alignment))
        for tensor in tensors:
            size = 0
            if _is_quantised(tensor.name, [int(each) for each in tensor.shape]):
                for rows in _quantised(tensor, gguf):
                    size += file.write(rows.tobytes())
            else:
                size = file.write(tensor.data.tobytes())
            file.write(b"\0" * (-size % alignment))


def _quantised(tensor: Any, gguf: Any) -> Iterator[np.ndarray[Any, Any]]:
    for begin in range(0, len(tensor.data), _ROWS_AT_ONCE):
        rows = tensor.data[begin : begin + _ROWS_AT_ONCE]
        if tensor.tensor_type == gguf.GGMLQuantizationType.Q8_0:
            yield rows
        else:
            plain = gguf.quants.dequantize(rows, tensor.tensor_type)
            yield gguf.quants.quantize(plain, gguf.GGMLQuantizationType.Q8_0)


def _is_quantised(name: str, shape: list[int]) -> bool:
    whole = len(shape) > 1 and shape[0] % _BLOCK == 0
    return whole and name.endswith("weight") and _LEFT.search(name) is None


def _bytes(shape: list[int], kind: Any, gguf: Any) -> int:
    block, size = gguf.GGML_QUANT_SIZES[kind]
    return int(np.prod(shape)) // int(block) * int(size)


def _layer(name: str) -> int:
    found = re.match(r"blk\.(\d+)\.", name)
    return int(found[1]) if found else -1


def _number(name: str, value: int) -> bytes:
    return struct.pack("<Q", len(name)) + name.encode() + struct.pack("<II", _UINT32, value)
