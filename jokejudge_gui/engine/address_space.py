"""How much address space this process has taken and may take, where the system says so. Needs no llama.cpp."""

from __future__ import annotations

from pathlib import Path

_STATUS = Path("/proc/self/status")


def taken(what: str = "VmSize") -> int:
    """Bytes taken now (``VmSize``) or at most so far (``VmPeak``); 0 where the system doesn't say."""
    try:
        for line in _STATUS.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith(f"{what}:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    return 0


def left() -> int | None:
    """Bytes that may still be taken; None where there is no limit."""
    try:
        import resource  # not on every system
    except ImportError:
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else max(0, limit - taken())


def allow(more: int) -> None:
    """Let this process take no more than ``more`` bytes beyond what it has; nothing where that can't be said."""
    try:
        import resource
    except ImportError:
        return
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken() + more
    if taken() and (soft == resource.RLIM_INFINITY or wanted < soft):
        resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
