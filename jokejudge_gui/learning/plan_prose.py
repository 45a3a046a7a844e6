"""The prose test: are a model's own sentences about a joke worth showing? Thirty jokes that an editor read tell.

What was written is kept, so that a stopped test goes on where it was."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..engine.base import CancelToken
from ..errors import EngineError
from ..events import Event, Stage, StageProgress, StageStarted
from ..files import atomic_write, parse_json
from ..judging.main_judge import MainJudge
from ..judging.plan.made import EXPLANATION
from ..judging.plan.prose import figures
from ..judging.plan.worth import ItemWorth, Worth
from ..statistics import wilson
from .editor_data import CORE, Readings
from .readable import TOO_MUCH

TEXTS, LEAST_TEXTS = 30, 20
_SEED = 1
_MOST_BYTES = 1 << 20


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
    kept = _Kept(cache / f"{judge.model.sha256[:16]}-prose.json", judge.questions.prose)
    explainer = judge.explainer(_SEED)
    rows: list[tuple[str, str, tuple[str, ...]]] = []
    for number, case in enumerate(cases, start=1):
        token.check()
        try:
            said = kept.of(case.text)
            if said is None:
                said = kept.keep(case.text, explainer.sentences(case.text, case.strongest, case.weakest, token))
            rows.append((case.text, case.turn, said))
        except EngineError as error:
            if error.code not in TOO_MUCH:
                raise
        yield StageProgress(
            stage=Stage.FITTING, done=number, total=len(cases), note="letting it write about jokes that an editor read"
        )
    if len(rows) < LEAST_TEXTS:
        return ()
    found = figures(rows)
    low, high = wilson(found.turn * found.texts, found.texts)
    share = Worth(value=found.turn, low=min(found.turn, low), high=max(found.turn, high), n=found.texts)
    item = ItemWorth(
        kind="prose", id=EXPLANATION, measured="share", asked=share, question=judge.questions.prose, prose=found
    )
    return (item,)


def forget_prose(cache: Path, sha256: str) -> None:
    """Delete the sentences that were kept: the plan is whole."""
    (cache / f"{sha256[:16]}-prose.json").unlink(missing_ok=True)


def _cases(judge: MainJudge, readings: Readings) -> list[_Case]:
    """Whole jokes whose turn stands in them, in an order that nothing in them tells."""
    names = {factor.id: factor.name.lower() for factor in judge.criteria.factors}
    found = []
    for place in sorted(range(len(readings)), key=lambda at: hashlib.sha256(readings.texts[at].encode()).digest()):
        text, turns = readings.texts[place], readings.turns[place]
        turn = next((turn for turn in turns if turn.lower() in text.lower()), "")
        if not turn or readings.joke[place] < 1 or readings.complete[place] < 1:
            continue
        ranked = sorted(range(len(CORE)), key=lambda at: (-readings.factors[place, at], at))
        strongest, weakest = (names.get(CORE[at], CORE[at]) for at in (ranked[0], ranked[-1]))
        found.append(_Case(text, turn, strongest, weakest))
    return found[:TEXTS]


class _Kept:
    """Sentences that were written, in a file, by text; those of another prompt aren't used."""

    def __init__(self, path: Path, asked: str) -> None:
        self._path, self._asked = path, asked
        self._rows: dict[str, tuple[str, ...]] = {}
        try:
            data: Any = parse_json(path.read_bytes()) if path.stat().st_size <= _MOST_BYTES else None
            if isinstance(data, dict) and data.get("asked") == asked:
                rows = {str(key): tuple(map(str, row)) for key, row in data["texts"].items()}
                self._rows = {key: row for key, row in rows.items() if len(row) == 3}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._rows = {}

    def of(self, text: str) -> tuple[str, ...] | None:
        return self._rows.get(_digest(text))

    def keep(self, text: str, said: tuple[str, ...]) -> tuple[str, ...]:
        self._rows[_digest(text)] = said
        self._path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self._path, json.dumps({"asked": self._asked, "texts": self._rows}) + "\n")
        return said


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
