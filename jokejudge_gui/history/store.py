"""The history's store: verdicts are written while they run, found, changed, deleted and restored."""

from __future__ import annotations

import json
import os
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from sqlite3 import Connection
from typing import Any

from ..core.errors import ErrorInfo, HistoryError
from ..core.files import process_runs
from ..core.verdict_kinds import Kinds, Subject
from ..core.verdicts import Status, VerdictResult
from .database import Pool, prepare, put, tables
from .lookup import Lookup
from .query import plain, result_columns, stamp, subjects_of, text_columns, tidy_tags
from .votes import Votes

_NAMED = "id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NULL"
# Verdicts and all their descendants.
_FAMILY = f"""
WITH RECURSIVE family (seq) AS (
    SELECT seq FROM verdicts WHERE {_NAMED}
    UNION SELECT v.seq FROM verdicts AS v JOIN family ON v.parent = family.seq WHERE v.deleted_at IS NULL
)
"""
# Deleted verdicts, except running ones and the ancestors of those.
_BUSY = """
WITH RECURSIVE busy (seq) AS (
    SELECT seq FROM verdicts WHERE status = 'running'
    UNION SELECT v.parent FROM verdicts AS v JOIN busy ON v.seq = busy.seq WHERE v.parent IS NOT NULL
)
"""
_GONE = "deleted_at IS NOT NULL AND seq NOT IN (SELECT seq FROM busy)"
# The number of verdicts that were deleted themselves, not with their parent.
_HIDDEN = """
SELECT count(*) FROM verdicts AS v WHERE deleted_at IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM verdicts AS p WHERE p.seq = v.parent AND p.deleted_at IS NOT NULL)
"""


class HistoryStore(Lookup):
    """The history in one SQLite file. Every method may be called from any thread and commits before it returns.
    ``kinds`` define how results are read and how they look in a list. Verdicts of unknown kinds (a newer program's)
    are kept, listed and found, but not opened.

    All methods raise ``HistoryError``: ``E_HISTORY_LOCKED`` after ``busy_timeout`` seconds, ``E_HISTORY_FULL``,
    ``E_HISTORY_DAMAGED``, ``E_HISTORY_READONLY``, ``E_HISTORY_IO``, ``E_HISTORY_CLOSED``; those that write
    ``E_HISTORY_GONE``; those that name a verdict ``E_HISTORY_NOT_FOUND``. Opening also raises ``E_HISTORY_NEWER``.
    """

    def __init__(
        self,
        path: Path,
        kinds: Kinds,
        *,
        clock: Callable[[], datetime] | None = None,
        busy_timeout: float = 5.0,
    ) -> None:
        """Open the file, creating or migrating it, and mark running verdicts of dead processes as interrupted."""
        self.notes = prepare(path, busy_timeout)
        """Notes for the user about the opened file."""
        self._clock = clock or partial(datetime.now, UTC)
        super().__init__(Pool(path, busy_timeout), kinds)
        self.votes = Votes(self._pool, self._clock)
        self._owner = f"{process_token()}/{uuid.uuid4().hex}"
        try:
            self.mark_interrupted()
        except BaseException:
            self._pool.close()
            raise

    def begin(self, *, id: str, kind: str, subjects: Sequence[Subject], parent: str | None = None, **made: Any) -> None:
        """Add a verdict with status running. ``id`` must be new. ``parent``: the id of its parent verdict, with which
        it is deleted; ``made``: with which mode, model, prompt_version, criteria_version and seed."""
        row: dict[str, object] = {"id": id, "kind": kind, "created": stamp(self._clock()), **self._running(made)}
        with self._pool.write() as database:
            if parent is not None:
                row["parent"] = self._seq(database, parent, deleted=True)
                # A child begun under a parent that was deleted while it ran is deleted with it.
                hidden = database.execute("SELECT deleted_at FROM verdicts WHERE seq = ?", (row["parent"],))
                row["deleted_at"] = hidden.fetchone()[0]
            seq = put(database, "verdicts", row)
            put(database, "words", {"seq": seq, **text_columns(subjects)})

    def take_up(self, *, id: str, kind: str, subjects: Sequence[Subject], **made: Any) -> None:
        """Continue a verdict of this kind that has ended, as ``begin`` does. Its result stays until there is another.
        Raises ``E_HISTORY_RUNNING`` if it is still running, ``E_HISTORY_KIND`` if it is of another kind."""
        with self._changing(id) as (database, seq):
            sql = "SELECT kind, status, owner FROM verdicts WHERE seq = ?"
            stored, status, owner = database.execute(sql, (seq,)).fetchone()
            if stored != kind:
                hint = "Choose another one from the history."
                raise HistoryError("E_HISTORY_KIND", f"The verdict {plain(id)} is no {kind}.", hint)
            if status == Status.RUNNING.value and self._lives(owner):
                hint = "Wait until it has ended, or stop it."
                raise HistoryError("E_HISTORY_RUNNING", "This verdict is still being made.", hint)
            _update(database, seq, {"ended": None, **_error_columns(None), **self._running(made)})
            _put_words(database, seq, text_columns(subjects))

    def save_partial(self, id: str, result: VerdictResult) -> None:
        """Store a partial result; it stays readable after a crash."""
        with self._changing(id, deleted=True) as (database, seq):
            # Another machine's process may have marked this one's verdict as interrupted; this write revives it.
            revive = "UPDATE verdicts SET status = 'running', owner = ? WHERE seq = ? AND status = 'interrupted'"
            database.execute(revive, (self._owner, seq))
            self._put_result(database, seq, result)

    def end(self, id: str, status: Status, result: VerdictResult | None, error: ErrorInfo | None = None) -> None:
        """Close a verdict. Without a result the last partial one stays. ``status`` is any but running."""
        error = error or (result.error if result else None)
        ended = {"status": status.value, "owner": None, "ended": stamp(self._clock())}
        with self._changing(id, deleted=True) as (database, seq):
            if result is not None:
                self._put_result(database, seq, result)
            _update(database, seq, {**ended, **_error_columns(error)})

    def revise(self, id: str, change: Callable[[VerdictResult], VerdictResult]) -> None:
        """Change the stored result of a verdict, which may still be running: results stored meanwhile are kept. Does
        nothing if none is stored yet. The texts of a kind with ``fields`` may change with it. ``change`` is called with
        the history locked."""
        with self._changing(id) as (database, seq):
            entry = self._entry(database, seq, id)
            if entry.result is not None:
                changed = change(entry.result)
                self._put_result(database, seq, changed)
                kind = self.kinds[entry.row.kind]
                if kind.fields:
                    _put_words(database, seq, text_columns(kind.subjects(kind.request_of(changed))))

    def mark_interrupted(self) -> int:
        """Mark running verdicts whose process or store is gone, and return their number. Runs when the store is
        opened."""
        with self._pool.write() as database:
            owners = database.execute("SELECT DISTINCT owner FROM verdicts WHERE status = 'running'").fetchall()
            return sum(self._interrupt(database, owner) for (owner,) in owners if not self._lives(owner))

    def star(self, id: str, starred: bool) -> None:
        """Set or remove a verdict's star."""
        with self._changing(id) as (database, seq):
            _update(database, seq, {"starred": int(starred)})

    def set_tags(self, id: str, tags: Sequence[str]) -> None:
        """Replace a verdict's tags. Spaces are tidied, empty and repeated ones (whatever their case) left out."""
        tidy = tidy_tags(tags)
        with self._changing(id) as (database, seq):
            _put_words(database, seq, {"tags": "\n".join(tidy)})
            index = tables(database).table("verdict_tags")
            index.delete_where("seq = ?", [seq])
            index.insert_all({"tag": tag.casefold(), "seq": seq} for tag in tidy)

    def set_note(self, id: str, note: str) -> None:
        """Replace a verdict's note."""
        with self._changing(id) as (database, seq):
            _put_words(database, seq, {"note": plain(note)})

    def delete(self, ids: Sequence[str]) -> int:
        """Hide verdicts and their descendants, and return the number of ``ids`` that were found. ``undo_delete`` brings
        them back until ``purge``."""
        with self._pool.write() as database:
            asked = {"ids": json.dumps([plain(id) for id in ids])}
            count = database.execute(f"SELECT count(*) FROM verdicts WHERE {_NAMED}", asked).fetchone()[0]
            hide = f"{_FAMILY} UPDATE verdicts SET deleted_at = :when WHERE seq IN (SELECT seq FROM family)"
            database.execute(hide, {"when": stamp(self._clock()), **asked})
            return int(count)

    def undo_delete(self, ids: Sequence[str] | None = None) -> int:
        """Restore the verdicts that the last deletion hid, and return their number; a second call restores the deletion
        before. With ``ids``, the deletions that hid these."""
        with self._pool.write() as database:
            if ids is None:
                which, asked = "deleted_at = (SELECT max(deleted_at) FROM verdicts)", {}
            else:
                gone = "id IN (SELECT value FROM json_each(:ids)) AND deleted_at IS NOT NULL"
                which = f"deleted_at IN (SELECT deleted_at FROM verdicts WHERE {gone})"
                asked = {"ids": json.dumps([plain(id) for id in ids])}
            hidden = database.execute(f"SELECT seq, parent FROM verdicts WHERE {which}", asked).fetchall()
            database.execute(f"UPDATE verdicts SET deleted_at = NULL WHERE {which}", asked)
            seqs = {seq for seq, _ in hidden}
            return sum(parent not in seqs for _, parent in hidden)

    def purge(self, gone: Callable[[str], None] = lambda _text: None) -> int:
        """Remove hidden verdicts for good, except those still running, and return their number. ``gone`` is called with
        the text of every removed subject. The texts are overwritten in the file, its index and its log, with the words
        of notes and tags that were removed before. Raises ``E_HISTORY_LOCKED`` if another program keeps the log from
        being emptied."""
        with self._pool.write() as database:
            before = database.execute(_HIDDEN).fetchone()[0]
            doomed = f"{_BUSY} SELECT texts, parts FROM words JOIN verdicts USING (seq) WHERE {_GONE}"
            for subject in (one for columns in database.execute(doomed) for one in subjects_of(*columns)):
                gone(subject.text)
            database.execute(f"{_BUSY} DELETE FROM verdicts WHERE {_GONE}")
            removed = before - database.execute(_HIDDEN).fetchone()[0]
            database.execute("INSERT INTO words_fts (words_fts) VALUES ('optimize')")
        self._pool.forget()
        return int(removed)

    def revision(self) -> int:
        """Return a number that changes whenever anything is written, by this process or another; only comparable with
        others of the same thread."""
        with self._pool.read() as database:
            # SQLite's data_version counts the changes by all other connections.
            return int(database.execute("PRAGMA data_version").fetchone()[0]) + database.total_changes

    def close(self) -> None:
        """Mark this store's running verdicts as interrupted, and close every thread's connection."""
        if self._pool.closed:
            return
        try:
            # If it can't be written (locked, full), the next opening marks them.
            with suppress(HistoryError), self._pool.write() as database:
                self._interrupt(database, self._owner)
        finally:
            self._pool.close()

    def _interrupt(self, database: Connection, owner: str | None) -> int:
        sql = "UPDATE verdicts SET status = 'interrupted', owner = NULL WHERE status = 'running' AND owner IS ?"
        return int(database.execute(sql, (owner,)).rowcount)

    def _lives(self, owner: str | None) -> bool:
        process = owner.rpartition("/")[0] if owner is not None else ""
        return process == process_token() or process_alive(process)

    def _running(self, made: dict[str, Any]) -> dict[str, object]:
        """Return the columns of a verdict that runs in this store."""
        model = made.pop("model")
        names = {"model_name": model and model.name, "model_sha256": model and model.sha256}
        return {**made, **names, "status": Status.RUNNING.value, "owner": self._owner}

    @contextmanager
    def _changing(self, id: str, *, deleted: bool = False) -> Iterator[tuple[Connection, int]]:
        """Yield a connection within a write transaction, and the verdict's ``seq``."""
        with self._pool.write() as database:
            yield database, self._seq(database, id, deleted=deleted)

    def _put_result(self, database: Connection, seq: int, result: VerdictResult) -> None:
        kind = database.execute("SELECT kind FROM verdicts WHERE seq = ?", (seq,)).fetchone()[0]
        _update(database, seq, result_columns(result, self.kinds[kind].glance(result)))
        _put_words(database, seq, {"explanation": plain(result.explanation or "")})
        sql = "INSERT INTO results (seq, body) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET body = excluded.body"
        database.execute(sql, (seq, result.model_dump_json()))


def _error_columns(error: ErrorInfo | None) -> dict[str, object]:
    values = (error.code, error.sentence, error.hint) if error else (None, None, None)
    return dict(zip(("error_code", "error", "error_hint"), values, strict=True))


def _update(database: Connection, seq: int, columns: dict[str, object]) -> None:
    assignments = ", ".join(f"{name} = :{name}" for name in columns)
    database.execute(f"UPDATE verdicts SET {assignments} WHERE seq = :seq", {**columns, "seq": seq})


def _put_words(database: Connection, seq: int, columns: dict[str, str]) -> None:
    """Change a verdict's words; the search's index is only written if they differ."""
    names, values = ", ".join(columns), ", ".join(f":{name}" for name in columns)
    sql = f"UPDATE words SET ({names}) = ({values}) WHERE seq = :seq AND ({names}) IS NOT ({values})"
    database.execute(sql, {**columns, "seq": seq})


def process_token() -> str:
    """Return this process as ``pid/start``, which differs from that of a later process with the same pid."""
    return f"{os.getpid()}/{_start(os.getpid())}"


def process_alive(token: str) -> bool:
    """Whether the process of a token still runs. False if unknown: an owner that is alive after all corrects its row
    with its next write, while nobody would correct a row left running for ever."""
    number, _, start = token.partition("/")
    if not number.isdecimal():
        return False
    return _start(int(number)) == start if start else process_runs(int(number))


def _start(pid: int) -> str:
    """Return the clock tick at which a process started; empty if it is gone, a zombie, or the system has no /proc."""
    with suppress(OSError):
        # The program's name is in brackets and may contain anything, so fields are counted from the last bracket.
        text = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        fields = text.rpartition(")")[2].split()
        return "" if len(fields) < 20 or fields[0] in "ZX" else fields[19]
    return ""
