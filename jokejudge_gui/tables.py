"""Bytes, text and tables from a file or from standard input."""

from __future__ import annotations

import csv
import io
import re
import sys
from pathlib import Path

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
    name = "Standard input" if source == "-" else f"The file {source}"
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        if len(data) == _MOST and error.start > _MOST - 4:
            return data[: error.start].decode("utf-8-sig")
        line = data.count(b"\n", 0, error.start) + 1
        raise InputError(
            "E_INPUT_ENCODING",
            f"{name} isn't UTF-8 text: byte {error.start + 1}, on line {line}, fits nothing.",
            "Save it as UTF-8, or convert it, for instance with iconv -f WINDOWS-1252 -t UTF-8.",
        ) from error


def read_whole(source: str) -> str:
    """The text of a file, or of standard input for ``-``. Raises ``InputError``."""
    return decode(read_bytes(source, None), source)


def read_table(source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV file, as ``rows_of`` gives them."""
    return rows_of(read_whole(source), source)


def rows_of(text: str, source: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV text that aren't empty, each with the number of its first line; the header is the first of
    them. ``source`` names it. Raises ``InputError`` for what isn't such a CSV."""
    before = csv.field_size_limit(2**31 - 1)
    try:
        return _table(text, source)
    finally:
        csv.field_size_limit(before)


def _table(text: str, source: str) -> list[tuple[int, list[str]]]:
    # A quote that is never closed would swallow this line too.
    separator = "" if not text or text.endswith(("\n", "\r")) else "\n"
    reader = csv.reader(io.StringIO(text + separator + _END + "\n", newline=""), strict=True)
    rows: list[tuple[int, list[str]]] = []
    began = 1
    while True:
        try:
            cells = next(reader)
        except csv.Error as error:
            raise InputError(
                "E_BATCH_CSV",
                f"{source} isn't such a CSV file: the row that begins on line {began} can't be read ({error}).",
                'Put a text with commas or quotes in quotes, and write a quote within it twice ("").',
            ) from error
        if cells == [_END]:
            return rows
        if (cells and cells[-1].endswith(_END + "\n")) or _swallowed(cells):
            raise InputError(
                "E_BATCH_CSV",
                f"{source} has a quote on or after line {began} that isn't closed in its row.",
                'Close it; a quote inside a quoted text is written twice ("").',
            )
        if cells:
            rows.append((began, cells))
        began = reader.line_num + 1


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
