"""Brings a history's file to the newest schema, in numbered steps, after a copy of it was made."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import TypeAlias

from sqlite_utils import Database

from ..errors import HistoryError
from ..verdict_kinds import Kinds
from . import schema, subjects_step
from .database import (
    APPLICATION_ID,
    check_header,
    connect,
    foreign,
    in_words,
    known_errors,
    make_folder,
    newer,
    transaction,
    unwritable,
    use_wal,
)
from .shape import Shape, check_shape, shape_of
from .subjects_step import Progress

Step: TypeAlias = str | Callable[[Database, Kinds, Progress], None]
STEPS: tuple[Step, ...] = (schema.BASE, schema.SEARCH, schema.AVERAGES, schema.VOTES, subjects_step.apply)
COPY_DAYS = 30
"""How long the copy made before a migration is kept."""


def copy_name(path: Path, version: int) -> Path:
    """Where the file is copied before it is brought to ``version``."""
    return path.with_name(f"{path.name}.before-v{version}")


def copies(path: Path) -> list[Path]:
    """The copies made before migrations, and what a killed copying left."""
    return sorted(path.parent.glob(f"{path.name}.before-v*"))


def remove_copies(path: Path, *, older_than_days: float = 0.0) -> None:
    """Remove the copies made before migrations that are at least so old. One that can't be removed stays."""
    for copy in copies(path):
        with suppress(OSError):
            if time.time() - copy.stat().st_mtime >= older_than_days * 86_400:
                copy.unlink()


def is_old(path: Path) -> bool:
    """Whether a history is there that is yet to be brought to the newest schema, by its first bytes alone."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            head = stream.read(100)
    except OSError:
        return False
    found = int.from_bytes(head[60:64], "big")
    return int.from_bytes(head[68:72], "big") == APPLICATION_ID and 0 < found < len(STEPS)


def prepare(
    path: Path,
    busy_timeout: float,
    kinds: Kinds,
    steps: tuple[Step, ...] = STEPS,
    progress: Progress = lambda done, total: None,
) -> bool:
    """Bring the file to the newest schema (version = number of steps), creating it where there is none. True if a file
    was there that was empty. ``progress`` is told how far the verdicts of an old file have come.

    Raises ``HistoryError``: ``E_HISTORY_NEWER``, ``E_HISTORY_DAMAGED``, ``E_HISTORY_LOCKED``, ``E_HISTORY_READONLY``,
    ``E_HISTORY_FULL``, ``E_HISTORY_MIGRATION``. A file that is refused isn't changed."""
    check_header(path, len(steps))
    make_folder(path)
    was_empty = path.exists() and path.stat().st_size == 0
    with known_errors(path):
        database = connect(path, busy_timeout, create=True)
        try:
            # A step may replace a table that others refer to; within a transaction it is too late to say so.
            database.execute("PRAGMA foreign_keys = OFF")
            version = _version(database, path, steps)
            use_wal(database, busy_timeout)
            if 0 < version < len(steps):
                with transaction(database):
                    # Another process may have migrated it since; then its copy is the one to keep.
                    if _user_version(database) == version:
                        _copy(path, copy_name(path, len(steps)))
            for number in range(version + 1, len(steps) + 1):
                _apply(database, path, number, steps[number - 1], kinds, progress)
            # SQLite opens what it may only read without a word; a statement that writes, if only nothing, finds out.
            database.execute("DELETE FROM verdicts WHERE false")
        finally:
            database.close()
    remove_copies(path, older_than_days=COPY_DAYS)
    return was_empty and version == 0


@lru_cache
def declared(version: int) -> Shape:
    """What a history of this version declares."""
    database = Database(memory=True)
    try:
        for step in STEPS[:version]:
            if isinstance(step, str):
                database.executescript(step)
            else:
                step(database, {}, lambda done, total: None)
        return shape_of(database)
    finally:
        database.close()


def _user_version(database: Database) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _version(database: Database, path: Path, steps: tuple[Step, ...]) -> int:
    """The schema's version; 0 for an empty file. Read in one snapshot, with the check of what the file declares:
    another process may be creating or migrating it."""
    database.conn.execute("BEGIN")
    try:
        version = _user_version(database)
        application = int(database.execute("PRAGMA application_id").fetchone()[0])
        tables = int(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        if application != APPLICATION_ID:
            if version or tables:
                raise foreign(path)
            return 0
        if version > len(steps):
            raise newer(path, version, len(steps))
        if steps is STEPS:
            check_shape(database, path, declared(max(0, version)))
    finally:
        database.rollback()
    return version


def _apply(database: Database, path: Path, number: int, step: Step, kinds: Kinds, progress: Progress) -> None:
    try:
        with transaction(database):
            # Another process may have done this step while we waited for the lock.
            if _user_version(database) >= number:
                return
            if isinstance(step, str):
                database.executescript(step)
            else:
                step(database, kinds, progress)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {number}")
    except sqlite3.Error as error:
        known = in_words(error, path)
        # An old file whose tables aren't as they should be is reported with the step that met it.
        if known is not None and getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR:
            raise known from error
        raise HistoryError(
            "E_HISTORY_MIGRATION",
            f"The history file {path} couldn't be brought to version {number} ({error}).",
            "It is as it was before; go on with the older program, and report this.",
        ) from error


def _copy(path: Path, target: Path) -> None:
    """Copy a database as it stands, whatever lies in its log, for its owner alone. Called with the write lock held."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        os.close(os.open(part, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
        source, copy = sqlite3.connect(path), sqlite3.connect(part)
        try:
            source.backup(copy)
            copy.execute("PRAGMA journal_mode = delete")
        finally:
            copy.close()
            source.close()
        os.replace(part, target)
    except OSError as error:
        raise unwritable(target, error.strerror or str(error)) from error
    finally:
        part.unlink(missing_ok=True)
