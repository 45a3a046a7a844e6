"""The model's answers beside a verdict: whether listeners would laugh, from models whose answers have worth, and on the
user's own faults. They change no score."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.statistics import sigmoid
from ...engine.base import CancelToken, Prompt
from ...rubric.audiences import Listener, described
from ...rubric.prompts import listener_prompts, own_fault_prompts
from ...rubric.xml_parser import OwnFault
from ..asking.questions import LEAST_MASS, LogOdds, for_and_against, mean, yes_no
from ..main_judge import MainJudge
from .record import FaultVoice, ListenerVoice

UNMEASURED = (
    "It wasn't measured yet whether this model's answers are worth asking for (jokejudge models plan --measure)."
)
WORTHLESS = "This model's answers were measured to add nothing."
ALL = "all"
JOKES = 10
"""Number of varied jokes behind a model's answer about a typical one."""
NOT_ASKED = (
    "Not measured on this model, and it isn't asked: set “Use in ratings” to yes in Criteria, or let every question be "
    "asked."
)
NO_ANSWER = "Not measured on this model, which gave no answer."


def ask_listeners(
    judge: MainJudge, text: str, wanted: Sequence[str], cancel: CancelToken | None = None
) -> tuple[ListenerVoice, ...]:
    """Return each wanted listener's answer about a cleaned text, or why the model isn't asked. ``wanted``: names or
    ids, ``all``, or other listeners in the user's own words. Raises the engine's errors."""
    listeners = who(judge, wanted)
    if silent := why_silent(judge):
        return tuple(ListenerVoice(id=one.id, name=one.name, p=None, anyone=None, reason=silent) for one in listeners)
    words = [judge.audiences.anyone, *(listener.words for listener in listeners)]
    prompts = listener_prompts(judge.engine.frame)
    answers = [prompts.answer("listener", answer, {"listener": one}) for one in words for answer in ("laughs", "cold")]
    odds = _asked(judge, prompts.prompt("listener", {"joke": text}), answers, cancel)
    anyone, *shares = (_p(one.value) for one in odds)
    return tuple(
        ListenerVoice(id=listener.id, name=listener.name, p=p, anyone=anyone)
        for listener, p in zip(listeners, shares, strict=True)
    )


def why_silent(judge: MainJudge) -> str:
    """Return why a model isn't asked for listeners; empty where it is: its answers have worth at all."""
    return "" if judge.plan.asked() else WORTHLESS if judge.plan.planned else UNMEASURED


def who(judge: MainJudge, wanted: Sequence[str]) -> tuple[Listener, ...]:
    """Return the listeners with these names, ids and descriptions, each once. Raises ``CriteriaError``."""
    everyone = judge.audiences.listeners
    by_name = {name.lower(): listener for listener in everyone for name in (listener.id, listener.name)}
    named: dict[str, Listener] = {}
    for name in wanted:
        meant = everyone if name.lower() == ALL else (by_name.get(name.lower(), described(name)),)
        named |= {listener.name: listener for listener in meant if listener.name not in named}
    return tuple(named.values())


def ask_own_faults(
    judge: MainJudge, text: str, *, everything: bool, cancel: CancelToken | None = None
) -> tuple[FaultVoice, ...]:
    """Return the model's answer on each of the user's own faults in a cleaned text, with its answer for typical jokes;
    no head has learned them, and nobody measured how good the answers are. ``everything``: also ask about faults that
    aren't asked about in each rating. Raises the engine's errors."""
    faults, usual = judge.criteria.own_faults, judge.usual_answers
    asked = [fault for fault in faults if fault.ask or everything]
    odds = _faults(judge, asked, text, cancel) if asked else {}
    if unknown := [fault for fault in asked if fault.says not in usual]:
        rows = [_faults(judge, unknown, joke, cancel) for joke in judge.criteria.contrast.baseline[:JOKES]]
        for fault in unknown:
            usual[fault.says] = tuple(value for row in rows if (value := row[fault.id]) is not None)
    voices = []
    for fault in faults:
        value, others = odds.get(fault.id), usual.get(fault.says, ())
        fields: dict[str, object] = {"p": None, "reason": NO_ANSWER if fault.id in odds else NOT_ASKED}
        if value is not None:
            fields = {"p": _p(value), "usual": _p(mean(others)) if others else None}
        voices.append(FaultVoice.model_validate({"id": fault.id, "name": fault.name, **fields}))
    return tuple(voices)


def _faults(
    judge: MainJudge, faults: Sequence[OwnFault], text: str, cancel: CancelToken | None
) -> dict[str, float | None]:
    """Log-odds of each fault by id, all on one reading of the text; None for no answer."""
    prompts = own_fault_prompts(judge.engine.frame)
    answers = [prompts.answer("own_fault", answer, {"says": f.says}) for f in faults for answer in ("has", "free")]
    asked = _asked(judge, prompts.prompt("own_fault", {"joke": text}), answers, cancel)
    return {
        fault.id: odds.value if odds.mass >= LEAST_MASS else None for fault, odds in zip(faults, asked, strict=True)
    }


def _asked(judge: MainJudge, prompt: Prompt, answers: Sequence[Prompt], cancel: CancelToken | None) -> list[LogOdds]:
    """Log-odds of statements, each the mean of a question for it and one against it."""
    return for_and_against(judge.engine.choose(prompt, [yes_no(answer) for answer in answers], cancel))


def _p(odds: float) -> float:
    return sigmoid(max(-30.0, min(30.0, odds)))
