"""Who would laugh: what a model says for each listener that it was measured to know from others, beside a verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ...engine.base import CancelToken
from ...errors import UsageError
from ...texts import clean_context
from ...verdicts import ListenerVoice
from ..main_judge import MainJudge
from ..plan.listeners import OWN, UNMEASURED, reasons

ALL = "all"
MOST = 24
"""Listeners of one verdict."""


def hear(
    judge: MainJudge, text: str, wanted: Sequence[str], cancel: CancelToken | None = None
) -> tuple[ListenerVoice, ...]:
    """What each wanted listener would say of a cleaned text. ``wanted``: names or ids, ``all``, or who else listens, in
    words of the user's own. One that the model doesn't know from others isn't asked, and has the reason. Raises what
    the engine raises."""
    audiences, worths = judge.listener_asker.audiences, judge.listener_worths()
    why = reasons(audiences, worths)
    by_name = {name.lower(): each for each in audiences.listeners for name in (each.id, each.name)}
    rows: dict[str, tuple[str, str, str, str]] = {}  # id, name, words, reason
    for name in wanted:
        found = audiences.listeners if name.lower() == ALL else tuple(filter(None, [by_name.get(name.lower())]))
        for each in found:
            rows[each.name] = (each.id, each.name, each.words, why[each.id])
        if not found:
            reason = UNMEASURED if worths is None else "" if worths.own else OWN
            rows[name] = ("", name, name, reason)
    asked = [row for row in rows.values() if not row[3]]
    odds = judge.listener_asker.ask(text, [audiences.anyone[0], *(row[2] for row in asked)], cancel) if asked else [0.0]
    told = {row[1]: value for row, value in zip(asked, odds[1:], strict=True)}
    return tuple(
        ListenerVoice(
            id=id,
            name=name,
            p=_p(told[name]) if name in told else None,
            anyone=_p(odds[0]) if name in told else None,
            reason=reason,
        )
        for id, name, _, reason in rows.values()
    )


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
    return f"would laugh, says the model, with a probability of {voice.p:.2f}; anyone with {voice.anyone:.2f}"


def _p(odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, odds))))
