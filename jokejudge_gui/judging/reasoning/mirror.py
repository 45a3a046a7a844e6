"""A joke's mirror: the same words without those on which it turns. What still finds there what a joke lives by has not
read the joke.

A finding counts by how far it falls in the mirror: fully from ``FULL`` of its scale on, by half where it doesn't fall.
What it doesn't count goes to what the model says of jokes at large."""

from __future__ import annotations

import re
from collections.abc import Collection

from ...reasoned import NodeKind
from ...verdicts import Span

LIVES_BY_TURN = frozenset(["wordplay", "surprise", "punchline", "wit", "misdirection", "logic"])
"""Factors that a joke without its turn has less of, by what they mean; it may be as clear, short or daring as before.
``python -m tests.bench.mirror`` prints of each whether a model's heads see that."""
FULL: dict[NodeKind, float] = {"factor": 0.5, "kind": 0.5}
"""A fall from which on a finding counts fully: points of 5 for a factor, nats for a kind."""
LEAST_POWER = 0.5
_LEAST_WORDS = 3
_WORD = re.compile(r"\S+")
_SENTENCE = re.compile(r"[.!?…:;–—]+[\"”’')]*\s+|\n+")


def without_turn(text: str, turn: Span | None) -> tuple[str, str] | None:
    """A cleaned text without its turn, and what was taken out: the words that were read as the turn, else (None) the
    last sentence, or the last two words of a single one. None where hardly a word would be left."""
    if turn is not None:
        start, end = turn.start, turn.end
    else:
        sentences = [match.end() for match in _SENTENCE.finditer(text) if text[match.end() :].strip()]
        words = list(_WORD.finditer(text))
        if not words:
            return None
        start, end = sentences[-1] if sentences else words[-min(2, len(words))].start(), len(text)
    rest = f"{text[:start].rstrip()} {text[end:].lstrip()}".strip()
    if len(rest.split()) < _LEAST_WORDS or not text[start:end].strip():
        return None
    return rest, " ".join(text[start:end].split())


def power(kind: NodeKind, here: float, there: float) -> float:
    """How far (½…1) a finding counts that says ``here`` of a joke and ``there`` of its mirror."""
    fall = (here - there) / FULL[kind]
    return LEAST_POWER + (1.0 - LEAST_POWER) * min(1.0, max(0.0, fall))


def lives_by_turn(factors: Collection[str]) -> bool:
    """Whether one of these factors, or of those that a kind is made of, goes with the turn."""
    return not LIVES_BY_TURN.isdisjoint(factors)
