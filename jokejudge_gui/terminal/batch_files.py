"""The two files of a batch: rows in from CSV, lines out as JSON."""

from __future__ import annotations

import csv
import io
import json
import os
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from ..files import atomic_writer
from ..models import ErrorInfo, Kind
from .console import printable_json
from .inputs import decode, read_bytes

COLUMNS: dict[Kind, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
_DUPLICATE = "E_BATCH_DUPLICATE_ID"
_END = "\0end of rows"
_SYNC_LINES = 20
_SYNC_S = 5.0


@dataclass(frozen=True)
class Row:
    """A row of IN. ``problem``: why it can't be judged, known before any model is asked."""

    line: int
    id: str | None
    texts: tuple[str | None, ...]
    problem: ErrorInfo | None = None


def read_rows(source: str, kind: Kind) -> list[Row]:
    """All rows of a CSV file, or of standard input for ``-``: UTF-8 with a header, commas, quotes doubled inside
    quotes. Raises ``UsageError`` for a missing column and ``InputError`` for a file that isn't such a CSV."""
    (_, header), *lines = read_table(source) or [(1, [])]
    places = _places(header, source, kind)
    seen: dict[str, int] = {}
    return [_row(cells, places, line, kind, seen) for line, cells in lines]


def read_table(source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV file (``-``: standard input) that aren't empty, each with the number of its first line; the
    header is the first of them. Raises ``InputError`` for a file that isn't such a CSV."""
    text = decode(read_bytes(source, None), source)
    before = csv.field_size_limit(2**31 - 1)
    try:
        return _table(text, source)
    except csv.Error as error:
        raise InputError(
            "E_BATCH_CSV", f"{source} isn't a CSV file: {error}.", "Save it as CSV with commas."
        ) from error
    finally:
        csv.field_size_limit(before)


def _table(text: str, source: str) -> list[tuple[int, list[str]]]:
    # A quote that is never closed would swallow this line too.
    separator = "" if not text or text.endswith(("\n", "\r")) else "\n"
    reader = csv.reader(io.StringIO(text + separator + _END + "\n", newline=""))
    rows: list[tuple[int, list[str]]] = []
    began = 1
    for cells in reader:
        if cells == [_END]:
            break
        if cells and cells[-1].endswith(_END + "\n"):
            raise InputError(
                "E_BATCH_CSV",
                f"{source} has a quote on or after line {began} that is never closed.",
                'Close it; a quote inside a quoted text is written twice ("").',
            )
        if cells:
            rows.append((began, cells))
        began = reader.line_num + 1
    return rows


def _places(header: list[str], source: str, kind: Kind) -> dict[str, int]:
    names = [cell.strip().lower() for cell in header]
    wanted = ("id", *COLUMNS[kind])
    for name in wanted:
        if names.count(name) != 1:
            what = "has no column" if name not in names else "has more than one column"
            found = f"it has {', '.join(repr(c[:40]) for c in header[:12])}" if header else "it has no header line"
            raise UsageError(
                "E_BATCH_COLUMN",
                f"{source} {what} {name!r}: {found}.",
                f"The first line names the columns, separated by commas: {','.join(wanted)}.",
            )
    return {name: names.index(name) for name in wanted}


def _row(cells: list[str], places: dict[str, int], line: int, kind: Kind, seen: dict[str, int]) -> Row:
    def cell(name: str) -> str | None:
        place = places[name]
        return cells[place] if place < len(cells) else None

    id = (cell("id") or "").strip() or None
    texts = tuple(cell(name) for name in COLUMNS[kind])
    problem: ErrorInfo | None = None
    if id is None:
        problem = _problem("E_BATCH_ID", f"The row on line {line} has no id.", "Give every row an id of its own.")
    elif id in seen:
        problem = _problem(
            _DUPLICATE,
            f"The row on line {line} has the id {id!r} of the row on line {seen[id]}.",
            "Give every row an id of its own.",
        )
    else:
        seen[id] = line
        for name, text in zip(COLUMNS[kind], texts, strict=True):
            if not (text or "").strip():
                problem = _problem(
                    "E_BATCH_TEXT", f"The row on line {line} has no {name}.", "Fill it in, or leave it out."
                )
                break
    return Row(line=line, id=id, texts=texts, problem=problem)


def _problem(code: str, sentence: str, hint: str) -> ErrorInfo:
    return ErrorInfo(code=code, sentence=sentence, hint=hint)


class OutFile:
    """OUT: whole lines only, each written and flushed at once and synced to the disk every few seconds.

    Opening reads what an earlier run left, cuts off a last line that it didn't finish, and with ``retry_errors``
    takes the error lines of ``ids`` out. Raises ``UsageError`` for a file that isn't a batch's, ``InputError`` for one
    that can't be written or is being written by another batch.
    """

    def __init__(self, path: Path, kind: Kind, *, retry_errors: bool = False, ids: Iterable[str] = ()) -> None:
        self.path = path
        self.judged: set[str] = set()
        self.told: set[tuple[str | None, str]] = set()
        self._kind = kind
        self._unsynced = 0
        self._synced = time.monotonic()
        retried = frozenset(ids) if retry_errors else frozenset()
        try:
            self._stream = path.open("ab+")
        except OSError as error:
            raise _unwritable(path, error) from error
        try:
            _lock(self._stream.fileno(), path)
            if self._recover(retried):
                self._drop_errors(retried)
        except OSError as error:
            self._stream.close()
            raise _unwritable(path, error) from error
        except BaseException:
            self._stream.close()
            raise

    def has(self, row: Row) -> bool:
        """Whether an earlier run answered this row."""
        if row.problem is not None and (row.id is None or row.problem.code == _DUPLICATE):
            return (row.id, row.problem.sentence) in self.told
        return row.id in self.judged

    def append(self, value: dict[str, Any]) -> None:
        """Write one line."""
        line = printable_json(json.dumps(value, ensure_ascii=False, allow_nan=False))
        try:
            self._stream.write(line.encode("utf-8") + b"\n")
            self._stream.flush()
            self._unsynced += 1
            if self._unsynced >= _SYNC_LINES or time.monotonic() - self._synced > _SYNC_S:
                self._sync()
        except OSError as error:
            raise _unwritable(self.path, error) from error

    def close(self) -> None:
        """Sync and close; every line is whole."""
        try:
            if self._unsynced:
                self._sync()
        finally:
            self._stream.close()

    def _sync(self) -> None:
        os.fsync(self._stream.fileno())
        self._unsynced = 0
        self._synced = time.monotonic()

    def _recover(self, retried: frozenset[str]) -> bool:
        """Learn what is there; returns whether there are error lines to take out."""
        self._stream.seek(0)
        whole = 0
        errors = False
        for number, line in enumerate(self._stream, start=1):
            if not line.endswith(b"\n"):
                if not _begins_a_line(line):
                    raise self._foreign(number)
                break
            id, error = self._read(line, number)
            if error is not None and id in retried:
                errors = True
            elif error is not None and (id is None or error.code == _DUPLICATE):
                self.told.add((id, error.sentence))
            elif id is not None:
                self.judged.add(id)
            whole += len(line)
        self._stream.truncate(whole)
        self._stream.seek(0, os.SEEK_END)
        return errors

    def _read(self, line: bytes, number: int) -> tuple[str | None, ErrorInfo | None]:
        """A line's id, and its error if it has one."""
        try:
            value = json.loads(line)
            id, error = value["id"], value["error"]
            info = None if error is None else ErrorInfo.model_validate(error)
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        if not (id is None or isinstance(id, str)) or not all(name in value for name in COLUMNS[self._kind]):
            raise self._foreign(number)
        return id, info

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_BATCH_OUT",
            f"Line {number} of {self.path} isn't a line of such a batch, so nothing was written to it.",
            "Give --out a new name.",
        )

    def _drop_errors(self, retried: frozenset[str]) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            for number, line in enumerate(self._stream, start=1):
                id, error = self._read(line, number)
                if error is None or id not in retried:
                    fresh.write(line)
        self._stream.close()
        self._stream = self.path.open("ab+")
        _lock(self._stream.fileno(), self.path)


def _begins_a_line(torn: bytes) -> bool:
    """Whether bytes without a line end can be the beginning of a line of ours (or zeros that a lost power left)."""
    opening = b'{"id": '
    return torn.startswith(opening) or opening.startswith(torn) or not torn.strip(b"\0")


def _lock(descriptor: int, path: Path) -> None:
    """Two batches must not write one file; where the system has no such locks, that is left to the user."""
    try:
        import fcntl
    except ImportError:
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise InputError(
            "E_BATCH_BUSY", f"Another batch is writing {path}.", "Wait for it, or give --out another name."
        ) from error
    except OSError:
        return  # a file system without locks


def _unwritable(path: Path, error: OSError) -> InputError:
    return InputError(
        "E_BATCH_OUT",
        f"{path} can't be written: {error.strerror or error}.",
        "Choose a folder that you may write to, or free some space; then the batch goes on from there.",
    )
