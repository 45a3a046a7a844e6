"""Every verdict, written as it happens, found again, changed and brought back."""

from __future__ import annotations

import json
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import ValidationError
from sqlite_utils import Database

from ..errors import HistoryError
from ..verdicts import ErrorInfo, Kind, Mode, ModelRef, Result, Status
from .database import Pool, connect, known_errors
from .migrations import prepare
from .owner import process_alive, process_token
from .query import HistoryEntry, HistoryQuery, HistoryRow
from .records import ENTRY_COLUMNS, ROW_COLUMNS, entry_of, list_columns, plain, row_of, stamp, tidy_tags
from .search import Words, matches_any, select, words
from .votes import Votes

_BATCH = 200
_ENTRIES = "verdicts AS v LEFT JOIN results AS r ON r.seq = v.seq"
_IDS = "(SELECT value FROM json_each(:ids))"
# Adds (or, with sign -1, takes away) what finished ratings contribute to the averages. Factors written for one joke
# have no average.
_COUNT = """
INSERT INTO factor_averages (factor, n, total)
SELECT json_extract(f.value, '$.id'), :sign * count(*), :sign * sum(json_extract(f.value, '$.expected'))
FROM verdicts JOIN results USING (seq), json_each(results.body, '$.factors') AS f
WHERE {which} AND kind = 'rate' AND status = 'finished' AND deleted_at IS NULL
    AND json_extract(f.value, '$.origin') = 'shared' AND json_extract(f.value, '$.expected') IS NOT NULL
GROUP BY 1
ON CONFLICT (factor) DO UPDATE SET n = n + excluded.n, total = total + excluded.total
"""
_open_stores: weakref.WeakValueDictionary[str, HistoryStore] = weakref.WeakValueDictionary()


def _now() -> datetime:
    return datetime.now(UTC)


class HistoryStore:
    """The history in one SQLite file. Every method may be called from any thread and commits before it returns.

    All methods raise ``HistoryError``: ``E_HISTORY_LOCKED`` after ``busy_timeout`` seconds, ``E_HISTORY_FULL``,
    ``E_HISTORY_DAMAGED``, ``E_HISTORY_READONLY``, ``E_HISTORY_IO``, ``E_HISTORY_CLOSED``; those that name a verdict
    ``E_HISTORY_NOT_FOUND``. Opening also raises ``E_HISTORY_NEWER`` and ``E_HISTORY_MIGRATION``."""

    def __init__(self, path: Path, *, clock: Callable[[], datetime] = _now, busy_timeout: float = 5.0) -> None:
        """Open the file, creating or migrating it, and mark what dead processes left running."""
        prepare(path, busy_timeout)
        self._path = path
        self._clock = clock
        self._pool = Pool(path, busy_timeout)
        self.votes = Votes(self._pool, clock)
        self._key = uuid.uuid4().hex
        self._owner = f"{process_token()}/{self._key}"
        self._watch_lock = threading.Lock()
        self._watch: Database | None = None
        self._busy_timeout = busy_timeout
        try:
            self.mark_interrupted()
        except BaseException:
            self._pool.close()
            raise
        _open_stores[self._key] = self

    def begin(
        self,
        *,
        id: str,
        kind: Kind,
        text_a: str,
        text_b: str | None,
        mode: Mode,
        model: ModelRef | None,
        prompt_version: str,
        criteria_version: str,
        seed: int,
    ) -> None:
        """Add a verdict with status running. ``id`` must be new."""
        row = {
            "id": id,
            "kind": kind,
            "status": Status.RUNNING.value,
            "created": stamp(self._clock()),
            "owner": self._owner,
            "mode": mode,
            "seed": seed,
            "prompt_version": prompt_version,
            "criteria_version": criteria_version,
            "model_name": model.name if model else None,
            "model_sha256": model.sha256 if model else None,
            "text_a": text_a,
            "text_b": text_b,
        }
        names = ", ".join(row)
        with self._pool.write() as database:
            database.execute(f"INSERT INTO verdicts ({names}) VALUES ({', '.join(':' + n for n in row)})", row)

    def save_partial(self, id: str, result: Result) -> None:
        """Keep a result as far as it has come; a crash after this leaves it readable."""
        with self._pool.write() as database:
            seq = self._seq(database, id, deleted=True)
            # Another machine's process may have taken this one for dead; this write shows that it isn't.
            revive = "UPDATE verdicts SET status = 'running', owner = ? WHERE seq = ? AND status = 'interrupted'"
            database.execute(revive, (self._owner, seq))
            self._count(database, -1, "seq = :seq", seq=seq)
            self._put_result(database, seq, result)
            self._count(database, 1, "seq = :seq", seq=seq)

    def end(self, id: str, status: Status, result: Result | None, error: ErrorInfo | None = None) -> None:
        """Close a verdict. Without a result the last partial one stays. ``status`` is any but running."""
        if status is Status.RUNNING:
            raise ValueError("a verdict doesn't end running")
        error = error or (result.error if result else None)
        columns: dict[str, object] = {
            "status": status.value,
            "owner": None,
            "ended": stamp(self._clock()),
            "error_code": error.code if error else None,
            "error": error.sentence if error else None,
            "error_hint": error.hint if error else None,
        }
        with self._pool.write() as database:
            seq = self._seq(database, id, deleted=True)
            self._count(database, -1, "seq = :seq", seq=seq)
            if result is not None:
                self._put_result(database, seq, result)
            self._update(database, seq, columns)
            self._count(database, 1, "seq = :seq", seq=seq)

    def mark_interrupted(self) -> int:
        """Mark running verdicts whose process or store is gone; returns how many. Runs when the store is opened."""
        with self._pool.write() as database:
            owners = database.execute("SELECT DISTINCT owner FROM verdicts WHERE status = 'running'").fetchall()
            return sum(self._interrupt(database, owner) for (owner,) in owners if not self._lives(owner))

    def get(self, id: str) -> HistoryEntry:
        """A verdict with its result. Raises ``E_HISTORY_ENTRY`` if the stored result can't be read any more."""
        with self._pool.read() as database:
            seq = self._seq(database, id)
            values = database.execute(f"SELECT {ENTRY_COLUMNS} FROM {_ENTRIES} WHERE v.seq = ?", (seq,)).fetchone()
        try:
            return entry_of(values)
        except ValidationError as error:
            raise HistoryError(
                "E_HISTORY_ENTRY",
                "The stored result of this verdict can't be read.",
                "Its text is still there: judge it again, or export the history.",
            ) from error

    def search(self, query: HistoryQuery) -> list[HistoryRow]:
        """One page of the verdicts that match, in the query's order."""
        with self._pool.read() as database:
            statement = select(query, self._words(database, query.text))
            parameters = dict(statement.parameters)
            if query.after is not None:
                after = self._seq(database, query.after, deleted=True)
                score = database.execute("SELECT mean_score FROM verdicts WHERE seq = ?", (after,)).fetchone()[0]
                parameters.update(after_seq=after, after_score=score)
            seqs = [seq for (seq,) in database.execute(statement.sql, parameters)]
            sql = f"SELECT v.seq, {ROW_COLUMNS} FROM verdicts AS v WHERE v.seq IN (SELECT value FROM json_each(?))"
            rows = {values[0]: row_of(values[1:]) for values in database.execute(sql, (json.dumps(seqs),))}
        return [rows[seq] for seq in seqs if seq in rows]

    def count(self, query: HistoryQuery) -> int:
        """How many verdicts match, whatever the page."""
        with self._pool.read() as database:
            statement = select(query, self._words(database, query.text), count=True, page=False)
            return int(database.execute(statement.sql, statement.parameters).fetchone()[0])

    def entries(self, query: HistoryQuery | None = None) -> Iterator[HistoryEntry]:
        """All verdicts that match when the first is asked for, whole, a few in memory at a time; limit, offset and
        ``after`` don't count. One whose stored result can't be read comes without it and says so in ``row.error``."""
        query = query or HistoryQuery()
        with self._pool.read() as database:
            statement = select(query, self._words(database, query.text), page=False)
            seqs = [seq for (seq,) in database.execute(statement.sql, statement.parameters)]
        sql = (
            f"SELECT v.seq, {ENTRY_COLUMNS} FROM {_ENTRIES}"
            " WHERE v.deleted_at IS NULL AND v.seq IN (SELECT value FROM json_each(?))"
        )
        for start in range(0, len(seqs), _BATCH):
            batch = seqs[start : start + _BATCH]
            with self._pool.read() as database:
                found = {values[0]: values[1:] for values in database.execute(sql, (json.dumps(batch),))}
            yield from (entry_of(found[seq], lenient=True) for seq in batch if seq in found)

    def star(self, id: str, starred: bool) -> None:
        """Set or take away a verdict's star."""
        self._set(id, "starred", int(starred))

    def set_tags(self, id: str, tags: Sequence[str]) -> None:
        """Replace a verdict's tags. Spaces are tidied, empty and repeated ones (whatever their case) left out."""
        tidy = tidy_tags(tags)
        with self._pool.write() as database:
            seq = self._seq(database, id)
            database.execute("UPDATE verdicts SET tags = ? WHERE seq = ?", ("\n".join(tidy), seq))
            database.execute("DELETE FROM verdict_tags WHERE seq = ?", (seq,))
            for tag in tidy:
                database.execute("INSERT INTO verdict_tags (tag, seq) VALUES (?, ?)", (tag.casefold(), seq))

    def set_note(self, id: str, note: str) -> None:
        """Replace a verdict's note."""
        self._set(id, "note", plain(note))

    def delete(self, ids: Sequence[str]) -> int:
        """Hide verdicts; returns how many were there. ``undo_delete`` brings them back, ``purge`` doesn't."""
        with self._pool.write() as database:
            which, chosen = f"verdicts.id IN {_IDS} AND deleted_at IS NULL", {"ids": json.dumps(list(ids))}
            self._count(database, -1, which, **chosen)
            last = database.execute("SELECT max(deleted_at) FROM verdicts WHERE deleted_at IS NOT NULL").fetchone()[0]
            when = stamp(self._clock())
            if last is not None and when <= last:
                # Deletions are told apart by their time, so each must have its own.
                when = stamp(datetime.fromisoformat(last) + timedelta(microseconds=1))
            cursor = database.execute(f"UPDATE verdicts SET deleted_at = :when WHERE {which}", {**chosen, "when": when})
            return int(cursor.rowcount)

    def undo_delete(self) -> int:
        """Bring back what the last deletion hid; returns how many. Again: the one before."""
        with self._pool.write() as database:
            last = database.execute("SELECT max(deleted_at) FROM verdicts WHERE deleted_at IS NOT NULL").fetchone()[0]
            if last is None:
                return 0
            seqs = [seq for (seq,) in database.execute("SELECT seq FROM verdicts WHERE deleted_at = ?", (last,))]
            database.execute("UPDATE verdicts SET deleted_at = NULL WHERE deleted_at = ?", (last,))
            self._count(database, 1, f"seq IN {_IDS}", ids=json.dumps(seqs))
            return len(seqs)

    def purge(self) -> int:
        """Remove for good what is hidden, but for what still runs; returns how many. The texts are overwritten in the
        file and its index."""
        with self._pool.write() as database:
            database.execute("PRAGMA secure_delete = ON")
            sql = "DELETE FROM verdicts WHERE deleted_at IS NOT NULL AND status <> 'running'"
            removed = int(database.execute(sql).rowcount)
            if removed:
                database.execute("INSERT INTO verdicts_fts (verdicts_fts) VALUES ('optimize')")
            return removed

    def averages(self) -> dict[str, float]:
        """Factor id → mean expected score (0…5) over the finished ratings; factors written for one joke left out."""
        with self._pool.read() as database:
            rows = database.execute("SELECT factor, total / n FROM factor_averages WHERE n > 0 ORDER BY factor")
            return dict(rows.fetchall())

    def revision(self) -> int:
        """A number that changes whenever anything is written, by this process or another."""
        with self._watch_lock, known_errors(self._path):
            self._pool.check_open()
            if self._watch is None:
                # A connection that never writes: SQLite's data_version counts what all the others do.
                self._watch = connect(self._path, self._busy_timeout)
            return int(self._watch.execute("PRAGMA data_version").fetchone()[0])

    def close(self) -> None:
        """Mark what this store still has running as interrupted, and close every thread's connection."""
        if self._pool.closed:
            return
        _open_stores.pop(self._key, None)
        try:
            # Where it can't be written (locked, full), the next opening marks them.
            with suppress(HistoryError), self._pool.write() as database:
                self._interrupt(database, self._owner)
        finally:
            self._pool.close()
            with self._watch_lock:
                if self._watch is not None:
                    self._watch.close()
                    self._watch = None

    def _interrupt(self, database: Database, owner: str | None) -> int:
        sql = "UPDATE verdicts SET status = 'interrupted', owner = NULL WHERE status = 'running' AND owner IS ?"
        return int(database.execute(sql, (owner,)).rowcount)

    def _lives(self, owner: str | None) -> bool:
        if owner is None:
            return False
        process, _, key = owner.rpartition("/")
        if process == process_token():
            return key == self._key or key in _open_stores
        return process_alive(process)

    def _seq(self, database: Database, id: str, *, deleted: bool = False) -> int:
        hidden = "" if deleted else " AND deleted_at IS NULL"
        found = database.execute(f"SELECT seq FROM verdicts WHERE id = ?{hidden}", (plain(id),)).fetchone()
        if found is None:
            raise HistoryError(
                "E_HISTORY_NOT_FOUND", f"There is no verdict {plain(id)} in the history.", "It may have been deleted."
            )
        return int(found[0])

    def _words(self, database: Database, text: str) -> Words:
        """The search's words; as parts of words where the index doesn't know them."""
        found = words(text)
        if found.match is None:
            return found
        statement = matches_any(found)
        if database.execute(statement.sql, statement.parameters).fetchone():
            return found
        return found.as_substrings()

    def _put_result(self, database: Database, seq: int, result: Result) -> None:
        self._update(database, seq, list_columns(result))
        sql = "INSERT INTO results (seq, body) VALUES (?, ?) ON CONFLICT (seq) DO UPDATE SET body = excluded.body"
        database.execute(sql, (seq, result.model_dump_json()))

    def _count(self, database: Database, sign: int, which: str, **parameters: object) -> None:
        database.execute(_COUNT.format(which=which), {"sign": sign, **parameters})
        if sign < 0:
            database.execute("DELETE FROM factor_averages WHERE n <= 0")

    def _set(self, id: str, column: str, value: object) -> None:
        with self._pool.write() as database:
            self._update(database, self._seq(database, id), {column: value})

    def _update(self, database: Database, seq: int, columns: dict[str, object]) -> None:
        assignments = ", ".join(f"{name} = :{name}" for name in columns)
        database.execute(f"UPDATE verdicts SET {assignments} WHERE seq = :seq", {**columns, "seq": seq})
