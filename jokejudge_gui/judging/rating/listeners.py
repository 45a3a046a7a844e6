"""Who would laugh: what a model says for each listener that it was measured to know from others, beside a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...engine.base import CancelToken
from ...errors import UsageError
from ...rubric.audiences import Audiences, Listener, described
from ...texts import clean_context
from ...verdicts import ListenerVoice
from ..main_judge import MainJudge
from ..plan.listeners import reason_of
from .listener_reasons import ReasonWriter

ALL = "all"
MOST = 24
"""Listeners of one verdict."""


def hear(
    judge: MainJudge,
    text: str,
    wanted: Sequence[str],
    cancel: CancelToken | None = None,
    *,
    explain: bool = False,
    seed: int = 1,
) -> tuple[ListenerVoice, ...]:
    """What each wanted listener would say of a cleaned text. ``wanted``: names or ids, ``all``, or who else listens, in
    words of the user's own. One that the model doesn't know from others isn't asked, and has the reason. ``explain``:
    the model says why, too, if it passed the prose test. Raises what the engine raises."""
    why = {each.name: reason for each, reason in who_is_asked(judge, wanted)}
    listeners = who(judge.listener_asker.audiences, wanted)
    asked = [each for each in listeners if not why[each.name]]
    anyone = judge.listener_asker.audiences.anyone[0]
    odds = judge.listener_asker.ask(text, [anyone, *(each.words for each in asked)], cancel) if asked else [0.0]
    told = {each.name: value for each, value in zip(asked, odds[1:], strict=True)}
    said = dict.fromkeys(told, "")
    if asked and explain and judge.writes:
        writer = ReasonWriter(judge.engine, seed)
        written = writer.write(text, [(each.words, told[each.name] > 0.0) for each in asked], cancel)
        said = dict(zip(told, written, strict=True))
    return tuple(
        ListenerVoice(
            id=each.id,
            name=each.name,
            p=_p(told[each.name]) if each.name in told else None,
            anyone=_p(odds[0]) if each.name in told else None,
            reason=why[each.name],
            why=said.get(each.name, ""),
        )
        for each in listeners
    )


def who_is_asked(judge: MainJudge, wanted: Sequence[str]) -> tuple[tuple[Listener, str], ...]:
    """The wanted listeners, each with the reason why this model isn't asked for it, empty where it is. Raises
    ``CriteriaError``."""
    worths, own = judge.listener_worths(), judge.own_listener_worths()
    found = who(judge.listener_asker.audiences, wanted)
    return tuple((each, reason_of(each, worths, own)) for each in found)


def who(audiences: Audiences, wanted: Sequence[str]) -> tuple[Listener, ...]:
    """The listeners that these names, ids and descriptions mean, each once."""
    by_name = {name.lower(): each for each in audiences.listeners for name in (each.id, each.name)}
    found: dict[str, Listener] = {}
    for name in wanted:
        known = audiences.listeners if name.lower() == ALL else tuple(filter(None, [by_name.get(name.lower())]))
        for each in known or (described(name),):
            found.setdefault(each.name, each)
    return tuple(found.values())


def clean_listeners(names: Sequence[str]) -> tuple[str, ...]:
    """Listeners as they are asked for, each once, in one line each. Raises ``UsageError`` ``E_LISTENERS`` for too many,
    ``InputError`` for one that can't be read."""
    cleaned = tuple(dict.fromkeys(name for name in map(clean_context, names) if name))
    if len(cleaned) > MOST:
        raise UsageError("E_LISTENERS", f"At most {MOST} listeners can be asked for.", "Name fewer of them.")
    return cleaned


def listener_in_words(voice: ListenerVoice) -> str:
    """What follows the name of one listener."""
    if voice.p is None or voice.anyone is None:
        return f"not asked. {voice.reason}"
    said = f"would laugh, says the model, with a probability of {voice.p:.2f}; anyone with {voice.anyone:.2f}"
    return f"{said}. Its reason: {voice.why.rstrip('.')}" if voice.why else said


def _p(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
