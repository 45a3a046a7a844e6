"""Questions to a model about sense, where by its plan the answers add to the heads' estimate: whether a text works as a
joke, whether its end belongs to its beginning, and whether it is complete."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...core.paths import criteria_dir
from ...core.statistics import sigmoid
from ...core.verdicts import Sense
from ...engine.base import CancelToken, Engine
from ...heads.intent import form_of
from ...rubric.prompts import PromptBuilder, parse_prompts
from ..reader import SURE
from .questions import LEAST_MASS, for_and_against, mean, yes_no
from .worth import Plan

SENSE_QUESTIONS = ("joke", "end", "whole")
"""The questions, each asked once for and once against. A text without its end, or with another's, doesn't work as a
joke."""


class SenseAsker:
    """Asks one model. ``key``: version of the prompts. Raises ``CriteriaError``."""

    def __init__(self, engine: Engine) -> None:
        found = parse_prompts(criteria_dir() / "sense_prompts.xml", criteria_dir() / "prompts.rng")
        self._engine = engine
        self._prompts = PromptBuilder(found, engine.frame, {})
        self.key = f"sense:{found.version}"

    def odds(
        self, text: str, only: Sequence[str] = SENSE_QUESTIONS, cancel: CancelToken | None = None
    ) -> dict[str, float]:
        """Return the log-odds (nats) for each question that the model answered about a cleaned text. Raises the
        engine's errors."""
        names = [name for each in only for name in (each, f"no_{each}")]
        prompt = self._prompts.prompt("sense", {"text": text})
        questions = [yes_no(self._prompts.answer("sense", name)) for name in names]
        answers = for_and_against(self._engine.choose(prompt, questions, cancel))
        return {each: odds.value for each, odds in zip(only, answers, strict=True) if odds.mass >= LEAST_MASS}

    def ask(self, text: str, plan: Plan, read: Sense | None, cancel: CancelToken | None = None) -> Sense | None:
        """Return the model's answer where the plan asks it, else the heads' estimate ``read`` (None: no estimate).
        Raises the engine's errors."""
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
