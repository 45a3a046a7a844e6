"""Marks in a text where the room laughed: ``[laugh]``, or ``[laugh 3]`` with its strength. They are taken out of the
text before it is judged."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from pydantic import Field

from .texts import clean_text
from .verdicts import Frozen

_MARK = re.compile(r"\s*\[\s*laugh(?:s|ter)?(?:\s+([1-3]))?\s*\]", re.IGNORECASE)
_STRONGEST = 3


class RoomLaugh(Frozen):
    """A laugh of the room after the character ``at``. ``strength``: 1 to 3."""

    at: int = Field(ge=0)
    strength: int = Field(default=1, ge=1, le=3)


def without_marks(text: str) -> tuple[str, tuple[RoomLaugh, ...]]:
    """Return a text without its marks, and the laughs; marks side by side are one. A mark before the first word is of
    the text before this one."""
    pieces, laughs, after = list[str](), dict[int, int](), 0
    for mark in _MARK.finditer(text):
        pieces.append(text[after : mark.start()])
        after = mark.end()
        if at := len("".join(pieces)):
            laughs[at] = min(_STRONGEST, laughs.get(at, 0) + int(mark[1] or 1))
    plain = "".join((*pieces, text[after:]))
    first = len(plain) - len(plain.lstrip())
    return plain.strip(), tuple(RoomLaugh(at=at - first, strength=its) for at, its in laughs.items() if at > first)


def with_marks(text: str, room: Sequence[RoomLaugh]) -> str:
    """Return a text with marks where the room laughed."""
    for laugh in sorted(room, key=lambda laugh: -laugh.at):
        text = f"{text[: laugh.at]}{_written(laugh.strength)}{text[laugh.at :]}"
    return text


def _written(strength: int) -> str:
    return f" [laugh{f' {strength}' if strength > 1 else ''}]"


def one_more(before: str) -> tuple[int, str]:
    """Return how many characters at the end of a text one more laugh there replaces, and its mark."""
    mark = next((mark for mark in _MARK.finditer(before) if mark.end() == len(before)), None)
    return (0, _written(1)) if mark is None else (len(mark[0]), _written(min(_STRONGEST, int(mark[1] or 1) + 1)))


def into_room(given: Any) -> Any:
    """Return the fields of something with a ``text`` and a ``room``, the marks of the text taken into the room: for a
    validator before the fields' own. Raises the errors of ``clean_text``."""
    text = given.get("text") if isinstance(given, dict) else None
    if not isinstance(text, str) or not _MARK.search(text):
        return given
    plain, room = without_marks(clean_text(text))
    return {**given, "text": plain, "room": room}
