"""Asks a model whether listeners would laugh."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.paths import criteria_dir
from ...engine.base import CancelToken, Engine
from ...rubric.audiences import PROMPTS, Audiences
from ...rubric.prompts import PromptBuilder, parse_prompts
from .questions import for_and_against, yes_no

UNMEASURED = (
    "It wasn't measured yet whether this model's answers are worth asking for (jokejudge models plan --measure)."
)
WORTHLESS = "This model's answers were measured to add nothing."


class ListenerAsker:
    """Asks one model. ``audiences``: all listeners, including the user's own. Raises ``CriteriaError``."""

    def __init__(self, engine: Engine, audiences: Audiences) -> None:
        prompts = parse_prompts(criteria_dir() / PROMPTS, criteria_dir() / "prompts.rng")
        self._engine = engine
        self._prompts = PromptBuilder(prompts, engine.frame, {})
        self.audiences = audiences

    def ask(self, joke: str, listeners: Sequence[str], cancel: CancelToken | None = None) -> list[float]:
        """Return the log-odds, in nats, that each listener would laugh at a cleaned joke, all asked on one reading of
        it: the mean of a question for and one against. Raises the engine's errors."""
        questions = [
            yes_no(self._prompts.answer("listener", answer, {"listener": words}))
            for words in listeners
            for answer in ("laughs", "cold")
        ]
        choices = self._engine.choose(self._prompts.prompt("listener", {"joke": joke}), questions, cancel)
        return [odds.value for odds in for_and_against(choices)]
