"""Numbers of threads that were measured to be clearly quicker, by model and machine (`jokejudge doctor --measure`)."""

from __future__ import annotations

import platform
from pathlib import Path

from ..core.files import remember, remembered
from ..core.paths import Profile


def chosen_threads(sha256: str, profile: Profile) -> tuple[int, int] | None:
    """Threads for reading and for writing that were kept for this model on this machine."""
    entry = remembered(_file(profile)).get(_key(sha256))
    if isinstance(entry, list) and len(entry) == 2 and all(type(n) is int and 1 <= n <= 256 for n in entry):
        return entry[0], entry[1]
    return None


def keep_threads(sha256: str, threads: tuple[int, int] | None, profile: Profile) -> None:
    """Keep them for the next loading; None: forget what was kept. Raises ``SettingsError`` E_WRITE."""
    remember(_file(profile), _key(sha256), threads and list(threads))


def _key(sha256: str) -> str:
    # llama.cpp, which the loader brings, isn't needed before a model is found sound.
    from ..engine.loader import physical_cores

    # A profile may lie on a disk that several machines share.
    return f"{sha256[:16]} {platform.node()} {platform.machine()} {physical_cores()}"


def _file(profile: Profile) -> Path:
    return profile.data / "threads.json"
