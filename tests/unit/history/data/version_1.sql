PRAGMA application_id = 1246390321;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE results (
    seq INTEGER PRIMARY KEY REFERENCES verdicts (seq) ON DELETE CASCADE,
    body TEXT NOT NULL
);
INSERT INTO "results" VALUES(1,'{"id":"one","text":"The café ran out of puns.","admissible":true,"forced":false,"rejection":null,"admissibility":[],"pathway":null,"categories":[],"factors":[{"id":"timing","name":"Timing","origin":"shared","score":4,"expected":4.0,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null},{"id":"surprise","name":"Surprise","origin":"shared","score":2,"expected":2.0,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null},{"id":"own","name":"Own","origin":"dynamic","score":5,"expected":5.0,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null}],"max_score":5.0,"mean_score":3.5,"spread":null,"audience":null,"explanation":"Works. The pun lands.","warnings":[],"stage_seconds":{},"usage":{"tokens_evaluated":0,"tokens_reused":0,"seconds":0.0},"model":{"name":"old-model","sha256":"abababababababababababababababababababababababababababababababab"},"seed":1,"mode":"quick","prompt_version":"","criteria_version":"","calibrated":false,"error":null}');
INSERT INTO "results" VALUES(2,'{"id":"two","text":"Parallel lines have so much in common.","admissible":true,"forced":false,"rejection":null,"admissibility":[],"pathway":null,"categories":[],"factors":[{"id":"timing","name":"Timing","origin":"shared","score":2,"expected":2.0,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null},{"id":"surprise","name":"Surprise","origin":"shared","score":null,"expected":null,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null}],"max_score":2.0,"mean_score":2.0,"spread":null,"audience":null,"explanation":"Try. A turn.","warnings":[],"stage_seconds":{},"usage":{"tokens_evaluated":0,"tokens_reused":0,"seconds":0.0},"model":{"name":"old-model","sha256":"abababababababababababababababababababababababababababababababab"},"seed":1,"mode":"quick","prompt_version":"","criteria_version":"","calibrated":false,"error":null}');
INSERT INTO "results" VALUES(3,'{"id":"three","text_a":"First draft","text_b":"Second draft","winner":"B","p_a":0.25,"confidence_factor":3.0,"measured_factor":null,"band":"clear","consistent":true,"position_bias":null,"orders":[],"shares":[],"audience":null,"length_controlled":null,"explanation":"B turns later.","warnings":[],"stage_seconds":{},"usage":{"tokens_evaluated":0,"tokens_reused":0,"seconds":0.0},"model":{"name":"old-model","sha256":"abababababababababababababababababababababababababababababababab"},"seed":1,"mode":"quick","prompt_version":"","criteria_version":"","calibrated":false,"error":null}');
INSERT INTO "results" VALUES(4,'{"id":"four","text":"Half a joke","admissible":null,"forced":false,"rejection":null,"admissibility":[],"pathway":null,"categories":[],"factors":[{"id":"timing","name":"Timing","origin":"shared","score":1,"expected":1.0,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null}],"max_score":null,"mean_score":null,"spread":null,"audience":null,"explanation":null,"warnings":[],"stage_seconds":{},"usage":{"tokens_evaluated":0,"tokens_reused":0,"seconds":0.0},"model":{"name":"old-model","sha256":"abababababababababababababababababababababababababababababababab"},"seed":1,"mode":"quick","prompt_version":"","criteria_version":"","calibrated":false,"error":null}');
INSERT INTO "results" VALUES(6,'{"id":"six","text":"Deleted","admissible":null,"forced":false,"rejection":null,"admissibility":[],"pathway":null,"categories":[],"factors":[{"id":"timing","name":"Timing","origin":"shared","score":0,"expected":0.0,"sd":1.0,"entropy":null,"probabilities":[],"label_mass":1.0,"separates":null}],"max_score":null,"mean_score":0.0,"spread":null,"audience":null,"explanation":null,"warnings":[],"stage_seconds":{},"usage":{"tokens_evaluated":0,"tokens_reused":0,"seconds":0.0},"model":{"name":"old-model","sha256":"abababababababababababababababababababababababababababababababab"},"seed":1,"mode":"quick","prompt_version":"","criteria_version":"","calibrated":false,"error":null}');
CREATE TABLE verdict_tags (
    tag TEXT NOT NULL,
    seq INTEGER NOT NULL REFERENCES verdicts (seq) ON DELETE CASCADE,
    PRIMARY KEY (tag, seq)
) WITHOUT ROWID;
INSERT INTO "verdict_tags" VALUES('food',1);
INSERT INTO "verdict_tags" VALUES('puns',1);
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
INSERT INTO "verdicts" VALUES(1,'one','rate','finished','2025-01-01T10:00:00.000000Z',NULL,NULL,NULL,1,'quick',1,'1','abc','old-model','abababababababababababababababababababababababababababababababab',1,3.5,NULL,NULL,NULL,NULL,NULL,NULL,'The café ran out of puns.',NULL,'Puns
food','keep this one','Works. The pun lands.');
INSERT INTO "verdicts" VALUES(2,'two','rate','finished','2025-01-02T10:00:00.000000Z',NULL,NULL,NULL,0,'quick',1,'1','abc','old-model','abababababababababababababababababababababababababababababababab',1,2.0,NULL,NULL,NULL,NULL,NULL,NULL,'Parallel lines have so much in common.',NULL,'','','Try. A turn.');
INSERT INTO "verdicts" VALUES(3,'three','duel','finished','2025-01-03T10:00:00.000000Z',NULL,NULL,NULL,0,'quick',1,'1','abc','old-model','abababababababababababababababababababababababababababababababab',NULL,NULL,'B',3.0,NULL,NULL,NULL,NULL,'First draft','Second draft','','','B turns later.');
INSERT INTO "verdicts" VALUES(4,'four','rate','running','2025-01-04T10:00:00.000000Z',NULL,NULL,'long-gone-boot/4242/17/deadbeef',0,'quick',1,'1','abc','old-model','abababababababababababababababababababababababababababababababab',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,'Half a joke',NULL,'','','');
INSERT INTO "verdicts" VALUES(5,'five','rate','failed','2025-01-05T10:00:00.000000Z',NULL,NULL,NULL,0,'quick',1,'1','abc','old-model','abababababababababababababababababababababababababababababababab',NULL,NULL,NULL,NULL,NULL,'E_CONTEXT','It is too long.','Shorten it.','Broken',NULL,'','','');
INSERT INTO "verdicts" VALUES(6,'six','rate','finished','2025-01-06T10:00:00.000000Z',NULL,'2025-02-01T10:00:00.000000Z',NULL,0,'quick',1,'1','abc','old-model','abababababababababababababababababababababababababababababababab',NULL,0.0,NULL,NULL,NULL,NULL,NULL,NULL,'Deleted long ago',NULL,'','','');
CREATE INDEX verdicts_live ON verdicts (seq) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_kind ON verdicts (kind) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_status ON verdicts (status) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_starred ON verdicts (starred) WHERE starred = 1 AND deleted_at IS NULL;
CREATE INDEX verdicts_score ON verdicts (mean_score) WHERE deleted_at IS NULL;
CREATE INDEX verdicts_running ON verdicts (owner) WHERE status = 'running';
CREATE INDEX verdicts_deleted ON verdicts (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE INDEX verdict_tags_seq ON verdict_tags (seq);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('verdicts',6);
COMMIT;
