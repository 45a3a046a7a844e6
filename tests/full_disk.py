"""A disk that becomes full while a file is written in one folder."""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import pytest


class _Filling(io.FileIO):
    """A file with room for some bytes more."""

    def __init__(self, descriptor: int, room: int) -> None:
        super().__init__(descriptor, "w")
        self._room = room

    def write(self, data: Any) -> int:
        if not self._room:
            raise _full()
        written = super().write(memoryview(data)[: self._room])
        self._room -= written
        return written


def _full() -> OSError:
    return OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def fill_up(patch: pytest.MonkeyPatch, folder: Path, room: int) -> list[str]:
    """Have each file that the program writes in ``folder`` end in ENOSPC after ``room`` bytes. Return a list that grows
    by each file that is opened."""
    within, opened = f"{folder.resolve()}/", os.fdopen
    found: list[str] = []

    def filling(descriptor: int, *how: Any, **more: Any) -> Any:
        path = os.readlink(f"/proc/self/fd/{descriptor}")
        if path.startswith(within):
            found.append(path)
            return io.BufferedWriter(_Filling(descriptor, room))
        return opened(descriptor, *how, **more)

    patch.setattr(os, "fdopen", filling)
    return found


def fail_at(patch: pytest.MonkeyPatch, step: str) -> None:
    """Have a function of ``os`` end in ENOSPC."""

    def failing(*_how: Any, **_more: Any) -> None:
        raise _full()

    patch.setattr(os, step, failing)


def without_nameless_files(patch: pytest.MonkeyPatch) -> None:
    """Let the system have no files without a name, so that the program's temporary files have one."""
    patch.delattr(os, "O_TMPFILE", raising=False)
