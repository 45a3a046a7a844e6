"""Files that are either the old or the new one, never half of each, and that other users can't read; JSON files that
anyone may have written."""

from __future__ import annotations

import hashlib
import json
import math
import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, NoReturn

from .errors import JokeJudgeError, ModelError, OutputError, SettingsError

_CHUNK = 1 << 20
_SPARE = 32 << 20
_FILE = 0o600
_FOLDER = 0o700
_MOST_JSON = 64 << 20
_MOST_DEPTH = 64
_MOST_LINE = 16 << 20
_PATIENCE = 20.0
"""Seconds that another process may take with a file."""


def private_folder(path: Path) -> None:
    """Make a folder, and those above it that are missing, for this user alone whatever the umask. Raises
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
    """Take from other users what an earlier version, or a wide umask, let them read. What can't be changed stays."""
    for path in paths:
        with suppress(OSError):
            found = path.lstat()
            if not stat.S_ISLNK(found.st_mode) and found.st_uid == os.geteuid() and found.st_mode & 0o077:
                path.chmod(stat.S_IMODE(found.st_mode) & ~0o077)


@contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """Write beside ``path``, sync it, and put it in its place when the block ends without an error. Until then the
    file has no name where the system can do that, so a killed program leaves nothing behind.

    A link is followed. A new file can be read by its user alone; one that is replaced keeps its mode. Raises
    ``SettingsError`` ``E_WRITE``, and ``OutputError`` ``E_WRITE_KIND`` for a name that is something else than a plain
    file (a folder, a device, a pipe)."""
    try:
        target = path.resolve() if path.is_symlink() else path
        mode = _mode_for(target)
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


def _mode_for(target: Path) -> int:
    try:
        mode = target.stat().st_mode
    except FileNotFoundError:
        return _FILE
    if not stat.S_ISREG(mode):
        raise OutputError(
            "E_WRITE_KIND", f"{target} isn't a plain file, so nothing was written to it.", "Give another name."
        )
    return stat.S_IMODE(mode)


def _nameless(target: Path) -> tuple[int, str | None]:
    """A file to write to in the target's folder, and its name if it must have one."""
    if hasattr(os, "O_TMPFILE") and os.path.isdir("/proc/self/fd"):
        with suppress(OSError):  # a file system without such files
            return os.open(target.parent, os.O_TMPFILE | os.O_RDWR | os.O_CLOEXEC, _FILE), None
    return tempfile.mkstemp(prefix=_hidden(target), suffix=".part", dir=target.parent)


def _named(descriptor: int, target: Path) -> Path:
    """Give a file without a name one beside its target."""
    temporary = target.parent / f"{_hidden(target)}{secrets.token_hex(4)}.part"
    folder = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        # Without the folder's descriptor Python links to the entry in /proc, not to the file.
        os.link(f"/proc/self/fd/{descriptor}", temporary.name, dst_dir_fd=folder, follow_symlinks=True)
    finally:
        os.close(folder)
    return temporary


def _hidden(target: Path) -> str:
    # The longest names leave no room for more.
    return f".{target.name[:40]}."


@contextmanager
def made_file(target: Path, needed: int, what: str, code: str) -> Iterator[Path]:
    """A temporary neighbour for another program to write to, which becomes ``target`` when the block ends without an
    error. ``needed``: bytes that must be free beforehand, else ``ModelError`` with ``code``. Raises ``OSError``."""
    private_folder(target.parent)
    free = shutil.disk_usage(target.parent).free
    if free < needed + _SPARE:
        raise ModelError(
            code,
            f"{what} needs {needed / 1e6:.0f} MB in {target.parent}, which has {free / 1e6:.0f} MB.",
            "Free some space, or choose another folder (--data-dir).",
        )
    descriptor, name = tempfile.mkstemp(prefix=_hidden(target), suffix=".part", dir=target.parent)
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


def unwritable(path: Path, error: OSError | RuntimeError) -> JokeJudgeError:
    """The error for a file that the system doesn't let us write."""
    return SettingsError(
        "E_WRITE",
        f"{path} can't be written: {getattr(error, 'strerror', None) or error}.",
        "Choose a folder that you may write to (--data-dir), or free some space.",
    )


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def remove(path: Path) -> None:
    """Delete a file, if it is there. Raises ``SettingsError`` ``E_WRITE``."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        raise SettingsError(
            "E_WRITE", f"{path} can't be deleted: {error.strerror or error}.", "Delete it by hand."
        ) from error


def atomic_write(path: Path, data: bytes | str) -> None:
    """Replace the content of ``path`` in one step; text is UTF-8."""
    with atomic_writer(path) as stream:
        stream.write(data.encode("utf-8") if isinstance(data, str) else data)


@contextmanager
def alone(path: Path) -> Iterator[None]:
    """Hold the lock file ``path``, so that what is read, changed and written inside isn't changed by another process
    between. Where the system has no such locks, nothing is held. Raises ``SettingsError`` ``E_WRITE``, and
    ``E_BUSY`` where another process doesn't let go within some seconds."""
    try:
        private_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, _FILE)
    except OSError as error:
        raise unwritable(path, error) from error
    try:
        _hold(descriptor, path)
        yield
    finally:
        os.close(descriptor)


def _hold(descriptor: int, path: Path) -> None:
    until = time.monotonic() + _PATIENCE
    while not locked(descriptor):
        if time.monotonic() > until:
            raise SettingsError("E_BUSY", f"Another JokeJudge is writing in {path.parent}.", "Try again in a moment.")
        time.sleep(0.02)


def locked(descriptor: int) -> bool:
    """Lock an open file until it is closed, where the system can; False where another process holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return sys.platform != "win32"  # there it is held; elsewhere it is a file system without locks
    return True


def process_runs(number: int) -> bool:
    """Whether there is a process of this number, as far as the system says."""
    if os.name != "posix":
        return number == os.getpid()  # on Windows signal 0 would be a Ctrl-C
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
    done = 0
    with path.open("rb") as stream:
        while block := stream.read(_CHUNK):
            digest.update(block)
            done += len(block)
            if step is not None:
                step(done)
    return digest.hexdigest()


def parse_json(data: bytes | str) -> Any:
    """JSON that anyone may have written. Raises ``ValueError`` for everything that no file of the program holds: not
    UTF-8, endless numbers, lists within lists without end."""
    try:
        value = json.loads(data, parse_constant=_endless, parse_float=_number)
    except (RecursionError, MemoryError) as error:
        raise ValueError("it is nested too deeply") from error
    _check_depth(value)
    return value


def json_items(text: str) -> Iterator[tuple[int, Any]]:
    """The items of a JSON array one by one, each with the line that it begins on, as ``parse_json`` gives them. Raises
    ``ValueError``, where it is reached, for what isn't such an array."""
    decoder = json.JSONDecoder(parse_constant=_endless, parse_float=_number)
    blank = re.compile(r"\s*")
    end = begin = blank.match(text).end()  # type: ignore[union-attr]
    line, counted = 1, 0
    if text[begin : begin + 1] != "[":
        raise ValueError("it doesn't begin with a bracket")
    while True:
        begin = blank.match(text, end + 1).end()  # type: ignore[union-attr]
        if text[begin : begin + 1] == "]" and text[end] == "[":
            end = begin
        else:
            try:
                value, after = decoder.raw_decode(text, begin)
            except (RecursionError, MemoryError) as error:
                raise ValueError("it is nested too deeply") from error
            _check_depth(value)
            line += text.count("\n", counted, begin)
            counted = begin
            yield line, value
            end = blank.match(text, after).end()  # type: ignore[union-attr]
        if text[end : end + 1] == "]":
            if text[end + 1 :].strip():
                raise ValueError("there is more after its last bracket")
            return
        if text[end : end + 1] != ",":
            raise ValueError("a comma or its last bracket is missing")


def read_json(path: Path, most: int = _MOST_JSON) -> Any:
    """A JSON file of at most ``most`` bytes. Raises ``OSError``, and ``ValueError`` as ``parse_json`` does."""
    with path.open("rb") as stream:
        data = stream.read(most + 1)
    if len(data) > most:
        raise ValueError("it is too large")
    return parse_json(data)


def whole_lines(stream: IO[bytes]) -> Iterator[bytes]:
    """The lines of a file that the program wrote, with their ends. Raises ``ValueError`` for one that it can't have
    written, being over 16 MB long."""
    while line := stream.readline(_MOST_LINE):
        if len(line) == _MOST_LINE:
            raise ValueError("it has a line of more than 16 MB")
        yield line


def remembered(path: Path) -> dict[str, Any]:
    """What a file of the program's own memory holds; nothing where it is missing, damaged or something else."""
    try:
        found = read_json(path)
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def remember(path: Path, key: str, value: Any, most: int | None = None) -> None:
    """Keep a value in such a file, of the newest ``most``; None: forget what was kept. Raises ``SettingsError``
    ``E_WRITE``."""
    before = remembered(path)
    known = {name: kept for name, kept in before.items() if name != key}
    if value is not None:
        known[key] = value
    if known != before:
        atomic_write(path, json.dumps(dict(list(known.items())[-(most or len(known)) :]), indent=1))


def _number(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _endless(text)


def _endless(text: str) -> NoReturn:
    raise ValueError(f"{text[:40]} is no number")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(_MOST_DEPTH):
        level = (
            [
                part
                for whole in level
                for part in (whole.values() if isinstance(whole, dict) else whole)
                if isinstance(part, dict | list)
            ]
            if isinstance(value, dict | list)
            else []
        )
        if not level:
            return
    raise ValueError("it is nested too deeply")


def model_file(folder: Path, sha256: str, ending: str = "") -> Path:
    """Where a folder keeps what was measured of the model with this hash."""
    return folder / f"{sha256[:16]}{ending}.json"


def read_model_file(folder: Path, sha256: str, *, format: int, most: int) -> dict[str, Any]:
    """What such a file holds; nothing where it is missing, damaged, over ``most`` bytes, of another format or of
    another model. Numbers that aren't finite are let through (``read_json`` refuses the whole file for one), so that
    the reader can leave out a single entry."""
    path = model_file(folder, sha256)
    try:
        if not path.is_file() or path.stat().st_size > most:
            return {}
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    known = isinstance(data, dict) and (data.get("format"), data.get("model_sha256")) == (format, sha256)
    return data if known else {}


def write_model_file(folder: Path, content: dict[str, Any], ending: str = "") -> Path:
    """Write the file of the model that ``content`` names, and return where. Raises ``SettingsError``."""
    path = model_file(folder, content["model_sha256"], ending)
    atomic_write(path, json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    return path
