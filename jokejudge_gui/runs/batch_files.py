"""What a batch writes: a line of JSON for each row."""

from __future__ import annotations

import json
from collections.abc import Container
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files import atomic_writer, parse_json
from ..verdicts import ErrorInfo
from .batch_rows import COLUMNS, DUPLICATE, Row
from .lines import LinesFile
from .made import difference
from .name_set import NameSet


class OutFile(LinesFile):
    """OUT of a batch. Opening reads what an earlier run left, and with ``retry_errors`` takes the error lines of
    ``ids`` out. Raises ``UsageError`` for a file that isn't a batch's."""

    def __init__(self, path: Path, kind: str, *, retry_errors: bool = False, ids: Container[str] = ()) -> None:
        self._judged = NameSet()
        self._told = NameSet()
        self._made: dict[str, dict[str, str]] = {}
        self._fields = COLUMNS.get(kind, ())
        self.run = kind
        self._retried: Container[str] = ids if retry_errors else ()
        super().__init__(path)

    def has(self, row: Row) -> bool:
        """Whether an earlier run answered this row."""
        if row.problem is not None and (row.id is None or row.problem.code == DUPLICATE):
            return _told(row.id, row.problem.sentence) in self._told
        return row.id is not None and row.id in self._judged

    def check(self, made_by: dict[str, str]) -> None:
        """Raise ``UsageError`` ``E_BATCH_MIXED`` where lines of an earlier run were made otherwise than ``made_by``."""
        for found in self._made.values():
            what = difference(found, made_by)
            if what is not None:
                raise UsageError(
                    "E_BATCH_MIXED",
                    f"{self.path} holds verdicts of another {what}, which can't be mixed with these.",
                    "Give --out a new name, or go on with what made it.",
                )

    def _recover(self) -> None:
        self._errors = False
        super()._recover()
        if self._errors:
            self._drop_errors()

    def _take(self, line: bytes, number: int) -> None:
        id, error, made_by = self._read(line, number)
        if error is not None and id is not None and id in self._retried:
            self._errors = True
            return
        self._made.setdefault(json.dumps(made_by), made_by)
        if error is not None and (id is None or error.code == DUPLICATE):
            self._told.add(_told(id, error.sentence))
        elif id is not None:
            self._judged.add(id)

    def _read(self, line: bytes, number: int) -> tuple[str | None, ErrorInfo | None, dict[str, str]]:
        """A line's id, its error if it has one, and what it was made by as far as it tells."""
        try:
            value = parse_json(line)
            id, error = value["id"], value["error"]
            info = None if error is None else ErrorInfo.model_validate(error)
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        if not (id is None or isinstance(id, str)) or not all(name in value for name in self._fields):
            raise self._foreign(number)
        self._check(value)
        made_by = value.get("made_by")
        told = made_by.items() if isinstance(made_by, dict) else ()
        return id, info, {str(name): each for name, each in told if isinstance(each, str)}

    def _check(self, value: dict[str, Any]) -> None:
        """Raise ``UsageError`` for a line that this run's lines can't stand beside."""

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_BATCH_OUT",
            f"Line {number} of {self.path} isn't a line of this kind of batch, so nothing was written to the file.",
            "Give --out a new name.",
        )

    def _drop_errors(self) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            for number, line in enumerate(self._stream, start=1):
                if self._is_first_line(line, number):
                    fresh.write(line)
                    continue
                id, error, _ = self._read(line, number)
                if error is None or id is None or id not in self._retried:
                    fresh.write(line)
        self._reopen()
        self._size = self.path.stat().st_size


def _told(id: str | None, sentence: str) -> str:
    """Names an error line of a row that shares its id with another one, or has none."""
    return f"{id or ''}\0{sentence}"
