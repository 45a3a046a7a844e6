"""The prose test: whether a model's own sentences about a joke are good enough to be shown, measured on thirty jokes
that an editor read.

Sentences are kept, so that a stopped test continues where it was."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field, TypeAdapter

from ..core.events import Event, Stage, StageStarted
from ..core.statistics import wilson
from ..engine.base import CancelToken
from ..judge.asking.worth import EXPLANATION, ItemWorth, Worth, figures
from ..judge.main_judge import MainJudge
from ..judge.rating.tree import CORE
from .editor_data import Readings
from .jobs import ResultCache, ask_each, digest, kept_path, mixed

TEXTS, LEAST_TEXTS = 30, 20
_SEED = 1
_SENTENCES: TypeAdapter[tuple[str, ...]] = TypeAdapter(Annotated[tuple[str, ...], Field(min_length=3, max_length=3)])


@dataclass(frozen=True)
class _Case:
    """A joke with the reader's labels: the words on which it turns, its strongest and its weakest factor."""

    text: str
    turn: str
    strongest: str
    weakest: str


def prose_items(
    judge: MainJudge, readings: Readings, cache: Path, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Let the model write about jokes that an editor read, and return the item of the kind ``prose``; none where too
    few can be read. Raises ``Cancelled`` and what the engine raises, except that a joke too long for the model is left
    out."""
    token = cancel or CancelToken()
    cases = _cases(judge, readings)
    yield StageStarted(stage=Stage.FITTING, total=len(cases))
    kept = ResultCache(kept_path(cache, judge.model.sha256, "prose"), digest(judge.questions.prose))
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
    """Return complete jokes that contain their turn, in an order independent of their content."""
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
