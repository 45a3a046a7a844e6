"""What can be asked of a history. A row that can't be read is left out, and named to whoever wants to know."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, TypeAlias

from sqlite_utils import Database

from ..errors import HistoryError
from ..verdict_kinds import Kinds
from ..verdicts import Frozen
from .database import Pool
from .query import HistoryEntry, HistoryQuery, HistoryRow
from .records import BROKEN, ENTRY_COLUMNS, ROW_COLUMNS, UNKNOWN_KIND, UNREADABLE, entry_of, plain, row_of
from .search import Words, matches_any, select, words

LeftOut: TypeAlias = Callable[[str], None]
"""Gets the id of each verdict that is left out because it can't be read."""

_BATCH = 200
_ROWS = "verdicts AS v"
_ENTRIES = "verdicts AS v LEFT JOIN results AS r ON r.seq = v.seq"
_MOST_FAULTS = 20


class Damage(Frozen):
    """Something in the history that can't be read: a verdict, by its ``id``, or (``id`` None) a part of the file."""

    id: str | None
    why: str


def _nobody(id: str) -> None:
    """Nobody wants to know."""


class Lookup:
    """Reads verdicts through a pool of connections."""

    def __init__(self, pool: Pool, kinds: Kinds) -> None:
        self._pool = pool
        self.kinds = kinds

    def get(self, id: str) -> HistoryEntry:
        """A verdict with its result. Raises ``E_HISTORY_ENTRY`` if it can't be read any more, ``E_HISTORY_KIND`` if a
        newer program made it and this one doesn't know its kind."""
        with self._pool.read() as database:
            return self._entry(database, self._seq(database, id), id)

    def _entry(self, database: Database, seq: int, id: str) -> HistoryEntry:
        values = database.execute(f"SELECT {ENTRY_COLUMNS} FROM {_ENTRIES} WHERE v.seq = ?", (seq,)).fetchone()
        try:
            return entry_of(values, self.kinds)
        except LookupError:
            raise HistoryError(
                "E_HISTORY_KIND", UNKNOWN_KIND, "Update the program to open it; its texts can be exported now."
            ) from None
        except BROKEN:
            # What was raised quotes what is stored, which must not get into a report.
            raise HistoryError(
                "E_HISTORY_ENTRY",
                f"The stored verdict {plain(id)} can't be read.",
                "Judge its text again; `jokejudge doctor` names every verdict that can't be read.",
            ) from None

    def listed(self, ids: Sequence[str]) -> frozenset[str]:
        """Those of the verdicts ``ids`` that are there and aren't deleted."""
        sql = "SELECT id FROM verdicts WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))"
        with self._pool.read() as database:
            return frozenset(id for (id,) in database.execute(sql, (json.dumps(list(ids)),)))

    def search(self, query: HistoryQuery, left_out: LeftOut = _nobody) -> list[HistoryRow]:
        """One page of the verdicts that match, in the query's order."""
        with self._pool.read() as database:
            statement = select(query, self._words(database, query.text))
            parameters = dict(statement.parameters)
            if query.after is not None:
                after = self._seq(database, query.after, deleted=True)
                value = database.execute("SELECT value FROM verdicts WHERE seq = ?", (after,)).fetchone()[0]
                parameters.update(after_seq=after, after_value=value)
            seqs = [seq for (seq,) in database.execute(statement.sql, parameters)]
        return [row for _, row in self._made(seqs, ROW_COLUMNS, _ROWS, row_of, left_out)]

    def count(self, query: HistoryQuery) -> int:
        """How many verdicts match, whatever the page."""
        with self._pool.read() as database:
            statement = select(query, self._words(database, query.text), count=True, page=False)
            return int(database.execute(statement.sql, statement.parameters).fetchone()[0])

    def entries(self, query: HistoryQuery | None = None, left_out: LeftOut = _nobody) -> Iterator[HistoryEntry]:
        """All verdicts that match when the first is asked for, whole, a few in memory at a time; limit, offset and
        ``after`` don't count. One whose stored result can't be read, or whose kind is unknown, comes without it and
        says so in ``row.error``; one that can't be read at all is left out."""
        query = query or HistoryQuery()
        with self._pool.read() as database:
            statement = select(query, self._words(database, query.text), page=False)
            seqs = [seq for (seq,) in database.execute(statement.sql, statement.parameters)]
        for start in range(0, len(seqs), _BATCH):
            batch = seqs[start : start + _BATCH]
            yield from (entry for _, entry in self._made(batch, ENTRY_COLUMNS, _ENTRIES, self._lenient, left_out))

    def chosen(self, ids: Sequence[str], left_out: LeftOut = _nobody) -> Iterator[HistoryEntry]:
        """The verdicts with these ids, as ``entries`` gives them, in this order; those that are gone are left out."""
        for start in range(0, len(ids), _BATCH):
            asked = json.dumps([plain(id) for id in ids[start : start + _BATCH]])
            sql = (
                "SELECT v.seq FROM json_each(?) AS asked CROSS JOIN verdicts AS v ON v.id = asked.value"
                " WHERE v.deleted_at IS NULL ORDER BY asked.key"
            )
            with self._pool.read() as database:
                seqs = [seq for (seq,) in database.execute(sql, (asked,))]
            yield from (entry for _, entry in self._made(seqs, ENTRY_COLUMNS, _ENTRIES, self._lenient, left_out))

    def seen(self, texts: Sequence[str], before: str | None = None) -> frozenset[str]:
        """Those of ``texts`` that a verdict asked for by itself is about; ``before``: one that is older than the
        verdict with this id. Reads every subject once, so it belongs into a worker's thread."""
        asked = {"texts": json.dumps([plain(text) for text in set(texts)]), "before": plain(before or "")}
        sql = (
            "SELECT DISTINCT s.text FROM subjects AS s JOIN verdicts AS v ON v.seq = s.seq"
            " WHERE v.deleted_at IS NULL AND v.parent IS NULL AND s.text IN (SELECT value FROM json_each(:texts))"
            " AND v.seq < coalesce((SELECT seq FROM verdicts WHERE id = :before), 9223372036854775807)"
        )
        with self._pool.read() as database:
            return frozenset(text for (text,) in database.execute(sql, asked))

    def check(self) -> tuple[Damage, ...]:
        """Look at the whole file and every verdict in it, deleted ones too: what can't be read. Takes a second for
        each 10,000 verdicts."""
        found: list[Damage] = []
        with self._pool.read() as database:
            faults = database.execute(f"PRAGMA integrity_check({_MOST_FAULTS})").fetchall()
            found += (Damage(id=None, why=str(fault)) for (fault,) in faults if fault != "ok")
            seqs = [seq for (seq,) in database.execute("SELECT seq FROM verdicts ORDER BY seq")]
        for start in range(0, len(seqs), _BATCH):
            batch = seqs[start : start + _BATCH]
            lost: list[str] = []
            for _, entry in self._made(batch, ENTRY_COLUMNS, _ENTRIES, self._lenient, lost.append):
                if entry.result is None and entry.row.error == UNREADABLE:
                    found.append(Damage(id=entry.row.id, why=UNREADABLE))
            found += (Damage(id=id, why="It can't be read.") for id in lost)
        return tuple(found)

    def _lenient(self, values: Sequence[Any]) -> HistoryEntry:
        return entry_of(values, self.kinds, lenient=True)

    def _made(
        self, seqs: Sequence[int], columns: str, source: str, make: Callable[[Sequence[Any]], Any], left_out: LeftOut
    ) -> Iterator[tuple[int, Any]]:
        """What ``make`` makes of each row, in the order of ``seqs``."""
        found = self._values(seqs, columns, source)
        for seq in seqs:
            try:
                if seq in found:
                    yield seq, make(found[seq])
                    continue
            except BROKEN:
                pass
            name = self._name(seq)
            if name is not None:
                left_out(name)

    def _values(self, seqs: Sequence[int], columns: str, source: str) -> dict[int, Sequence[Any]]:
        """The rows that can be read, by ``seq``: together, or where that fails one by one."""
        sql = f"SELECT v.seq, {columns} FROM {source} WHERE v.seq IN (SELECT value FROM json_each(?))"
        try:
            with self._pool.read() as database:
                return {values[0]: values[1:] for values in database.execute(sql, (json.dumps(seqs),))}
        except HistoryError as error:
            if error.code != "E_HISTORY_DAMAGED":
                raise
        if len(seqs) == 1:
            return {}
        return {key: values for seq in seqs for key, values in self._values([seq], columns, source).items()}

    def _name(self, seq: int) -> str | None:
        """The id of a row that couldn't be made; None if it is gone, its number if even the id can't be read."""
        try:
            with self._pool.read() as database:
                found = database.execute("SELECT id FROM verdicts WHERE seq = ?", (seq,)).fetchone()
        except HistoryError:
            return f"number {seq}"
        return None if found is None else str(found[0])

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
