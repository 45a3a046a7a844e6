"""Exported files: where they may be written, and how verdicts get into a spreadsheet without becoming formulas."""

from __future__ import annotations

import csv
import io
import os
import re
import stat
import sys
import tempfile
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path

from ..errors import SettingsError, UsageError

STDOUT = "-"
Claim = Callable[[Path], AbstractContextManager[None]]
"""Notes a half-written file for as long as the block runs (``HistoryStore.claim``)."""


def write_export(path: Path, pieces: Iterable[bytes], claim: Claim = lambda part: nullcontext()) -> None:
    """Write ``pieces`` to ``path``: a link's target is written, a file that is replaced keeps its mode, and what was
    there before stays until all is written. ``-`` is the standard output. Raises ``UsageError`` ``E_EXPORT_FILE`` for
    what isn't a plain file, ``SettingsError`` ``E_WRITE``."""
    if str(path) == STDOUT:
        _to_stdout(pieces)
        return
    try:
        # Raises where links go in a circle.
        target = Path(os.path.realpath(path, strict=path.exists()))
        found = target.stat() if target.exists() else None
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    if found is not None and not stat.S_ISREG(found.st_mode):
        what = "a folder" if stat.S_ISDIR(found.st_mode) else "not a plain file"
        raise UsageError("E_EXPORT_FILE", f"{path} is {what}.", "Name a file to be written, or - for standard output.")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:60]}.", suffix=".part", dir=target.parent)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from error
    part = Path(name)
    with claim(part):
        try:
            with os.fdopen(descriptor, "wb") as stream:
                for piece in pieces:
                    stream.write(piece)
                stream.flush()
                os.fsync(stream.fileno())
            os.chmod(part, stat.S_IMODE(found.st_mode) if found is not None else 0o666 & ~_umask())
            part.replace(target)
        except OSError as error:
            raise _unwritable(path, error) from error
        finally:
            part.unlink(missing_ok=True)


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
        raise _unwritable(Path("the standard output"), error) from error


def _unwritable(path: Path, error: Exception) -> SettingsError:
    why = getattr(error, "strerror", None) or str(error)
    return SettingsError(
        "E_WRITE", f"{path} can't be written: {why}.", "Choose a folder that you may write to, or free some space."
    )


def _umask() -> int:
    """The process's file mode mask, which can only be read by setting it."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


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
