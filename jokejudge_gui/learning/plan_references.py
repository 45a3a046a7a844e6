"""Can a model tell what a reader must know? Texts that an editor found to need knowledge, and others, tell: does it
name something in the former and nothing in the latter, and more so than capital letters do?"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Generator, Sequence

from ..engine.base import CancelToken
from ..errors import EngineError
from ..events import Event, Stage, StageProgress, StageStarted
from ..judging.asking.named_references import KNOWN
from ..judging.main_judge import MainJudge
from ..judging.plan.worth import ItemWorth, Worth
from ..judging.rating.references import INSIDER, find_references
from .editor_data import Readings
from .readable import TOO_MUCH

TEXTS, LEAST_TEXTS = 20, 12
"""Texts of each sort that are asked about, and how many it takes."""
_SEED = 1
_Z = 1.96


def reference_items(
    judge: MainJudge, readings: Readings, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """The item of the kind ``reference``; none where too few texts can be read. Raises ``Cancelled`` and what the
    engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    sorts = _sorts(readings)
    if min(map(len, sorts)) < LEAST_TEXTS:
        return ()
    total = sum(map(len, sorts))
    yield StageStarted(stage=Stage.FITTING, total=total)
    before, done = judge.engine.usage, 0
    asked: tuple[list[float], list[float]] = ([], [])
    read: tuple[list[float], list[float]] = ([], [])
    for sort, texts in enumerate(sorts):
        for text in texts:
            token.check()
            done += 1
            try:
                asked[sort].append(float(bool(judge.reference_asker.ask(text, _SEED, token))))
                read[sort].append(float(bool(find_references(text, judge.common_names))))
            except EngineError as error:
                if error.code not in TOO_MUCH:
                    raise
            yield StageProgress(stage=Stage.FITTING, done=done, total=total, note="asking what a reader must know")
    if min(map(len, asked)) < LEAST_TEXTS:
        return ()
    spent = judge.engine.usage - before
    gained = [[a - r for a, r in zip(*pair, strict=True)] for pair in zip(asked, read, strict=True)]
    item = ItemWorth(
        kind="reference", id=KNOWN, measured="auc", asked=_worth(*asked, 0.5), read=_worth(*read, 0.5),
        added=_worth(gained[0], gained[1], 0.0), tokens=spent.tokens_evaluated // max(1, len(asked[0]) + len(asked[1])),
        question=judge.questions.references,
    )  # fmt: skip
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
    mixed = sorted(range(len(readings)), key=lambda at: hashlib.sha256(readings.texts[at].encode()).digest())
    jokes = [at for at in mixed if readings.joke[at] >= 1]
    needed = [readings.texts[at] for at in jokes if readings.faults[at, column] >= 1]
    others = [readings.texts[at] for at in jokes if readings.faults[at, column] <= 0]
    return needed[:TEXTS], others[:TEXTS]
