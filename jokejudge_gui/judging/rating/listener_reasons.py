"""Why a listener would laugh or wouldn't, in a sentence of the model's own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...engine.base import CancelToken, Engine, Sampling
from ...paths import criteria_dir
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..asking.explanation import whole_sentence
from ..asking.sentences import flaws

_FILE = "listener_reasons.xml"
_TOKENS = 32
_REPEAT_PENALTY = 1.15
_TOGETHER = 4
"""Sentences that are written side by side."""


@dataclass(frozen=True)
class ReasonWriter:
    """Writes for a model that passed the prose test."""

    engine: Engine
    seed: int

    def write(self, joke: str, told: Sequence[tuple[str, bool]], cancel: CancelToken | None = None) -> tuple[str, ...]:
        """A sentence for each listener: who that is, and whether they laugh. Empty where the sentence breaks off, gives
        the joke back or quotes what isn't in it. Raises ``CriteriaError`` and what the engine raises."""
        prompts = PromptBuilder(
            parse_prompts(criteria_dir() / _FILE, criteria_dir() / "prompts.rng"), self.engine.frame, {}
        )
        prompt = prompts.prompt("listener_reason", {"joke": joke})
        sampling = Sampling(max_tokens=_TOKENS, repeat_penalty=_REPEAT_PENALTY, seed=self.seed, stop=("\n",))
        said: list[str] = []
        for first in range(0, len(told), _TOGETHER):
            part = told[first : first + _TOGETHER]
            branches = [
                prompts.answer("listener_reason", "laughs" if laughs else "cold", {"listener": words})
                for words, laughs in part
            ]
            texts = [""] * len(part)
            for piece in self.engine.generate(prompt, branches, sampling, cancel):
                texts[piece.branch] += piece.text
            said += map(whole_sentence, texts)
        return tuple("" if flaws(sentence, joke) else sentence for sentence in said)
