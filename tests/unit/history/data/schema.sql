CREATE TABLE results (
    seq INTEGER PRIMARY KEY REFERENCES verdicts (seq) ON DELETE CASCADE,
    body TEXT NOT NULL
);
CREATE TABLE subjects (
    seq INTEGER NOT NULL REFERENCES verdicts (seq) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    label TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (seq, place)
) WITHOUT ROWID;
CREATE TABLE verdict_tags (
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES verdicts (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, seq)
) WITHOUT ROWID;
CREATE INDEX verdict_tags_seq ON verdict_tags (seq);
CREATE VIEW verdict_words AS SELECT
    seq,
    ifnull((SELECT group_concat(text, char(10)) FROM subjects WHERE subjects.seq = verdicts.seq), '') AS subjects,
    note, tags, explanation
FROM verdicts;
CREATE TABLE "verdicts" (
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
CREATE INDEX verdicts_deleted ON verdicts (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE VIRTUAL TABLE verdicts_fts USING fts5 (
    subjects, note, tags, explanation,
    content = 'verdict_words', content_rowid = 'seq', prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2'
);
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
CREATE INDEX verdicts_kind ON verdicts (kind) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_live ON verdicts (seq) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_parent ON verdicts (parent) WHERE parent IS NOT NULL;
CREATE INDEX verdicts_running ON verdicts (owner) WHERE status = 'running';
CREATE INDEX verdicts_starred ON verdicts (starred) WHERE starred = 1 AND deleted_at IS NULL;
CREATE INDEX verdicts_status ON verdicts (status) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE INDEX verdicts_value ON verdicts (value) WHERE deleted_at IS NULL AND parent IS NULL;
CREATE TABLE "votes" (
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
CREATE INDEX votes_model ON votes (model_sha256);
