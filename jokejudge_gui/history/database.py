"""The history's database file: its checks, tables and connections, and SQLite's errors in plain words."""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from ..core.errors import HistoryError
from ..core.files import keep_private, private_folder

if TYPE_CHECKING:
    from sqlite_utils import Database
    from sqlite_utils.db import ForeignKey

APPLICATION_ID = 0x4A4A6831  # "JJh1": distinguishes this program's file from another program's database
_MAGIC = b"SQLite format 3\x00"
_FOREIGN = "its tables aren't as the program made them"


def damaged(path: Path, why: str) -> HistoryError:
    """Return the error for a file that can't be read as a history."""
    hint = "Nothing was changed. Move the file away to start a new history, or put a copy of it back."
    return HistoryError("E_HISTORY_DAMAGED", f"The history file {path} is damaged ({why}).", hint)


def unwritable(path: Path, why: str) -> HistoryError:
    """Return the error for a file or folder that may not be written."""
    hint = "Make the file and its folder writable, or choose another data folder (--data-dir)."
    return HistoryError("E_HISTORY_READONLY", f"The history file {path} can't be opened for writing ({why}).", hint)


_IN_USE = ("E_HISTORY_LOCKED", "is in use by another program", "Wait until it has finished, or close it.")
_KNOWN = {
    **dict.fromkeys((sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL), _IN_USE),
    sqlite3.SQLITE_FULL: (
        "E_HISTORY_FULL", "can't grow: the disk is full", "Free some space; what was written before is safe."
    ),
    sqlite3.SQLITE_IOERR: (
        "E_HISTORY_IO", "can't be read or written", "Check the disk (is it full, or unplugged?) and try again."
    ),
}  # fmt: skip
"""Code, end of the sentence, and hint for SQLite's errors."""


@contextmanager
def known_errors(path: Path) -> Iterator[None]:
    """Turn SQLite's known errors into ``HistoryError``; others, which are bugs in the program, pass through. Of an
    error that quotes a damaged name, Python can only say that it can't decode it."""
    try:
        yield
    except UnicodeDecodeError:
        raise damaged(path, _FOREIGN) from None
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", None) or 0
        if (words := _KNOWN.get(code & 0xFF)) is not None:
            raise HistoryError(words[0], f"The history file {path} {words[1]}.", words[2]) from error
        if code & 0xFF in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB):
            raise damaged(path, str(error)) from error
        if code & 0xFF in (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM):
            raise unwritable(path, str(error)) from error
        # Violations of the tables' own constraints have a longer code that names the constraint; the short one is that
        # of a damaged search index. SQLite's own message may quote stored text, which must not get into a report.
        if code != sqlite3.SQLITE_CONSTRAINT and isinstance(error, sqlite3.ProgrammingError | sqlite3.IntegrityError):
            raise
        raise damaged(path, _FOREIGN) from error


def stored_version(path: Path) -> int | None:
    """Return the version of a history by its first bytes, without opening it as a database, so that a refused file
    stays untouched; 0 for another program's database, None if there is no file or it is empty. Raises ``HistoryError``
    for anything else than a database."""
    try:
        if path.exists() and not path.is_file():
            raise unwritable(path, "it is not a plain file")
        with path.open("rb") as stream:
            head = stream.read(100)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error
    if not head:
        return None
    if len(head) < 100 or not head.startswith(_MAGIC):
        raise damaged(path, "it is not a database")
    ours = int.from_bytes(head[68:72], "big") == APPLICATION_ID
    return int.from_bytes(head[60:64], "big") if ours else 0


def connect(path: Path, busy_timeout: float) -> Connection:
    """Open a connection to an existing file in autocommit; transactions are begun explicitly. ``busy_timeout`` in
    seconds. A file that vanishes while the program runs doesn't come back empty."""
    uri = f"{path.absolute().as_uri()}?mode=rw"
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


def tables(database: Connection) -> Database:
    """Return a connection as sqlite-utils' database. Imported here, since neither reading a history nor keeping a
    verdict needs it: the import takes a tenth of a second, which every rating of the terminal would pay."""
    from sqlite_utils import Database

    return Database(database, recursive_triggers=False, execute_plugins=False)


def put(database: Connection, table: str, row: Mapping[str, object]) -> int | None:
    """Insert a row and return its number."""
    names, values = ", ".join(row), ", ".join(f":{name}" for name in row)
    return database.execute(f"INSERT INTO {table} ({names}) VALUES ({values})", row).lastrowid


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
    with database:
        yield


def _identity(path: Path) -> tuple[int, int] | None:
    """Return the file's device and inode, which distinguish it from another file of its name; None if there is none."""
    with suppress(OSError):
        status = path.stat()
        return status.st_dev, status.st_ino
    return None


class Pool:
    """A connection for each thread that asks, all closed together. SQLite's known errors are raised as
    ``HistoryError``."""

    def __init__(self, path: Path, busy_timeout: float) -> None:
        self._path = path
        self._busy_timeout = busy_timeout
        self._identity = _identity(path)
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._open: dict[threading.Thread, tuple[Connection, threading.RLock]] = {}
        self.closed = False

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Yield this thread's connection; it isn't closed while the block runs."""
        with known_errors(self._path):
            database, lock = self._mine()
            with lock:
                self._check_open()
                yield database

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Yield this thread's connection within a write transaction. Raises ``E_HISTORY_GONE`` if the file was removed
        or replaced: data written to it then would be lost silently."""
        with self._writing, self.read() as database:
            if _identity(self._path) != self._identity:
                raise HistoryError(
                    "E_HISTORY_GONE",
                    f"The history file {self._path} was removed or replaced while the program ran, so this isn't kept.",
                    "Start the program again: it begins a new history, or goes on with the file that is there.",
                )
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
            self.closed = True
            connections = list(self._open.values())
            self._open.clear()
        for database, lock in connections:
            with lock:
                database.close()

    def _check_open(self) -> None:
        if self.closed:
            raise HistoryError("E_HISTORY_CLOSED", "The history is closed.", "Start the program again.")

    def _mine(self) -> tuple[Connection, threading.RLock]:
        thread = threading.current_thread()
        with self._lock:
            self._check_open()
            mine = self._open.get(thread)
            if mine is None:
                for ended in [other for other in self._open if not other.is_alive()]:
                    self._open.pop(ended)[0].close()
                mine = self._open[thread] = (connect(self._path, self._busy_timeout), threading.RLock())
            return mine


# The tables: created in a new file, and migrated in one of an earlier release, by sqlite-utils.

VERSION = 7
"""The version of the schema: that of the last migration, and the first that was released."""

WORDS = ("texts", "note", "tags", "explanation")
"""The columns of a verdict's words, which the search finds."""
_VERDICTS: dict[str, type] = {
    "seq": int, "id": str, "parent": int, "kind": str, "status": str, "created": str, "ended": str, "deleted_at": str,
    "owner": str, "starred": int, "mode": str, "seed": int, "prompt_version": str, "criteria_version": str,
    "model_name": str, "model_sha256": str, "badge": str, "tone": str, "sentence": str, "value": float,
    "seconds": float, "error_code": str, "error": str, "error_hint": str,
}  # fmt: skip
_INDICES = (
    ("parent", "deleted_at", "kind"),
    ("parent", "deleted_at", "status"),
    ("parent", "deleted_at", "value"),
    ("starred", "deleted_at"),
    ("status", "owner"),
    ("deleted_at",),
)


def _begin(database: Database) -> None:
    """Create the tables. Small columns are in ``verdicts``, long ones in ``words`` and ``results``, so that a list is
    filtered without reading them and a change of status leaves the search's index alone."""
    verdicts = database.table("verdicts")
    needed = {"id", "kind", "status", "created", "starred", "mode", "seed", "prompt_version", "criteria_version"}
    verdicts.create(_VERDICTS, pk="seq", not_null=needed, defaults={"starred": 0}, foreign_keys=_belongs("parent"))
    verdicts.create_index(["id"], unique=True)
    for index in _INDICES:
        verdicts.create_index(index)
    # ``parts``: labels and lengths of the texts that ``texts`` joins by line feeds, in JSON; empty for a single text
    # without a label.
    words = database.table("words")
    long = {"seq": int, "parts": str, **dict.fromkeys(WORDS, str)}
    words.create(long, pk="seq", not_null=long, defaults=dict.fromkeys(WORDS[1:], ""), foreign_keys=_belongs("seq"))
    words.enable_fts(WORDS, create_triggers=True, tokenize="unicode61 remove_diacritics 2")
    # Made again with the beginnings of words, for which sqlite-utils has no option.
    database.execute("DROP TABLE words_fts")
    database.execute(
        f"CREATE VIRTUAL TABLE words_fts USING fts5 ({', '.join(WORDS)}, content = 'words', content_rowid = 'seq',"
        " prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2')"
    )
    database.table("results").create(
        {"seq": int, "body": str}, pk="seq", not_null={"body"}, foreign_keys=_belongs("seq")
    )
    tags = database.table("verdict_tags")
    tags.create({"tag": str, "seq": int}, pk=("tag", "seq"), foreign_keys=_belongs("seq"))
    tags.create_index(["seq"])
    # Without a reference to the verdict's row: a vote stays after the verdict is deleted, and keeps its own texts.
    votes = database.table("votes")
    vote: dict[str, type] = {
        "seq": int, "id": str, "verdict_id": str, "kind": str, "created": str, "choice": str, "blind": int,
        "scale": str, "value": float, "centred": int, "model_name": str, "model_sha256": str, "prompt_version": str,
        "criteria_version": str, "subjects": str,
    }  # fmt: skip
    votes.create(vote, pk="seq", not_null={*vote} - {"verdict_id"})
    votes.create_index(["id"], unique=True)
    votes.create_index(["verdict_id"], unique=True)
    votes.create_index(["model_sha256"])


def _belongs(column: str) -> list[ForeignKey]:
    """Return the reference of a row that is removed with its verdict."""
    from sqlite_utils.db import ForeignKey

    return [ForeignKey("", column, "verdicts", "seq", on_delete="CASCADE")]


def prepare(path: Path, busy_timeout: float) -> tuple[str, ...]:
    """Bring the file to the newest schema, or create it if there is none, and return notes for the user. Raises
    ``HistoryError``: ``E_HISTORY_NEWER``, ``E_HISTORY_DAMAGED``, ``E_HISTORY_LOCKED``,
    ``E_HISTORY_READONLY``, ``E_HISTORY_FULL``. A refused file isn't changed."""
    header = stored_version(path)
    _check(path, header or 0)
    empty = header is None and path.exists()
    try:  # SQLite gives its log and its shared memory the file's mode
        private_folder(path.parent)
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise unwritable(path, error.strerror or str(error)) from error
    keep_private(*(path.with_name(path.name + suffix) for suffix in ("", "-wal", "-shm")))
    with known_errors(path), closing(connect(path, busy_timeout)) as database:
        version = _version(database, path)
        if version == VERSION:  # raises an error where damage gave a column another name
            database.execute(f"SELECT {', '.join(_VERDICTS)} FROM verdicts WHERE false")
        use_wal(database, busy_timeout)
        if version < VERSION:
            _migrate(database)
        # SQLite opens a read-only file without an error; a write of nothing raises it.
        database.execute("DELETE FROM verdicts WHERE false")
    return (f"The history file {path} was empty, so a new history begins in it.",) if empty else ()


def _check(path: Path, version: int) -> None:
    """Refuse a file of another program's version; 0: it has none yet."""
    if version > VERSION:
        sentence = (
            f"The history file {path} was written by a newer program (version {version}; this one knows {VERSION})."
        )
        hint = "Update the program, or use another data folder (--data-dir). Nothing was changed."
        raise HistoryError("E_HISTORY_NEWER", sentence, hint)
    if 0 < version < VERSION:
        raise damaged(path, "a version before the first release wrote it")


def _version(database: Connection, path: Path) -> int:
    """Return the schema's version, 0 for an empty file, from one snapshot: another process may be creating the file."""
    database.execute("BEGIN")
    with database:
        version, application, count = (
            int(database.execute(sql).fetchone()[0])
            for sql in ("PRAGMA user_version", "PRAGMA application_id", "SELECT count(*) FROM sqlite_master")
        )
    if application != APPLICATION_ID and (version or count):
        raise damaged(path, "it is another program's database")
    _check(path, version)
    return version


def _migrate(database: Connection) -> None:
    """Apply the migrations, in their order. One that was released is never edited: a change is a new one, and raises
    ``VERSION``."""
    from sqlite_utils import Migrations

    history = Migrations("history")
    history(name="verdicts, words, results, tags and votes")(_begin)
    with transaction(database):
        # Another process may have done it during the wait for the lock.
        if database.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            history.apply(tables(database))
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {VERSION}")
