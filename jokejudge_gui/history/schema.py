"""The schema of the history's file, as steps that were released. Such a step is never edited: a change is a new one."""

from __future__ import annotations

# Small columns come first and the long ones last, so that a list reads no overflow pages.
BASE = """
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

# No reference to the verdict's row: a vote outlives the verdict, and keeps its own texts.
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
