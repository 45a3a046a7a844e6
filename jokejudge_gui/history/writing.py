"""Exported files: where they may be written, and how verdicts get into a spreadsheet without becoming formulas."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Iterable
from pathlib import Path

from ..errors import SettingsError
from ..files import atomic_writer

STDOUT = "-"


def write_export(path: Path, pieces: Iterable[bytes]) -> None:
    """Write ``pieces`` to ``path`` as ``atomic_writer`` does, or for ``-`` to the standard output. Raises what
    ``atomic_writer`` raises."""
    if str(path) == STDOUT:
        _to_stdout(pieces)
        return
    with atomic_writer(path) as stream:
        for piece in pieces:
            stream.write(piece)


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
    """A value as a spreadsheet may safely get it: an apostrophe stands before whatever it would run as a formula, at
    the beginning or behind anything that may be taken for a separator."""
    if isinstance(value, str):
        value = value.replace("\x00", "\N{REPLACEMENT CHARACTER}")
        return _AT_START.sub("'", _AFTER_SEPARATOR.sub(r"\1'", value))
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
