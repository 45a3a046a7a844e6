"""A file of JSON lines that grows as a long run goes on."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from ..errors import OutputError, UsageError

_SYNC_LINES = 20
_SYNC_S = 5.0


class LinesFile:
    """Whole lines only, each written and flushed at once and synced to the disk every few seconds.

    Opening gives every line that an earlier run left to ``_take`` and cuts off a last one that it didn't finish.
    Raises what ``_take`` raises, and ``OutputError`` for a file that can't be written or is being written by another
    run.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unsynced = 0
        self._synced = time.monotonic()
        try:
            self._stream = path.open("ab+")
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            _lock(self._stream.fileno(), path)
            self._recover()
        except OSError as error:
            self._stream.close()
            raise _unwritable(path, error) from error
        except BaseException:
            self._stream.close()
            raise

    def _take(self, line: bytes, number: int) -> None:
        """Learn what a line says; raises ``_foreign`` for one that isn't ours, so that nothing is written there."""
        raise NotImplementedError

    def _foreign(self, number: int) -> UsageError:
        """Why a file with such a line isn't written to."""
        raise NotImplementedError

    def append(self, value: dict[str, Any]) -> None:
        """Write one line."""
        line = printable_json(json.dumps(value, ensure_ascii=False, allow_nan=False))
        try:
            self._stream.write(line.encode("utf-8") + b"\n")
            self._stream.flush()
            self._unsynced += 1
            if self._unsynced >= _SYNC_LINES or time.monotonic() - self._synced > _SYNC_S:
                self._sync()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Sync and close; every line is whole."""
        try:
            if self._unsynced:
                self._sync()
        finally:
            self._stream.close()

    def _sync(self) -> None:
        os.fsync(self._stream.fileno())
        self._unsynced = 0
        self._synced = time.monotonic()

    def _recover(self) -> None:
        self._stream.seek(0)
        whole = 0
        for number, line in enumerate(self._stream, start=1):
            if not line.endswith(b"\n"):
                if not _begins_a_line(line):
                    raise self._foreign(number)
                break
            self._take(line, number)
            whole += len(line)
        self._stream.truncate(whole)
        self._stream.seek(0, os.SEEK_END)

    def _reopen(self) -> None:
        """Go on with the file that now has this name."""
        self._stream.close()
        self._stream = self.path.open("ab+")
        _lock(self._stream.fileno(), self.path)


_STEERING = {number: f"\\u{number:04x}" for number in (*range(0x7F, 0xA0), 0x2028, 0x2029)}


def printable_json(line: str) -> str:
    """A JSON text that can be encoded (strings read from a shell may hold lone surrogates) and that steers no
    terminal: control characters that JSON allows within strings are escaped."""
    return line.encode("utf-16", "surrogatepass").decode("utf-16", "replace").translate(_STEERING)


def _begins_a_line(torn: bytes) -> bool:
    """Whether bytes without a line end can be the beginning of a line of ours (or zeros that a lost power left)."""
    opening = b'{"id": '
    return torn.startswith(opening) or opening.startswith(torn) or not torn.strip(b"\0")


def _lock(descriptor: int, path: Path) -> None:
    """Two runs must not write one file; where the system has no such locks, that is left to the user."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OutputError(
            "E_BATCH_BUSY", f"Another batch is writing {path}.", "Wait for it, or give --out another name."
        ) from error
    except OSError:
        return  # a file system without locks


def _unwritable(path: Path, error: OSError) -> OutputError:
    return OutputError(
        "E_BATCH_OUT",
        f"{path} can't be written: {error.strerror or error}.",
        "Choose a folder that you may write to, or free some space; then the batch goes on from there.",
    )
