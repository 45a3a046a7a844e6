"""Measures the gain from asking a model besides reading its states: the model is asked about a sample of texts that an
editor read, and the plan is made from the answers. Answers are kept, so that a stopped measurement continues where it
was."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as checked

from ..core.events import Event, Stage, StageFinished, StageStarted
from ..core.statistics import Vector, logit, sigmoid, wilson
from ..core.vote_sets import SHIPPED, Rated
from ..engine.base import CancelToken
from ..heads.editor import EditorReading
from ..heads.files import share_of
from ..judge.asking.measured import MeasuredFiles
from ..judge.asking.questions import factor_ref
from ..judge.asking.sense import SENSE_QUESTIONS
from ..judge.asking.worth import LEAST_GAIN, ItemWorth, JoinWeights, Kind, Plan, Worth, heads_key, read_plan
from ..judge.main_judge import MainJudge
from ..judge.rating.scores import score_factors, standardise
from ..judge.rating.tree import CORE
from .editor_data import Readings
from .jobs import ResultCache, ask_each, digest, kept_path, mixed, too_few
from .plan_fit import HeldOutHeads, Section, section_worths
from .ridge import likeliest
from .sense_fit import SenseItem
from .sense_job import items_of, load_families

MOST_TEXTS, PART, LEAST_TEXTS = 160, 40, 80
"""Most texts that are asked about, number after which the plan is updated, and least number for giving up."""
_CHECKS = {"intent": "joke", "completeness": "complete"}
"""The checks that the readers answered too, with their names for them."""
_OTHERS = 0.2
"""Share of texts that aren't jokes, as far as available."""


class PlanMeasured(Event):
    """The plan is written and final."""

    plan: Plan


@checked(frozen=True)
class _Answers:
    """One text's answers: log-odds of checks, log-probabilities of kinds' names, scores 0…5 (None: no answer), and the
    cost of the two calls in tokens beyond the joke."""

    checks: dict[str, float]
    kinds: dict[str, float]
    factors: dict[str, float | None]
    tokens: tuple[int, int]


_Row = tuple[_Answers, EditorReading | None]
_ANSWERS = TypeAdapter(_Answers)


def measure_plan(
    judge: MainJudge,
    readings: Readings,
    files: MeasuredFiles,
    cache: Path,
    cancel: CancelToken | None = None,
    *,
    more: Sequence[ItemWorth] = (),
) -> Iterator[Event]:
    """Ask, measure, write the plan to the user's folder; the last event is ``PlanMeasured``. The judge must be
    calibrated for ratings; ``more``: items that were measured elsewhere. The plan is written after every ``PART``
    texts, so it can be used before it is final; it is final when asking clearly has no gain, or at ``MOST_TEXTS``.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``Cancelled``, ``SettingsError`` when it can't
    be written, and what the engine raises, except that a text too long for the model is left out."""
    token = cancel or CancelToken()
    began = time.monotonic()
    order = _order(readings)
    total = min(MOST_TEXTS, len(order))
    yield StageStarted(stage=Stage.FITTING, total=total)
    asked = digest(f"{judge.questions.model_dump_json()}{judge.calibration.model_dump_json()}")
    kept = ResultCache(kept_path(cache, judge.model.sha256, "plan"), asked)
    apart = HeldOutHeads(judge.reader.editor) if judge.reader.editor is not None else None

    def ask(place: int) -> _Row:
        text = readings.texts[place]
        answers = kept.get(digest(text), _ANSWERS, lambda: _ask(judge, text, token))
        if apart is None or judge.reader.editor is None:
            return answers, None
        scan = judge.engine.scan(text, token)
        return answers, judge.reader.editor.read(scan.states, text, scan.spans, scan.logprobs, unlearn=apart)

    def save(found: list[tuple[int, _Row]]) -> Plan:
        plan = _plan(judge, readings, found, more)
        files.save_plan(plan)
        return plan

    def settled(found: list[tuple[int, _Row]]) -> bool:
        return len(found) % PART == 0 and _hopeless(save(found)) and len(found) >= LEAST_TEXTS

    found = yield from ask_each(order, ask, "asking about texts that an editor read", total, token, settled)
    if len(found) < PART:
        raise too_few(f"{len(found)} of the texts", "tell what its answers are worth", PART)
    plan = save(found)
    kept.drop()
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield PlanMeasured(plan=plan)


def _order(readings: Readings) -> list[int]:
    """Return the texts in an order independent of their content, with those that aren't jokes evenly among the
    others."""
    places = mixed(readings.texts)
    jokes = [place for place in places if readings.joke[place] >= 0.5]
    others = [place for place in places if readings.joke[place] < 0.5]
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
    scores = score_factors(judge, text, refs, token)
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
    """Return the factors that the readers scored and whose meaning hasn't changed since."""
    there = {factor.id for factor in judge.criteria.factors} - set(judge.criteria.unread.get("factor", ()))
    return [id for id in CORE if id in there]


def _plan(judge: MainJudge, readings: Readings, asked: Sequence[tuple[int, _Row]], more: Sequence[ItemWorth]) -> Plan:
    base = read_plan(judge.model.sha256, judge.editor_card)
    some = readings.keep(np.array([place for place, _ in asked], dtype=np.int64))
    rows = [row for _, row in asked]
    found: list[ItemWorth] = []
    for section in (_checks(judge, some, rows), _kinds(judge, some, rows), _factors(judge, some, rows)):
        card = {item.id: item.read for item in base.items if item.kind == section.kind and item.read is not None}
        found += section_worths(section, card)
    known = {(item.kind, item.id) for item in found}
    rest = [item for item in base.items if (item.kind, item.id) not in known]
    return Plan(
        model_sha256=judge.model.sha256,
        heads=heads_key(judge.editor_card),
        texts=len(asked),
        items=(*found, *rest, *more),
    )


def _checks(judge: MainJudge, some: Readings, rows: Sequence[_Row]) -> Section:
    ids = tuple(id for id in _CHECKS if all(id in each.checks for each, _ in rows))
    known = [getattr(some, _CHECKS[id]) for id in ids]
    tokens = _tokens(rows, 0, 2) // max(1, len(judge.criteria.template.checks))
    return Section(
        kind="check",
        ids=ids,
        asked=_table([[each.checks[id] for id in ids] for each, _ in rows], len(ids)),
        read=_read(rows, ids, lambda read: {id: getattr(read, name) for id, name in _CHECKS.items()}),
        known=np.stack(known, axis=1) if ids else np.zeros((len(rows), 0)),
        tokens=(tokens,) * len(ids),
        questions=tuple(judge.questions.checks.get(id, "") for id in ids),
    )


def _kinds(judge: MainJudge, some: Readings, rows: Sequence[_Row]) -> Section:
    reworded = judge.criteria.unread.get("kind", ())
    heads = judge.reader.editor
    learned = {id for id in some.kind_ids if heads is None or id in heads.kinds} - set(reworded)
    ids = tuple(
        kind.id for kind in judge.criteria.categories
        if kind.id in learned and all(kind.id in each.kinds for each, _ in rows)
    )  # fmt: skip
    z = [standardise(each.kinds, judge.calibration.categories) for each, _ in rows]
    columns = [some.kind_ids.index(id) for id in ids]
    return Section(
        kind="kind",
        ids=ids,
        asked=_table([[row[id] for id in ids] for row in z], len(ids)),
        read=_read(rows, ids, lambda read: {id: logit(p) for id, p in read.kinds.items()}),
        known=(some.kinds[:, columns] >= 0.5).astype(np.float64),
        tokens=(-(-_tokens(rows, 0, 2) // max(1, len(ids))),) * len(ids),
        questions=tuple(judge.questions.categories.get(id, "") for id in ids),
    )


def _factors(judge: MainJudge, some: Readings, rows: Sequence[_Row]) -> Section:
    heads = judge.reader.editor
    learned = CORE if heads is None else heads.factors
    ids = tuple(id for id in _known_factors(judge) if id in learned and all(id in each.factors for each, _ in rows))
    jokes = np.flatnonzero(some.joke == 1.0)
    scores = [[math.nan if (score := each.factors[id]) is None else score for id in ids] for each, _ in rows]
    found = _read(rows, ids, lambda read: {id: factor.expected for id, factor in read.factors.items()})
    return Section(
        kind="factor",
        ids=ids,
        asked=_table(scores, len(ids))[jokes],
        read=found[jokes] if found is not None else None,
        known=some.factors[jokes][:, [CORE.index(id) for id in ids]],
        tokens=(-(-_tokens(rows, 1) // max(1, len(ids))),) * len(ids),
        questions=tuple(judge.questions.scores.get(id, "") for id in ids),
    )


def _read(
    rows: Sequence[_Row], ids: Sequence[str], numbers: Callable[[EditorReading], dict[str, float]]
) -> Vector | None:
    """Return (texts, ids), the heads' readings; None where they lack one."""
    found = [numbers(read) for _, read in rows if read is not None]
    if len(found) < len(rows) or not all(set(ids) <= set(each) for each in found):
        return None
    return _table([[each[id] for id in ids] for each in found], len(ids))


def _tokens(rows: Sequence[_Row], call: int, share: int = 1) -> int:
    """Return the mean cost in tokens of one ``share`` of a call."""
    return max(0, round(math.fsum(each.tokens[call] for each, _ in rows) / len(rows) / share)) if rows else 0


def _hopeless(plan: Plan) -> bool:
    """Whether asking clearly has too small a gain everywhere."""
    kinds: tuple[Kind, ...] = ("factor", "kind", "check")
    of = [[item.added for item in plan.items if item.kind == kind and item.added is not None] for kind in kinds]
    means = [math.fsum(worth.value for worth in added) / len(added) for added in of if added]
    sure = any(worth.low > 0 and worth.value >= LEAST_GAIN for added in of for worth in added)
    return not sure and all(mean < LEAST_GAIN for mean in means)


def _table(rows: Sequence[Sequence[float]], columns: int) -> Vector:
    return np.array(rows, dtype=np.float64).reshape(len(rows), columns)


# --------------------------------------------------------------------------------------------------------------------
# The value of a model's own answers in duels: asked about pairs whose better joke is known from people's ratings.

PAIRS = 80
LEAST_PAIRS = 40
KINDS = ("mechanics", SHIPPED)
"""The audience heads' names for the kind of text in the shipped votes: in shipped heads, in the user's own."""
_FOLDS = 5
_PRECISION = 4.0
"""Precision (1 / variance) of the prior of a weight, with the mean 0."""
_LEAST_SD = 0.2
_ODDS = TypeAdapter(tuple[float, float])


def duel_items(
    judge: MainJudge, rated: Sequence[Rated], cache: Path, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Ask about pairs, and return the items ``pair`` and ``alone``; none where too few pairs can be read. The judge
    must be calibrated for duels. Raises ``Cancelled`` and what the engine raises, except that a pair too long for the
    model is left out."""
    token = cancel or CancelToken()
    calibration = judge.calibration
    pairs = _pairs(rated)
    yield StageStarted(stage=Stage.FITTING, total=len(pairs))
    asked = digest(f"{judge.questions.duel}{calibration.duel}")
    kept = ResultCache(kept_path(cache, judge.model.sha256, "duels"), asked)

    def ask(pair: tuple[str, str]) -> tuple[float, float]:
        return kept.get(digest("\0".join(pair)), _ODDS, lambda: _ask_duels(judge, pair, token))

    note = "asking which of two jokes is the funnier one"
    rows = yield from ask_each(pairs, ask, note, len(pairs), token)
    return _items(judge, [row for _, row in rows]) if len(rows) >= LEAST_PAIRS else ()


def _pairs(rated: Sequence[Rated]) -> list[tuple[str, str]]:
    """Return pairs that share no text, the better one first, in an order independent of their content."""
    order = [rated[place] for place in mixed([row.text for row in rated])]
    found = [
        (one.text, other.text) if one.value > other.value else (other.text, one.text)
        for one, other in zip(order[::2], order[1::2], strict=False)
        if one.value != other.value and one.text != other.text
    ]
    return found[:PAIRS]


def _ask_duels(judge: MainJudge, pair: tuple[str, str], token: CancelToken) -> tuple[float, float]:
    """Return the log-odds of the better joke: from the pair in both orders, and from each joke alone."""
    first, second = sorted(pair)
    one, other = judge.measure.pair((first, second), token)
    alone_one, alone_other = judge.measure.alone((first, second), token)
    sign = 1.0 if first == pair[0] else -1.0
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
    by_kind = judge.reader.agreements.known if judge.head is not None else {}
    kind = next((by_kind[name] for name in KINDS if name in by_kind), None)
    read = None
    if kind is not None:
        low = kind.agreement if kind.low is None else min(kind.low, kind.agreement)
        read = Worth(value=kind.agreement, low=low, high=kind.agreement, n=0)
    base = read.value if read is not None else 0.5
    # The audience head may have been trained on these votes, so its own share is taken from its card.
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
    """Return (2,): weights ≥ 0 that make the sum the best-fitting log-odds of the better joke, all rows being wins."""
    free = np.ones(x.shape[1], dtype=bool)
    while free.any():
        found = np.zeros(len(free))
        found[free] = likeliest(x[:, free], np.ones(len(x)), np.full(free.sum(), _PRECISION))
        if (found >= 0).all():
            return found
        free &= found >= 0
    return np.zeros(len(free))


def _share(odds: Vector) -> Worth:
    right = float((odds > 0).sum()) + 0.5 * float((odds == 0).sum())
    low, high = wilson(right, len(odds))
    value = round(right / len(odds), 4)
    return Worth(value=value, low=min(value, round(low, 4)), high=max(value, round(high, 4)), n=len(odds))


# --------------------------------------------------------------------------------------------------------------------
# The value of a model's own answers about sense: asked about families of texts around one joke.

SENSE_FAMILIES = 24
_SORTS = ("best", "equal", "other_end", "torso", "plain", "flat", "wrong_end", "nonsense")
_NONE_TURNS = (0.02, 0.15)
"""Share of jokes that may wrongly be reported as having no turn, and the greatest probability for that report."""
_SENSE_ODDS = TypeAdapter(dict[str, float])
_COST = "tokens"
"""The key of the answers' cost, beside the answers about a text."""


def sense_items(
    judge: MainJudge, families: Path, read: Worth | None, cache: Path, cancel: CancelToken | None = None
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Ask about texts that work as jokes and texts that only look like it, and return an item for each question; none
    where too few can be read. ``read``: area under the curve of the model's heads for sense, jokes against plain texts
    and flat ends of writers that they weren't trained on, None without heads. They were trained on these very texts, so
    answers, whose texts include foreign ends and nonsense, must exceed that area, and aren't summed with readings.
    Raises ``ModelError``, ``CriteriaError``, ``Cancelled`` and what the engine raises, except that a text too long for
    the model is left out."""
    token = cancel or CancelToken()
    asker, texts = judge.sense_asker, _sense_texts(families)
    kept = ResultCache(kept_path(cache, judge.model.sha256, "sense"), digest(asker.key))

    def answers(text: str) -> dict[str, float]:
        before = judge.engine.usage.tokens_evaluated
        odds = asker.odds(text, cancel=token)
        return {**odds, _COST: judge.engine.usage.tokens_evaluated - before}

    def ask(item: SenseItem) -> dict[str, float]:
        return kept.get(digest(item.text), _SENSE_ODDS, lambda: answers(item.text))

    def hopeless(found: list[tuple[SenseItem, dict[str, float]]]) -> bool:
        if len(found) != max(PART, len(texts) // 2):
            return False
        return not any(item.added is not None and item.added.value >= LEAST_GAIN for item in worths(found))

    def worths(found: Sequence[tuple[SenseItem, dict[str, float]]]) -> list[ItemWorth]:
        tokens = round(float(np.median([odds[_COST] for _, odds in found])) / len(SENSE_QUESTIONS))
        return [item for id in SENSE_QUESTIONS for item in _sense_worth(id, found, read, tokens, asker.key)]

    note = "asking whether texts work as jokes"
    yield StageStarted(stage=Stage.FITTING, total=len(texts))
    rows = yield from ask_each(texts, ask, note, len(texts), token, hopeless)
    return tuple(worths(rows)) if len(rows) >= PART else ()


def sense_area(figures: Mapping[str, Any]) -> Worth | None:
    """Return the area under the curve of heads for sense from their card's figures, jokes against plain texts and flat
    ends."""
    area = share_of(figures.get("auc", figures.get("AUC best against plain and flat")))
    return None if area is None else Worth(value=area, low=area, high=area, n=0)


def _sense_texts(path: Path) -> list[SenseItem]:
    """Return texts in an order in which any five in a row are of different parts of the families, to match the folds of
    ``section_worths``; the rest is left out."""
    families = load_families(path)
    some = [families[place] for place in mixed([family["best"] for family in families])[:SENSE_FAMILIES]]
    parts = [
        [item for family in some[part::_FOLDS] for item in items_of(family) if item.sort in _SORTS]
        for part in range(_FOLDS)
    ]
    return [item for row in zip(*parts, strict=False) for item in row]


def _sense_worth(
    id: str, rows: Sequence[tuple[SenseItem, dict[str, float]]], read: Worth | None, tokens: int, key: str
) -> Iterator[ItemWorth]:
    known = np.array([[item.joke[0]] for item, _ in rows])
    answers = np.array([[odds.get(id, math.nan)] for _, odds in rows])
    section = Section("sense", (id,), answers, None, known, (tokens,), (key,))
    for item in section_worths(section, {}):
        if item.asked is None or item.weights is None:
            continue
        weights = item.weights
        p = [sigmoid(weights.sum(odds[id], None) or 0.0) for text, odds in rows if id in odds and text.joke[0] >= 0.5]
        share, most = _NONE_TURNS
        no_turn = min(most, float(np.quantile(p, share))) if p else 0.0
        added = item.added if read is None else _beyond(item.asked, read)
        yield item.replaced(both=None, added=added, no_turn=round(no_turn, 4))


def _beyond(asked: Worth, read: Worth) -> Worth:
    """Return the gain of answers over readings."""
    by = [each - read.value for each in (asked.value, asked.low, asked.high)]
    value, low, high = (round(max(-1.0, min(1.0, each)), 4) for each in by)
    return Worth(value=value, low=min(low, value), high=max(high, value), n=asked.n)
