"""Used and available address space of this process, and the machine's free memory, where the system reports it.
Doesn't need llama.cpp."""

from __future__ import annotations

from pathlib import Path

_STATUS, _MEMORY = Path("/proc/self/status"), Path("/proc/meminfo")


def taken(what: str = "VmSize") -> int:
    """Return the bytes in use (``VmSize``) or their maximum so far (``VmPeak``); 0 if the system doesn't report
    them."""
    return _stated(_STATUS, what)


def free_memory() -> int:
    """Return the bytes of the machine's memory that programs may still take; 0 if the system doesn't report them."""
    return _stated(_MEMORY, "MemAvailable")


def _stated(file: Path, what: str) -> int:
    try:
        for line in file.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0


def left() -> int | None:
    """Return the bytes that are still available; None if there is no limit."""
    try:
        import resource  # missing on some systems
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else max(0, limit - taken())


def allow(more: int) -> None:
    """Limit this process to ``more`` bytes beyond those in use; does nothing where the system has no such limit."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken() + more
    if taken() and (soft == resource.RLIM_INFINITY or wanted < soft):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
