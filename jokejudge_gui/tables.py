"""Bytes, text and tables from a file or from standard input."""

from __future__ import annotations

import csv
import io
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO

from .errors import InputError

# Far above what a joke may be: the session says how long that is. This only keeps an endless pipe out of memory.
_MOST = 8 << 20
_END = "\0end of rows"
_NUMBER = re.compile(r"[0-9]+")


def read_bytes(source: str, most: int | None = _MOST) -> bytes:
    """The bytes of a file, or of standard input for ``-``. Raises ``InputError`` (``E_INPUT_FILE``)."""
    if source == "-":
        stream = getattr(sys.stdin, "buffer", None)
        if stream is None:
            raise InputError("E_INPUT_FILE", "There's no standard input to read.", "Give the text or a file.")
        data = stream.read(-1 if most is None else most)
        return bytes(data)
    try:
        with Path(source).open("rb") as file:
            return file.read(-1 if most is None else most)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            "E_INPUT_FILE", f"The file {source} can't be read: {reason}.", "Check its name and that you may read it."
        ) from error


def decode(data: bytes, source: str) -> str:
    """Strict UTF-8, with or without a byte order mark. Raises ``InputError`` (``E_INPUT_ENCODING``)."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(data) == _MOST and error.start > _MOST - 4:
            return data[: error.start].decode("utf-8-sig")
        line = data.count(b"\n", 0, error.start) + 1
        raise _not_utf8(source, error.start + 1, line) from error


def _not_utf8(source: str, byte: int, line: int) -> InputError:
    name = "Standard input" if source == "-" else f"The file {source}"
    return InputError(
        "E_INPUT_ENCODING",
        f"{name} isn't UTF-8 text: byte {byte}, on line {line}, fits nothing.",
        "Save it as UTF-8, or convert it, for instance with iconv -f WINDOWS-1252 -t UTF-8.",
    )


def read_whole(source: str) -> str:
    """The text of a file, or of standard input for ``-``. Raises ``InputError``."""
    return decode(read_bytes(source, None), source)


def read_table(source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV file, as ``rows_of`` gives them."""
    return rows_of(read_whole(source), source)


def rows_of(text: str, source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV text that aren't empty, each with the number of its first line; the header is the first of
    them. ``source`` names it. Raises ``InputError`` for what isn't such a CSV."""
    return list(streamed_rows(io.StringIO(text, newline=""), source))


def streamed_rows(lines: Iterable[str], source: str) -> Iterator[tuple[int, list[str]]]:
    """``rows_of`` for lines as they come, ends of lines included."""
    before = csv.field_size_limit(2**31 - 1)
    reader = csv.reader(_ended(lines), strict=True)
    csv.field_size_limit(before)
    began = 1
    while True:
        before = csv.field_size_limit(2**31 - 1)  # of the whole process, so for each row alone
        try:
            cells = next(reader)
        except csv.Error as error:
            raise InputError(
                "E_BATCH_CSV",
                f"{source} isn't such a CSV file: the row that begins on line {began} can't be read ({error}).",
                'Put a text with commas or quotes in quotes, and write a quote within it twice ("").',
            ) from error
        finally:
            csv.field_size_limit(before)
        if cells == [_END]:
            return
        if (cells and cells[-1].endswith(_END + "\n")) or _swallowed(cells):
            raise InputError(
                "E_BATCH_CSV",
                f"{source} has a quote on or after line {began} that isn't closed in its row.",
                'Close it; a quote inside a quoted text is written twice ("").',
            )
        if cells:
            yield began, cells
        began = reader.line_num + 1


def _ended(lines: Iterable[str]) -> Iterator[str]:
    """The lines, and one that says that they are over: a quote that is never closed would swallow it too."""
    last = "\n"
    for last in lines:
        if last.endswith(("\n", "\r")):
            yield last
    if not last.endswith(("\n", "\r")):
        yield last + "\n"
    yield _END + "\n"


class TextSource:
    """A text file, or standard input for ``-``, that can be gone through again and again, a line at a time. What can't
    be read twice (a pipe) is copied to a temporary file first. Raises ``InputError`` ``E_INPUT_FILE``, and
    ``E_INPUT_ENCODING`` where it isn't UTF-8, when the line is reached."""

    def __init__(self, source: str) -> None:
        self.name = source
        self._file = self._opened()

    def __enter__(self) -> TextSource:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def lines(self, newline: str = "") -> Iterator[str]:
        """The lines with their ends. ``newline``: what ends a line, as of ``open``."""
        self._file.seek(0)
        text = io.TextIOWrapper(self._file, encoding="utf-8-sig", newline=newline)
        try:
            for line in text:  # noqa: UP028  (a generator that is left would close what it yields from)
                yield line
        except UnicodeDecodeError as error:
            raise self._encoding() from error
        except OSError as error:
            raise self._unreadable(error) from error
        finally:
            with suppress(ValueError):  # closed before the last of the lines was asked for
                text.detach()

    def first_line(self) -> str:
        """The first line that isn't empty, without its end; "" where there is none."""
        for line in self.lines(newline="\n"):
            if line.strip("\r\n"):
                return line.lstrip("\r\n").removesuffix("\n")
        return ""

    def _opened(self) -> IO[bytes]:
        try:
            if self.name == "-":
                given = getattr(sys.stdin, "buffer", None)
                if given is None:
                    raise InputError("E_INPUT_FILE", "There's no standard input to read.", "Give the text or a file.")
                return _copied(given)
            file = Path(self.name).open("rb")  # noqa: SIM115  (closed with this object)
            if file.seekable():
                return file
            with file:
                return _copied(file)
        except (OSError, ValueError) as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: OSError | ValueError) -> InputError:
        reason = getattr(error, "strerror", None) or str(error)
        return InputError(
            "E_INPUT_FILE", f"The file {self.name} can't be read: {reason}.", "Check its name and that you may read it."
        )

    def _encoding(self) -> InputError:
        """What is said of bytes that aren't UTF-8, with their place."""
        self._file.seek(0)
        offset = 0
        for number, raw in enumerate(self._file, start=1):
            try:
                raw.decode("utf-8")
            except UnicodeDecodeError as error:
                return _not_utf8(self.name, offset + error.start + 1, number)
            offset += len(raw)
        return _not_utf8(self.name, offset, 1)


def _copied(stream: IO[bytes]) -> IO[bytes]:
    copy = tempfile.TemporaryFile()  # noqa: SIM115
    shutil.copyfileobj(stream, copy)
    return copy


def _swallowed(cells: list[str]) -> bool:
    """Whether a text of several lines seems to hold other rows, which a quote that isn't closed swallowed: lines that
    begin with an id of the same form as this row's."""
    form = _NUMBER.sub("#", cells[0].strip()) if cells else ""
    if "#" not in form:
        return False
    for cell in cells[1:]:
        begins = (line.split(",", 1) for line in cell.splitlines()[1:])
        if any(len(parts) == 2 and _NUMBER.sub("#", parts[0].strip(' "')) == form for parts in begins):
            return True
    return False
