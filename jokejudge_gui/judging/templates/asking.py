"""Questions to the model about a row: is a rule kept, which words show it, how good is the reasoning."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...engine.base import CancelToken, Choice, Engine, Prompt, Question, Sampling
from ...rubric.prompts import PromptBuilder, PromptSet
from ...rubric.template_types import Module, Rule
from ..asking.answers import LEAST_MASS, yes_log_odds
from .types import PART_POINTS
from .values import text_of

_QUOTE_TOKENS = 40
_LEAST_QUOTE = 4
"""A shorter quote shows nothing, unless it is the whole output."""


@dataclass(frozen=True)
class Shown:
    """A row as the model is shown it."""

    input: str
    output: str
    reasoning: str

    @classmethod
    def of(cls, given: Any, output: Any, reasoning: str) -> Shown:
        return cls(text_of(given), text_of(output), reasoning or "(none)")

    def quotes(self, words: str) -> bool:
        """Whether these words stand in the output or its reasoning, as they are."""
        words = words.strip()
        enough = len(words) >= _LEAST_QUOTE or words == self.output.strip()
        return bool(words) and enough and (words in self.output or words in self.reasoning)


@dataclass(frozen=True)
class RuleAnswer:
    """Log-odds (nats) that a rule is kept: asked whether it is kept, and whether it is broken (its sign turned)."""

    kept: float
    unbroken: float

    def says(self, least: float) -> bool | None:
        """Kept or broken where both questions say so by more than ``least`` nats; else None."""
        if self.kept > least and self.unbroken > least:
            return True
        if self.kept < -least and self.unbroken < -least:
            return False
        return None


class Asker:
    """Asks one model about the rows of one module."""

    def __init__(self, engine: Engine, prompts: PromptSet, module: Module) -> None:
        self._engine = engine
        self._builder = PromptBuilder(prompts, engine.frame, {"task": module.task})

    def ask(
        self, row: Shown, rules: Sequence[Rule], parts: Sequence[str], cancel: CancelToken | None = None
    ) -> tuple[dict[str, RuleAnswer], dict[str, float]]:
        """Answers by a rule's name, and expected points by part of the reasoning, asked together on one reading;
        parts that the model gave no number for aren't there."""
        questions = [question for rule in rules for question in self._rule_questions(rule)]
        questions += [
            Question(self._builder.answer("audit", part), tuple(str(n) for n in range(PART_POINTS[part] + 1)))
            for part in parts
        ]
        if not questions:
            return {}, {}
        choices = self._engine.choose(self._prompt(row), questions, cancel)
        answers = {
            rule.name: RuleAnswer(_odds(choices[2 * at]), -_odds(choices[2 * at + 1])) for at, rule in enumerate(rules)
        }
        levels = zip(parts, choices[2 * len(rules) :], strict=True)
        return answers, {part: _expected(choice.logprobs) for part, choice in levels if choice.mass >= LEAST_MASS}

    def evidence(self, row: Shown, rules: Sequence[Rule], cancel: CancelToken | None = None) -> dict[str, str]:
        """The words that the model quotes for each rule, by the rule's name; only those that stand in the output or in
        its reasoning as they are."""
        if not rules:
            return {}
        branches: list[Prompt] = [
            self._builder.answer("audit", "evidence", {"rule": _rule_text(rule)}) for rule in rules
        ]
        texts = [""] * len(rules)
        sampling = Sampling(max_tokens=_QUOTE_TOKENS, stop=('"', "\n"))
        for piece in self._engine.generate(self._prompt(row), branches, sampling, cancel):
            texts[piece.branch] += piece.text
        quotes = {rule.name: text.split('"')[0].strip() for rule, text in zip(rules, texts, strict=True)}
        return {name: words for name, words in quotes.items() if row.quotes(words)}

    def _prompt(self, row: Shown) -> Prompt:
        return self._builder.prompt("audit", {"input": row.input, "output": row.output, "reasoning": row.reasoning})

    def _rule_questions(self, rule: Rule) -> list[Question]:
        return [
            self._builder.question(self._builder.form("audit", side), {"rule": _rule_text(rule)})
            for side in ("kept", "broken")
        ]


def _rule_text(rule: Rule) -> str:
    return f"{rule.name}: {rule.says.rstrip('.')}."


def _odds(choice: Choice) -> float:
    """Log-odds of yes; 0 where the model didn't answer."""
    return yes_log_odds(choice) if choice.mass >= LEAST_MASS else 0.0


def _expected(logprobs: Sequence[float]) -> float:
    """The mean level of a distribution over 0, 1, 2 …"""
    top = max(logprobs)
    weights = [math.exp(value - top) for value in logprobs]
    return math.fsum(level * weight for level, weight in enumerate(weights)) / math.fsum(weights)
