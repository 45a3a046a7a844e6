"""What the bytes of a file are: text in which encoding, or a known kind of file that is no text."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

NAMES = {
    "utf_16": "UTF-16",
    "utf_16_le": "UTF-16",
    "utf_16_be": "UTF-16",
    "cp1252": "Windows-1252",
    "cp1251": "Windows-1251",
    "koi8_r": "KOI8-R",
    "cp1250": "Windows-1250",
    "cp1253": "Windows-1253",
    "cp932": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB18030",
}
"""The encodings that are recognised, besides UTF-8, by Python's names for them."""
_ONE_BYTE = ("cp1252", "cp1251", "koi8_r", "cp1250", "cp1253")  # of two that fit alike the first is taken
_SEVERAL_BYTES = ("cp932", "euc_jp", "gb18030")
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
_WORD = re.compile(
    r"[^\s!-/:-@\[-`{-~“”„‘’–—…«»\u00a0]*[^\x00-\x7f\s“”„‘’–—…«»\u00a0][^\s!-/:-@\[-`{-~“”„‘’–—…«»\u00a0]*"
)
_ALONE = re.compile(r"[€£¥§©®™°·•¡¿½¼¾²³×\d.%]+")


def no_text(head: bytes) -> tuple[str, str] | None:
    """Return what a file of another kind is, by its first bytes ("is a gzip archive"), and what to do with it."""
    if head.startswith(b"PK\x03\x04"):
        zipped = next((words for part, *words in _ZIPPED if part in head), ["is a zip archive", "Unpack it first."])
        return zipped[0], zipped[1]
    return next(((words, hint) for start, words, hint in _FIRST_BYTES if head.startswith(start)), None)


def recognised(block: bytes, *only: str) -> str | None:
    """Return which encoding a part of a text has that isn't UTF-8; None if none fits. ``only``: these alone, by the
    frequencies of their characters."""
    if not only:
        block = block[: block.rfind(b"\n") + 1] or block
        oddities = {name: oddity for name in _ONE_BYTE if (oddity := _oddity(block, name)) is not None}
        best = min(oddities, key=lambda name: oddities[name], default=None)
        if best is not None and oddities[best] <= 0.4:
            return best
    from charset_normalizer import from_bytes  # here, since nearly every file is UTF-8

    match = from_bytes(block, cp_isolation=list(only or _SEVERAL_BYTES)).best()
    return match.encoding if match is not None else None


def _oddity(block: bytes, encoding: str) -> float | None:
    """Return the share of odd words among those that aren't ASCII, 0…1; None for bytes that the encoding hasn't."""
    try:
        words = _WORD.findall(block.decode(encoding))
    except UnicodeDecodeError:
        return None
    return sum(map(_odd, words)) / max(len(words), 1)


def _odd(word: str) -> float:
    """Return how little a word looks like one, 0…1: capitals within it, several scripts, signs, accents in a row."""
    if _ALONE.fullmatch(word):
        return 0.0
    if not word.isalpha():
        return 1.0
    scripts = {unicodedata.name(letter, "NONE").split()[0] for letter in word}
    if len(scripts) > 1 or any(low.islower() and high.isupper() for low, high in pairwise(word)):
        return 1.0
    accents = sum(not letter.isascii() for letter in word)
    if "LATIN" in scripts and accents > 1 and accents > 0.75 * len(word):
        return 1.0
    return 0.3 if len(word) > 1 and word.isupper() else 0.0
