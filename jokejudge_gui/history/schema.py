"""The tables of a history's file: created in a new one, and migrated in one of an earlier release, by sqlite-utils."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from sqlite3 import Connection
from typing import TYPE_CHECKING

from ..core.errors import HistoryError
from .database import (
    APPLICATION_ID,
    connect,
    damaged,
    known_errors,
    make_private,
    stored_version,
    tables,
    transaction,
    use_wal,
)

if TYPE_CHECKING:
    from sqlite_utils import Database, Migrations
    from sqlite_utils.db import ForeignKey

VERSION = 7
"""The version of the schema: that of the last migration."""
FIRST = 7
"""The first version that was released."""

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
    _index_beginnings(database)
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


def _index_beginnings(database: Database) -> None:
    """Create the search's index again with the beginnings of words, for which sqlite-utils has no option."""
    database.execute("DROP TABLE words_fts")
    database.execute(
        f"CREATE VIRTUAL TABLE words_fts USING fts5 ({', '.join(WORDS)}, content = 'words', content_rowid = 'seq',"
        " prefix = '1 2 3', tokenize = 'unicode61 remove_diacritics 2')"
    )


def _migrations() -> Migrations:
    """Return the migrations, in their order. One that was released is never edited: a change is a new one, and raises
    ``VERSION``."""
    from sqlite_utils import Migrations

    history = Migrations("history")
    history(name="verdicts, words, results, tags and votes")(_begin)
    return history


def prepare(path: Path, busy_timeout: float) -> tuple[str, ...]:
    """Bring the file to the newest schema, or create it if there is none, and return notes for the user. Raises
    ``HistoryError``: ``E_HISTORY_NEWER``, ``E_HISTORY_OLD``, ``E_HISTORY_DAMAGED``, ``E_HISTORY_LOCKED``,
    ``E_HISTORY_READONLY``, ``E_HISTORY_FULL``. A refused file isn't changed."""
    header = stored_version(path)
    _check(path, header or 0)
    empty = header is None and path.exists()
    make_private(path)
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
    if 0 < version < FIRST:
        sentence = f"The history file {path} was written by a development version ({version})."
        raise HistoryError("E_HISTORY_OLD", sentence, "Move it away to start a new history. Nothing was changed.")


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
    with transaction(database):
        # Another process may have done it during the wait for the lock.
        if database.execute("PRAGMA user_version").fetchone()[0] < VERSION:
            _migrations().apply(tables(database))
            database.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            database.execute(f"PRAGMA user_version = {VERSION}")
