"""The questions of a shuffled round: a chunk of jokes, each scored from 1 to 10, read off the labels' logits."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...engine.base import CancelToken, Choice, Question
from ...paths import criteria_dir
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..asking.answers import LEAST_MASS
from ..main_judge import MainJudge
from .types import SCALES, Scale

TEN = tuple(f"{level})" for level in range(1, 11))
"""The bracket that closes an answer is a part of it: 1 would otherwise be the beginning of 10."""
_ROOM = 320
"""Tokens left to the questions beside the jokes."""

Scores = dict[Scale, tuple[float | None, ...]]


class RoundQuestions:
    """Asks one model about chunks of a list on one topic ("": none, and then nothing is asked about relevance)."""

    def __init__(self, judge: MainJudge, topic: str) -> None:
        """Raises ``CriteriaError`` when criteria/rounds.xml is wrong."""
        self._engine = judge.engine
        self._topic = " ".join(topic.split())
        prompts = parse_prompts(criteria_dir() / "rounds.xml")
        self._prompts = PromptBuilder(prompts, judge.engine.frame, {})
        self._name = "list_on_topic" if self._topic else "list"
        self.version = prompts.version
        self.scales: tuple[Scale, ...] = tuple(each for each in SCALES if each in prompts.prompts[self._name].answers)

    def ask(self, texts: Sequence[str], cancel: CancelToken | None) -> list[tuple[tuple[str, ...], Scores]]:
        """Scores 1…10 of the texts in this order, None where the model gave none. A chunk that the context can't hold
        is asked in halves, and a single text that it can't hold is left out. Raises what the engine raises."""
        answers = self._answers(texts, cancel)
        if answers is None:
            middle = len(texts) // 2
            return self.ask(texts[:middle], cancel) + self.ask(texts[middle:], cancel) if middle else []
        scores: Scores = {
            scale: tuple(map(expected, answers[place * len(texts) : (place + 1) * len(texts)]))
            for place, scale in enumerate(self.scales)
        }
        return [(tuple(texts), scores)]

    def _answers(self, texts: Sequence[str], cancel: CancelToken | None) -> list[Choice] | None:
        """Scale by scale the answers about each text; None where they don't fit into the context together."""
        lines = [f"{number}. {' '.join(text.split())}" for number, text in enumerate(texts, start=1)]
        prompt = self._prompts.prompt(self._name, {"jokes": "\n".join(lines), "topic": self._topic})
        if self._engine.count(prompt) + _ROOM > self._engine.info.context:
            return None
        questions = [
            Question(self._prompts.answer(self._name, scale, {"number": str(number)}), TEN)
            for scale in self.scales
            for number in range(1, len(texts) + 1)
        ]
        return self._engine.choose(prompt, questions, cancel)


def expected(choice: Choice) -> float | None:
    """The expected score 1…10; None where the model didn't answer."""
    if choice.mass < LEAST_MASS:
        return None
    shares = [math.exp(value) for value in choice.logprobs]
    return math.fsum(level * share for level, share in enumerate(shares, start=1)) / math.fsum(shares)
