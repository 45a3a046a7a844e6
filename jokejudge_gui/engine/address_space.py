"""Used and available address space of this process, and the machine's free memory, where the system reports it.
Doesn't need llama.cpp."""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path


def taken(what: str = "VmSize", file: str = "/proc/self/status") -> int:
    """Return the bytes in use (``VmSize``) or their maximum so far (``VmPeak``); 0 if the system doesn't report
    them."""
    with suppress(OSError, ValueError, IndexError):
        for line in Path(file).read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    return 0


def free_memory() -> int:
    """Return the bytes of the machine's memory that programs may still take; 0 if the system doesn't report them."""
    return taken("MemAvailable", "/proc/meminfo")


def left() -> int | None:
    """Return the bytes that are still available; None if there is no limit."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else max(0, limit - taken())


def allow(more: int) -> None:
    """Limit this process to ``more`` bytes beyond those in use, where the system reports these."""
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    if taken() and (soft == resource.RLIM_INFINITY or taken() + more < soft):
        resource.setrlimit(resource.RLIMIT_AS, (taken() + more, hard))
