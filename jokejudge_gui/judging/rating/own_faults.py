"""Faults of the user's own: a model is asked about them, and what it says stands apart, for no head has learned them
and nobody measured what the answers are worth."""

from __future__ import annotations

import math

from ...engine.base import CancelToken
from ...rubric.preview import own_fault_prompts
from ...rubric.prompts import PromptBuilder
from ...rubric.types import OwnFault
from ...verdicts import FaultVoice
from ..asking.answers import LEAST_MASS, mean, yes_log_odds, yes_no
from ..main_judge import MainJudge

JOKES = 10
"""Varied jokes that say what a model answers of a usual one."""
NOT_ASKED = (
    "Not measured on this model, and it isn't asked: set “Asked” to yes in Criteria, or let every question be asked."
)
NO_ANSWER = "Not measured on this model, which gave no answer."


def ask_own_faults(
    judge: MainJudge, text: str, *, everything: bool, cancel: CancelToken | None = None
) -> tuple[FaultVoice, ...]:
    """What the model says of each fault of the user's own in a cleaned text, beside what it says of usual jokes.
    ``everything``: those are asked about, too, that aren't to be asked about in each rating. Raises what the engine
    raises."""
    faults = judge.criteria.own_faults
    asked = [fault for fault in faults if fault.ask or everything]
    odds: dict[str, float | None] = {}
    if asked:
        prompts = own_fault_prompts(judge.engine.frame)
        odds = dict(zip((fault.id for fault in asked), _odds(judge, prompts, asked, text, cancel), strict=True))
        unknown = [fault for fault in asked if fault.says not in judge.usual_faults]
        if unknown:
            jokes = judge.criteria.contrast.baseline[:JOKES]
            rows = [_odds(judge, prompts, unknown, joke, cancel) for joke in jokes]
            for place, fault in enumerate(unknown):
                known = [row[place] for row in rows if row[place] is not None]
                judge.usual_faults[fault.says] = mean(known) if known else None  # type: ignore[arg-type]
    found = []
    for fault in faults:
        value = odds.get(fault.id)
        reason = "" if value is not None else NO_ANSWER if fault.id in odds else NOT_ASKED
        usual = judge.usual_faults.get(fault.says) if value is not None else None
        found.append(FaultVoice(id=fault.id, name=fault.name, p=_p(value), usual=_p(usual), reason=reason))
    return tuple(found)


def own_fault_in_words(voice: FaultVoice) -> str:
    """What follows the name of a fault."""
    if voice.p is None:
        return voice.reason[:1].lower() + voice.reason[1:]
    beside = f"; in a usual joke with {voice.usual:.2f}" if voice.usual is not None else ""
    return f"there, says the model, with a probability of {voice.p:.2f}{beside}. Not measured, so it is no finding"


def _odds(
    judge: MainJudge, prompts: PromptBuilder, faults: list[OwnFault], text: str, cancel: CancelToken | None
) -> list[float | None]:
    """Log-odds of each fault, the mean of a question for and one against, all on one reading of the text; None for no
    answer."""
    questions = [
        yes_no(prompts.answer("own_fault", answer, {"says": fault.says}))
        for fault in faults
        for answer in ("has", "free")
    ]
    choices = judge.engine.choose(prompts.prompt("own_fault", {"joke": text}), questions, cancel)
    return [
        0.5 * (yes_log_odds(has) - yes_log_odds(free)) if min(has.mass, free.mass) >= LEAST_MASS else None
        for has, free in zip(choices[::2], choices[1::2], strict=True)
    ]


def _p(odds: float | None) -> float | None:
    return None if odds is None else 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
