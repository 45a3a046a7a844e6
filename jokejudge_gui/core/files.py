"""Atomic writes of private files, locks, and safe reading of JSON from any source."""

from __future__ import annotations

import fcntl
import hashlib
import json
import math
import os
import secrets
import stat
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from .errors import JokeJudgeError, OutputError, SettingsError

_CHUNK = 1 << 20
_FILE = 0o600
_FOLDER = 0o700
_MOST_JSON = 64 << 20
_MOST_DEPTH = 64
_MOST_LINE = 16 << 20
_PATIENCE = 20.0
"""Longest wait for another process's lock, in seconds."""


def private_folder(path: Path) -> None:
    """Create a folder and its missing parents with access for this user alone, whatever the umask. Raises
    ``OSError``."""
    missing = []
    while not path.exists():
        missing.append(path)
        if path == path.parent:
            break
        path = path.parent
    for folder in reversed(missing):
        with suppress(FileExistsError):
            folder.mkdir(mode=_FOLDER)
            folder.chmod(_FOLDER)
    if not path.is_dir():
        raise NotADirectoryError(20, "Not a directory", str(path))


def keep_private(*paths: Path) -> None:
    """Remove other users' access to files; those whose mode can't be changed are left as they are."""
    for path in paths:
        with suppress(OSError):
            status = path.lstat()
            if not stat.S_ISLNK(status.st_mode) and status.st_uid == os.geteuid() and status.st_mode & 0o077:
                path.chmod(stat.S_IMODE(status.st_mode) & ~0o077)


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """Write to a temporary file in the same folder, sync it, and move it to ``path`` when the block ends without an
    error. Where the system allows it the temporary file has no name, so a killed program leaves nothing behind.

    A link is followed. A new file is readable by its user alone; a replaced one keeps its mode. Raises
    ``SettingsError`` ``E_WRITE``, and ``OutputError`` ``E_WRITE_KIND`` if the name is not that of a plain file (a
    folder, a device, a pipe)."""
    try:
        target = path.resolve() if path.is_symlink() else path
        status = target.stat() if target.exists() else None
        if status is not None and not stat.S_ISREG(status.st_mode):
            sentence = f"{target} isn't a plain file, so nothing was written to it."
            raise OutputError("E_WRITE_KIND", sentence, "Give another name.")
        mode = stat.S_IMODE(status.st_mode) if status is not None else _FILE
        private_folder(target.parent)
        descriptor, name = _nameless(target)
    except (OSError, RuntimeError) as error:
        raise unwritable(path, error) from error
    temporary = Path(name) if name is not None else None
    try:
        with os.fdopen(descriptor, "wb") as stream:
            yield stream
            stream.flush()
            os.fchmod(stream.fileno(), mode)
            os.fsync(stream.fileno())
            if temporary is None:
                temporary = _named(stream.fileno(), target)
        temporary.replace(target)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _nameless(target: Path) -> tuple[int, str | None]:
    """Open a temporary file in the target's folder; return its descriptor and its name, None for a file without a
    name."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # the file system has no such files
            return os.open(target.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, _FILE), None
    return tempfile.mkstemp(prefix=_hidden(target), suffix=".part", dir=target.parent)


def _named(descriptor: int, target: Path) -> Path:
    """Give a file without a name one in the target's folder, and return it."""
    temporary = target.parent / f"{_hidden(target)}{secrets.token_hex(4)}.part"
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Without the folder's descriptor Python links to the entry in /proc, not to the file.
        os.link(f"/proc/self/fd/{descriptor}", temporary.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
    return temporary


def _hidden(target: Path) -> str:
    # Leave room for the suffix in the longest allowed names.
    return f".{target.name[:40]}."


def unwritable(path: Path, error: OSError | RuntimeError) -> JokeJudgeError:
    """Return the error for a file that the system doesn't allow to be written."""
    sentence = f"{path} can't be written: {getattr(error, 'strerror', None) or error}."
    return SettingsError("E_WRITE", sentence, "Choose a folder that you may write to (--data-dir), or free some space.")


def remove(path: Path) -> None:
    """Delete a file, if it is there. Raises ``SettingsError`` ``E_WRITE``."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        sentence = f"{path} can't be deleted: {error.strerror or error}."
        raise SettingsError("E_WRITE", sentence, "Delete it by hand.") from error


def atomic_write(path: Path, data: bytes | str) -> None:
    """Replace the content of ``path`` in one step; text is UTF-8."""
    with atomic_writer(path) as stream:
        stream.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock file ``path`` while the block runs, so that no other process changes the data between reading and
    writing. Does nothing where the system has no such locks. Raises ``SettingsError`` ``E_WRITE``, and ``E_BUSY`` if
    another process holds the lock for 20 seconds."""
    try:
        private_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        until = time.monotonic() + _PATIENCE
        while not locked(descriptor):
            if time.monotonic() > until:
                sentence = f"Another JokeJudge is writing in {path.parent}."
                raise SettingsError("E_BUSY", sentence, "Try again in a moment.")
            time.sleep(0.02)
        yield
    finally:
        os.close(descriptor)


def locked(descriptor: int) -> bool:
    """Lock an open file until it is closed, where the file system can; False where another process holds it."""
    with suppress(OSError):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def process_runs(number: int) -> bool:
    """Whether a process with this number exists."""
    try:
        os.kill(number, 0)
    except PermissionError:
        return True
    except OSError:
        return False
    return True


def sha256_of(path: Path, step: Callable[[int], None] | None = None) -> str:
    """SHA-256 of a file as 64 hex digits; ``step`` gets the bytes read so far and may raise to stop."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
            if step is not None:
                step(stream.tell())
    return digest.hexdigest()


def parse_json(data: bytes | str, *, endless: bool = False) -> Any:
    """Parse JSON from any source. Raises ``ValueError`` for anything that the program itself never writes: bytes that
    aren't UTF-8, infinite numbers and NaN (None instead, if ``endless`` ones may occur), too deep nesting."""
    try:
        of = (lambda _: None, None) if endless else (_endless, _number)
        value = json.loads(data, parse_constant=of[0], parse_float=of[1])
    except (RecursionError, MemoryError) as error:
        raise ValueError("it is nested too deeply") from error
    level = [value]
    for _ in range(_MOST_DEPTH + 1):
        wholes = [whole for whole in level if isinstance(whole, dict | list)]
        level = [part for whole in wholes for part in (whole.values() if isinstance(whole, dict) else whole)]
    if level:
        raise ValueError("it is nested too deeply")
    return value


def read_json(path: Path, most: int = _MOST_JSON) -> Any:
    """Read a JSON file of at most ``most`` bytes. Raises ``OSError``, and ``ValueError`` as ``parse_json`` does."""
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError("it is too large")
    return parse_json(data)


def whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """Yield the lines of a file that the program wrote, with their ends. Raises ``ValueError`` for a line of more than
    16 MB, which it never writes."""
    while line := stream.readline(_MOST_LINE):
        if len(line) == _MOST_LINE:
            raise ValueError("it has a line of more than 16 MB")
        yield line


def remembered(path: Path) -> dict[str, Any]:
    """Return the object in a state file of the program; empty if the file is missing, damaged or of another form."""
    try:
        content = read_json(path)
    except (OSError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def remember(path: Path, key: str, value: Any, most: int | None = None) -> None:
    """Store a value under ``key`` in such a file, keeping the newest ``most`` entries; None removes the entry. Raises
    ``SettingsError`` ``E_WRITE``."""
    before = remembered(path)
    entries = {name: kept for name, kept in before.items() if name != key}
    if value is not None:
        entries[key] = value
    if entries != before:
        atomic_write(path, json.dumps(dict(list(entries.items())[-(most or len(entries)) :]), indent=1))


def _number(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _endless(text)


def _endless(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no number")
