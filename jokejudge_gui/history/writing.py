"""Exported files: where they may be written, and how verdicts get into a spreadsheet without becoming formulas."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from ..errors import OutputError, SettingsError
from ..files import atomic_writer, parse_json
from ..texts import without_controls

STDOUT = "-"


def write_export(path: Path, pieces: Iterable[bytes], *, replace: bool = False) -> None:
    """Write ``pieces`` to ``path`` as ``atomic_writer`` does, or for ``-`` to the standard output. A file that is there
    is replaced if it is an earlier one of the same sort, or with ``replace``: the user was asked. Raises what
    ``atomic_writer`` and ``keep_foreign`` raise."""
    if str(path) == STDOUT:
        _to_stdout(pieces)
        return
    rest = iter(pieces)
    first = next(rest, b"")
    if not replace:
        keep_foreign(path, first)
    with atomic_writer(path) as stream:
        for piece in chain((first,), rest):
            stream.write(piece)


def keep_foreign(path: Path, begins: bytes) -> None:
    """Raise ``OutputError`` ``E_OUT_FOREIGN`` where ``path`` is a file that holds anything else than an earlier output
    of the sort that ``begins`` so. Plain text can't be told from anyone's, so none is replaced."""
    try:
        if not path.is_file():
            return
        with path.open("rb") as stream:
            there = stream.read(_HEAD)
    except (OSError, ValueError):
        return  # none is there, or writing will say what is wrong
    if there and not _same_sort(there, begins[:_HEAD]):
        raise foreign_file(path)


def foreign_file(path: Path) -> OutputError:
    """Why a file isn't replaced."""
    return OutputError(
        "E_OUT_FOREIGN",
        f"{path} is there already and wasn't written by this command, so nothing was written to it.",
        "Give another name, or move that file away.",
    )


_HEAD = 1 << 20
_TITLE, _OURS = b"<title>", b"JokeJudge:"
_ROOT = 400


def _same_sort(there: bytes, new: bytes) -> bool:
    if new.startswith(b"<!DOCTYPE html>"):
        (head, _, title), (new_head, _, new_title) = there.partition(_TITLE), new.partition(_TITLE)
        return head == new_head and title.startswith(_OURS) == new_title.startswith(_OURS)
    lines = there.partition(b"\n")[0], new.partition(b"\n")[0]
    if new.startswith(b'\xef\xbb\xbf"'):
        one, other = ({*line.strip().split(b'","')} for line in lines)
        return there.startswith(b'\xef\xbb\xbf"') and (one <= other or other <= one)
    if new.startswith(b"{"):
        try:
            one, other = map(parse_json, lines)
        except ValueError:
            return False
        return isinstance(one, dict) and {*other} & {*one} >= {*list(other)[-3:]}
    if new.startswith(b"<?xml"):
        return there[:_ROOT].partition(b">")[2].split()[:1] == new[:_ROOT].partition(b">")[2].split()[:1]
    return new.startswith(b"# ") and lines[0] == lines[1]


def _to_stdout(pieces: Iterable[bytes]) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    try:
        if stream is None:
            raise OSError("it is closed")
        for piece in pieces:
            stream.write(piece)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError("E_WRITE", f"Standard output can't be written: {why}.", "Free some space.") from error


_FORMULA = r"[\s\"']*[=+\-@＝＋－＠]"
_AT_START = re.compile(r"^(?=[ \"]*[=+\-@\t\r＝＋－＠])")
# A spreadsheet that is told to split at semicolons or tabs ends a cell there, whatever the quotes say, and at a line's
# end as well.
_AFTER_SEPARATOR = re.compile(rf"([;\t\r\n|])(?={_FORMULA})")


def csv_cell(value: object) -> object:
    """A value as a spreadsheet may safely get it: without control characters, and an apostrophe stands before whatever
    it would run as a formula, at the beginning or behind anything that may be taken for a separator."""
    if isinstance(value, str):
        return _AT_START.sub("'", _AFTER_SEPARATOR.sub(r"\1'", without_controls(value)))
    return "" if value is None else value


class CsvLines:
    """Rows as lines of CSV, every cell in quotes. The first begins with a byte order mark, for spreadsheets."""

    def __init__(self) -> None:
        self._buffer = io.StringIO(newline="")
        self._writer = csv.writer(self._buffer, quoting=csv.QUOTE_ALL)
        self._mark = b"\xef\xbb\xbf"

    def line(self, cells: Iterable[object]) -> bytes:
        """One row; its cells are made safe."""
        self._writer.writerow([csv_cell(cell) for cell in cells])
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        mark, self._mark = self._mark, b""
        return mark + text.encode("utf-8", "replace")
