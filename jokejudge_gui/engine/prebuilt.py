"""Replacements for functions that a prebuilt library of llama.cpp lacks (packaging/prebuilt.lock).

Nothing here needs llama.cpp. Import it before llama_cpp: the missing functions are recorded while its bindings are
imported. Its quantiser isn't used (``quantise.py``)."""

from __future__ import annotations

import ctypes
import importlib
import importlib.machinery
import importlib.util
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from ..core.errors import EngineSetupError
from ..core.paths import how_to_compile

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
    package = importlib.util.find_spec("llama_cpp")
    name = "llama_cpp._ctypes_extensions"
    if package is None or not package.submodule_search_locations or name in sys.modules:
        return
    spec = importlib.machinery.PathFinder.find_spec(name, package.submodule_search_locations)  # in a bundle, too
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


@contextmanager
def low_level_only() -> Iterator[None]:
    """Have llama_cpp imported without its own model class, which takes longer to import than all the rest and is
    imported when somebody asks for it."""
    name = "llama_cpp.llama"
    if name in sys.modules:
        yield
        return
    sys.modules[name] = ModuleType(name)
    try:
        yield
    finally:
        del sys.modules[name]
    vars(sys.modules["llama_cpp"])["__getattr__"] = lambda asked: getattr(importlib.import_module(name), asked)


def check_processor(cpuinfo: Path = Path("/proc/cpuinfo")) -> None:
    """Raise ``EngineSetupError`` ``E_ENGINE_PROCESSOR`` if the library is the prebuilt one and the processor lacks
    features that it was compiled for: the process would end with an illegal instruction, as in a package moved to an
    older machine."""
    package = importlib.util.find_spec("llama_cpp")
    folders = (package.submodule_search_locations if package else None) or []
    if platform.machine() != "x86_64" or not any(Path(folder, "lib", "libllama.so").is_symlink() for folder in folders):
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
