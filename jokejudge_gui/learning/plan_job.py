"""Measures what asking a model adds to reading it: a sample of texts that an editor read is asked about, and the plan
is made of the answers. What was answered is kept, so that a stopped measurement goes on where it was."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from ..core.errors import EngineError, InputError
from ..core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ..core.files import atomic_write, parse_json
from ..core.statistics import Vector, wilson
from ..core.vote_sets import SHIPPED, Rated
from ..engine.base import CancelToken
from ..heads.editor import EditorReading
from ..judge.asking.questions import factor_ref
from ..judge.main_judge import MainJudge
from ..judge.plan.calibration import Calibration
from ..judge.plan.worth import LEAST_GAIN, ItemWorth, JoinWeights, Kind, Plan, PlanFiles, Worth, heads_key, read_plan
from ..judge.rating.category_classifier import standardise
from ..judge.rating.factor_scorer import FactorScorer
from ..judge.rating.tree import CORE
from .editor_data import Readings
from .kept_scans import TOO_MUCH
from .plan_fit import Apart, Section, section_worths

MOST_TEXTS, PART, LEAST_TEXTS = 160, 40, 80
"""Texts that are asked about at most, those after which the plan is made anew, and how many it takes to give up."""
_MOST_BYTES = 8 << 20
_CHECKS = ("intent", "completeness")
"""Checks whose answer the readers gave too."""
_OTHERS = 0.2
"""Share of the texts that aren't jokes, as far as there are such."""


class PlanMeasured(Event):
    """The plan is written, and as sure as it gets."""

    plan: Plan


@dataclass(frozen=True)
class _Answers:
    """One text's answers: log-odds of checks, log-probabilities of kinds' names, scores 0…5 (None: no answer), and what
    the two calls cost in tokens beyond the joke."""

    checks: dict[str, float]
    kinds: dict[str, float]
    factors: dict[str, float | None]
    tokens: tuple[int, int]


def measure_plan(
    judge: MainJudge,
    readings: Readings,
    files: PlanFiles,
    cache: Path,
    cancel: CancelToken | None = None,
    *,
    more: Sequence[ItemWorth] = (),
) -> Iterator[Event]:
    """Ask, measure, write the plan to the user's folder; the last event is ``PlanMeasured``. The judge must be
    calibrated for ratings; ``more``: items that were measured elsewhere. The plan is written after every ``PART``
    texts, so it serves before it is finished; it is finished when asking is seen to add nothing, or at ``MOST_TEXTS``.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``Cancelled``, ``SettingsError`` when it can't
    be written, and what the engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    order = _order(readings)
    total = min(MOST_TEXTS, len(order))
    yield StageStarted(stage=Stage.FITTING, total=total)
    kept = _Kept(cache / f"{judge.model.sha256[:16]}-plan.json", judge)
    apart = Apart(judge.reader.editor) if judge.reader.editor is not None else None
    places: list[int] = []
    answers: list[_Answers] = []
    read: list[EditorReading | None] = []
    plan = judge.plan
    for place in order[:total]:
        token.check()
        text = readings.texts[place]
        try:
            found = kept.of(text) or kept.keep(text, _ask(judge, text, token))
            reading = _read_apart(judge, apart, text, token)
        except EngineError as error:
            if error.code not in TOO_MUCH:
                raise
            continue
        places.append(place)
        answers.append(found)
        read.append(reading)
        yield StageProgress(
            stage=Stage.FITTING, done=len(places), total=total, note="asking about texts that an editor read"
        )
        if len(places) % PART == 0 and len(places) < total:
            kept.write()
            plan = _plan(judge, readings, places, answers, read, more)
            files.save(plan)
            if len(places) >= LEAST_TEXTS and _hopeless(plan):
                break
    if len(places) < PART:
        raise InputError(
            "E_FIT_FEW",
            f"The model could read {len(places)} of the texts: too few to tell what its answers are worth.",
            f"It takes at least {PART}; choose a model with a larger context.",
        )
    plan = _plan(judge, readings, places, answers, read, more)
    files.save(plan)
    kept.drop()
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield PlanMeasured(plan=plan)


def _order(readings: Readings) -> list[int]:
    """Texts in an order that nothing in them tells; those that aren't jokes come evenly among the others."""
    mixed = sorted(range(len(readings)), key=lambda place: hashlib.sha256(readings.texts[place].encode()).digest())
    jokes = [place for place in mixed if readings.joke[place] >= 0.5]
    others = [place for place in mixed if readings.joke[place] < 0.5]
    found: list[int] = []
    while jokes or others:
        due = len(found) * _OTHERS >= sum(readings.joke[place] < 0.5 for place in found) + 1
        found.append(others.pop(0) if others and (due or not jokes) else jokes.pop(0))
    return found


def _ask(judge: MainJudge, text: str, token: CancelToken) -> _Answers:
    measure, engine = judge.measure, judge.engine
    before = engine.usage
    reading = measure.reading(text, token)
    between = engine.usage
    refs = [factor_ref(id, judge.criteria) for id in _known_factors(judge)]
    scores = FactorScorer(measure, judge.calibration).score(text, refs, {}, token)
    after = engine.usage
    return _Answers(
        checks={id: odds.value for id, odds in reading.checks.items()},
        kinds=dict(reading.categories),
        factors={score.id: score.expected for score in scores},
        tokens=(
            between.tokens_evaluated - before.tokens_evaluated,
            after.tokens_evaluated - between.tokens_evaluated,
        ),
    )


def _known_factors(judge: MainJudge) -> list[str]:
    """What the readers scored, in the meaning that they scored it in."""
    there = {factor.id for factor in judge.criteria.factors} - set(judge.criteria.unread.get("factor", ()))
    return [id for id in CORE if id in there]


def _read_apart(judge: MainJudge, apart: Apart | None, text: str, token: CancelToken) -> EditorReading | None:
    if apart is None or judge.reader.editor is None:
        return None
    scan = judge.engine.scan(text, token)
    return judge.reader.editor.read(scan.states, text, scan.spans, scan.logprobs, unlearn=apart)


def _plan(
    judge: MainJudge,
    readings: Readings,
    places: Sequence[int],
    answers: Sequence[_Answers],
    read: Sequence[EditorReading | None],
    more: Sequence[ItemWorth],
) -> Plan:
    base = read_plan(judge.model.sha256, judge.editor_card)
    some = readings.keep(np.array(places, dtype=np.int64))
    sections = [_checks(judge, some, answers, read), _kinds(judge, some, answers, read)]
    sections.append(_factors(judge, some, answers, read))
    found: list[ItemWorth] = []
    for section in sections:
        card: dict[str, Worth] = {
            item.id: item.read for item in base.items if item.kind == section.kind and item.read is not None
        }
        found += section_worths(section, card)
    known = {(item.kind, item.id) for item in found}
    rest = [item for item in base.items if (item.kind, item.id) not in known]
    return Plan(
        model_sha256=judge.model.sha256,
        heads=heads_key(judge.editor_card),
        texts=len(places),
        items=(*found, *rest, *more),
    )


def _checks(
    judge: MainJudge, some: Readings, answers: Sequence[_Answers], read: Sequence[EditorReading | None]
) -> Section:
    ids = tuple(id for id in _CHECKS if all(id in each.checks for each in answers))
    known = {"intent": some.joke, "completeness": some.complete}
    found = None
    if all(each is not None for each in read):
        of = {"intent": lambda each: each.joke, "completeness": lambda each: each.complete}
        found = _table([[of[id](each) for id in ids] for each in read], len(ids))
    keys = judge.questions.checks
    tokens = max(0, round(_mean([each.tokens[0] for each in answers]) / 2))
    share = max(1, len(judge.criteria.template.checks))
    return Section(
        kind="check",
        ids=ids,
        asked=_table([[each.checks[id] for id in ids] for each in answers], len(ids)),
        read=found,
        known=np.stack([known[id] for id in ids], axis=1) if ids else np.zeros((len(answers), 0)),
        tokens=tuple(tokens // share for _ in ids),
        questions=tuple(keys.get(id, "") for id in ids),
    )


def _kinds(
    judge: MainJudge, some: Readings, answers: Sequence[_Answers], read: Sequence[EditorReading | None]
) -> Section:
    reworded = judge.criteria.unread.get("kind", ())
    there = [kind.id for kind in judge.criteria.categories if kind.id not in reworded]
    heads = judge.reader.editor
    learned = some.kind_ids if heads is None else tuple(id for id in some.kind_ids if id in heads.kinds)
    ids = tuple(id for id in there if id in learned and all(id in each.kinds for each in answers))
    z = [standardise(each.kinds, judge.calibration.categories) for each in answers]
    found = None
    if all(each is not None and set(ids) <= set(each.kinds) for each in read):
        found = _table([[_odds(each.kinds[id]) for id in ids] for each in read if each is not None], len(ids))
    tokens = max(0, round(_mean([each.tokens[0] for each in answers]) / 2))
    columns = [some.kind_ids.index(id) for id in ids]
    return Section(
        kind="kind",
        ids=ids,
        asked=_table([[row[id] for id in ids] for row in z], len(ids)),
        read=found,
        known=(some.kinds[:, columns] >= 0.5).astype(np.float64),
        tokens=tuple(-(-tokens // max(1, len(ids))) for _ in ids),
        questions=tuple(judge.questions.categories.get(id, "") for id in ids),
    )


def _factors(
    judge: MainJudge, some: Readings, answers: Sequence[_Answers], read: Sequence[EditorReading | None]
) -> Section:
    heads = judge.reader.editor
    learned = CORE if heads is None else heads.factors
    ids = tuple(id for id in _known_factors(judge) if id in learned and all(id in each.factors for each in answers))
    jokes = np.flatnonzero(some.joke == 1.0)
    asked = _table([[_number(each.factors[id]) for id in ids] for each in answers], len(ids))
    found = None
    if all(each is not None and set(ids) <= set(each.factors) for each in read):
        found = _table([[each.factors[id].expected for id in ids] for each in read if each is not None], len(ids))
    tokens = max(0, round(_mean([each.tokens[1] for each in answers])))
    return Section(
        kind="factor",
        ids=ids,
        asked=asked[jokes],
        read=found[jokes] if found is not None else None,
        known=some.factors[jokes][:, [CORE.index(id) for id in ids]],
        tokens=tuple(-(-tokens // max(1, len(ids))) for _ in ids),
        questions=tuple(judge.questions.scores.get(id, "") for id in ids),
    )


def _hopeless(plan: Plan) -> bool:
    """Whether asking is seen to add too little anywhere."""
    added = [item.added for item in plan.items if item.added is not None and item.kind in ("factor", "kind", "check")]
    kinds: tuple[Kind, ...] = ("factor", "kind", "check")
    means = []
    for kind in kinds:
        mine = [
            item.added.value for item in plan.items if (item.kind, item.added is None) == (kind, False) and item.added
        ]
        if mine:
            means.append(math.fsum(mine) / len(mine))
    return not any(worth.low > 0 and worth.value >= LEAST_GAIN for worth in added) and all(
        m < LEAST_GAIN for m in means
    )


def _table(rows: Sequence[Sequence[float]], columns: int) -> Vector:
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


def _number(value: float | None) -> float:
    return math.nan if value is None else value


def _odds(p: float) -> float:
    return math.log(max(p, 1e-6) / max(1.0 - p, 1e-6))


def _mean(values: Sequence[int]) -> float:
    return math.fsum(values) / len(values) if values else 0.0


class _Kept:
    """Answers that were given, in a file, by text; those of other questions or another calibration aren't used."""

    def __init__(self, path: Path, judge: MainJudge) -> None:
        self._path = path
        self._asked = _questions(judge.questions.model_dump_json(), judge.calibration)
        self._rows: dict[str, _Answers] = {}
        try:
            data: Any = parse_json(path.read_bytes()) if path.stat().st_size <= _MOST_BYTES else None
            if isinstance(data, dict) and data.get("asked") == self._asked:
                self._rows = {key: _answers(row) for key, row in data["texts"].items()}
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            self._rows = {}

    def of(self, text: str) -> _Answers | None:
        return self._rows.get(_digest(text))

    def keep(self, text: str, answers: _Answers) -> _Answers:
        """Kept on disk from every tenth text on, so that little is lost when the program ends."""
        self._rows[_digest(text)] = answers
        if len(self._rows) % 10 == 0:
            self.write()
        return answers

    def write(self) -> None:
        rows = {key: vars(row) for key, row in self._rows.items()}
        self._path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(self._path, json.dumps({"asked": self._asked, "texts": rows}) + "\n")

    def drop(self) -> None:
        self._path.unlink(missing_ok=True)


def _answers(row: dict[str, Any]) -> _Answers:
    first, second = row["tokens"]
    found = _Answers(
        checks={str(id): float(value) for id, value in row["checks"].items()},
        kinds={str(id): float(value) for id, value in row["kinds"].items()},
        factors={str(id): None if value is None else float(value) for id, value in row["factors"].items()},
        tokens=(int(first), int(second)),
    )
    numbers = [*found.checks.values(), *found.kinds.values(), *(v for v in found.factors.values() if v is not None)]
    if not all(math.isfinite(value) for value in numbers):
        raise ValueError("an answer isn't finite")
    return found


def _questions(keys: str, calibration: Calibration) -> str:
    return _digest(f"{keys}{calibration.model_dump_json()}")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


# --------------------------------------------------------------------------------------------------------------------
# What a model's own answers in duels are worth: asked about pairs whose better joke people named.

PAIRS = 80
LEAST_PAIRS = 40
KINDS = ("mechanics", SHIPPED)
"""What audience heads' cards call the kind of text that the shipped votes are about: of shipped heads, of own ones."""
_FOLDS = 5
_PRECISION = 4.0
"""One over the variance of a weight's prior, which lies at 0."""
_LEAST_SD = 0.2
_MOST_DUEL_BYTES = 1 << 20


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
    kept = _KeptDuels(cache / f"{judge.model.sha256[:16]}-duels.json", judge)
    rows: list[tuple[float, float]] = []
    for number, pair in enumerate(pairs, start=1):
        token.check()
        try:
            rows.append(kept.of(pair) or kept.keep(pair, _ask_duels(judge, pair, token)))
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


def _ask_duels(judge: MainJudge, pair: _Pair, token: CancelToken) -> tuple[float, float]:
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


class _KeptDuels:
    """Answers that were given, in a file; those of other questions aren't used."""

    def __init__(self, path: Path, judge: MainJudge) -> None:
        self._path = path
        calibration = judge.calibration
        self._asked = _digest(f"{judge.questions.duel}{calibration.alone_form}{calibration.duel}")
        self._rows: dict[str, tuple[float, float]] = {}
        try:
            data: Any = parse_json(path.read_bytes()) if path.stat().st_size <= _MOST_DUEL_BYTES else None
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
