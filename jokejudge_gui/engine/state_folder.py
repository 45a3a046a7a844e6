"""The folder of kept states as a whole: how much lies there, bounding it, emptying it. Needs no engine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SUFFIX = ".state"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class KeptStates:
    """What a folder holds: number of files and their bytes."""

    files: int
    bytes: int


def measure(folder: Path) -> KeptStates:
    """What lies there now; nothing where there is no such folder or it can't be read."""
    sizes = [size for _, size, _ in _files(folder)]
    return KeptStates(len(sizes), sum(sizes))


def shrink(folder: Path, limit: int) -> None:
    """Remove the least recently used files until at most ``limit`` bytes are left; 0 empties the folder.

    States are only ever a saving of time, and a file that is in use has been read whole, so any may go at any time.
    Raises ``OSError`` when a file can't be removed."""
    files = sorted(_files(folder), key=lambda entry: entry[0])
    total = sum(size for _, size, _ in files)
    for _, size, path in files:
        if total <= limit:
            return
        path.unlink(missing_ok=True)
        total -= size


def _files(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Time of last use (ns), size and path of each state."""
    try:
        paths = list(folder.glob(f"*{SUFFIX}"))
    except OSError as error:
        _log.info("the kept states can't be listed: %s", error)
        return
    for path in paths:
        try:
            facts = path.stat()
        except FileNotFoundError:
            continue  # another process was quicker
        yield facts.st_mtime_ns, facts.st_size, path
