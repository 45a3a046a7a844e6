"""The listeners' answers beside a verdict, from models whose answers have worth, and those on the user's own
faults."""

from __future__ import annotations

from collections.abc import Sequence

from ...core.paths import criteria_dir
from ...core.statistics import sigmoid
from ...engine.base import CancelToken, Engine
from ...rubric.audiences import Audiences, Listener, described
from ...rubric.own_prompts import own_fault_prompts
from ...rubric.prompts import PromptBuilder, parse_prompts
from ...rubric.xml_parser import OwnFault
from ..asking.explanation import flaws, whole_sentence, written
from ..asking.listeners import UNMEASURED, WORTHLESS
from ..asking.questions import LEAST_MASS, for_and_against, mean, yes_no
from ..main_judge import MainJudge
from .record import FaultVoice, ListenerVoice

# -- A model's sentence about why a listener would laugh or wouldn't

_FILE = "listener_reasons.xml"
_TOKENS = 32
_TOGETHER = 4
"""Number of sentences written together."""


def write_reasons(
    engine: Engine, joke: str, answers: Sequence[tuple[str, bool]], seed: int, cancel: CancelToken | None = None
) -> tuple[str, ...]:
    """Return a sentence for each listener, given as words and whether they laugh, by a model that passed the prose
    test. Empty where the sentence breaks off, repeats the joke or quotes words that aren't in it. Raises
    ``CriteriaError`` and the engine's errors."""
    prompts = PromptBuilder(parse_prompts(criteria_dir() / _FILE, criteria_dir() / "prompts.rng"), engine.frame, {})
    prompt = prompts.prompt("listener_reason", {"joke": joke})
    branches = [
        prompts.answer("listener_reason", "laughs" if laughs else "cold", {"listener": words})
        for words, laughs in answers
    ]
    sentences: list[str] = []
    for first in range(0, len(answers), _TOGETHER):
        part = branches[first : first + _TOGETHER]
        sentences += map(whole_sentence, written(engine, prompt, part, _TOKENS, seed, cancel))
    return tuple("" if flaws(sentence, joke) else sentence for sentence in sentences)


ALL = "all"


def ask_listeners(
    judge: MainJudge,
    text: str,
    wanted: Sequence[str],
    cancel: CancelToken | None = None,
    *,
    explain: bool = False,
    seed: int = 1,
) -> tuple[ListenerVoice, ...]:
    """Return each wanted listener's answer about a cleaned text, or why the model isn't asked. ``wanted``: names or
    ids, ``all``, or other listeners in the user's own words. ``explain``: also the model's reason, if it passed the
    prose test. Raises the engine's errors."""
    listeners = who(judge.listener_asker.audiences, wanted)
    if silent := why_silent(judge):
        return tuple(ListenerVoice(id=one.id, name=one.name, p=None, anyone=None, reason=silent) for one in listeners)
    anyone, *odds = judge.listener_asker.ask(
        text, [judge.listener_asker.audiences.anyone, *(listener.words for listener in listeners)], cancel
    )
    reasons: Sequence[str] = [""] * len(listeners)
    if explain and judge.writes:
        laughing = [(listener.words, value > 0.0) for listener, value in zip(listeners, odds, strict=True)]
        reasons = write_reasons(judge.engine, text, laughing, seed, cancel)
    return tuple(
        ListenerVoice(id=listener.id, name=listener.name, p=_p(value), anyone=_p(anyone), why=why)
        for listener, value, why in zip(listeners, odds, reasons, strict=True)
    )


def why_silent(judge: MainJudge) -> str:
    """Return why a model isn't asked for listeners; empty where it is: its answers have worth at all."""
    return "" if judge.plan.answers else WORTHLESS if judge.plan.planned else UNMEASURED


def who_is_asked(judge: MainJudge, wanted: Sequence[str]) -> tuple[tuple[Listener, str], ...]:
    """Return the wanted listeners, each with the reason why this model isn't asked for it. Raises ``CriteriaError``."""
    return tuple((listener, why_silent(judge)) for listener in who(judge.listener_asker.audiences, wanted))


def who(audiences: Audiences, wanted: Sequence[str]) -> tuple[Listener, ...]:
    """Return the listeners with these names, ids and descriptions, each once."""
    by_name = {name.lower(): listener for listener in audiences.listeners for name in (listener.id, listener.name)}
    named: dict[str, Listener] = {}
    for name in wanted:
        meant = audiences.listeners if name.lower() == ALL else tuple(filter(None, [by_name.get(name.lower())]))
        for listener in meant or (described(name),):
            named.setdefault(listener.name, listener)
    return tuple(named.values())


def _p(odds: float) -> float:
    return sigmoid(max(-30.0, min(30.0, odds)))


# -- Faults of the user's own: the model's answers about them are shown separately, as no head has learned them and
# nobody measured how good the answers are

JOKES = 10
"""Number of varied jokes behind a model's answer about a typical one."""
NOT_ASKED = (
    "Not measured on this model, and it isn't asked: set “Use in ratings” to yes in Criteria, or let every question be "
    "asked."
)
NO_ANSWER = "Not measured on this model, which gave no answer."


def ask_own_faults(
    judge: MainJudge, text: str, *, everything: bool, cancel: CancelToken | None = None
) -> tuple[FaultVoice, ...]:
    """Return the model's answer on each of the user's own faults in a cleaned text, with its answer for typical jokes.
    ``everything``: also ask about faults that aren't asked about in each rating. Raises the engine's errors."""
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
                answers = [row[place] for row in rows if row[place] is not None]
                judge.usual_faults[fault.says] = mean(answers) if answers else None  # type: ignore[arg-type]
    voices = []
    for fault in faults:
        value, usual = odds.get(fault.id), judge.usual_faults.get(fault.says)
        if value is None:
            reason = NO_ANSWER if fault.id in odds else NOT_ASKED
            voices.append(FaultVoice(id=fault.id, name=fault.name, p=None, reason=reason))
        else:
            p = None if usual is None else _p(usual)
            voices.append(FaultVoice(id=fault.id, name=fault.name, p=_p(value), usual=p))
    return tuple(voices)


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
    return [odds.value if odds.mass >= LEAST_MASS else None for odds in for_and_against(choices)]
