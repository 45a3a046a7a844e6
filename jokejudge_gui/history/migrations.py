"""The schema in numbered steps. A step that was released is never edited: a change is a new step."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

from sqlite_utils import Database

from ..errors import HistoryError
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

# Small columns come first and the long ones last, so that a list reads no overflow pages.
_BASE = """
CREATE TABLE verdicts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('rate', 'duel')),
    status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'cancelled', 'interrupted')),
    created TEXT NOT NULL,
    ended TEXT,
    deleted_at TEXT,
    owner TEXT,
    starred INTEGER NOT NULL DEFAULT 0 CHECK (starred IN (0, 1)),
    mode TEXT NOT NULL,
    seed INTEGER NOT NULL,
    prompt_version TEXT NOT NULL,
    criteria_version TEXT NOT NULL,
    model_name TEXT,
    model_sha256 TEXT,
    admissible INTEGER,
    mean_score REAL,
    winner TEXT,
    confidence_factor REAL,
    seconds REAL,
    error_code TEXT,
    error TEXT,
    error_hint TEXT,
    text_a TEXT NOT NULL,
    text_b TEXT,
    tags TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    explanation TEXT NOT NULL DEFAULT ''
);
CREATE INDEX verdicts_live ON verdicts (seq) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_kind ON verdicts (kind) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_status ON verdicts (status) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_starred ON verdicts (starred) WHERE starred = 1 AND deleted_at IS NULL;
CREATE INDEX verdicts_score ON verdicts (mean_score) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_running ON verdicts (owner) WHERE status = 'running';
CREATE INDEX verdicts_deleted ON verdicts (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE TABLE results (
    seq INTEGER PRIMARY KEY REFERENCES verdicts (seq) ON DELETE CASCADE,
    body TEXT NOT NULL
);
CREATE TABLE verdict_tags (
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES verdicts (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, seq)
) WITHOUT ROWID;
CREATE INDEX verdict_tags_seq ON verdict_tags (seq);
"""

_SEARCH = """
CREATE VIRTUAL TABLE verdicts_fts USING fts5 (
    text_a, text_b, note, tags, explanation,
    content = 'verdicts', content_rowid = 'seq', prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO verdicts_fts (verdicts_fts) VALUES ('rebuild');
CREATE TRIGGER verdicts_fts_insert AFTER INSERT ON verdicts BEGIN
    INSERT INTO verdicts_fts (rowid, text_a, text_b, note, tags, explanation)
    VALUES (new.seq, new.text_a, new.text_b, new.note, new.tags, new.explanation);
END;
CREATE TRIGGER verdicts_fts_delete AFTER DELETE ON verdicts BEGIN
    INSERT INTO verdicts_fts (verdicts_fts, rowid, text_a, text_b, note, tags, explanation)
    VALUES ('delete', old.seq, old.text_a, old.text_b, old.note, old.tags, old.explanation);
END;
CREATE TRIGGER verdicts_fts_update AFTER UPDATE OF text_a, text_b, note, tags, explanation ON verdicts
WHEN (old.text_a, old.text_b, old.note, old.tags, old.explanation)
    IS NOT (new.text_a, new.text_b, new.note, new.tags, new.explanation)
BEGIN
    INSERT INTO verdicts_fts (verdicts_fts, rowid, text_a, text_b, note, tags, explanation)
    VALUES ('delete', old.seq, old.text_a, old.text_b, old.note, old.tags, old.explanation);
    INSERT INTO verdicts_fts (rowid, text_a, text_b, note, tags, explanation)
    VALUES (new.seq, new.text_a, new.text_b, new.note, new.tags, new.explanation);
END;
"""

_AVERAGES = """
CREATE TABLE factor_averages (factor TEXT PRIMARY KEY, n INTEGER NOT NULL, total REAL NOT NULL) WITHOUT ROWID;
INSERT INTO factor_averages (factor, n, total)
    SELECT json_extract(f.value, '$.id'), count(*), sum(json_extract(f.value, '$.expected'))
    FROM verdicts JOIN results USING (seq), json_each(results.body, '$.factors') AS f
    WHERE kind = 'rate' AND status = 'finished' AND deleted_at IS NULL
        AND json_extract(f.value, '$.origin') = 'shared' AND json_extract(f.value, '$.expected') IS NOT NULL
    GROUP BY 1;
"""

# No reference to the verdict's row: a vote outlives the verdict, and keeps its own texts.
_VOTES = """
CREATE TABLE votes (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    verdict_id TEXT UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('rate', 'duel')),
    created TEXT NOT NULL,
    choice TEXT NOT NULL CHECK (choice IN ('up', 'down', 'A', 'B')),
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)),
    measure TEXT NOT NULL,
    value REAL NOT NULL,
    model_name TEXT NOT NULL,
    model_sha256 TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    criteria_version TEXT NOT NULL,
    text_a TEXT NOT NULL,
    text_b TEXT
);
CREATE INDEX votes_model ON votes (model_sha256);
"""

STEPS: tuple[str, ...] = (_BASE, _SEARCH, _AVERAGES, _VOTES)


def copy_name(path: Path, version: int) -> Path:
    """Where the file is copied before it is brought to ``version``."""
    return path.with_name(f"{path.name}.before-v{version}")


def prepare(path: Path, busy_timeout: float, steps: tuple[str, ...] = STEPS) -> None:
    """Bring the file to the newest schema (version = number of steps), creating it where there is none.

    Raises ``HistoryError``: ``E_HISTORY_NEWER``, ``E_HISTORY_DAMAGED``, ``E_HISTORY_LOCKED``, ``E_HISTORY_READONLY``,
    ``E_HISTORY_FULL``, ``E_HISTORY_MIGRATION``. A file that is refused isn't changed."""
    check_header(path, len(steps))
    make_folder(path)
    with known_errors(path):
        database = connect(path, busy_timeout, create=True)
        try:
            version = _version(database, path, len(steps))
            use_wal(database, busy_timeout)
            if 0 < version < len(steps):
                with transaction(database):
                    # Another process may have migrated it since; then its copy is the one to keep.
                    if _user_version(database) == version:
                        _copy(path, copy_name(path, len(steps)))
            for number in range(version + 1, len(steps) + 1):
                _apply(database, path, number, steps[number - 1])
            # SQLite opens what it may only read without a word; a statement that writes, if only nothing, finds out.
            database.execute("DELETE FROM verdicts WHERE false")
        finally:
            database.close()


def _user_version(database: Database) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _version(database: Database, path: Path, known: int) -> int:
    """The schema's version; 0 for an empty file. Read in one snapshot: another process may be creating the file."""
    database.conn.execute("BEGIN")
    try:
        version = _user_version(database)
        application = int(database.execute("PRAGMA application_id").fetchone()[0])
        tables = int(database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
    finally:
        database.rollback()
    if application != APPLICATION_ID:
        if version or tables:
            raise foreign(path)
        return 0
    if version > known:
        raise newer(path, version, known)
    return version


def _apply(database: Database, path: Path, number: int, script: str) -> None:
    try:
        with transaction(database):
            # Another process may have done this step while we waited for the lock.
            if _user_version(database) >= number:
                return
            database.executescript(script)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {number}")
    except sqlite3.Error as error:
        raise in_words(error, path) or HistoryError(
            "E_HISTORY_MIGRATION",
            f"The history file {path} couldn't be brought to version {number} ({error}).",
            "It is as it was before; go on with the older program, and report this.",
        ) from error


def _copy(path: Path, target: Path) -> None:
    """Copy a database as it stands, whatever lies in its log. Called with the write lock held."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
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
