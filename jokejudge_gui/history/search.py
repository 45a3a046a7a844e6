"""A ``HistoryQuery`` as SQL that yields the ``seq`` of each verdict, in order. User text is only ever a parameter."""

from __future__ import annotations

from dataclasses import dataclass

from ..verdicts import Status
from .query import HistoryQuery, Sort

_MOST_CHARACTERS = 400
_MOST_TERMS = 24
_MOST = 2**62  # SQLite's numbers have 63 bits
# How far back words that the index doesn't know are looked for as parts of words: each keystroke may ask for that.
_NEWEST = 40_000
_COLUMNS = ("note", "tags", "explanation")
_SUBJECT = "EXISTS (SELECT 1 FROM subjects AS s WHERE s.seq = v.seq AND s.text LIKE {pattern})"
# Scripts written without spaces: the index holds a whole clause as one word, so a word in it is looked for by LIKE.
_UNSPACED = (
    (0x0E00, 0x0EFF), (0x1000, 0x109F), (0x1780, 0x17FF), (0x2E80, 0x9FFF), (0xAC00, 0xD7AF), (0xF900, 0xFAFF),
    (0x20000, 0x3FFFF),
)  # fmt: skip
_ORDERS: dict[Sort, str] = {
    "newest": "v.seq DESC",
    "oldest": "v.seq",
    "score_high": "v.value DESC NULLS LAST, v.seq DESC",
    "score_low": "v.value ASC NULLS LAST, v.seq DESC",
}
# Rows after the last one of the page before (its seq and value are bound); a row without a value stands at the end.
_AFTER: dict[Sort, str] = {
    "newest": "v.seq < :after_seq",
    "oldest": "v.seq > :after_seq",
    "score_high": "(v.value < :after_value OR v.value IS NULL AND :after_value IS NOT NULL"
    " OR v.value IS :after_value AND v.seq < :after_seq)",
    "score_low": "(v.value > :after_value OR v.value IS NULL AND :after_value IS NOT NULL"
    " OR v.value IS :after_value AND v.seq < :after_seq)",
}


@dataclass(frozen=True)
class Words:
    """A search text taken apart. ``match``: an FTS5 expression of quoted terms, or None; ``substrings``: what the
    index can't find (signs, emoji, unspaced scripts); ``all``: every term, for looking by substring alone; ``newest``:
    only among the newest 40,000 verdicts."""

    match: str | None
    substrings: tuple[str, ...]
    all: tuple[str, ...]
    newest: bool = False

    def as_substrings(self) -> Words:
        """The same words looked for anywhere in a text."""
        return Words(None, self.all, self.all, newest=True)


def words(text: str) -> Words:
    """Take a search text apart. Nothing in it is syntax; very long texts are cut (400 characters, 24 terms)."""
    clean = text.encode("utf-8", "replace").decode("utf-8").replace("\x00", " ")
    terms = tuple(clean[:_MOST_CHARACTERS].split())[:_MOST_TERMS]
    indexed = [term for term in terms if _indexed(term)]
    quoted = ['"' + term.replace('"', '""') + '"' for term in indexed]
    if quoted and indexed[-1] is terms[-1]:
        quoted[-1] += " *"
    return Words(" AND ".join(quoted) or None, tuple(t for t in terms if not _indexed(t)), terms)


def _indexed(term: str) -> bool:
    unspaced = any(low <= ord(character) <= high for character in term for low, high in _UNSPACED)
    return not unspaced and any(character.isalnum() for character in term)


@dataclass(frozen=True)
class Statement:
    """SQL and its named parameters."""

    sql: str
    parameters: dict[str, object]


def matches_any(found: Words) -> Statement:
    """Whether the index knows any live verdict with these words: one row if so, none if not."""
    sql = (
        "SELECT 1 FROM verdicts_fts CROSS JOIN verdicts AS v ON v.seq = verdicts_fts.rowid"
        " WHERE verdicts_fts MATCH :match AND v.deleted_at IS NULL AND v.parent IS NULL LIMIT 1"
    )
    return Statement(sql, {"match": found.match})


def select(query: HistoryQuery, found: Words, *, count: bool = False, page: bool = True) -> Statement:
    """The verdicts that match, as ``seq`` in the query's order; with ``count`` their number instead. Without ``page``
    limit, offset and ``after`` are left out. ``after`` needs ``after_seq`` and ``after_value`` bound by the caller."""
    parameters: dict[str, object] = {}
    where = ["v.deleted_at IS NULL"]
    if query.parent is None:
        where.append("v.parent IS NULL")
    else:
        where.append("v.parent = (SELECT seq FROM verdicts WHERE id = :parent)")
        parameters["parent"] = query.parent.encode("utf-8", "replace").decode("utf-8")
    every_status = set(Status) <= set(query.statuses)
    for column, values in (("kind", query.kinds), ("status", () if every_status else query.statuses)):
        if values:
            names = [f"{column}_{number}" for number in range(len(values))]
            parameters.update(zip(names, map(str, values), strict=True))
            where.append(f"v.{column} IN ({', '.join(':' + name for name in names)})")
    starred = "SELECT seq FROM verdicts WHERE starred = 1 AND deleted_at IS NULL"
    if query.starred is not None:
        where.append(f"v.seq {'IN' if query.starred else 'NOT IN'} ({starred})")
    if query.tag is not None:
        where.append("v.seq IN (SELECT seq FROM verdict_tags WHERE tag = :tag)")
        parameters["tag"] = query.tag.strip().casefold()
    source, order = "verdicts AS v", _ORDERS[query.sort]
    if found.match is not None and (query.starred or query.tag is not None):
        where.append("v.seq IN (SELECT rowid FROM verdicts_fts WHERE verdicts_fts MATCH :match)")
        parameters["match"] = found.match
    elif found.match is not None:
        # The index yields its rows in the order of seq, so newest and oldest need no sorting and stop early.
        source = "verdicts_fts CROSS JOIN verdicts AS v ON v.seq = verdicts_fts.rowid"
        where.insert(0, "verdicts_fts MATCH :match")
        parameters["match"] = found.match
        order = order if query.sort.startswith("score") else order.replace("v.seq", "verdicts_fts.rowid")
    for number, term in enumerate(found.substrings):
        escaped = term.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        parameters[f"like_{number}"] = f"%{escaped}%"
        pattern = f":like_{number} ESCAPE '\\'"
        likes = [f"v.{column} LIKE {pattern}" for column in _COLUMNS]
        where.append(f"({' OR '.join([*likes, _SUBJECT.format(pattern=pattern)])})")
    if found.newest:
        where.append(f"v.seq > (SELECT max(seq) FROM verdicts) - {_NEWEST}")
    if page and query.after is not None:
        where.append(_AFTER[query.sort])
    what = "count(*)" if count else "v.seq AS seq"
    sql = f"SELECT {what} FROM {source} WHERE {' AND '.join(where)}"
    if not count:
        sql += f" ORDER BY {order}"
        if page:
            sql += " LIMIT :limit OFFSET :offset"
            parameters.update(limit=min(query.limit, _MOST), offset=min(query.offset, _MOST))
    return Statement(sql, parameters)
