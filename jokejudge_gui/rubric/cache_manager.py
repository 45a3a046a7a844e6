"""Which prompts have a constant beginning, and warming them: decoded once, kept in memory and on disk."""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.base import CancelToken, Engine
from .prompts import PromptBuilder

RATING_PROMPTS = ("reading", "scoring", "explanation")
DUEL_PROMPTS = ("duel", "alone", "duel_explanation")


class CacheManager:
    """Warms the constant prompts of an engine."""

    def __init__(self, engine: Engine, prompts: PromptBuilder) -> None:
        self._engine = engine
        self._prompts = prompts

    def warm(self, cancel: CancelToken | None = None) -> Iterator[tuple[int, int]]:
        """Decode and keep every constant prompt, one after another; yields (done, total), first with none done."""
        names = (*RATING_PROMPTS, *DUEL_PROMPTS)
        for done, name in enumerate(names):
            yield done, len(names)
            self._engine.warm(self._prompts.constant_part(name), cancel)
        yield len(names), len(names)
