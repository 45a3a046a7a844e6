"""Files and standard output that a command or an export writes: nothing of somebody else's is replaced, and no cell of
a table is run by a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable
from itertools import chain
from pathlib import Path

from .errors import OutputError, SettingsError
from .files import atomic_writer, parse_json
from .texts import without_controls

STDOUT = "-"
"""The name of standard output, where a file's name is expected."""
_HEAD = 1 << 20
_BOM_QUOTE = b'\xef\xbb\xbf"'


def write_export(path: Path, pieces: Iterable[bytes], *, replace: bool = False) -> None:
    """Write ``pieces`` to ``path`` as ``atomic_writer`` does, or for ``-`` to the standard output. An existing file is
    replaced if it is an earlier one of the same sort, or with ``replace``: the user was asked. Raises the errors of
    ``atomic_writer`` and ``keep_foreign``."""
    if str(path) == STDOUT:
        _to_stdout(pieces)
        return
    rest = iter(pieces)
    first = next(rest, b"")
    if not replace:
        keep_foreign(path, first)
    with atomic_writer(path) as stream:
        stream.writelines(chain((first,), rest))


def keep_foreign(path: Path, begins: bytes) -> None:
    """Raise ``OutputError`` ``E_OUT_FOREIGN`` if ``path`` is a file whose first line isn't that of an output that
    ``begins`` like this. Plain text may be anyone's, so it is never replaced."""
    try:
        if not path.is_file():
            return
        with path.open("rb") as stream:
            there = stream.read(_HEAD)
    except (OSError, ValueError):
        return  # there is none, or writing will report the error
    if there and not _same_sort(there, begins):
        raise foreign_file(path)


def foreign_file(path: Path) -> OutputError:
    """Return the error for a file that isn't replaced."""
    sentence = f"{path} is there already and wasn't written by this command, so nothing was written to it."
    return OutputError("E_OUT_FOREIGN", sentence, "Give another name, or move that file away.")


def _same_sort(there: bytes, new: bytes) -> bool:
    """Whether both begin with the same line; of a table only its first column must be the same, of JSON lines the last
    three fields, and of XML the root, since columns, fields and attributes are added; a PDF names its maker."""
    if new.startswith(b"%PDF"):
        return there.startswith(b"%PDF") and b"JokeJudge" in there
    lines = there.partition(b"\n")[0], new.partition(b"\n")[0]
    if new.startswith(_BOM_QUOTE):
        one, other = (line.strip().split(b'","')[0] for line in lines)
        return one == other
    if new.startswith(b"{"):
        try:
            one, other = map(parse_json, lines)
        except ValueError:
            return False
        return isinstance(one, dict) and {*one} >= {*list(other)[-3:]}
    if new.startswith(b"<?xml"):
        roots = [text[:400].partition(b">")[2].split(maxsplit=1)[:1] for text in (there, new)]
        return roots[0] == roots[1]
    return new.startswith((b"# ", b"<!DOCTYPE html><!-- JokeJudge -->")) and lines[0] == lines[1]


def _to_stdout(pieces: Iterable[bytes]) -> None:
    stream = getattr(sys.stdout, "buffer", None)
    try:
        if stream is None:
            raise OSError("it is closed")
        stream.writelines(pieces)
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        why = error.strerror or str(error)
        raise SettingsError("E_WRITE", f"Standard output can't be written: {why}.", "Free some space.") from error


_FORMULA = r"[\s\"']*[=+\-@＝＋－＠]"
_AT_START = re.compile(r"^(?=[ \"]*[=+\-@\t\r＝＋－＠])")
# A spreadsheet that splits at semicolons or tabs ends a cell there even within quotes, and at the end of a line as
# well.
_AFTER_SEPARATOR = re.compile(rf"([;\t\r\n|])(?={_FORMULA})")


def csv_cell(value: object) -> object:
    """Return a value that is safe in a spreadsheet: without control characters, and with an apostrophe before any text
    that it would run as a formula, at the beginning or after a possible separator."""
    if isinstance(value, str):
        return _AT_START.sub("'", _AFTER_SEPARATOR.sub(r"\1'", without_controls(value)))
    return "" if value is None else value


class CsvLines:
    """Rows as lines of CSV, every cell in quotes. The first begins with a byte order mark, for spreadsheets."""

    def __init__(self) -> None:
        self._buffer = io.StringIO(newline="")
        self._writer = csv.writer(self._buffer, quoting=csv.QUOTE_ALL)
        self._mark = _BOM_QUOTE[:3]

    def line(self, cells: Iterable[object]) -> bytes:
        """Return one row as a line; its cells are made safe by ``csv_cell``."""
        self._writer.writerow([csv_cell(cell) for cell in cells])
        text = self._buffer.getvalue()
        self._buffer.seek(0)
        self._buffer.truncate()
        mark, self._mark = self._mark, b""
        return mark + text.encode("utf-8", "replace")
