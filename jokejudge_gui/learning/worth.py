"""Measures what a model's answers are worth beside the readings of its states. The model is asked about texts that an
editor read and about pairs that people voted on; the plan of what to ask and to show is made from that.

The lower end of an item's interval is at most that of its section's mean: among dozens of items some would look good by
chance alone. The sums of answers in duels are measured on pairs that they weren't fitted on."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from ..core.events import Event
from ..core.statistics import Vector, wilson
from ..core.vote_sets import Rated
from ..heads.editor_file import CORE, Ints
from ..judge.asking.calibration import DUEL, NOISE
from ..judge.asking.measured import (
    ItemWorth,
    Kind,
    Measured,
    MeasuredFiles,
    Plan,
    Worth,
    read_plan,
)
from ..judge.main_judge import MainJudge
from ..judge.rating.category_classifier import standardise
from ..judge.rating.factor_scorer import ask_scores
from .editor_data import Readings
from .figures import FOLDS, area, interval, out_of_fold, resampled
from .fitting import OWN_KIND
from .ridge import likeliest, without_negative
from .teacher import Learned, Teacher, ask_each, mixed, too_few

MOST_TEXTS, PART, LEAST_TEXTS = 160, 40, 80
"""Most texts that are asked about, number after which the plan is updated, and least number for giving up."""
_CHECKS = {"intent": "joke", "completeness": "complete"}
"""The checks that the readers answered too, with their names for them."""
_PARTS: dict[Kind, str] = {"check": "checks", "kind": "categories", "factor": "scores"}
"""Parts of a calibration by the kind of item that its questions are about."""
_OTHERS = 0.2
"""Share of texts that aren't jokes, as far as available."""


class _Row(NamedTuple):
    """One text's answers: log-odds of checks, log-probabilities of kinds' names, scores 0…5 (None: no answer), and the
    cost of the two calls in tokens beyond the joke."""

    checks: dict[str, float]
    kinds: dict[str, float]
    factors: dict[str, float | None]
    tokens: tuple[int, int]


def measure_worth(
    judge: MainJudge, readings: Readings, rated: Sequence[Rated], files: MeasuredFiles, teacher: Teacher
) -> Iterator[Event]:
    """Ask, measure, write the plan to the user's file; the last event is ``Learned``. ``rated``: jokes that people
    rated. The plan is written after every ``PART`` texts, so it can be used before it is final; it is final when asking
    clearly has no gain, or at ``MOST_TEXTS``.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``ModelError``, ``CriteriaError``,
    ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine raises, except that a text too long
    for the model is left out."""
    for duel in (False, True):
        yield from judge.calibrate(duel=duel)
    more = yield from _duel_items(judge, rated, teacher)

    def save(rows: list[tuple[int, _Row]]) -> Plan:
        base = read_plan(judge.model.sha256, judge.editor_card)
        some = readings.keep(np.array([place for place, _ in rows], dtype=np.int64))
        items = list(_items(judge, some, [row for _, row in rows], base))
        measured = {(item.kind, item.id) for item in items}
        items += [item for item in base.items if (item.kind, item.id) not in measured]
        plan = base.replaced(texts=len(rows), items=(*items, *more))
        files.save_plan(plan)
        return plan

    def settled(rows: list[tuple[int, _Row]]) -> bool:
        if len(rows) % PART:
            return False
        return not save(rows).asked("factor", "kind", "check") and len(rows) >= LEAST_TEXTS

    order = _order(readings)
    total = min(MOST_TEXTS, len(order))
    note = "asking about texts that an editor read"
    ask = partial(_ask, judge, readings, teacher)
    rows = yield from ask_each(order, ask, note, total, teacher.token, settled)
    if len(rows) < PART:
        raise too_few(f"{len(rows)} of the texts", "tell what its answers are worth", PART)
    plan = save(rows)
    judge.plan_again()
    asked = sum(item.ask for item in plan.items)
    yield Learned(part="plan", card={"texts": plan.texts, "tokens": plan.tokens, "asked": asked})


def _order(readings: Readings) -> list[int]:
    """Return the texts in an order independent of their content, with those that aren't jokes evenly among the
    others."""
    jokes, others = list[int](), list[int]()
    for place in mixed(readings.texts):
        (jokes if readings.joke[place] >= 0.5 else others).append(place)
    when = [(number / (1.0 - _OTHERS), place) for number, place in enumerate(jokes)]
    when += [((number + 1) / _OTHERS, place) for number, place in enumerate(others)]
    return [place for _, place in sorted(when)]


def _ask(judge: MainJudge, readings: Readings, teacher: Teacher, place: int) -> _Row:
    text = readings.texts[place]
    tokens = [judge.engine.usage.tokens_evaluated]
    checks, kinds = judge.measure.reading(text)
    tokens.append(judge.engine.usage.tokens_evaluated)
    scores = ask_scores(judge, text, [judge.criteria.factor(id) for id in _factors(judge)])
    tokens.append(judge.engine.usage.tokens_evaluated)
    factors = {score.id: score.expected for score in scores}
    return _Row(
        {id: odds.value for id, odds in checks.items()}, kinds, factors, (tokens[1] - tokens[0], tokens[2] - tokens[1])
    )


def _factors(judge: MainJudge) -> list[str]:
    """Return the factors that the readers scored and whose meaning hasn't changed since."""
    there = {factor.id for factor in judge.criteria.factors} - set(judge.criteria.unread.get("factor", ()))
    return [id for id in CORE if id in there]


def _items(judge: MainJudge, some: Readings, rows: Sequence[_Row], base: Plan) -> Iterator[ItemWorth]:
    """Yield the worth of each check, kind and factor. ``base``: the worth of readings, from the heads' own card."""
    heads, usual = judge.reader.editor, judge.calibration.categories
    kinds = set(some.kind_ids).difference(judge.criteria.unread.get("kind", ()))
    kinds &= {kind.id for kind in judge.criteria.categories if heads is None or kind.id in heads.kinds}
    # By kind of item: the readers' labels, and the answers.
    sections: dict[Kind, tuple[dict[str, Vector], list[Mapping[str, float | None]]]] = {
        "check": ({id: getattr(some, name) for id, name in _CHECKS.items()}, [row.checks for row in rows]),
        "kind": (
            {
                kind.id: (some.kinds[:, some.kind_ids.index(kind.id)] >= 0.5).astype(np.float64)
                for kind in judge.criteria.categories
                if kind.id in kinds
            },
            [standardise(row.kinds, usual) for row in rows],
        ),
        "factor": (
            {id: some.factors[:, CORE.index(id)] for id in _factors(judge) if heads is None or id in heads.factors},
            [row.factors for row in rows],
        ),
    }
    questions = {name: judge.questions[part] for name, part in _PARTS.items()}
    for kind, (labels, answers) in sections.items():
        ids = [id for id in labels if all(id in row for row in answers)]
        chosen = some.joke == 1.0 if kind == "factor" else np.ones(len(rows), dtype=bool)
        if not ids or not chosen.any():
            continue
        # The first call answers the checks and the kinds.
        spent = math.fsum(row.tokens[kind == "factor"] for row in rows) / len(rows)
        tokens = max(0, round(spent / (1 if kind == "factor" else 2)))
        cost = tokens // len(judge.criteria.template.checks) if kind == "check" else -(-tokens // len(ids))
        measured: Measured = "r" if kind == "factor" else "auc"
        worths = _worths(measured, _table(answers, ids)[chosen], np.column_stack([labels[id] for id in ids])[chosen])
        reads = {item.id: item.read for item in base.items if item.kind == kind}
        for id, worth in zip(ids, worths, strict=True):
            item = ItemWorth(kind=kind, id=id, measured=measured, read=reads.get(id))
            if worth is not None:
                yield item.replaced(asked=worth, tokens=cost, question=questions[kind].get(id, ""))
            elif item.read is not None:
                yield item


def _table(rows: Sequence[Mapping[str, float | None]], ids: Sequence[str]) -> Vector:
    """Return (texts, ids), NaN where a number is missing."""
    return np.array([[row[id] for id in ids] for row in rows], dtype=np.float64).reshape(len(rows), len(ids))


LEAST_NAMED = 5
"""Least number of texts of either answer for an area under the curve."""
_RESAMPLES, _SEED = 200, 17
_SMALL = 1e-9


def _worths(measured: Measured, answers: Vector, labels: Vector) -> list[Worth | None]:
    """Return the worth of answers (texts, items; scores 0…5 or log-odds, NaN where the model gave none) by item, with
    intervals by bootstrap over texts; None where too few texts are labelled. ``labels``: the readers', 0…5 or 0…1."""
    some = np.where(np.isfinite(answers).any(axis=0), answers, 0.0)
    answers = np.where(np.isfinite(answers), answers, np.nanmean(some, axis=0))
    named = (labels >= 0.5).sum(axis=0)
    labelled = (named >= LEAST_NAMED) & (named <= len(labels) - LEAST_NAMED)
    if measured == "r":
        labelled = (labels.std(axis=0) > 0) & (len(labels) > 2 * LEAST_NAMED)
    columns = np.flatnonzero(labelled)
    worths: list[Worth | None] = [None] * labels.shape[1]
    if not len(columns):
        return worths
    answers, labels = answers[:, columns], labels[:, columns]

    def figure(a: Vector, b: Vector) -> Vector:
        if measured == "r":
            return _correlations(a, b)
        return np.array([area(scores, named) for scores, named in zip(a.T, b.T, strict=True)])

    draws = resampled(
        len(labels), lambda rows: figure(answers[rows], labels[rows]), _RESAMPLES, np.random.default_rng(_SEED)
    )
    (low, high), mean_low = interval(draws), interval(draws.mean(axis=1))[0]
    for at, (place, value) in enumerate(zip(columns, figure(answers, labels), strict=True)):
        worths[place] = Worth.of(value, min(low[at], mean_low), high[at], len(labels))
    return worths


def _correlations(a: Vector, b: Vector) -> Vector:
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    spreads = np.sqrt(np.mean(a * a, axis=0)), np.sqrt(np.mean(b * b, axis=0))
    flat = (spreads[0] < _SMALL) | (spreads[1] < _SMALL)
    return np.where(flat, 0.0, np.mean(a * b, axis=0) / np.where(flat, 1.0, spreads[0] * spreads[1]))


# -- Duels: pairs whose better joke is known from people's ratings

PAIRS, LEAST_PAIRS = 80, 40
KINDS = ("mechanics", OWN_KIND)
"""The audience heads' names for the kind of text in the shipped votes: in shipped heads, in the user's own."""
_PRECISION = 4.0
"""Precision (1 / variance) of the prior of a weight in duels, with the mean 0."""


def _duel_items(
    judge: MainJudge, rated: Sequence[Rated], teacher: Teacher
) -> Generator[Event, None, tuple[ItemWorth, ...]]:
    """Ask about pairs that share no text, in an order independent of their content, and return the items ``pair`` and
    ``alone``; none where too few pairs can be read. The judge must be calibrated for duels."""
    order = [rated[place] for place in mixed([row.text for row in rated])]
    pairs = [
        (one.text, other.text) if one.value > other.value else (other.text, one.text)
        for one, other in zip(order[::2], order[1::2], strict=False)
        if one.value != other.value and one.text != other.text
    ][:PAIRS]

    def ask(pair: tuple[str, str]) -> tuple[float, float]:
        """The log-odds of the better joke: from the pair in both orders, and from each joke alone."""
        first, second = sorted(pair)
        one, other = judge.measure.pair((first, second))
        alone_one, alone_other = judge.measure.alone((first, second))
        sign = 1.0 if first == pair[0] else -1.0
        return sign * 0.5 * (one.value - other.value), sign * (alone_one.value - alone_other.value)

    rows = yield from ask_each(pairs, ask, "asking which of two jokes is the funnier one", len(pairs), teacher.token)
    if len(rows) < LEAST_PAIRS:
        return ()
    usual = judge.calibration.duel
    spreads = (max(usual.sd_pair, NOISE), max(usual.sd_alone, NOISE)) if usual else (1.0, 1.0)
    x = np.array([row for _, row in rows], dtype=np.float64) / np.array(spreads)

    def weights_of(x: Vector) -> Vector:
        """Weights ≥ 0 that make the sum the best-fitting log-odds of the better joke, all rows being wins."""

        def fit(used: Ints) -> Vector:
            return likeliest(x[:, used], np.ones(len(x)), np.full(len(used), _PRECISION))

        return without_negative(fit, x.shape[1])

    odds = out_of_fold(np.arange(len(x)) % FOLDS, lambda inside, outside: x[outside] @ weights_of(x[inside]))
    right = float((odds > 0).sum()) + 0.5 * float((odds == 0).sum())
    whole = Worth.of(right / len(odds), *wilson(right, len(odds)), len(odds))
    by_kind = judge.reader.agreements.known if judge.head is not None else {}
    kind = next((by_kind[name] for name in KINDS if name in by_kind), None)
    read = None  # the audience head may have been trained on these votes, so its own share is taken from its card
    if kind is not None:
        read = Worth.of(kind.agreement, kind.agreement if kind.low is None else kind.low, kind.agreement, 0)
    return tuple(
        ItemWorth(
            kind="duel",
            id=id,
            measured="share",
            asked=whole,
            read=read,
            weights={"asked": float(weight), "read": 0.5 if read is not None else 0.0},
            question=judge.questions[DUEL][DUEL],
        )
        for id, weight in zip(("pair", "alone"), weights_of(x), strict=True)
    )
