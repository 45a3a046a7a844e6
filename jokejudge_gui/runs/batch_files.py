"""What a batch writes: a line of JSON for each row."""

from __future__ import annotations

import itertools
import json
from collections.abc import Container, Iterator
from pathlib import Path
from typing import Any

from ..errors import UsageError
from ..files import atomic_writer, parse_json
from ..history.writing import CsvLines, write_export
from ..verdicts import ErrorInfo
from .batch_rows import COLUMNS, DUPLICATE, Row, row_key
from .lines import LinesFile, printable_json
from .made import difference
from .name_set import NameSet


class OutFile(LinesFile):
    """OUT of a batch. Opening reads what an earlier run left, takes out the lines of those of ``ids`` whose texts are
    others now (``keys``: what ``row_key`` says of the rows as they are; None: they aren't compared), and with
    ``retry_errors`` the error lines of ``ids``. Raises ``UsageError`` for a file that isn't a batch's."""

    def __init__(
        self,
        path: Path,
        kind: str,
        *,
        retry_errors: bool = False,
        ids: Container[str] = (),
        keys: Container[str] | None = None,
    ) -> None:
        self._ids, self._keys = ids, keys
        self._judged = NameSet()
        self._told = NameSet()
        self._made: dict[str, dict[str, str]] = {}
        self._fields = COLUMNS.get(kind, ())
        self.run = kind
        self._retries = retry_errors
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
        self._drops = False
        super()._recover()
        if self._drops:
            self._drop()

    def _take(self, line: bytes, number: int) -> None:
        id, error, made_by, gone = self._read(line, number)
        if gone:
            self._drops = True
            return
        self._made.setdefault(json.dumps(made_by), made_by)
        if error is not None and (id is None or error.code == DUPLICATE):
            self._told.add(_told(id, error.sentence))
        elif id is not None:
            self._judged.add(id)

    def _read(self, line: bytes, number: int) -> tuple[str | None, ErrorInfo | None, dict[str, str], bool]:
        """A line's id, its error if it has one, what it was made by as far as it tells, and whether its row is judged
        again."""
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
        again = id is not None and id in self._ids and ((self._retries and info is not None) or self._edited(id, value))
        return id, info, {str(name): each for name, each in told if isinstance(each, str)}, again

    def _edited(self, id: str, value: dict[str, Any]) -> bool:
        if self._keys is None:
            return False
        texts = [text if isinstance(text := value.get(name), str) else None for name in self._fields]
        context = value.get("context")
        return row_key(id, texts, context if isinstance(context, str) else "") not in self._keys

    def _check(self, value: dict[str, Any]) -> None:
        """Raise ``UsageError`` for a line that this run's lines can't stand beside."""

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_BATCH_OUT",
            f"Line {number} of {self.path} isn't a line of this kind of batch, so nothing was written to the file.",
            "Give --out a new name.",
        )

    def _drop(self) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            for number, line in enumerate(self._stream, start=1):
                if self._is_first_line(line, number):
                    fresh.write(line)
                    continue
                if not self._read(line, number)[3]:
                    fresh.write(line)
        self._reopen()
        self._size = self.path.stat().st_size


class StandardOut(OutFile):
    """Standard output in the place of such a file: nothing is there, and nothing can be gone on with."""

    def __init__(self) -> None:
        self.path = Path("-")

    def has(self, row: Row) -> bool:
        return False

    def check(self, made_by: dict[str, str]) -> None:
        """There is nothing that could differ."""

    def append(self, value: dict[str, Any]) -> None:
        line = printable_json(json.dumps(value, ensure_ascii=False, allow_nan=False)) + "\n"
        write_export(self.path, [line.encode("utf-8")])

    def close(self) -> None:
        """It isn't this file's to close."""


def own_table(path: Path, lines: Path) -> None:
    """Raise ``UsageError`` for a table that isn't one that ``write_table`` made of ``lines``."""
    if not path.exists():
        return
    with path.open("rb") as stream:
        start = stream.read(len(_TABLE))
    if start != _TABLE or not lines.exists():
        raise UsageError(
            "E_BATCH_OUT",
            f"{path} isn't a table that a batch wrote beside {lines.name}, so nothing was written to it.",
            "Give --out a new name.",
        )


def write_table(lines: Path, path: Path) -> None:
    """Write what a batch's file holds as a table for spreadsheets: a row for each line, a column for each value, lists
    as JSON. Raises what ``write_export`` raises."""
    columns: dict[str, None] = {"id": None}
    for value in _values(lines):
        columns |= dict.fromkeys(value)
    table = CsvLines()
    rows = (table.line(value.get(name) for name in columns) for value in _values(lines))
    write_export(path, itertools.chain([table.line(columns)], rows))


def _values(lines: Path) -> Iterator[dict[str, object]]:
    with lines.open("rb") as stream:
        for line in stream:
            value = parse_json(line)
            if "run" in value:
                continue
            made = value.pop("made_by", None)
            found = dict(value.pop("columns", None) or {})
            flat: dict[str, object] = {}
            for name, cell in value.items():
                parts = (
                    {f"{name}.{part}": each for part, each in cell.items()} if isinstance(cell, dict) else {name: cell}
                )
                flat |= {part: _cell(each) for part, each in parts.items()}
            yield flat | {name: cell for name, cell in found.items() if name not in flat} | {"made_by": _cell(made)}


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


_TABLE = b'\xef\xbb\xbf"id","'


def _told(id: str | None, sentence: str) -> str:
    """Names an error line of a row that shares its id with another one, or has none."""
    return f"{id or ''}\0{sentence}"
