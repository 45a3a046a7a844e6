"""Migration of a history's file to the newest schema, in numbered steps, after a copy of it was made."""

from __future__ import annotations

import os
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from sqlite3 import Connection
from typing import Any, TypeAlias

from ..core.errors import HistoryError
from ..core.verdict_kinds import Kinds
from .database import (
    APPLICATION_ID,
    check_header,
    connect,
    damaged,
    foreign,
    in_words,
    known_errors,
    make_folder,
    newer,
    run_script,
    transaction,
    unwritable,
    use_wal,
)
from .records import BROKEN, headline_columns

# The schema of the history's file, as released steps. A released step is never edited: a change is a new step.

# The columns of a verdict in both versions of its table.
_RUN = """status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'failed', 'cancelled', 'interrupted')),
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
    model_sha256 TEXT,"""
_END = """seconds REAL,
    error_code TEXT,
    error TEXT,
    error_hint TEXT,"""
_OWN = """tags TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    explanation TEXT NOT NULL DEFAULT ''"""
_KEPT = """seq, id, kind, status, created, ended, deleted_at, owner, starred, mode, seed, prompt_version,
    criteria_version, model_name, model_sha256, seconds, error_code, error, error_hint, tags, note, explanation"""

# Small columns come first and long ones last, so that listing reads no overflow pages.
BASE = f"""
CREATE TABLE verdicts (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    kind TEXT NOT NULL CHECK (kind IN ('rate', 'duel')),
    {_RUN}
    admissible INTEGER,
    mean_score REAL,
    winner TEXT,
    confidence_factor REAL,
    {_END}
    text_a TEXT NOT NULL,
    text_b TEXT,
    {_OWN}
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

SEARCH = """
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

AVERAGES = """
CREATE TABLE factor_averages (factor TEXT PRIMARY KEY, n INTEGER NOT NULL, total REAL NOT NULL) WITHOUT ROWID;
INSERT INTO factor_averages (factor, n, total)
    SELECT json_extract(f.value, '$.id'), count(*), sum(json_extract(f.value, '$.expected'))
    FROM verdicts JOIN results USING (seq), json_each(results.body, '$.factors') AS f
    WHERE kind = 'rate' AND status = 'finished' AND deleted_at IS NULL
        AND json_extract(f.value, '$.origin') = 'shared' AND json_extract(f.value, '$.expected') IS NOT NULL
    GROUP BY 1;
"""

# No reference to the verdict's row: a vote stays after the verdict is deleted, and keeps its own texts.
VOTES = """
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


# A check that a history contains only what the program made, before any statement is run on it: a foreign trigger,
# view, constraint or index is code that would run with the program's next statement.

Shape = Mapping[str, tuple[str, str]]
"""Type and SQL of each declared table, index, view and trigger, by name."""
_INNER = re.compile(r"verdicts_fts_(data|idx|content|docsize|config)")
"""The internal tables of SQLite's search, which differ between its versions."""


def shape_of(database: Connection) -> Shape:
    """Return everything that a database declares; SQLite's own tables are left out."""
    rows = database.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
    return {str(name): (str(kind), _plain(sql)) for name, kind, sql in rows if not str(name).startswith("sqlite_")}


def check_shape(database: Connection, path: Path, ours: Shape) -> None:
    """Raise ``E_HISTORY_DAMAGED`` if a table, view or trigger of ``ours`` is missing, and if there is anything that
    isn't exactly as in ``ours``."""
    found = shape_of(database)
    for name, (kind, sql) in ours.items():
        if name not in found:
            if kind != "index":  # a missing index only makes it slower
                raise damaged(path, f"its {kind} {name} is missing")
        elif found[name][0] != kind or (found[name][1] != sql and not _INNER.fullmatch(name)):
            raise damaged(path, f"its {kind} {name} isn't as the program made it")
    if more := sorted(found.keys() - ours.keys()):
        raise damaged(path, f"it holds a {found[more[0]][0]} that the program never made")


def _plain(sql: object) -> str:
    """Return SQL without the quotes and spaces that SQLite's versions write differently when a table is renamed."""
    return " ".join(str(sql).replace('"', "").split())


# Step 5 of the schema: verdicts of any kind, with subjects of their own, a parent, and a headline.

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of verdicts done and the total."""

_BATCH = 1000

# Small columns come first and long ones last, so that listing reads no overflow pages.
_TABLES = f"""
DROP TABLE verdicts_fts;
CREATE TABLE verdicts_5 (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    parent INTEGER REFERENCES verdicts (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    {_RUN}
    badge TEXT,
    tone TEXT,
    sentence TEXT,
    value REAL,
    {_END}
    {_OWN}
);
INSERT INTO verdicts_5 (
    {_KEPT}
) SELECT
    {_KEPT}
FROM verdicts ORDER BY seq;
CREATE TABLE subjects (
    seq INTEGER NOT NULL REFERENCES verdicts (seq) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    label TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (seq, place)
) WITHOUT ROWID;
INSERT INTO subjects (seq, place, label, text)
    SELECT seq, place, label, text FROM (
        SELECT seq, 0 AS place, iif(text_b IS NULL, '', 'A') AS label, text_a AS text FROM verdicts
        UNION ALL SELECT seq, 1, 'B', text_b FROM verdicts WHERE text_b IS NOT NULL
    ) ORDER BY seq, place;
DELETE FROM sqlite_sequence WHERE name = 'verdicts_5';
INSERT INTO sqlite_sequence (name, seq) SELECT 'verdicts_5', seq FROM sqlite_sequence WHERE name = 'verdicts';
DROP TABLE verdicts;
ALTER TABLE verdicts_5 RENAME TO verdicts;
"""

# The indexed words of a verdict are in two tables; the index reads them through a view, so that no text is stored
# twice. The triggers watch the verdict's own row alone. The store adds its entry after its subjects, and replaces the
# entry if a verdict that is continued has other subjects.
_INDICES = """
CREATE INDEX verdicts_live ON verdicts (seq) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_kind ON verdicts (kind) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_status ON verdicts (status) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_starred ON verdicts (starred) WHERE starred = 1 AND deleted_at IS NULL;
CREATE INDEX verdicts_value ON verdicts (value) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_running ON verdicts (owner) WHERE status = 'running';
CREATE INDEX verdicts_deleted ON verdicts (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX verdicts_parent ON verdicts (parent) WHERE parent IS NOT NULL;
CREATE VIEW verdict_words AS SELECT
    seq,
    ifnull((SELECT group_concat(text, char(10)) FROM subjects WHERE subjects.seq = verdicts.seq), '') AS subjects,
    note, tags, explanation
FROM verdicts;
CREATE VIRTUAL TABLE verdicts_fts USING fts5 (
    subjects, note, tags, explanation,
    content = 'verdict_words', content_rowid = 'seq', prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2'
);
INSERT INTO verdicts_fts (verdicts_fts) VALUES ('rebuild');
CREATE TRIGGER verdicts_fts_delete BEFORE DELETE ON verdicts BEGIN
    INSERT INTO verdicts_fts (verdicts_fts, rowid, subjects, note, tags, explanation)
    SELECT 'delete', seq, subjects, note, tags, explanation FROM verdict_words WHERE seq = old.seq;
END;
CREATE TRIGGER verdicts_fts_update AFTER UPDATE OF note, tags, explanation ON verdicts
WHEN (old.note, old.tags, old.explanation) IS NOT (new.note, new.tags, new.explanation)
BEGIN
    INSERT INTO verdicts_fts (verdicts_fts, rowid, subjects, note, tags, explanation)
    SELECT 'delete', seq, subjects, old.note, old.tags, old.explanation FROM verdict_words WHERE seq = old.seq;
    INSERT INTO verdicts_fts (rowid, subjects, note, tags, explanation)
    SELECT seq, subjects, note, tags, explanation FROM verdict_words WHERE seq = new.seq;
END;
"""

_AVERAGES = """
DROP TABLE factor_averages;
CREATE TABLE factor_averages (
    model TEXT NOT NULL,
    criteria TEXT NOT NULL,
    factor TEXT NOT NULL,
    n INTEGER NOT NULL,
    total REAL NOT NULL,
    PRIMARY KEY (model, criteria, factor)
) WITHOUT ROWID;
"""

# No reference to the verdict's row: a vote stays after the verdict is deleted, and keeps its own texts (a JSON list of
# subjects). The head with which an old vote was compared is unknown, so the vote is only ever compared with votes of
# the same measure, prompts and criteria.
_VOTES = """
CREATE TABLE votes_5 (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    verdict_id TEXT UNIQUE,
    kind TEXT NOT NULL,
    created TEXT NOT NULL,
    choice TEXT NOT NULL,
    blind INTEGER NOT NULL CHECK (blind IN (0, 1)),
    scale TEXT NOT NULL,
    value REAL NOT NULL,
    centred INTEGER NOT NULL CHECK (centred IN (0, 1)),
    model_name TEXT NOT NULL,
    model_sha256 TEXT NOT NULL,
    prompt_version TEXT NOT NULL,
    criteria_version TEXT NOT NULL,
    subjects TEXT NOT NULL
);
INSERT INTO votes_5 SELECT
    seq, id, verdict_id, kind, created, choice, blind,
    'before 5/' || measure || '/' || prompt_version || '/' || criteria_version,
    value, text_b IS NOT NULL, model_name, model_sha256, prompt_version, criteria_version,
    iif(text_b IS NULL, json_array(json_object('text', text_a, 'label', '')),
        json_array(json_object('text', text_a, 'label', 'A'), json_object('text', text_b, 'label', 'B')))
FROM votes ORDER BY seq;
DELETE FROM sqlite_sequence WHERE name = 'votes_5';
INSERT INTO sqlite_sequence (name, seq) SELECT 'votes_5', seq FROM sqlite_sequence WHERE name = 'votes';
DROP TABLE votes;
ALTER TABLE votes_5 RENAME TO votes;
CREATE INDEX votes_model ON votes (model_sha256);
"""


def apply(database: Connection, kinds: Kinds, progress: Progress) -> None:
    """Migrate a file of step 4 to step 5, within the caller's transaction and without foreign keys (a table with
    references to it is dropped and created again)."""
    run_script(database, _TABLES)
    total = int(database.execute("SELECT count(*) FROM results").fetchone()[0])
    done = 0
    for batch in _batches(database):
        columns = [_headline(kinds, *row) for row in batch]
        sql = "UPDATE verdicts SET badge = :badge, tone = :tone, sentence = :sentence, value = :value WHERE seq = :seq"
        database.executemany(sql, columns)
        done += len(batch)
        progress(done, total)
    run_script(database, _INDICES)
    run_script(database, _AVERAGES)
    run_script(database, _VOTES)


def _batches(database: Connection) -> Iterator[list[tuple[int, str, Any]]]:
    last = 0
    sql = "SELECT seq, kind, body FROM verdicts JOIN results USING (seq) WHERE seq > ? ORDER BY seq LIMIT ?"
    while batch := database.execute(sql, (last, _BATCH)).fetchall():
        yield batch
        last = batch[-1][0]


def _headline(kinds: Kinds, seq: int, name: str, body: Any) -> dict[str, object]:
    """Return the headline columns of a stored result; all None if it can't be read."""
    columns: dict[str, object] = dict.fromkeys(("badge", "tone", "sentence", "value"))
    kind = kinds.get(name)
    if kind is not None:
        with suppress(*BROKEN):
            columns = headline_columns(kind.headline(kind.result.model_validate_json(body)))
    return columns | {"seq": seq}


Step: TypeAlias = str | Callable[[Connection, Kinds, Progress], None]
# The averages of factors aren't shown any more, and updating them slowed down every write.
_NO_AVERAGES = "DROP TABLE factor_averages;"
STEPS: tuple[Step, ...] = (BASE, SEARCH, AVERAGES, VOTES, apply, _NO_AVERAGES)
COPY_DAYS = 30
"""The number of days for which the copy made before a migration is kept."""


def copy_name(path: Path, version: int) -> Path:
    """Return the path of the copy that is made before the migration to ``version``."""
    return path.with_name(f"{path.name}.before-v{version}")


def copies(path: Path) -> list[Path]:
    """Return the copies made before migrations, and the leftovers of interrupted copying."""
    return sorted(path.parent.glob(f"{path.name}.before-v*"))


def remove_copies(path: Path, *, older_than_days: float = 0.0) -> None:
    """Remove the copies made before migrations that are at least this old. A copy that can't be removed stays."""
    for copy in copies(path):
        with suppress(OSError):
            if time.time() - copy.stat().st_mtime >= older_than_days * 86_400:
                copy.unlink()


def is_old(path: Path) -> bool:
    """Whether there is a history that still has to be migrated to the newest schema, by its first bytes alone."""
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
    """Migrate the file to the newest schema (version = number of steps), or create it if there is none. Returns True if
    an existing file was empty. ``progress`` is called as the verdicts of an old file are migrated.

    Raises ``HistoryError``: ``E_HISTORY_NEWER``, ``E_HISTORY_DAMAGED``, ``E_HISTORY_LOCKED``, ``E_HISTORY_READONLY``,
    ``E_HISTORY_FULL``, ``E_HISTORY_MIGRATION``. A refused file isn't changed.
    """
    check_header(path, len(steps))
    make_folder(path)
    was_empty = path.exists() and path.stat().st_size == 0
    with known_errors(path):
        database = connect(path, busy_timeout, create=True)
        try:
            # A step may replace a table with references to it; the pragma has no effect within a transaction.
            database.execute("PRAGMA foreign_keys = OFF")
            version = _version(database, path, steps)
            use_wal(database, busy_timeout)
            if 0 < version < len(steps):
                with transaction(database):
                    # Another process may have migrated it meanwhile; then its copy is the one to keep.
                    if _user_version(database) == version:
                        _copy(path, copy_name(path, len(steps)))
            for number in range(version + 1, len(steps) + 1):
                _apply(database, path, number, steps[number - 1], kinds, progress)
            # SQLite opens a read-only file without an error; a write of nothing raises it.
            database.execute("DELETE FROM verdicts WHERE false")
        finally:
            database.close()
    remove_copies(path, older_than_days=COPY_DAYS)
    return was_empty and version == 0


@lru_cache
def declared(version: int) -> Shape:
    """Return the schema of a history of this version."""
    database = sqlite3.connect(":memory:", isolation_level=None)
    try:
        for step in STEPS[:version]:
            if isinstance(step, str):
                run_script(database, step)
            else:
                step(database, {}, lambda done, total: None)
        return shape_of(database)
    finally:
        database.close()


def _user_version(database: Connection) -> int:
    return int(database.execute("PRAGMA user_version").fetchone()[0])


def _version(database: Connection, path: Path, steps: tuple[Step, ...]) -> int:
    """Return the schema's version; 0 for an empty file. Read in one snapshot, together with the check of the schema:
    another process may be creating or migrating the file."""
    database.execute("BEGIN")
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


def _apply(database: Connection, path: Path, number: int, step: Step, kinds: Kinds, progress: Progress) -> None:
    try:
        with transaction(database):
            # Another process may have done this step during the wait for the lock.
            if _user_version(database) >= number:
                return
            if isinstance(step, str):
                run_script(database, step)
            else:
                step(database, kinds, progress)
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {number}")
    except sqlite3.Error as error:
        known = in_words(error, path)
        # Wrong tables of an old file are reported by the step that failed on them.
        if known is not None and getattr(error, "sqlite_errorcode", 0) & 0xFF != sqlite3.SQLITE_ERROR:
            raise known from error
        raise HistoryError(
            "E_HISTORY_MIGRATION",
            f"The history file {path} couldn't be converted to version {number} ({error}).",
            "It is as it was before; go on with the older program, and report this.",
        ) from error


def _copy(path: Path, target: Path) -> None:
    """Copy a database with the content of its log, readable by its owner alone. Called with the write lock held."""
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
