"""Measures what a model's answers are worth beside the readings of its states. The model is asked about texts that an
editor read and about pairs that people voted on; the plan of what to ask and to show is made from that. Answers are
kept, so that a stopped measurement continues where it was."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

import numpy as np
from pydantic import TypeAdapter
from pydantic.dataclasses import dataclass as checked

from ..core.events import Event, Stage, StageFinished
from ..core.statistics import Vector, logit
from ..core.vote_sets import SHIPPED, Rated
from ..heads.editor import EditorReading
from ..heads.editor_file import CORE
from ..judge.asking.measured import NOISE, MeasuredFiles
from ..judge.asking.worth import (
    LEAST_GAIN,
    ItemWorth,
    JoinWeights,
    Kind,
    Plan,
    Worth,
    heads_key,
    read_plan,
)
from ..judge.main_judge import MainJudge
from ..judge.rating.category_classifier import standardise
from ..judge.rating.factor_scorer import ask_scores
from .editor_data import Readings
from .held_out import HeldOutHeads
from .teacher import Teacher, ask_each, digest, mixed, too_few
from .worth_fit import duel_share, duel_weights, section_worths

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


def measure_worth(
    judge: MainJudge,
    readings: Readings,
    rated: Sequence[Rated],
    files: MeasuredFiles,
    teacher: Teacher,
) -> Iterator[Event]:
    """Ask, measure, write the plan to the user's file; the last event is ``PlanMeasured``. ``rated``: jokes that people
    rated. The plan is written after every ``PART`` texts, so it can be used before
    it is final; it is final when asking clearly has no gain, or at ``MOST_TEXTS``.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``ModelError``, ``CriteriaError``,
    ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine raises, except that a text too long
    for the model is left out."""
    began = time.monotonic()
    for duel in (False, True):
        yield from judge.calibrate(duel=duel, cancel=teacher.token)
    more = yield from duel_items(judge, rated, teacher)
    asked = f"{judge.questions.model_dump_json()}{judge.calibration.model_dump_json()}"
    answers = teacher.answers("texts", digest(asked))
    heads = judge.reader.editor
    apart = HeldOutHeads(heads) if heads is not None else None

    def ask(place: int) -> _Row:
        text = readings.texts[place]
        answered = answers.get(digest(text), _ANSWERS, lambda: _ask(judge, text, teacher))
        if apart is None or heads is None:
            return answered, None
        scan = judge.engine.scan(text, teacher.token)
        return answered, heads.read(scan.states, text, scan.spans, scan.logprobs, unlearn=apart)

    def save(rows: list[tuple[int, _Row]]) -> Plan:
        plan = _plan(judge, readings, rows, more)
        files.save_plan(plan)
        return plan

    def settled(rows: list[tuple[int, _Row]]) -> bool:
        return len(rows) % PART == 0 and _hopeless(save(rows)) and len(rows) >= LEAST_TEXTS

    order = _order(readings)
    total = min(MOST_TEXTS, len(order))
    rows = yield from ask_each(order, ask, "asking about texts that an editor read", total, teacher.token, settled)
    if len(rows) < PART:
        raise too_few(f"{len(rows)} of the texts", "tell what its answers are worth", PART)
    plan = save(rows)
    teacher.forget("plan")
    judge.plan_again()
    yield StageFinished(stage=Stage.FITTING, seconds=time.monotonic() - began)
    yield PlanMeasured(plan=plan)


def _order(readings: Readings) -> list[int]:
    """Return the texts in an order independent of their content, with those that aren't jokes evenly among the
    others."""
    places = mixed(readings.texts)
    jokes = [place for place in places if readings.joke[place] >= 0.5]
    others = [place for place in places if readings.joke[place] < 0.5]
    order: list[int] = []
    used = 0
    while jokes or others:
        if others and (not jokes or len(order) * _OTHERS >= used + 1):
            order.append(others.pop(0))
            used += 1
        else:
            order.append(jokes.pop(0))
    return order


def _ask(judge: MainJudge, text: str, teacher: Teacher) -> _Answers:
    tokens = [judge.engine.usage.tokens_evaluated]
    reading = judge.measure.reading(text, teacher.token)
    tokens.append(judge.engine.usage.tokens_evaluated)
    refs = [judge.criteria.factor(id) for id in _known_factors(judge)]
    scores = ask_scores(judge, text, refs, teacher.token)
    tokens.append(judge.engine.usage.tokens_evaluated)
    return _Answers(
        checks={id: odds.value for id, odds in reading.checks.items()},
        kinds=dict(reading.categories),
        factors={score.id: score.expected for score in scores},
        tokens=(tokens[1] - tokens[0], tokens[2] - tokens[1]),
    )


def _known_factors(judge: MainJudge) -> list[str]:
    """Return the factors that the readers scored and whose meaning hasn't changed since."""
    there = {factor.id for factor in judge.criteria.factors} - set(judge.criteria.unread.get("factor", ()))
    return [id for id in CORE if id in there]


def _plan(judge: MainJudge, readings: Readings, asked: Sequence[tuple[int, _Row]], more: Sequence[ItemWorth]) -> Plan:
    base = read_plan(judge.model.sha256, judge.editor_card)
    some = readings.keep(np.array([place for place, _ in asked], dtype=np.int64))
    items = list(_items(judge, some, [row for _, row in asked], base))
    measured = {(item.kind, item.id) for item in items}
    rest = [item for item in base.items if (item.kind, item.id) not in measured]
    heads = heads_key(judge.editor_card)
    return Plan(model_sha256=base.model_sha256, heads=heads, texts=len(asked), items=(*items, *rest, *more))


def _items(judge: MainJudge, some: Readings, rows: Sequence[_Row], base: Plan) -> Iterator[ItemWorth]:
    """Yield the worth of each check, kind and factor. ``base``: the worth of readings, from the heads' own card."""
    answers, heads, unread = [row for row, _ in rows], judge.reader.editor, judge.criteria.unread
    kinds = set(some.kind_ids).difference(unread.get("kind", ()))
    labels_of: dict[Kind, dict[str, Vector]] = {
        "check": {id: getattr(some, name) for id, name in _CHECKS.items()},
        "kind": {
            kind.id: (some.kinds[:, some.kind_ids.index(kind.id)] >= 0.5).astype(np.float64)
            for kind in judge.criteria.categories
            if kind.id in kinds and (heads is None or kind.id in heads.kinds)
        },
        "factor": {
            id: some.factors[:, CORE.index(id)] for id in _known_factors(judge) if heads is None or id in heads.factors
        },
    }
    asked: dict[Kind, list[Mapping[str, float | None]]] = {
        "check": [row.checks for row in answers],
        "kind": [standardise(row.kinds, judge.calibration.categories) for row in answers],
        "factor": [row.factors for row in answers],
    }
    numbers: dict[Kind, Callable[[EditorReading], dict[str, float]]] = {
        "check": lambda reading: {id: getattr(reading, name) for id, name in _CHECKS.items()},
        "kind": lambda reading: {id: logit(p) for id, p in reading.kinds.items()},
        "factor": lambda reading: {id: factor.expected for id, factor in reading.factors.items()},
    }
    questions = {"check": judge.questions.checks, "kind": judge.questions.categories, "factor": judge.questions.scores}
    jokes = some.joke == 1.0
    for kind, labels in labels_of.items():
        ids = [id for id in labels if all(id in row for row in asked[kind])]
        if not ids:
            continue
        chosen = jokes if kind == "factor" else np.ones(len(rows), dtype=bool)
        # The first call answers the checks and the kinds.
        tokens = _tokens(rows, 1) if kind == "factor" else _tokens(rows, 0, 2)
        cost = tokens // len(judge.criteria.template.checks) if kind == "check" else -(-tokens // len(ids))
        read = [numbers[kind](reading) for _, reading in rows if reading is not None]
        there = len(read) == len(rows) and all(set(ids) <= set(row) for row in read)
        for item in section_worths(
            kind,
            ids,
            _table(asked[kind], ids)[chosen],
            _table(read, ids)[chosen] if there else None,
            np.column_stack([labels[id] for id in ids])[chosen],
            {item.id: item.read for item in base.items if item.kind == kind and item.read is not None},
        ):
            if item.asked is not None:
                item = item.replaced(tokens=cost, question=questions[kind].get(item.id, ""))
            yield item


def _table(rows: Sequence[Mapping[str, float | None]], ids: Sequence[str]) -> Vector:
    """Return (texts, ids), NaN where a number is missing."""
    return np.array([[row[id] for id in ids] for row in rows], dtype=np.float64).reshape(len(rows), len(ids))


def _tokens(rows: Sequence[_Row], call: int, share: int = 1) -> int:
    """Return the mean cost in tokens of one ``share`` of a call."""
    return max(0, round(math.fsum(row.tokens[call] for row, _ in rows) / len(rows) / share)) if rows else 0


def _hopeless(plan: Plan) -> bool:
    """Whether asking clearly has too small a gain everywhere."""
    kinds: tuple[Kind, ...] = ("factor", "kind", "check")
    of = [[item.added for item in plan.items if item.kind == kind and item.added is not None] for kind in kinds]
    means = [math.fsum(worth.value for worth in added) / len(added) for added in of if added]
    sure = any(worth.low > 0 and worth.value >= LEAST_GAIN for added in of for worth in added)
    return not sure and all(mean < LEAST_GAIN for mean in means)


# -- Duels: pairs whose better joke is known from people's ratings

PAIRS, LEAST_PAIRS = 80, 40
KINDS = ("mechanics", SHIPPED)
"""The audience heads' names for the kind of text in the shipped votes: in shipped heads, in the user's own."""
_ODDS = TypeAdapter(tuple[float, float])


def duel_items(
    judge: MainJudge, rated: Sequence[Rated], teacher: Teacher
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Ask about pairs, and return the items ``pair`` and ``alone``; none where too few pairs can be read. The judge
    must be calibrated for duels."""
    answers = teacher.answers("duels", digest(f"{judge.questions.duel}{judge.calibration.duel}"))

    def ask(pair: tuple[str, str]) -> tuple[float, float]:
        return answers.get(digest("\0".join(pair)), _ODDS, lambda: _ask_duels(judge, pair, teacher))

    pairs, note = _pairs(rated), "asking which of two jokes is the funnier one"
    rows = yield from ask_each(pairs, ask, note, len(pairs), teacher.token)
    if len(rows) < LEAST_PAIRS:
        return ()
    usual, least = judge.calibration.duel, NOISE
    spreads = (max(usual.sd_pair, least), max(usual.sd_alone, least)) if usual else (1.0, 1.0)
    x = np.array([row for _, row in rows], dtype=np.float64) / np.array(spreads)
    whole, weights = duel_share(x), duel_weights(x)
    by_kind = judge.reader.agreements.known if judge.head is not None else {}
    kind = next((by_kind[name] for name in KINDS if name in by_kind), None)
    read = None
    if kind is not None:
        read = Worth.of(kind.agreement, kind.agreement if kind.low is None else kind.low, kind.agreement, 0)
    # The audience head may have been trained on these votes, so its own share is taken from its card.
    base = read.value if read is not None else 0.5
    added = Worth.of(whole.value - base, whole.low - base, whole.high - base, whole.n)
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


def _pairs(rated: Sequence[Rated]) -> list[tuple[str, str]]:
    """Return pairs that share no text, the better one first, in an order independent of their content."""
    order = [rated[place] for place in mixed([row.text for row in rated])]
    pairs = [
        (one.text, other.text) if one.value > other.value else (other.text, one.text)
        for one, other in zip(order[::2], order[1::2], strict=False)
        if one.value != other.value and one.text != other.text
    ]
    return pairs[:PAIRS]


def _ask_duels(judge: MainJudge, pair: tuple[str, str], teacher: Teacher) -> tuple[float, float]:
    """Return the log-odds of the better joke: from the pair in both orders, and from each joke alone."""
    first, second = sorted(pair)
    one, other = judge.measure.pair((first, second), teacher.token)
    alone_one, alone_other = judge.measure.alone((first, second), teacher.token)
    sign = 1.0 if first == pair[0] else -1.0
    return sign * 0.5 * (one.value - other.value), sign * (alone_one.value - alone_other.value)
