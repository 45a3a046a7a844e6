"""Bytes, text and tables from a file or from standard input."""

from __future__ import annotations

import csv
import io
import sys
from pathlib import Path

from .errors import InputError

# Far above what a joke may be: the session says how long that is. This only keeps an endless pipe out of memory.
_MOST = 8 << 20
_END = "\0end of rows"


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
