"""Whether a history's tables are what the program made, before anything is asked of them."""

from __future__ import annotations

from pathlib import Path

from sqlite_utils import Database

from .database import damaged

_COLUMNS = {
    "verdicts": (
        "seq id parent kind status created ended deleted_at owner starred mode seed prompt_version criteria_version "
        "model_name model_sha256 badge tone sentence value seconds error_code error error_hint tags note explanation"
    ),
    "subjects": "seq place label text",
    "results": "seq body",
    "verdict_tags": "tag seq",
    "factor_averages": "model criteria factor n total",
    "votes": (
        "seq id verdict_id kind created choice blind scale value centred model_name model_sha256 prompt_version "
        "criteria_version subjects"
    ),
    "verdicts_fts": "subjects note tags explanation",
}
_TRIGGERS = {"verdicts_fts_delete", "verdicts_fts_update"}


def check_shape(database: Database, path: Path) -> None:
    """Raise ``E_HISTORY_DAMAGED`` where a table is missing, lacks a column, or is something else than a table; and
    where a trigger or the index's view isn't there, or a trigger is there that the program never made."""
    kinds = dict(database.execute("SELECT name, type FROM sqlite_master").fetchall())
    for table, names in _COLUMNS.items():
        if kinds.get(table) != "table":
            what = f"is a {kinds[table]}" if table in kinds else "is missing"
            raise damaged(path, f"its table {table} {what}")
        found = {row[1] for row in database.execute(f"PRAGMA table_info({table})")}
        if missing := sorted(set(names.split()) - found):
            raise damaged(path, f"its table {table} has no column {missing[0]}")
    triggers = {name for name, kind in kinds.items() if kind == "trigger"}
    if triggers != _TRIGGERS:
        raise damaged(path, "its triggers aren't those that the program made")
    if kinds.get("verdict_words") != "view":
        raise damaged(path, "its view verdict_words is missing")
