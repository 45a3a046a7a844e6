"""What a contest tells while it runs, beside the events that all verdicts share."""

from __future__ import annotations

from ...events import Event
from ...verdicts import ErrorInfo
from .types import ContestResult, HeldDuel, Reading, ScoredChunk


class EntryRead(Event):
    """A joke was read, or couldn't be; ``text`` names it, for several entries may have it."""

    text: str
    reading: Reading | None = None
    error: ErrorInfo | None = None


class ChunkScored(Event):
    """Jokes were scored together in a shuffled round; ``texts``: theirs, in the order in which they stood."""

    chunk: ScoredChunk
    texts: tuple[str, ...]


class DuelHeld(Event):
    """A duel is over: ``done`` of at most ``budget``. ``text_a``, ``text_b``: what stood against each other."""

    duel: HeldDuel
    text_a: str
    text_b: str
    done: int
    budget: int


class ContestRanked(Event):
    """The ranking as far as it has come; told now and then, and once more when it is whole."""

    result: ContestResult
