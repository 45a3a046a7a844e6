"""The machine's system libraries and compilers, and the parts of its processor that llama.cpp mustn't use. Standard
library only."""

from __future__ import annotations

import ctypes
import importlib.util
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libxkbcommon.so.0": "libxkbcommon0",
}
X11_LIBRARIES = {
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
}


def loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def missing_packages(libraries: Mapping[str, str], has: Callable[[str], bool] = loads) -> list[str]:
    """Debian packages of those libraries that this machine lacks."""
    return [package for library, package in libraries.items() if not has(library)]


def needed_libraries(window: bool, env: Mapping[str, str]) -> dict[str, str]:
    """Libraries that this start needs: none for the terminal, no X11 ones where Qt draws without X11."""
    if not window:
        return {}
    elsewhere = env.get("QT_QPA_PLATFORM", "").split(":")[0] in {"offscreen", "minimal", "wayland", "vnc", "linuxfb"}
    return dict(QT_LIBRARIES) if elsewhere else {**QT_LIBRARIES, **X11_LIBRARIES}


PREBUILT_FLAGS = {"x86_64": frozenset({"avx2", "fma", "f16c", "bmi2"}), "aarch64": frozenset({"asimd"})}
"""Processor features that the prebuilt llama.cpp needs; without them it dies of an illegal instruction."""
PREBUILT_LIBRARIES = {"libgomp.so.1": "libgomp1", "libstdc++.so.6": "libstdc++6"}


def why_not_prebuilt(cpuinfo: Path = Path("/proc/cpuinfo"), machine: str = platform.machine()) -> str:
    """The reason, in words, why the prebuilt llama.cpp (prebuilt.lock) doesn't run here; empty if it does."""
    wanted = PREBUILT_FLAGS.get(machine)
    if wanted is None or not sys.platform.startswith("linux") or platform.libc_ver()[0] != "glibc":
        return f"there is none for {platform.system()} on {machine or 'this processor'} with this C library"
    try:
        lines = cpuinfo.read_text("utf-8", "replace").splitlines()
    except OSError:
        return f"{cpuinfo} doesn't say what the processor has"
    found = next((line for line in lines if line.startswith(("flags", "Features"))), "")
    lacking = sorted(wanted - set(found.partition(":")[2].split()))
    return f"the processor has no {', '.join(lacking).upper()}" if lacking else ""


def build_packages(compiled: bool = True) -> list[str]:
    """Debian packages that making the environment takes and this machine lacks: compilers where llama.cpp is
    ``compiled`` here, else the libraries of the prebuilt one; Python's venv part."""
    missing = [] if compiled else missing_packages(PREBUILT_LIBRARIES)
    if compiled and not any(map(shutil.which, ("cc", "gcc", "clang"))):
        missing.append("gcc")
    if compiled and not any(map(shutil.which, ("c++", "g++", "clang++"))):
        missing.append("g++")
    if importlib.util.find_spec("ensurepip") is None:
        missing.append(f"python{sys.version_info[0]}.{sys.version_info[1]}-venv")
    return missing


def compiler_options(cpuinfo: Path = Path("/proc/cpuinfo")) -> list[str]:
    """uv's options for compiling llama-cpp-python for this processor.

    Without AMX where there is one: its code crashes with the first token wherever the compiler drops the stores to the
    tile configuration, which GCC 12 does, and on virtual machines whose threads may not use it (llama.cpp #26954)."""
    try:
        flags = cpuinfo.read_text("utf-8", "replace")
    except OSError:
        return []
    if "amx_tile" not in flags:
        return []
    without = "-mno-amx-tile -mno-amx-int8 -mno-amx-bf16"
    options = []
    for language in ("C", "CXX"):
        options += ["--config-settings-package", f"llama-cpp-python:cmake.define.CMAKE_{language}_FLAGS={without}"]
    return options
