"""The prose test: are a model's own sentences about a joke worth showing? Thirty jokes that an editor read tell.

What was written is kept, so that a stopped test goes on where it was."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from ..core.events import Event, Stage, StageStarted
from ..core.paths import models_dir
from ..core.statistics import wilson
from ..engine.base import CancelToken
from ..judge.asking.named_references import KNOWN
from ..judge.main_judge import MainJudge
from ..judge.plan.listeners import LISTENER_TEXTS, ListenerFiles
from ..judge.plan.worth import EXPLANATION, ItemWorth, Worth, figures
from ..judge.rating.listeners import who
from ..judge.rating.references import INSIDER, find_references
from ..judge.rating.tree import CORE
from .editor_data import Readings, read_readings
from .jobs import Kept, ask_each, digest, kept_path, mixed

TEXTS, LEAST_TEXTS = 30, 20
_SEED = 1
_SENTENCES: TypeAdapter[tuple[str, ...]] = TypeAdapter(Annotated[tuple[str, ...], Field(min_length=3, max_length=3)])


@dataclass(frozen=True)
class _Case:
    """A joke with what the reader said of it: the words on which it turns, its strongest and its weakest factor."""

    text: str
    turn: str
    strongest: str
    weakest: str


def prose_items(
    judge: MainJudge, readings: Readings, cache: Path, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Let the model write about jokes that an editor read; the item of the kind ``prose``, none where too few can be
    read. Raises ``Cancelled`` and what the engine raises, except that a joke too long for the model is left out."""
    token = cancel or CancelToken()
    cases = _cases(judge, readings)
    yield StageStarted(stage=Stage.FITTING, total=len(cases))
    kept = Kept(kept_path(cache, judge.model.sha256, "prose"), digest(judge.questions.prose))
    explainer = judge.explainer(_SEED)

    def write(case: _Case) -> tuple[str, ...]:
        return kept.get(
            digest(case.text),
            _SENTENCES,
            lambda: explainer.sentences(case.text, case.strongest, case.weakest, token),
        )

    note = "letting it write about jokes that an editor read"
    rows = yield from ask_each(cases, write, note, len(cases), token)
    if len(rows) < LEAST_TEXTS:
        return ()
    found = figures([(case.text, case.turn, written) for case, written in rows])
    low, high = wilson(found.turn * found.texts, found.texts)
    share = Worth(value=found.turn, low=min(found.turn, low), high=max(found.turn, high), n=found.texts)
    item = ItemWorth(
        kind="prose", id=EXPLANATION, measured="share", asked=share, question=judge.questions.prose, prose=found
    )
    return (item,)


def _cases(judge: MainJudge, readings: Readings) -> list[_Case]:
    """Whole jokes whose turn stands in them, in an order that nothing in them tells."""
    names = {factor.id: factor.name.lower() for factor in judge.criteria.factors}
    found = []
    for place in mixed(readings.texts):
        text, turns = readings.texts[place], readings.turns[place]
        turn = next((turn for turn in turns if turn.lower() in text.lower()), "")
        if not turn or readings.joke[place] < 1 or readings.complete[place] < 1:
            continue
        ranked = sorted(range(len(CORE)), key=lambda at: (-readings.factors[place, at], at))
        strongest, weakest = (names.get(CORE[at], CORE[at]) for at in (ranked[0], ranked[-1]))
        found.append(_Case(text, turn, strongest, weakest))
    return found[:TEXTS]


# --------------------------------------------------------------------------------------------------------------------
# Can a model tell what a reader must know? Texts that an editor found to need knowledge, and others, tell: does it
# name something in the former and nothing in the latter, and more so than capital letters do?

REFERENCE_TEXTS, LEAST_REFERENCE_TEXTS = 20, 12
"""Texts of each sort that are asked about, and how many it takes."""

_Z = 1.96


def reference_items(
    judge: MainJudge, readings: Readings, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """The item of the kind ``reference``; none where too few texts can be read. Raises ``Cancelled`` and what the
    engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    sorts = _sorts(readings)
    if min(map(len, sorts)) < LEAST_REFERENCE_TEXTS:
        return ()
    total = sum(map(len, sorts))
    yield StageStarted(stage=Stage.FITTING, total=total)
    before = judge.engine.usage

    def ask(item: tuple[int, str]) -> tuple[float, float]:
        text = item[1]
        named = float(bool(judge.reference_asker.ask(text, _SEED, token)))
        return named, float(bool(find_references(text, judge.common_names)))

    items = [(sort, text) for sort, texts in enumerate(sorts) for text in texts]
    found = yield from ask_each(items, ask, "asking what a reader must know", total, token)
    asked, read = ([[row[by] for (sort, _), row in found if sort == of] for of in (0, 1)] for by in (0, 1))
    if min(map(len, asked)) < LEAST_REFERENCE_TEXTS:
        return ()
    spent = judge.engine.usage - before
    gained = [[a - r for a, r in zip(*pair, strict=True)] for pair in zip(asked, read, strict=True)]
    by_asking, by_reading = (_worth(needed, others, 0.5) for needed, others in (asked, read))
    item = ItemWorth(
        kind="reference",
        id=KNOWN,
        measured="auc",
        asked=by_asking,
        read=by_reading,
        added=_worth(gained[0], gained[1], 0.0),
        tokens=spent.tokens_evaluated // max(1, len(asked[0]) + len(asked[1])),
        question=judge.questions.references,
    )
    return (item,)


def _worth(needed: Sequence[float], others: Sequence[float], chance: float) -> Worth:
    """Area under the curve of a yes or no (``chance`` ½), or a difference of two such (0)."""
    value = chance + 0.5 * (_mean(needed) - _mean(others))
    error = 0.5 * math.sqrt(_variance(needed) / len(needed) + _variance(others) / len(others))
    least = -1.0 if chance == 0.0 else 0.0
    low, high = max(least, value - _Z * error), min(1.0, value + _Z * error)
    return Worth(value=value, low=min(low, value), high=max(high, value), n=len(needed) + len(others))


def _mean(values: Sequence[float]) -> float:
    return math.fsum(values) / len(values)


def _variance(values: Sequence[float]) -> float:
    mean = _mean(values)
    return math.fsum((value - mean) ** 2 for value in values) / max(1, len(values) - 1)


def _sorts(readings: Readings) -> tuple[list[str], list[str]]:
    """Jokes that need knowledge, and as many others, in an order that nothing in them tells."""
    if INSIDER not in readings.fault_ids:
        return [], []
    column = readings.fault_ids.index(INSIDER)
    jokes = [at for at in mixed(readings.texts) if readings.joke[at] >= 1]
    needed = [readings.texts[at] for at in jokes if readings.faults[at, column] >= 1]
    others = [readings.texts[at] for at in jokes if readings.faults[at, column] <= 0]
    return needed[:REFERENCE_TEXTS], others[:REFERENCE_TEXTS]


# --------------------------------------------------------------------------------------------------------------------
# Measuring which listeners a model tells apart, and keeping it.


def measure_listeners(
    judge: MainJudge, files: ListenerFiles, wanted: Sequence[str] = (), cancel: CancelToken | None = None
) -> Iterator[Event]:
    """Ask for listeners on sixty of the readings that ship, spread over all of them, and on the texts that listeners
    like. ``wanted``: names or descriptions; without any, all listeners that there are. Those that ship are measured
    together, and also where one of the user's own can't be judged without them. Raises what the engine, the readings
    and the files raise."""
    asker, sha256 = judge.listener_asker, judge.model.sha256
    readings = read_readings(models_dir() / "readings" / "readings.jsonl").texts
    texts = readings[:: max(1, len(readings) // LISTENER_TEXTS)][:LISTENER_TEXTS]
    asked = who(asker.audiences, wanted) if wanted else asker.audiences.listeners
    own = [each for each in asked if each.own]
    described = judge.listener_worths() is None and any(not each.likes for each in own)
    if not wanted or described or len(own) < len(asked):
        files.save((yield from asker.measure(sha256, texts, cancel)))
    if own:
        files.save_own(sha256, asker.version, (yield from asker.measure_own(texts, own, cancel)))
