"""Files that are either the old or the new one, never half of each."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from .errors import ModelError, SettingsError

_CHUNK = 1 << 20
_SPARE = 32 << 20


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """Write to a temporary neighbour, sync it, and rename it over ``path`` when the block ends without an error."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".part", dir=path.parent)
    except OSError as error:
        raise _unwritable(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
            os.chmod(temporary, 0o666 & ~_umask())  # a temporary file is private; the real one follows the user's rule
        temporary.replace(path)
    except OSError as error:
        raise _unwritable(path, error) from error
    finally:
        temporary.unlink(missing_ok=True)


@contextmanager
def made_file(target: Path, needed: int, what: str, code: str) -> Iterator[Path]:
    """A temporary neighbour for another program to write to, which becomes ``target`` when the block ends without an
    error. ``needed``: bytes that must be free beforehand, else ``ModelError`` with ``code``. Raises ``OSError``."""
    target.parent.mkdir(parents=True, exist_ok=True)
    free = shutil.disk_usage(target.parent).free
    if free < needed + _SPARE:
        raise ModelError(
            code,
            f"{what} needs {needed / 1e6:.0f} MB in {target.parent}, which has {free / 1e6:.0f} MB.",
            "Free some space, or choose another folder (--data-dir).",
        )
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".part", dir=target.parent)
    os.close(descriptor)
    temporary = Path(name)
    try:
        yield temporary
        with temporary.open("rb+") as stream:
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o666 & ~_umask())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def _unwritable(path: Path, error: OSError) -> SettingsError:
    return SettingsError(
        "E_WRITE",
        f"{path} can't be written: {error.strerror or error}.",
        "Choose a folder that you may write to (--data-dir), or free some space.",
    )


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def atomic_write(path: Path, data: bytes | str) -> None:
    """Replace the content of ``path`` in one step; text is UTF-8."""
    with atomic_writer(path) as stream:
        stream.write(data.encode("utf-8") if isinstance(data, str) else data)


def sha256_of(path: Path, step: Callable[[int], None] | None = None) -> str:
    """SHA-256 of a file as 64 hex digits; ``step`` gets the bytes read so far and may raise to stop."""
    digest = hashlib.sha256()
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
            done += len(block)
            if step is not None:
                step(done)
    return digest.hexdigest()
