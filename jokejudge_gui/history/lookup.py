"""Queries of a history. A row that can't be read is left out, and its id is passed to ``left_out``."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from sqlite3 import Connection, Row
from typing import Any, TypeAlias, TypeVar

from ..core.errors import HistoryError
from ..core.files import parse_json
from ..core.verdict_kinds import Kinds
from .database import WORDS, Pool
from .query import (
    BROKEN,
    ENTRIES,
    ENTRY_COLUMNS,
    ROW_COLUMNS,
    ROWS,
    UNKNOWN_KIND,
    UNREADABLE,
    HistoryEntry,
    HistoryQuery,
    HistoryRow,
    Sort,
    entry_of,
    plain,
    row_of,
    subjects_of,
)

_MOST_CHARACTERS = 400
_MOST_TERMS = 24
_LEAST_PREFIX = 4
_SAME_LIST = 2
"""Least number of texts of a list that a verdict on the same list has."""
_MOST = 2**62  # SQLite's integers have 63 bits
_NEWEST = 40_000
"""The number of newest verdicts in which parts of words are searched: each keystroke may run that search."""
_ORDERS: dict[Sort, str] = {
    "newest": "v.seq DESC",
    "oldest": "v.seq",
    "score_high": "v.value DESC NULLS LAST, v.seq DESC",
    "score_low": "v.value ASC NULLS LAST, v.seq DESC",
}
_IN_INDEX = "words_fts CROSS JOIN verdicts AS v ON v.seq = words_fts.rowid"
_SHOWN = "v.deleted_at IS NULL AND v.parent IS NULL"
_BATCH = 200
_MOST_FAULTS = 20
_T = TypeVar("_T")
LeftOut: TypeAlias = Callable[[str], object]
"""Called with the id of each verdict that is left out because it can't be read."""


def _nobody(_id: str) -> None:
    """Ignore a verdict that is left out."""


def _quoted(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'


class Lookup:
    """Reads verdicts through a pool of connections."""

    def __init__(self, pool: Pool, kinds: Kinds) -> None:
        self._pool = pool
        self.kinds = kinds

    def named(self, given: str, kind: str | None = None) -> str:
        """Return the id that a person means: ``last`` (the newest verdict, of this kind), an id, or the beginning of
        one, at least 4 characters. Raises ``E_HISTORY_NOT_FOUND`` for ``last`` if there is none,
        ``E_HISTORY_AMBIGUOUS`` for the beginning of several."""
        if given == "last":
            if not (rows := self.search(HistoryQuery(kinds=(kind,) if kind else (), limit=1))):
                sentence = f"The history holds no {self.kinds[kind].noun}." if kind else "The history is empty."
                raise HistoryError("E_HISTORY_NOT_FOUND", sentence, f"Begin with: jokejudge {kind or 'rate TEXT'}")
            return rows[0].id
        if len(given) < _LEAST_PREFIX:
            return given
        sql = "SELECT id FROM verdicts WHERE id >= ?1 AND id < ?1 || char(1114111) AND deleted_at IS NULL LIMIT 3"
        ids = self._column(sql, plain(given))
        if len(ids) > 1 and given not in ids:
            sentence = f"Several verdicts have ids that begin with {plain(given)!r}."
            raise HistoryError("E_HISTORY_AMBIGUOUS", sentence, f"Give more of it: {', '.join(ids)}")
        return ids[0] if ids else given

    def get(self, id: str) -> HistoryEntry:
        """Return a verdict with its result. Raises ``E_HISTORY_ENTRY`` if it can't be read any more, ``E_HISTORY_KIND``
        if a newer program made it and this one doesn't know its kind."""
        with self._pool.read() as database:
            return self._entry(database, self._seq(database, id), id)

    def row(self, id: str) -> HistoryRow:
        """Return a verdict as a list row, without its result, which is slow to read for a large contest. Raises the
        errors of ``get``."""
        with self._pool.read() as database:
            seq = self._seq(database, id)
        return next(self._rows([seq], _nobody), None) or self.get(id).row

    def _entry(self, database: Connection, seq: int, id: str) -> HistoryEntry:
        (values,) = _by_name(database, f"SELECT {ENTRY_COLUMNS} FROM {ENTRIES} WHERE v.seq = ?", seq)
        try:
            return entry_of(values, self.kinds)
        except LookupError:
            hint = "Update the program to open it; its texts can be exported now."
            raise HistoryError("E_HISTORY_KIND", UNKNOWN_KIND, hint) from None
        except BROKEN:
            # The original error quotes stored text, which must not get into a report.
            hint = "Judge its text again; `jokejudge doctor` names every verdict that can't be read."
            raise HistoryError("E_HISTORY_ENTRY", f"The stored verdict {plain(id)} can't be read.", hint) from None

    def listed(self, ids: Sequence[str]) -> frozenset[str]:
        """Return those of the verdicts ``ids`` that exist and aren't deleted."""
        sql = "SELECT id FROM verdicts WHERE deleted_at IS NULL AND id IN (SELECT value FROM json_each(?))"
        return frozenset(self._column(sql, json.dumps(list(ids))))

    def search(self, query: HistoryQuery, left_out: LeftOut = _nobody) -> list[HistoryRow]:
        """Return one page of the verdicts that match, in the query's order."""
        with self._pool.read() as database:
            sql, parameters = self._select(database, query)
            parameters |= {"limit": min(query.limit, _MOST), "offset": min(query.offset, _MOST)}
            if query.after is not None:
                parameters["after_seq"] = self._seq(database, query.after, deleted=True)
            seqs = [seq for (seq,) in database.execute(f"{sql} LIMIT :limit OFFSET :offset", parameters)]
        return list(self._rows(seqs, left_out))

    def sharing(self, terms: Sequence[str], limit: int) -> list[HistoryRow]:
        """Return the verdicts without a parent whose texts share most with these words, the rarest ones first."""
        sql = f"SELECT v.seq FROM {_IN_INDEX} WHERE words_fts MATCH ? AND {_SHOWN} ORDER BY rank LIMIT ?"
        quoted = [_quoted(plain(term)) for term in terms if any(map(str.isalnum, term))]
        seqs = self._column(sql, f"texts : ({' OR '.join(quoted)})", limit) if quoted else []
        return list(self._rows(seqs, _nobody))

    def tags(self) -> dict[str, int]:
        """Return the tags of all verdicts without a parent, in small letters, with their numbers of verdicts."""
        joined = "verdict_tags JOIN verdicts AS v USING (seq)"
        with self._pool.read() as database:
            return dict(database.execute(f"SELECT tag, count(*) FROM {joined} WHERE {_SHOWN} GROUP BY 1 ORDER BY 1"))

    def pace(self, kind: str) -> dict[str, float]:
        """Return the mean seconds that the newest verdicts of this kind took, by their model's SHA-256."""
        newest = (
            "SELECT model_sha256, seconds FROM verdicts WHERE kind = ? AND status = 'finished' AND seconds IS NOT NULL"
            " AND model_sha256 IS NOT NULL ORDER BY seq DESC LIMIT 100"
        )
        with self._pool.read() as database:
            return dict(database.execute(f"SELECT model_sha256, avg(seconds) FROM ({newest}) GROUP BY 1", (kind,)))

    def count(self, query: HistoryQuery) -> int:
        """Return the number of verdicts that match, on all pages."""
        with self._pool.read() as database:
            sql, parameters = self._select(database, query.replaced(after=None, sort="oldest"), what="count(*)")
            return int(database.execute(sql, parameters).fetchone()[0])

    def entries(self, query: HistoryQuery | None = None, left_out: LeftOut = _nobody) -> Iterator[HistoryEntry]:
        """Yield all verdicts that match when the first is asked for, with their results, a few in memory at a time;
        limit, offset and ``after`` are ignored. A verdict whose stored result can't be read, or whose kind is unknown,
        comes without its result and with a ``row.error``; one that can't be read at all is left out."""
        query = (query or HistoryQuery()).replaced(after=None)
        with self._pool.read() as database:
            seqs = [seq for (seq,) in database.execute(*self._select(database, query))]
        yield from self._whole(seqs, left_out)

    def chosen(self, ids: Sequence[str], left_out: LeftOut = _nobody) -> Iterator[HistoryEntry]:
        """Yield the verdicts with these ids, as ``entries`` does, in this order; missing ones are left out."""
        sql = (
            "SELECT v.seq FROM json_each(?) AS asked CROSS JOIN verdicts AS v ON v.id = asked.value"
            " WHERE v.deleted_at IS NULL ORDER BY asked.key"
        )
        yield from self._whole(self._column(sql, json.dumps([plain(id) for id in ids])), left_out)

    def stored(self, ids: Sequence[str], names: Sequence[str]) -> dict[str, dict[str, Any]]:
        """Return two or more fields of verdicts' results as stored, unchecked, by id; none of a damaged result."""
        paths = ", ".join(f"'$.{name}'" for name in names)
        sound = "verdicts AS v JOIN results AS r ON r.seq = v.seq AND json_valid(r.body)"
        sql = f"SELECT v.seq, v.id, json_extract(r.body, {paths}) AS found FROM {sound}"
        seqs = self._column("SELECT seq FROM verdicts WHERE id IN (SELECT value FROM json_each(?))", json.dumps(ids))
        made = self._made(seqs, sql, lambda row: (row["id"], parse_json(row["found"])), _nobody)
        return {id: dict(zip(names, values, strict=True)) for id, values in made}

    def seen(self, texts: Sequence[str], before: str | None = None) -> dict[str, str]:
        """Return, by text, the newest verdict without a parent on those of ``texts`` that have one, also as jokes of a
        list, but not as those of the same list, one with more than half of them; ``before``: one that is older
        than the verdict with this id. Reads every text once, so call it in a worker's thread."""
        wanted = {plain(text): text for text in texts}
        sql = (
            f"SELECT v.id, w.texts, w.parts FROM {ROWS} WHERE {_SHOWN}"
            " AND v.seq < coalesce((SELECT seq FROM verdicts WHERE id = ?), 9223372036854775807) ORDER BY v.seq"
        )
        stored: dict[str, str] = {}
        with self._pool.read() as database:
            for id, whole, parts in database.execute(sql, (plain(before or ""),)):
                subjects = subjects_of(whole, parts)
                lines = {line for one in subjects for line in (one.text, *one.text.split("\n")) if line in wanted}
                if len(lines) < _SAME_LIST or 2 * len(lines) <= len(wanted):
                    stored |= {wanted[line]: id for line in lines}
        return stored

    def check(self) -> tuple[str, ...]:
        """Return what is wrong with the file, and the ids of verdicts that can't be read, of deleted ones too. Takes a
        second for each 10,000 verdicts."""
        faults = self._column(f"PRAGMA integrity_check({_MOST_FAULTS})")
        damages = [str(fault) for fault in faults if fault != "ok"]
        for entry in self._whole(self._column("SELECT seq FROM verdicts ORDER BY seq"), damages.append):
            if entry.result is None and entry.row.error == UNREADABLE:
                damages.append(entry.row.id)
        return tuple(damages)

    def _column(self, sql: str, *parameters: object) -> list[Any]:
        """Return the first values of a query's rows."""
        with self._pool.read() as database:
            return [value for value, *_ in database.execute(sql, parameters)]

    def _rows(self, seqs: Sequence[int], left_out: LeftOut) -> Iterator[HistoryRow]:
        return self._made(seqs, f"SELECT {ROW_COLUMNS} FROM {ROWS}", row_of, left_out)

    def _whole(self, seqs: Sequence[int], left_out: LeftOut) -> Iterator[HistoryEntry]:
        """Yield verdicts with their results; a result that can't be read is left out."""
        sql = f"SELECT {ENTRY_COLUMNS} FROM {ENTRIES}"
        return self._made(seqs, sql, lambda values: entry_of(values, self.kinds, lenient=True), left_out)

    def _made(self, seqs: Sequence[int], sql: str, make: Callable[[Row], _T], left_out: LeftOut) -> Iterator[_T]:
        """Yield the result of ``make`` for each row that is still there, in the order of ``seqs``, a few at once."""
        for start in range(0, len(seqs), _BATCH):
            batch = seqs[start : start + _BATCH]
            rows = self._values(batch, sql)
            for seq, row in [(seq, rows[seq]) for seq in batch if seq in rows]:
                with suppress(*BROKEN):
                    if row is not None:
                        yield make(row)
                        continue
                left_out(str(row["id"]) if row is not None else f"number {seq}")

    def _values(self, seqs: Sequence[int], sql: str) -> dict[int, Row | None]:
        """Return rows by ``seq``: read together, or, if that fails, one by one, None for one that can't be read."""
        try:
            with self._pool.read() as database:
                rows = _by_name(database, f"{sql} WHERE v.seq IN (SELECT value FROM json_each(?))", json.dumps(seqs))
                return {row["seq"]: row for row in rows}
        except HistoryError as error:
            if error.code != "E_HISTORY_DAMAGED":
                raise
        if len(seqs) == 1:
            return {seqs[0]: None}
        return {key: row for seq in seqs for key, row in self._values([seq], sql).items()}

    def _seq(self, database: Connection, id: str, *, deleted: bool = False) -> int:
        hidden = "" if deleted else " AND deleted_at IS NULL"
        row = database.execute(f"SELECT seq FROM verdicts WHERE id = ?{hidden}", (plain(id),)).fetchone()
        if row is None:
            sentence = f"There is no verdict {plain(id)} in the history."
            short = f"Give at least {_LEAST_PREFIX} characters of its id."
            hint = short if len(id) < _LEAST_PREFIX else "It may have been deleted."
            raise HistoryError("E_HISTORY_NOT_FOUND", sentence, hint)
        return int(row[0])

    def _select(
        self, database: Connection, query: HistoryQuery, *, what: str = "v.seq"
    ) -> tuple[str, dict[str, object]]:
        """Return SQL and its named parameters for the verdicts that match: ``what`` of each, in the query's order. User
        text is only ever a parameter, and nothing in it is syntax. Words that the index doesn't have are searched as
        parts of words. ``after_seq`` is bound by the caller."""
        terms = plain(query.text.replace("\x00", " "))[:_MOST_CHARACTERS].split()[:_MOST_TERMS]
        parameters: dict[str, object] = {"kinds": json.dumps(query.kinds), "parent": plain(query.parent or "")}
        where = ["v.deleted_at IS NULL"]
        if query.parent is None:
            where.append("v.parent IS NULL")
        else:
            where.append("v.parent = (SELECT seq FROM verdicts WHERE id = :parent)")
        if query.kinds:
            where.append("v.kind IN (SELECT value FROM json_each(:kinds))")
        if query.starred:
            where.append("v.seq IN (SELECT seq FROM verdicts WHERE starred = 1 AND deleted_at IS NULL)")
        if query.tag is not None:
            where.append("v.seq IN (SELECT seq FROM verdict_tags WHERE tag = :tag)")
            parameters["tag"] = query.tag.strip().casefold()
        source, order = "verdicts AS v", _ORDERS[query.sort]
        # The index may hold longer words than the last one.
        match = " AND ".join(map(_quoted, terms)) + " *"
        sql = f"SELECT 1 FROM {_IN_INDEX} WHERE words_fts MATCH ? AND {_SHOWN} LIMIT 1"
        whole = all(any(map(str.isalnum, term)) for term in terms)
        if terms and whole and database.execute(sql, (match,)).fetchone() is not None:
            parameters["match"] = match
            if query.starred or query.tag is not None:
                where.append("v.seq IN (SELECT rowid FROM words_fts WHERE words_fts MATCH :match)")
            else:
                # The index returns its rows in the order of seq, so newest and oldest need no sorting and stop early.
                source, where = _IN_INDEX, ["words_fts MATCH :match", *where]
                order = order if query.sort.startswith("score") else order.replace("v.seq", "words_fts.rowid")
        elif terms:
            source += " JOIN words AS w ON w.seq = v.seq"
            where.append(f"v.seq > (SELECT max(seq) FROM verdicts) - {_NEWEST}")
            for number, term in enumerate(terms):
                escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
                parameters[f"like_{number}"] = f"%{escaped}%"
                likes = (f"w.{column} LIKE :like_{number} ESCAPE '\\'" for column in WORDS)
                where.append(f"({' OR '.join(likes)})")
        if query.after is not None:
            where.append(f"v.seq {'>' if query.sort == 'oldest' else '<'} :after_seq")
        return f"SELECT {what} FROM {source} WHERE {' AND '.join(where)} ORDER BY {order}", parameters


def _by_name(database: Connection, sql: str, *parameters: object) -> list[Row]:
    """Return rows whose values have the columns' names."""
    cursor = database.cursor()
    cursor.row_factory = sqlite3.Row
    return cursor.execute(sql, parameters).fetchall()
