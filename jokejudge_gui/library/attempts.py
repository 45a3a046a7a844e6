"""Detection of models that crash the program: a mark is written before a model is loaded and removed afterwards, so a
mark of a process that no longer runs shows that loading ended it."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.errors import SettingsError
from ..core.files import atomic_write, process_runs, remembered
from ..core.paths import Profile


@contextmanager
def attempt(path: Path, profile: Profile) -> Iterator[None]:
    """Mark the loading of a model while the block runs. If the mark can't be written, the model is loaded without
    it."""
    mark = _folder(profile) / f"{os.getpid()}.json"
    with suppress(SettingsError):
        atomic_write(mark, json.dumps({"path": str(path.absolute())}))
    try:
        yield
    finally:
        with suppress(OSError):
            mark.unlink()


def ended_the_program(path: Path, profile: Profile) -> bool:
    """Whether the program ended while it loaded this model, which the user hasn't chosen since."""
    return any(_path_of(mark) == str(path.absolute()) for mark in _left_behind(profile))


def forgive(path: Path, profile: Profile) -> None:
    """Remove the model's marks, because the user has chosen it, so that it is loaded again."""
    for mark in list(_left_behind(profile)):
        if _path_of(mark) == str(path.absolute()):
            with suppress(OSError):
                mark.unlink()


def _folder(profile: Profile) -> Path:
    return profile.data / "loading"


def _left_behind(profile: Profile) -> Iterator[Path]:
    """Yield the marks of processes that no longer run."""
    try:
        marks = sorted(_folder(profile).glob("*.json"))
    except OSError:
        return
    for mark in marks:
        if mark.stem.isdecimal() and not process_runs(int(mark.stem[:9])):
            yield mark


def _path_of(mark: Path) -> str | None:
    found = remembered(mark)
    path = found.get("path")
    return path if isinstance(path, str) else None
