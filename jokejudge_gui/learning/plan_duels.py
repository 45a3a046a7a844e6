"""What a model's own answers in duels are worth: asked about pairs whose better joke people named."""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..engine.base import CancelToken
from ..errors import EngineError
from ..events import Event, Stage, StageProgress, StageStarted
from ..files import atomic_write, parse_json
from ..judging.main_judge import MainJudge
from ..judging.plan.worth import ItemWorth, JoinWeights, Worth
from ..statistics import Vector, wilson
from ..vote_sets import SHIPPED, Rated
from .readable import TOO_MUCH

PAIRS = 80
LEAST_PAIRS = 40
KINDS = ("mechanics", SHIPPED)
"""What audience heads' cards call the kind of text that the shipped votes are about: of shipped heads, of own ones."""
_FOLDS = 5
_PRECISION = 4.0
"""One over the variance of a weight's prior, which lies at 0."""
_LEAST_SD = 0.2
_MOST_BYTES = 1 << 20


@dataclass(frozen=True)
class _Pair:
    better: str
    worse: str


def duel_items(
    judge: MainJudge, rated: Sequence[Rated], cache: Path, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Ask about pairs, and return the items ``pair`` and ``alone``; none where too few pairs can be read. The judge
    must be calibrated for duels. Raises ``Cancelled`` and what the engine raises, except that a pair too long for the
    model is left out."""
    token = cancel or CancelToken()
    pairs = _pairs(rated)
    yield StageStarted(stage=Stage.FITTING, total=len(pairs))
    kept = _Kept(cache / f"{judge.model.sha256[:16]}-duels.json", judge)
    rows: list[tuple[float, float]] = []
    for number, pair in enumerate(pairs, start=1):
        token.check()
        try:
            rows.append(kept.of(pair) or kept.keep(pair, _ask(judge, pair, token)))
        except EngineError as error:
            if error.code not in TOO_MUCH:
                raise
        yield StageProgress(
            stage=Stage.FITTING, done=number, total=len(pairs), note="asking which of two jokes is the funnier one"
        )
    kept.write()
    return _items(judge, rows) if len(rows) >= LEAST_PAIRS else ()


def _pairs(rated: Sequence[Rated]) -> list[_Pair]:
    """Pairs that share no text, in an order that nothing in the texts tells."""
    mixed = sorted(rated, key=lambda row: hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).digest())
    found: list[_Pair] = []
    for one, other in zip(mixed[::2], mixed[1::2], strict=False):
        if one.value != other.value and one.text != other.text and len(found) < PAIRS:
            better, worse = (one, other) if one.value > other.value else (other, one)
            found.append(_Pair(better.text, worse.text))
    return found


def _ask(judge: MainJudge, pair: _Pair, token: CancelToken) -> tuple[float, float]:
    """Log-odds that the better one is the better one: from the pair in both orders, and from each joke alone."""
    first, second = sorted((pair.better, pair.worse))
    one, other = judge.measure.pair(first, second, token)
    alone_one, alone_other = judge.measure.alone((first, second), token)
    sign = 1.0 if first == pair.better else -1.0
    return sign * 0.5 * (one.value - other.value), sign * (alone_one.value - alone_other.value)


def _items(judge: MainJudge, rows: Sequence[tuple[float, float]]) -> tuple[ItemWorth, ...]:
    known = judge.calibration.duel
    least = max(_LEAST_SD, judge.calibration.noise_floor.odds)
    spreads = (max(known.sd_pair, least), max(known.sd_alone, least)) if known else (1.0, 1.0)
    x = np.array(rows, dtype=np.float64) / np.array(spreads)
    folds = np.arange(len(x)) % _FOLDS
    joined = np.zeros(len(x))
    for fold in range(_FOLDS):
        joined[folds == fold] = x[folds == fold] @ _weights(x[folds != fold])
    weights = _weights(x)
    whole = _share(joined)
    known_ears = judge.reader.ears.known if judge.head is not None else {}
    ear = next((known_ears[kind] for kind in KINDS if kind in known_ears), None)
    read = None
    if ear is not None:
        low = ear.agreement if ear.low is None else min(ear.low, ear.agreement)
        read = Worth(value=ear.agreement, low=low, high=ear.agreement, n=0)
    base = read.value if read is not None else 0.5
    # The audience head may have learned from these very votes, so its own share is taken from its card.
    added = Worth(value=whole.value - base, low=whole.low - base, high=whole.high - base, n=whole.n)
    return tuple(
        ItemWorth(
            kind="duel",
            id=id,
            measured="share",
            asked=whole,
            read=read,
            added=added,
            weights=JoinWeights(asked=float(weights[place]), read=0.5 if read is not None else 0.0),
            question=judge.questions.duel,
        )
        for place, id in enumerate(("pair", "alone"))
    )


def _weights(x: Vector) -> Vector:
    """(2,): weights ≥ 0 that make the sum the likeliest log-odds of the better joke, all rows being wins."""
    found = np.zeros(x.shape[1])
    free = np.ones(x.shape[1], dtype=bool)
    for _ in range(100):
        p = 1.0 / (1.0 + np.exp(-np.clip(x @ found, -30.0, 30.0)))
        slope = x.T @ (1.0 - p) - _PRECISION * found
        curve = (x * (p * (1.0 - p))[:, None]).T @ x + _PRECISION * np.eye(x.shape[1])
        step = np.zeros_like(found)
        step[free] = np.linalg.solve(curve[np.ix_(free, free)], slope[free])
        found = found + step
        if (found < 0).any():
            free &= found >= 0
            found = np.where(free, found, 0.0)
        elif float(np.abs(step).max()) < 1e-9:
            break
    return found


def _share(odds: Vector) -> Worth:
    right = float((odds > 0).sum()) + 0.5 * float((odds == 0).sum())
    low, high = wilson(right, len(odds))
    value = round(right / len(odds), 4)
    return Worth(value=value, low=min(value, round(low, 4)), high=max(value, round(high, 4)), n=len(odds))


class _Kept:
    """Answers that were given, in a file; those of other questions aren't used."""

    def __init__(self, path: Path, judge: MainJudge) -> None:
        self._path = path
        calibration = judge.calibration
        self._asked = _digest(f"{judge.questions.duel}{calibration.alone_form}{calibration.duel}")
        self._rows: dict[str, tuple[float, float]] = {}
        try:
            data: Any = parse_json(path.read_bytes()) if path.stat().st_size <= _MOST_BYTES else None
            if isinstance(data, dict) and data.get("asked") == self._asked:
                rows = {str(key): (float(one), float(two)) for key, (one, two) in data["pairs"].items()}
                self._rows = {key: row for key, row in rows.items() if all(map(math.isfinite, row))}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._rows = {}

    def of(self, pair: _Pair) -> tuple[float, float] | None:
        return self._rows.get(_digest(f"{pair.better}\0{pair.worse}"))

    def keep(self, pair: _Pair, row: tuple[float, float]) -> tuple[float, float]:
        self._rows[_digest(f"{pair.better}\0{pair.worse}")] = row
        if len(self._rows) % 10 == 0:
            self.write()
        return row

    def write(self) -> None:
        """The answers are kept until the plan is whole: see ``forget_duels``."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self._path, json.dumps({"asked": self._asked, "pairs": self._rows}) + "\n")


def forget_duels(cache: Path, sha256: str) -> None:
    """Delete the answers that were kept: the plan is whole."""
    (cache / f"{sha256[:16]}-duels.json").unlink(missing_ok=True)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
