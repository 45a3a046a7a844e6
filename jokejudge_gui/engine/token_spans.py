"""Where the tokens of a text lie in it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate

_NEAR = 64


def spans_of(text: str, pieces: Sequence[bytes]) -> list[tuple[int, int]]:
    """First character and the one after the last of each token, given every token's own bytes.

    A token that holds only some bytes of a character gets the whole character, so neighbours may share one. A space
    that the tokeniser puts before a text, and a piece that doesn't stand in the text (a character that the vocabulary
    doesn't know), take what lies between their neighbours, which may be nothing."""
    data = text.encode("utf-8")
    borders: list[tuple[int, int]] = []
    at = 0
    for piece in pieces:
        begin = _place(data, piece, at)
        if begin is None:
            borders.append((at, at))
            continue
        if begin > at and borders:
            borders[-1] = (borders[-1][0], begin)
        at = begin + len(_seen(data, piece, begin))
        borders.append((begin, at))
    if borders and at < len(data):
        borders[-1] = (borders[-1][0], len(data))
    ends = list(accumulate(len(character.encode("utf-8")) for character in text))
    return [_characters(ends, begin, end) for begin, end in borders]


def _place(data: bytes, piece: bytes, at: int) -> int | None:
    """Where the piece begins: here, or after bytes that no token owned up to."""
    if data.startswith(_seen(data, piece, at), at):
        return at
    found = data.find(piece, at, at + _NEAR + len(piece))
    return found if found >= 0 else None


def _seen(data: bytes, piece: bytes, at: int) -> bytes:
    """The piece as it stands in the text: without the space that some tokenisers put before the first word."""
    if at == 0 and piece.startswith(b" ") and not data.startswith(piece):
        return piece[1:]
    return piece


def _characters(ends: list[int], begin: int, end: int) -> tuple[int, int]:
    first = bisect_right(ends, begin)
    return first, first if end <= begin else bisect_left(ends, end) + 1
