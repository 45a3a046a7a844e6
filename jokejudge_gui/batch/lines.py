"""A file of JSON lines that grows as a long run goes on."""

from __future__ import annotations

import hashlib
import json
import os
import re
import stat
import time
from array import array
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from .. import __version__
from ..core.errors import OutputError, UsageError
from ..core.files import parse_json
from ..core.texts import json_line

_SYNC_LINES = 20
_MOST_LINE = 16 << 20
_SYNC_S = 5.0
_OPENING = b'{"id": null, "run": "'


def first_line(run: str) -> bytes:
    """Return the first line of a file of such a run."""
    return json.dumps({"id": None, "run": run, "program": __version__, "error": None}).encode() + b"\n"


class LinesFile:
    """A file of whole lines, each written at once and synced to the disk every few seconds. The first line names the
    run (``run``: its kind), which identifies the file as ours.

    Opening passes every line of an earlier run to ``_take`` and cuts off an unfinished last one, if at least one whole
    line of ours precedes it. Raises what ``_take`` raises, and ``OutputError`` for a file that can't be written, isn't
    a
    plain one, or is being written by another run.
    """

    run: str
    foreign: tuple[str, str, str]
    """The error for a file that holds anything else: its code, a name of the right lines, and a next step."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._unsynced = 0
        self._synced = time.monotonic()
        self._size = 0
        try:
            self._stream = _open(path)
        except (OSError, ValueError) as error:
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
        """Read a line. Raises ``_foreign`` for one that isn't ours, so that nothing is written there."""
        raise NotImplementedError

    def _foreign(self, number: int) -> UsageError:
        """Return the error for a file with such a line."""
        code, what, hint = self.foreign
        sentence = f"Line {number} of {self.path} isn't {what}, so nothing was written to the file."
        return UsageError(code, sentence, hint)

    def append(self, value: dict[str, Any]) -> None:
        """Write one line. Where it can't be written whole, its part is removed."""
        line = json_line(value)
        try:
            if not self._size:
                self._write(self._first_line())
            self._write(line)
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
        except OSError as error:
            raise _unwritable(self.path, error) from error
        finally:
            self._stream.close()

    def _write(self, data: bytes) -> None:
        descriptor = self._stream.fileno()
        done = 0
        try:
            while done < len(data):
                done += os.write(descriptor, data[done:])
        except OSError:
            with suppress(OSError):
                os.ftruncate(descriptor, self._size)
            raise
        self._size += len(data)

    def _first_line(self) -> bytes:
        return first_line(self.run)

    def _is_first_line(self, line: bytes, number: int) -> bool:
        """Whether a line names a run. Raises ``_foreign`` where it names another kind of run."""
        if number != 1:
            return False
        try:
            value = parse_json(line)
        except ValueError as error:
            raise self._foreign(number) from error
        if not isinstance(value, dict) or "run" not in value:
            return False
        if value["run"] != self.run:
            raise self._foreign(number)
        return True

    def _begins_the_first(self, torn: bytes) -> bool:
        """Whether bytes without a line end are so much of our first line that no other file would begin with them."""
        return len(torn) > len(_OPENING) and self._first_line().startswith(torn)

    def _sync(self) -> None:
        os.fsync(self._stream.fileno())
        self._unsynced = 0
        self._synced = time.monotonic()

    def _recover(self) -> None:
        self._stream.seek(0)
        whole = number = 0
        while line := self._stream.readline(_MOST_LINE):
            number += 1
            if len(line) == _MOST_LINE:
                raise self._foreign(number)
            if not line.endswith(b"\n"):
                if not (self._begins_the_first(line) if number == 1 else _begins_a_line(line)):
                    raise self._foreign(number)
                break
            if not self._is_first_line(line, number):
                self._take(line, number)
            whole += len(line)
        if os.fstat(self._stream.fileno()).st_size != whole:
            self._stream.truncate(whole)
        self._stream.seek(0, os.SEEK_END)
        self._size = whole

    def _reopen(self) -> None:
        """Continue with the file that now has this name."""
        self._stream.close()
        self._stream = _open(self.path)
        _lock(self._stream.fileno(), self.path)


def _open(path: Path) -> IO[bytes]:
    """Open a plain file for reading and appending; a new one is private to its user."""
    with suppress(FileNotFoundError):
        if not stat.S_ISREG(path.stat().st_mode):
            raise OSError(0, "it isn't a plain file")
    return os.fdopen(os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600), "ab+")


def _begins_a_line(torn: bytes) -> bool:
    """Whether bytes without a line end can be the beginning of one of our lines (or zeros from a power cut)."""
    opening = b'{"id": '
    return torn.startswith(opening) or opening.startswith(torn) or not torn.strip(b"\0")


def _lock(descriptor: int, path: Path) -> None:
    """Lock the file, so that two runs can't write to it. Does nothing where the system has no such locks."""
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


def _unwritable(path: Path, error: OSError | ValueError) -> OutputError:
    return OutputError(
        "E_BATCH_OUT",
        f"{path} can't be written: {getattr(error, 'strerror', None) or error}.",
        "Choose a folder that you may write to, or free some space; then the batch goes on from there.",
    )


# -- many names in little memory: 8 bytes each, for runs over millions of rows --


def name_hash(name: str) -> int:
    """Return 64 bits of a digest of a name."""
    return int.from_bytes(hashlib.blake2b(name.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


class NameSet:
    """A set of names, kept as 64 bits of a digest each: among a million names two share a digest with a probability of
    3 in 10⁸. Adding and looking up may alternate, but the first look-up after an addition sorts the set."""

    def __init__(self) -> None:
        self._hashes = array("Q")
        self._sorted: npt.NDArray[np.uint64] | None = None

    def __len__(self) -> int:
        return len(self._hashes)

    def add(self, name: str) -> None:
        """Add a name, which may be there already."""
        self._hashes.append(name_hash(name))
        self._sorted = None

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str):
            return False
        ordered = self._in_order()
        wanted = np.uint64(name_hash(name))
        place = int(np.searchsorted(ordered, wanted))
        return place < len(ordered) and bool(ordered[place] == wanted)

    def doubles(self) -> frozenset[int]:
        """Return the hashes of the names that were added more than once."""
        ordered = self._in_order()
        return frozenset(int(value) for value in ordered[1:][ordered[1:] == ordered[:-1]])

    def _in_order(self) -> npt.NDArray[np.uint64]:
        if self._sorted is None:
            self._sorted = np.sort(np.frombuffer(self._hashes.tobytes(), dtype=np.uint64))
        return self._sorted


# -- a part of a long run, for one of several processes or machines; the parts divide the rows among them -------------

_FORM = re.compile(r"([0-9]{1,6})/([0-9]{1,6})")


@dataclass(frozen=True)
class Shard:
    """Part ``k`` (from 1) of ``n``. A row's part depends on its name alone, not on its position."""

    k: int
    n: int

    @classmethod
    def parse(cls, text: str) -> Shard:
        """Parse ``K/N``. Raises ``UsageError`` ``E_SHARD``."""
        found = _FORM.fullmatch(text.strip())
        k, n = (int(found[1]), int(found[2])) if found else (0, 0)
        if not 1 <= k <= n:
            raise UsageError(
                "E_SHARD", f"{text!r} is no part of a run.", "Give it as K/N with K from 1 to N, such as --shard 2/8."
            )
        return cls(k, n)

    def holds(self, name: str | None) -> bool:
        """Whether a row with this name (its id, or its text) belongs to this part; rows without one belong to the
        first."""
        if name is None:
            return self.k == 1
        digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()
        return int.from_bytes(digest[:8], "big") % self.n == self.k - 1
