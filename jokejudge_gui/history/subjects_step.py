"""Step 5 of the schema: verdicts of any kind, with subjects of their own, a parent, and a headline."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeAlias

from sqlite_utils import Database

from ..verdict_kinds import Kinds
from .records import BROKEN, headline_columns

Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many verdicts are done, and of how many."""

_BATCH = 1000

# Small columns come first and the long ones last, so that a list reads no overflow pages.
_TABLES = """
DROP TABLE verdicts_fts;
CREATE TABLE verdicts_5 (
    seq INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    parent INTEGER REFERENCES verdicts (seq) ON DELETE CASCADE,
    kind TEXT NOT NULL,
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
    badge TEXT,
    tone TEXT,
    sentence TEXT,
    value REAL,
    seconds REAL,
    error_code TEXT,
    error TEXT,
    error_hint TEXT,
    tags TEXT NOT NULL DEFAULT '',
    note TEXT NOT NULL DEFAULT '',
    explanation TEXT NOT NULL DEFAULT ''
);
INSERT INTO verdicts_5 (
    seq, id, kind, status, created, ended, deleted_at, owner, starred, mode, seed, prompt_version, criteria_version,
    model_name, model_sha256, seconds, error_code, error, error_hint, tags, note, explanation
) SELECT
    seq, id, kind, status, created, ended, deleted_at, owner, starred, mode, seed, prompt_version, criteria_version,
    model_name, model_sha256, seconds, error_code, error, error_hint, tags, note, explanation
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

# What the index knows of a verdict lies in two tables; the index reads it through a view, so that no text is kept
# twice. The triggers watch the verdict's own row alone. Its entry is made by the store, after its subjects, and made
# anew where a verdict that is taken up again has others.
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

# No reference to the verdict's row: a vote outlives the verdict, and keeps its own texts (a JSON list of subjects).
# Nobody knows which head an old vote was held against, so it is only ever compared with votes of its own measure,
# prompts and criteria.
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

# Adds (or, with sign -1, takes away) what finished verdicts contribute to the averages of their factors: of those with
# an expected score, but for factors written for one joke. A body that isn't JSON contributes nothing.
COUNT = """
INSERT INTO factor_averages (model, criteria, factor, n, total)
SELECT model, criteria,
    json_extract(factor, '$.id')
    || iif(json_extract(factor, '$.source') IN ('read', 'both'), '@' || json_extract(factor, '$.source'), '')
    AS factor_id, :sign * count(*),
    :sign * sum(json_extract(factor, '$.expected'))
FROM (
    SELECT ifnull(v.model_sha256, '') AS model, v.criteria_version AS criteria,
        iif(f.type = 'object', f.value, '{{}}') AS factor
    FROM verdicts AS v JOIN results AS r ON r.seq = v.seq,
        json_each(iif(json_valid(r.body), r.body, '{{}}'), '$.factors') AS f
    WHERE {which} AND v.status = 'finished' AND v.deleted_at IS NULL
)
WHERE json_type(factor, '$.id') = 'text' AND json_extract(factor, '$.origin') = 'shared'
    AND json_type(factor, '$.expected') IN ('integer', 'real')
GROUP BY model, criteria, factor_id
ON CONFLICT (model, criteria, factor) DO UPDATE SET n = n + excluded.n, total = total + excluded.total
"""


def apply(database: Database, kinds: Kinds, progress: Progress) -> None:
    """Bring a file of step 4 to step 5, within the caller's transaction and without foreign keys (a table that others
    refer to is dropped and made anew)."""
    database.executescript(_TABLES)
    total = int(database.execute("SELECT count(*) FROM results").fetchone()[0])
    done = 0
    for batch in _batches(database):
        columns = [_headline(kinds, *row) for row in batch]
        sql = "UPDATE verdicts SET badge = :badge, tone = :tone, sentence = :sentence, value = :value WHERE seq = :seq"
        database.conn.executemany(sql, columns)
        done += len(batch)
        progress(done, total)
    database.executescript(_INDICES)
    database.executescript(_AVERAGES)
    database.execute(COUNT.format(which="true"), {"sign": 1})
    database.executescript(_VOTES)


def _batches(database: Database) -> Iterator[list[tuple[int, str, Any]]]:
    last = 0
    sql = "SELECT seq, kind, body FROM verdicts JOIN results USING (seq) WHERE seq > ? ORDER BY seq LIMIT ?"
    while batch := database.execute(sql, (last, _BATCH)).fetchall():
        yield batch
        last = batch[-1][0]


def _headline(kinds: Kinds, seq: int, name: str, body: Any) -> dict[str, object]:
    """The headline of a stored result; none where it can't be read."""
    columns: dict[str, object] = dict.fromkeys(("badge", "tone", "sentence", "value"))
    kind = kinds.get(name)
    if kind is not None:
        with suppress(*BROKEN):
            columns = headline_columns(kind.headline(kind.result.model_validate_json(body)))
    return columns | {"seq": seq}
