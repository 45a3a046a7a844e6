"""What the bytes of a file are: text in which encoding, or a known kind of file that is no text."""

from __future__ import annotations

import re
from contextlib import suppress

_OTHERS = ("cp1251", "koi8_r", "cp1250", "cp1253", "cp932", "euc_jp", "gb18030")
"""The encodings that are recognised, besides UTF-8, UTF-16 and Windows-1252, by Python's names for them."""
_FIRST_BYTES = (
    (b"\x1f\x8b", "is a gzip archive", "Unpack it first."),
    (b"BZh", "is a bzip2 archive", "Unpack it first."),
    (b"\xfd7zXZ\0", "is an xz archive", "Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "is a zstd archive", "Unpack it first."),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", "Unpack it first."),
    (b"PAR1", "is a Parquet file", "Write it as CSV or JSON lines."),
    (b"ARROW1", "is an Arrow file", "Write it as CSV or JSON lines."),
    (b"SQLite format 3\0", "is an SQLite database", "Write its table as CSV."),
    (b"%PDF-", "is a PDF file", "Save its text in a file of its own."),
    (b"\xd0\xcf\x11\xe0", "is an old Excel workbook or other Office file", "Save it as CSV, in UTF-8."),
    (b"\x89PNG", "is a picture", "jokejudge rate --picture reads the text of one."),
    (b"\xff\xd8\xff", "is a picture", "jokejudge rate --picture reads the text of one."),
)
_ZIPPED = (
    (b"xl/", "is an Excel workbook", "Save it as CSV, in UTF-8."),
    (b"opendocument.spreadsheet", "is a LibreOffice spreadsheet", "Save it as CSV, in UTF-8."),
    (b"word/", "is a Word document", "Save its text in a file of its own."),
)
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]{3}")
"""Letters in a row that no word of Western Europe has."""


def no_text(head: bytes) -> tuple[str, str] | None:
    """Return what a file of another kind is, by its first bytes ("is a gzip archive"), and what to do with it."""
    if head.startswith(b"PK\x03\x04"):
        zipped = next((words for part, *words in _ZIPPED if part in head), ["is a zip archive", "Unpack it first."])
        return zipped[0], zipped[1]
    return next(((words, hint) for start, words, hint in _FIRST_BYTES if head.startswith(start)), None)


def recognised(block: bytes, *only: str) -> str | None:
    """Return which encoding a part of a text has that isn't UTF-8; None if none fits. ``only``: one of these."""
    block = block if only else block[: block.rfind(b"\n") + 1] or block
    with suppress(UnicodeDecodeError):
        if not only and _FOREIGN.search(block.decode("cp1252")) is None:
            return "cp1252"
    from charset_normalizer import from_bytes  # here, since nearly every file is UTF-8

    match = from_bytes(block, cp_isolation=list(only or _OTHERS)).best()
    return match.encoding if match is not None else None
