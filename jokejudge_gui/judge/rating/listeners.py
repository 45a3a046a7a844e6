"""The model's answers beside a verdict: whether listeners would laugh, from models whose answers have worth, and on the
user's own faults. They change no score."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean as mean

from ...core.statistics import sigmoid
from ...rubric.audiences import Listener, described
from ...rubric.prompts import prompts_in
from ...rubric.xml_parser import OwnFault
from ..asking.questions import LEAST_MASS, LogOdds, for_and_against, yes_no
from ..main_judge import MainJudge
from .record import FaultVoice, ListenerVoice

UNMEASURED = (
    "It wasn't measured yet whether this model's answers are worth asking for (jokejudge models plan --measure)."
)
WORTHLESS = "This model's answers were measured, and none is worth asking for."
ALL = "all"
JOKES = 10
"""Number of varied jokes behind a model's answer about a typical one."""
NOT_ASKED = (
    "Not measured on this model, and it isn't asked: set “Use in ratings” to yes in Criteria, or let every question be "
    "asked."
)
NO_ANSWER = "Not measured on this model, which gave no answer."


def ask_listeners(judge: MainJudge, text: str, wanted: Sequence[str]) -> tuple[ListenerVoice, ...]:
    """Return each wanted listener's answer about a cleaned text, or why the model isn't asked: none of its answers has
    worth. ``wanted``: names or ids, ``all``, or other listeners in the user's own words. Raises the engine's errors."""
    everyone = judge.audiences.listeners
    by_name = {name.lower(): listener for listener in everyone for name in (listener.id, listener.name)}
    listeners: dict[str, Listener] = {}
    for name in wanted:
        for one in everyone if name.lower() == ALL else (by_name.get(name.lower(), described(name)),):
            listeners.setdefault(one.name, one)
    if not judge.plan.asked():
        silent = WORTHLESS if judge.plan.planned else UNMEASURED
        blank = (ListenerVoice(id=one.id, name=one.name, p=None, anyone=None) for one in listeners.values())
        return tuple(voice.replaced(reason=silent) for voice in blank)
    words = [judge.audiences.anyone, *(listener.words for listener in listeners.values())]
    odds = _asked(judge, "listener", text, ("laughs", "cold"), [{"listener": one} for one in words])
    anyone, *shares = (_p(one.value) for one in odds)
    return tuple(
        ListenerVoice(id=listener.id, name=listener.name, p=p, anyone=anyone)
        for listener, p in zip(listeners.values(), shares, strict=True)
    )


def ask_own_faults(judge: MainJudge, text: str, *, everything: bool) -> tuple[FaultVoice, ...]:
    """Return the model's answer on each of the user's own faults in a cleaned text, with its answer for typical jokes;
    no head has learned them, and nobody measured how good the answers are. ``everything``: also ask about faults that
    aren't asked about in each rating. Raises the engine's errors."""
    usual, asked = judge.usual_answers, [fault for fault in judge.criteria.own_faults if fault.ask or everything]

    def odds_of(faults: Sequence[OwnFault], joke: str) -> dict[str, float]:
        says = [{"says": fault.says} for fault in faults]
        odds = _asked(judge, "own_fault", joke, ("has", "free"), says) if says else []
        return {one.says: odd.value for one, odd in zip(faults, odds, strict=True) if odd.mass >= LEAST_MASS}

    odds = odds_of(asked, text)
    if unknown := [fault for fault in asked if fault.says not in usual]:
        rows = [odds_of(unknown, joke) for joke in judge.criteria.contrast.baseline[:JOKES]]
        usual |= {fault.says: tuple(row[fault.says] for row in rows if fault.says in row) for fault in unknown}
    voices = []
    for fault in judge.criteria.own_faults:
        voice = FaultVoice(id=fault.id, name=fault.name, p=None, reason=NO_ANSWER if fault in asked else NOT_ASKED)
        if fault.says in odds:
            others = usual.get(fault.says)
            voice = voice.replaced(p=_p(odds[fault.says]), usual=_p(mean(others)) if others else None, reason="")
        voices.append(voice)
    return tuple(voices)


def _asked(
    judge: MainJudge, name: str, text: str, ways: Sequence[str], words: Sequence[dict[str, str]]
) -> list[LogOdds]:
    """Log-odds of statements with these ``words``, each the mean of a question for it and one against it, the two
    ``ways``; all on one reading of the text."""
    prompts = prompts_in(f"{name}_prompts.xml", judge.engine.frame)
    questions = [yes_no(prompts.answer(name, way, own)) for own in words for way in ways]
    return for_and_against(judge.engine.choose(prompts.prompt(name, {"joke": text}), questions, judge.cancel))


def _p(odds: float) -> float:
    return sigmoid(max(-30.0, min(30.0, odds)))
