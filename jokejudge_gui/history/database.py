"""The history's database file: checks before it is opened, a connection for each thread, and errors in plain words."""

from __future__ import annotations

import os
import sqlite3
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from sqlite3 import Connection

from ..core.errors import HistoryError
from ..core.files import keep_private, private_folder

APPLICATION_ID = 0x4A4A6831  # "JJh1": distinguishes this program's file from another program's database
_MAGIC = b"SQLite format 3\x00"
_AWAY = "Nothing was changed. Move the file away to start a new history, or put a copy of it back."


def damaged(path: Path, why: str) -> HistoryError:
    """Return the error for a file that can't be read as a history."""
    return HistoryError("E_HISTORY_DAMAGED", f"The history file {path} is damaged ({why}).", _AWAY)


def foreign(path: Path) -> HistoryError:
    """Return the error for a sound database that isn't a history."""
    return HistoryError(
        "E_HISTORY_DAMAGED", f"The file {path} is a database, but not a history of this program.", _AWAY
    )


def newer(path: Path, found: int, known: int) -> HistoryError:
    """Return the error for a history written by a later version of the program."""
    return HistoryError(
        "E_HISTORY_NEWER",
        f"The history file {path} was written by a newer program (its version is {found}, this program knows {known}).",
        "Update the program, or use another data folder (--data-dir). Nothing was changed.",
    )


def unwritable(path: Path, why: str) -> HistoryError:
    """Return the error for a file or folder that may not be written."""
    return HistoryError(
        "E_HISTORY_READONLY",
        f"The history file {path} can't be opened for writing ({why}).",
        "Make the file and its folder writable, or choose another data folder (--data-dir).",
    )


def gone(path: Path) -> HistoryError:
    """Return the error for a file that was removed or replaced while the program had it open."""
    return HistoryError(
        "E_HISTORY_GONE",
        f"The history file {path} was removed or replaced while the program ran, so this isn't kept.",
        "Start the program again: it begins a new history, or goes on with the file that is there.",
    )


def in_words(error: sqlite3.Error, path: Path) -> HistoryError | None:
    """Return a SQLite error as one that a person can act on; None if it is a bug in the program."""
    code = getattr(error, "sqlite_errorcode", None)
    match code & 0xFF if isinstance(code, int) else None:
        case sqlite3.SQLITE_CORRUPT | sqlite3.SQLITE_NOTADB:
            return damaged(path, str(error))
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED | sqlite3.SQLITE_PROTOCOL:
            return HistoryError(
                "E_HISTORY_LOCKED",
                f"The history file {path} is in use by another program.",
                "Close the other program, or wait until it has finished, and try again.",
            )
        case sqlite3.SQLITE_READONLY | sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_PERM:
            return unwritable(path, str(error))
        case sqlite3.SQLITE_FULL:
            return HistoryError(
                "E_HISTORY_FULL",
                f"The disk is full: the history file {path} can't grow.",
                "Free some space and try again; what was written before is safe.",
            )
        case sqlite3.SQLITE_IOERR:
            return HistoryError(
                "E_HISTORY_IO",
                f"The history file {path} can't be read or written ({error}).",
                "Check the disk (is it full, or unplugged?) and try again.",
            )
    if code == sqlite3.SQLITE_CONSTRAINT:
        # Violations of the tables' own constraints have a longer code that names the constraint; this is a damaged
        # search index.
        return damaged(path, "its search index isn't as the program made it")
    faults = (sqlite3.ProgrammingError, sqlite3.IntegrityError)
    if isinstance(error, sqlite3.DatabaseError) and not isinstance(error, faults):
        # SQLite's own message may quote stored text, which must not get into a report.
        return damaged(path, "its tables aren't as the program made them")
    return None


@contextmanager
def known_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's known errors into ``HistoryError``; others pass through."""
    try:
        yield
    except sqlite3.Error as error:
        known = in_words(error, path)
        if known is None:
            raise
        raise known from error


def check_header(path: Path, known_version: int) -> None:
    """Check a file's first bytes without opening it as a database, so that a refused file stays untouched."""
    try:
        mode = path.stat().st_mode
        if not stat.S_ISREG(mode):
            raise unwritable(path, "it is a folder" if stat.S_ISDIR(mode) else "it is not a plain file")
        with path.open("rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        return
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error
    if not head:
        return
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise damaged(path, "it is not a database")
    version = int.from_bytes(head[60:64], "big")
    if int.from_bytes(head[68:72], "big") == APPLICATION_ID and version > known_version:
        raise newer(path, version, known_version)


def make_folder(path: Path) -> None:
    """Create the folder of a new file, and every missing folder above it, accessible to its owner alone."""
    try:
        private_folder(path.parent)
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error


def _make_private(path: Path) -> None:
    """Create a missing file, and remove other users' access to it. SQLite gives its log and its shared memory the same
    mode."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error
    keep_private(*(path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")))


def connect(path: Path, busy_timeout: float, *, create: bool = False) -> Connection:
    """Open a connection in autocommit; transactions are begun explicitly. ``busy_timeout`` in seconds. The file is only
    created with ``create``: a file that vanishes while the program runs must not come back empty."""
    if create:
        _make_private(path)
    uri = f"{path.absolute().as_uri()}?mode={'rwc' if create else 'rw'}"
    database = sqlite3.connect(uri, uri=True, timeout=busy_timeout, isolation_level=None, check_same_thread=False)
    try:
        # Damaged text is decoded as far as possible; Python's own error would quote it.
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        # Deleted content is overwritten, whatever this SQLite's default is.
        database.execute("PRAGMA secure_delete = ON")
        database.execute("PRAGMA foreign_keys = ON")
        # A verdict that was shown is on the disk, even after a power failure.
        database.execute("PRAGMA synchronous = FULL")
    except BaseException:
        database.close()
        raise
    return database


def use_wal(database: Connection, busy_timeout: float) -> None:
    """Switch to write-ahead logging. SQLite doesn't wait for other processes here, so two first starts at once would
    fail."""
    deadline = time.monotonic() + busy_timeout
    while database.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            database.execute("PRAGMA journal_mode = wal")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() >= deadline:
                raise
            time.sleep(0.01)
        else:
            return


@contextmanager
def transaction(database: Connection) -> Iterator[None]:
    """Run the block in a write transaction, whole or not at all. Takes the write lock at once, since a reader that
    becomes a writer half-way can be refused without waiting."""
    database.execute("BEGIN IMMEDIATE")
    try:
        yield
        database.execute("COMMIT")
    except BaseException:
        database.rollback()
        raise


def run_script(database: Connection, script: str) -> None:
    """Run several statements within the caller's transaction, each ending with its line; ``executescript`` would commit
    it."""
    for statement in _statements(script):
        database.execute(statement)


@cache
def _statements(script: str) -> tuple[str, ...]:
    found = [""]
    for line in script.splitlines(keepends=True):
        found[-1] += line
        if sqlite3.complete_statement(found[-1]):
            found.append("")
    return tuple(statement for statement in found if statement.strip())


def identity(path: Path) -> tuple[int, int] | None:
    """Return the file's device and inode, which distinguish it from another file of its name; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino


class Pool:
    """A connection for each thread that asks, all closed together. SQLite's known errors are raised as
    ``HistoryError``."""

    def __init__(self, path: Path, busy_timeout: float) -> None:
        self._path = path
        self._busy_timeout = busy_timeout
        self._identity = identity(path)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._open: dict[threading.Thread, tuple[Connection, threading.RLock]] = {}
        self._closed = False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield this thread's connection; it isn't closed while the block runs."""
        with known_errors(self._path):
            database, lock = self._mine()
            with lock:
                self.check_open()
                yield database

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield this thread's connection within a write transaction. Raises ``E_HISTORY_GONE`` if the file was removed
        or replaced: data written to it then would be lost silently."""
        with self._writing, self.read() as database:
            if identity(self._path) != self._identity:
                raise gone(self._path)
            with transaction(database):
                yield database

    def forget(self) -> None:
        """Move the log's content into the file and empty the log, so that text overwritten in the file isn't kept in
        the log. Raises ``E_HISTORY_LOCKED`` if another program is reading the history."""
        with self._writing, self.read() as database:
            busy, *_ = database.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise HistoryError(
                "E_HISTORY_LOCKED",
                "It is deleted, but another program has the history open, so the words may still be in a log file.",
                "Close the other program, then purge the history (jokejudge history purge).",
            )

    def close(self) -> None:
        """Close every connection, each when its thread has finished with it. Closing twice is allowed."""
        with self._lock:
            self._closed = True
            connections = list(self._open.values())
            self._open.clear()
        for database, lock in connections:
            with lock:
                database.close()

    @property
    def closed(self) -> bool:
        return self._closed

    def check_open(self) -> None:
        """Raise ``E_HISTORY_CLOSED`` after ``close``."""
        if self._closed:
            raise HistoryError("E_HISTORY_CLOSED", "The history is closed.", "Start the program again.")

    def _mine(self) -> tuple[Connection, threading.RLock]:
        thread = threading.current_thread()
        with self._lock:
            self.check_open()
            mine = self._open.get(thread)
            if mine is None:
                for gone in [other for other in self._open if not other.is_alive()]:
                    self._open.pop(gone)[0].close()
                mine = self._open[thread] = (connect(self._path, self._busy_timeout), threading.RLock())
            return mine
