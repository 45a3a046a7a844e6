"""Whether a history holds what the program made and nothing else, before anything is asked of it: a trigger, a view, a
rule or an index is code that would run with the program's next statement."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path

from sqlite_utils import Database

from .database import damaged

Shape = Mapping[str, tuple[str, str]]
"""By name: what kind of thing it is, and its SQL."""
_INNER = re.compile(r"verdicts_fts_(data|idx|content|docsize|config)")
"""Tables that SQLite's search makes for itself, each version its own way."""


def shape_of(database: Database) -> Shape:
    """All that a database declares; what SQLite adds by itself is left out."""
    rows = database.execute("SELECT name, type, sql FROM sqlite_master").fetchall()
    return {str(name): (str(kind), _plain(sql)) for name, kind, sql in rows if not str(name).startswith("sqlite_")}


def check_shape(database: Database, path: Path, ours: Shape) -> None:
    """Raise ``E_HISTORY_DAMAGED`` where a table, a view or a trigger of ``ours`` is missing, and where anything is
    there that isn't, to the letter, ``ours``."""
    found = shape_of(database)
    for name, (kind, sql) in ours.items():
        if name not in found:
            if kind != "index":  # only slower without
                raise damaged(path, f"its {kind} {name} is missing")
        elif found[name][0] != kind or (found[name][1] != sql and not _INNER.fullmatch(name)):
            raise damaged(path, f"its {kind} {name} isn't as the program made it")
    if more := sorted(found.keys() - ours.keys()):
        raise damaged(path, f"it holds a {found[more[0]][0]} that the program never made")


def _plain(sql: object) -> str:
    """SQL without what SQLite's versions write differently when a table is renamed."""
    return " ".join(str(sql).replace('"', "").split())
