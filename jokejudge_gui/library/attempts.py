"""Detection of models that crash the program: a mark is written before a model is loaded and removed afterwards, so a
mark of a process that no longer runs shows that loading ended it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ..core.errors import SettingsError
from ..core.files import process_runs, remember, remembered
from ..core.paths import Profile

_MOST_MARKS = 50


@contextmanager
def attempt(path: Path, profile: Profile) -> Iterator[None]:
    """Mark the loading of a model while the block runs. If the mark can't be written, the model is loaded without
    it."""
    process = str(os.getpid())
    with suppress(SettingsError):
        remember(_marks(profile), process, str(path.absolute()), _MOST_MARKS)
    try:
        yield
    finally:
        with suppress(SettingsError):
            remember(_marks(profile), process, None)


def ended_the_program(path: Path, profile: Profile) -> bool:
    """Whether the program ended while it loaded this model, which the user hasn't chosen since."""
    return any(_left_behind(path, profile))


def forgive(path: Path, profile: Profile) -> None:
    """Remove the model's marks, because the user has chosen it, so that it is loaded again."""
    for process in list(_left_behind(path, profile)):
        with suppress(SettingsError):
            remember(_marks(profile), process, None)


def _marks(profile: Profile) -> Path:
    return profile.data / "loading.json"


def _left_behind(path: Path, profile: Profile) -> Iterator[str]:
    """Yield the processes that no longer run and left a mark of this model."""
    for process, model in remembered(_marks(profile)).items():
        if model == str(path.absolute()) and process.isdecimal() and not process_runs(int(process[:9])):
            yield process
