"""A fake engine whose hidden states contain an editor's labels of a text, and readings with such labels."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np

from jokejudge_gui.engine.base import FloatArray
from jokejudge_gui.learning.editor_data import Draft, Readings, readings_of
from tests.fake_engine import ReadingEngine, random_of

SIZE = 24
_BEASTS = ["owl", "cat", "newt", "horse", "duck", "heron", "goat", "llama", "bee", "mole"]
_TRADES = ["bakes", "sings", "paints", "rows", "knits", "digs", "sells", "mends"]
_TURNS = ["a crumb of doubt", "one flat note", "the wrong coat", "an oar too many"]


@cache
def knack(text: str) -> float:
    """The number behind an editor's scores: normal, and independent of the wording."""
    return float(random_of(text, "knack").normal())


def texts(count: int) -> list[str]:
    """Different texts; the turn stands in the middle, at the end, or right at the start."""
    found = []
    for i in range(count):
        turn = _TURNS[i % 4]
        beast, trade = _BEASTS[i % 10], _TRADES[i // 10 % 8]
        forms = (f"My {beast} {trade} with {turn} on day {i}.", f"On day {i} the {beast} {trade} and leaves {turn}.")
        found.append(forms[i % 2])
    return found


def turn_of(text: str) -> str:
    return next(turn for turn in _TURNS if turn in text)


def readings(count: int) -> Readings:
    """Readings of ``texts``: scores, kind and fault by their knack; one in ten is no joke, independent of the
    wording."""
    of_text: dict[str, list[dict[str, Any]]] = {}
    for i, text in enumerate(texts(count)):
        level = int(np.clip(round(2.5 + knack(text)), 0, 5))
        of_text[text] = [
            {
                "text": text,
                "joke": int(random_of(text, "joke").random() > 0.1),
                "complete": int(i % 9 != 0),
                "kinds": ["pun"] if level >= 3 else ["irony"],
                "core": [level] * 16,
                "turn": turn_of(text),
                "faults": ["padding"] if level <= 2 else [],
            }
        ]
    return readings_of(of_text)


def drafts(count: int) -> list[Draft]:
    """Jokes in two drafts; the worse one has two words more."""
    found = []
    for text in texts(1000 + count)[1000:]:
        found.append(Draft(text, text, None, turn_of(text)))
        found.append(Draft(text.replace(" and ", " really quite and "), text, "padding"))
    return [draft for draft in found if draft.fault is None or draft.text != draft.best]


class EditorEngine(ReadingEngine):
    """Tokens are words."""

    def __init__(self, *, too_long: str = "", reading: Callable[[int], None] | None = None) -> None:
        super().__init__(SIZE, too_long=too_long, reading=reading)

    def spans(self, text: str) -> list[tuple[int, int]]:
        return [found.span() for found in re.finditer(r"\S+", text)]

    def states_of(self, text: str) -> FloatArray:
        """(words, SIZE): the first axis follows the knack, the second the turn, the third words that could go."""
        spans = self.spans(text)
        states = _noise(text, len(spans)).copy()
        states[:, 0] = 3.0 * knack(text)
        inside = next(((text.rfind(turn), len(turn)) for turn in _TURNS if turn in text), (-1, 0))
        for row, (start, end) in zip(states, spans, strict=True):
            row[1] += 4.0 * (inside[0] >= 0 and start < inside[0] + inside[1] and end > inside[0])
            row[2] += 6.0 * (text[start:end] in ("really", "quite"))
        return states.astype(np.float32)


@cache
def _noise(text: str, words: int) -> np.ndarray:
    return random_of(text, "states").normal(size=(words, SIZE))
