"""Asks a model about sense, as far as its plan says that its answers tell more than reading does: whether a text works
as a joke, whether its end belongs to its beginning, and whether it is whole."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...core.paths import criteria_dir
from ...core.statistics import sigmoid
from ...core.verdicts import Sense
from ...engine.base import CancelToken, Engine
from ...heads.intent import form_of
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..asking.questions import LEAST_MASS, for_and_against, mean, yes_no
from ..reader import SURE
from .worth import Plan

SENSE_QUESTIONS = ("joke", "end", "whole")
"""What is asked, once for and once against: a text without its end, or with another's, doesn't work as a joke."""


class SenseAsker:
    """Asks one model. ``key``: of the words that it is asked with. Raises ``CriteriaError``."""

    def __init__(self, engine: Engine) -> None:
        found = parse_prompts(criteria_dir() / "sense_prompts.xml", criteria_dir() / "prompts.rng")
        self._engine = engine
        self._prompts = PromptBuilder(found, engine.frame, {})
        self.key = f"sense:{found.version}"

    def odds(
        self, text: str, only: Sequence[str] = SENSE_QUESTIONS, cancel: CancelToken | None = None
    ) -> dict[str, float]:
        """Log-odds (nats) that it is so, of those questions that the model answered about a cleaned text. Raises what
        the engine raises."""
        names = [name for each in only for name in (each, f"no_{each}")]
        prompt = self._prompts.prompt("sense", {"text": text})
        questions = [yes_no(self._prompts.answer("sense", name)) for name in names]
        answers = for_and_against(self._engine.choose(prompt, questions, cancel))
        return {each: odds.value for each, odds in zip(only, answers, strict=True) if odds.mass >= LEAST_MASS}

    def ask(self, text: str, plan: Plan, read: Sense | None, cancel: CancelToken | None = None) -> Sense | None:
        """What the model answers, where its plan holds that this tells more than what was ``read`` (None: nothing was),
        else that. Raises what the engine raises."""
        items = {
            item.id: item for item in plan.items if item.kind == "sense" and item.ask and item.question == self.key
        }
        if not items:
            return read
        answers = self.odds(text, tuple(items), cancel)
        values = [value for id, odds in answers.items() if (value := items[id].joined(odds, None)) is not None]
        if not values:
            return read
        p = sigmoid(mean(values))
        no_turn = min(items[id].no_turn or 0.0 for id in answers)
        if form_of(text):
            p = min(p, math.nextafter(no_turn, 0.0))
        said = "no turn" if p < no_turn else "joke" if p >= SURE else "unsure"
        whole = read.whole if read is not None else None
        return Sense.model_validate({"joke": p, "whole": whole, "said": said, "source": "asked"})
