"""Entries of a contest for tests, from the names of their JSON object."""

from __future__ import annotations

from typing import Any

from jokejudge_gui.judge.contest.record import EntryNote, RankedEntry, Reading

_READ = Reading.model_fields.keys() - RankedEntry.model_fields.keys()


def ranked_entry(*, reading: Reading | None = None, **fields: Any) -> RankedEntry:
    """Return an entry; fields of its reading and of the user's note may be among the ``fields``."""
    read = {name: fields.pop(name) for name in list(fields) if name in _READ}
    note = {name: fields.pop(name) for name in list(fields) if name in EntryNote._fields}
    if read:
        reading = (reading or Reading(value=0.0)).replaced(**read)
    return RankedEntry.model_validate({**fields, "reading": reading, "user": EntryNote(**note)})
