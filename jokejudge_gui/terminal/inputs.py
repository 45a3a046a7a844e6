"""Texts from a file or from standard input."""

from __future__ import annotations

from ..tables import MOST_TEXT, decode, read_bytes


def read_text(source: str) -> str:
    """A joke from a file or from standard input, without the line end that editors and ``echo`` add."""
    return decode(read_bytes(source, MOST_TEXT), source).removesuffix("\n").removesuffix("\r")
