"""Measures what a model's answers are worth beside the readings of its states. The model is asked about texts that an
editor read and about pairs that people voted on; the plan of what to ask and to show is made from that.

Every figure is of texts that the sums of answers and readings weren't fitted on. The gain is measured on the same
texts with and without the answers, and the lower end of an item's interval is at most that of its section's mean:
among dozens of items some would have a gain by chance alone."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..core.events import Event
from ..core.statistics import Vector, logit, wilson
from ..core.vote_sets import Rated
from ..heads.editor import EditorReading
from ..heads.editor_file import CORE, Ints
from ..judge.asking.calibration import DUEL, NOISE
from ..judge.asking.measured import (
    CHANCE,
    LEAST_GAIN,
    ItemWorth,
    JoinWeights,
    Kind,
    Measured,
    MeasuredFiles,
    Plan,
    Worth,
    heads_key,
    read_plan,
)
from ..judge.main_judge import MainJudge
from ..judge.rating.category_classifier import standardise
from ..judge.rating.factor_scorer import ask_scores
from .editor_data import Readings
from .editor_fit import HeldOutHeads
from .figures import FOLDS, area, interval, out_of_fold, resampled
from .fitting import OWN_KIND
from .ridge import likeliest, logistic, without_negative
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
    """One text's answers: log-odds of checks, log-probabilities of kinds' names, scores 0…5 (None: no answer), the cost
    of the two calls in tokens beyond the joke; and the heads' reading of it, as if they hadn't learned from it."""

    checks: dict[str, float]
    kinds: dict[str, float]
    factors: dict[str, float | None]
    tokens: tuple[int, int]
    read: EditorReading | None


def measure_worth(
    judge: MainJudge,
    readings: Readings,
    rated: Sequence[Rated],
    files: MeasuredFiles,
    teacher: Teacher,
) -> Iterator[Event]:
    """Ask, measure, write the plan to the user's file; the last event is ``Learned``. ``rated``: jokes that people
    rated. The plan is written after every ``PART`` texts, so it can be used before it is final; it is final when asking
    clearly has no gain, or at ``MOST_TEXTS``.

    Raises ``InputError`` ``E_FIT_FEW`` where too few texts can be read, ``ModelError``, ``CriteriaError``,
    ``Cancelled``, ``SettingsError`` when it can't be written, and what the engine raises, except that a text too long
    for the model is left out."""
    for duel in (False, True):
        yield from judge.calibrate(duel=duel, cancel=teacher.token)
    more = yield from _duel_items(judge, rated, teacher)
    heads = judge.reader.editor
    apart = HeldOutHeads(heads) if heads is not None else None

    def ask(place: int) -> _Row:
        text, read = readings.texts[place], None
        answers = _ask(judge, text, teacher)
        if apart is not None and heads is not None:
            scan = judge.engine.scan(text, teacher.token)
            read, _ = heads.found(scan.states, text, scan.spans, scan.logprobs, unlearn=apart)
        return _Row(*answers, read)

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


def _ask(
    judge: MainJudge, text: str, teacher: Teacher
) -> tuple[dict[str, float], dict[str, float], dict[str, float | None], tuple[int, int]]:
    tokens = [judge.engine.usage.tokens_evaluated]
    reading = judge.measure.reading(text, teacher.token)
    tokens.append(judge.engine.usage.tokens_evaluated)
    scores = ask_scores(judge, text, [judge.criteria.factor(id) for id in _factors(judge)], teacher.token)
    tokens.append(judge.engine.usage.tokens_evaluated)
    checks = {id: odds.value for id, odds in reading.checks.items()}
    factors = {score.id: score.expected for score in scores}
    return checks, dict(reading.categories), factors, (tokens[1] - tokens[0], tokens[2] - tokens[1])


def _factors(judge: MainJudge) -> list[str]:
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
    heads, usual = judge.reader.editor, judge.calibration.categories
    kinds = set(some.kind_ids).difference(judge.criteria.unread.get("kind", ()))
    kinds &= {kind.id for kind in judge.criteria.categories if heads is None or kind.id in heads.kinds}
    read = [row.read for row in rows if row.read is not None]
    # By kind of item: the readers' labels, the answers, the readings, the questions, and the call that answers them.
    sections: dict[Kind, tuple[dict[str, Vector], list[Mapping[str, float | None]], list[dict[str, float]]]] = {
        "check": (
            {id: getattr(some, name) for id, name in _CHECKS.items()},
            [row.checks for row in rows],
            [{id: getattr(reading, name) for id, name in _CHECKS.items()} for reading in read],
        ),
        "kind": (
            {
                kind.id: (some.kinds[:, some.kind_ids.index(kind.id)] >= 0.5).astype(np.float64)
                for kind in judge.criteria.categories
                if kind.id in kinds
            },
            [standardise(row.kinds, usual) for row in rows],
            [{id: logit(p) for id, p in reading.kinds.items()} for reading in read],
        ),
        "factor": (
            {id: some.factors[:, CORE.index(id)] for id in _factors(judge) if heads is None or id in heads.factors},
            [row.factors for row in rows],
            [{id: factor.expected for id, factor in reading.factors.items()} for reading in read],
        ),
    }
    questions = {name: judge.questions[part] for name, part in _PARTS.items()}
    for kind, (labels, asked, numbers) in sections.items():
        ids = [id for id in labels if all(id in row for row in asked)]
        if not ids:
            continue
        chosen = some.joke == 1.0 if kind == "factor" else np.ones(len(rows), dtype=bool)
        # The first call answers the checks and the kinds.
        spent = math.fsum(row.tokens[kind == "factor"] for row in rows) / len(rows)
        tokens = max(0, round(spent / (1 if kind == "factor" else 2)))
        cost = tokens // len(judge.criteria.template.checks) if kind == "check" else -(-tokens // len(ids))
        there = len(numbers) == len(rows) and all(set(ids) <= set(row) for row in numbers)
        for item in _section(
            kind,
            ids,
            _table(asked, ids)[chosen],
            _table(numbers, ids)[chosen] if there else None,
            np.column_stack([labels[id] for id in ids])[chosen],
            {item.id: item.read for item in base.items if item.kind == kind and item.read is not None},
        ):
            known = questions[kind].get(item.id, "")
            yield item if item.asked is None else item.replaced(tokens=cost, question=known)


def _table(rows: Sequence[Mapping[str, float | None]], ids: Sequence[str]) -> Vector:
    """Return (texts, ids), NaN where a number is missing."""
    return np.array([[row[id] for id in ids] for row in rows], dtype=np.float64).reshape(len(rows), len(ids))


def _hopeless(plan: Plan) -> bool:
    """Whether asking clearly has too small a gain everywhere."""
    kinds: tuple[Kind, ...] = ("factor", "kind", "check")
    of = [[item.added for item in plan.items if item.kind == kind and item.added is not None] for kind in kinds]
    means = [math.fsum(worth.value for worth in added) / len(added) for added in of if added]
    sure = any(worth.low > 0 and worth.value >= LEAST_GAIN for added in of for worth in added)
    return not sure and all(mean < LEAST_GAIN for mean in means)


# -- The worth of answers, and of sums of answers and readings

LEAST_NAMED = 5
"""Least number of texts of either answer for an area under the curve."""
_PRIOR_TEXTS = 30.0
"""Weight of the other items' coefficients in an item's own, as a number of texts."""
_RESAMPLES, _SEED = 200, 17
_SMALL, _SURE = 1e-9, 6.0
Weights = list[tuple[list[float], float]]
"""For each item the weights (≥ 0) of its parts, and a constant."""


def _section(
    kind: Kind, ids: Sequence[str], asked: Vector, read: Vector | None, labels: Vector, card: Mapping[str, Worth]
) -> Iterator[ItemWorth]:
    """Yield the items of one kind with their figures. ``asked``, ``read`` and ``labels`` (texts, items): answers
    (scores 0…5 or log-odds; NaN where the model gave none), out-of-sample readings of heads (None without heads), and
    the readers' labels (0…5, or 0…1). ``card``: figures of readings, from the heads' own card, which was measured on
    more texts than could be asked about."""
    if not len(labels):
        return
    some = np.where(np.isfinite(asked).any(axis=0), asked, 0.0)
    asked = np.where(np.isfinite(asked), asked, np.nanmean(some, axis=0))
    nothing = np.zeros_like(asked)
    weights = [JoinWeights(asked=1.0, read=0.0)] * len(ids)
    joined, base = asked, nothing if read is None else read
    if kind != "check":
        fit = _ridge if kind == "factor" else _logistic
        joined, weights = _summed(fit, [asked] if read is None else [asked, read], labels)
        if read is None:
            joined = asked
        else:  # Without answers the readings go through the same folds; a sum of two parts costs no more than one.
            base = _summed(fit, [nothing, read], labels)[0]
    measured: Measured = "r" if kind == "factor" else "auc"
    gains = _gains(measured, joined, base, labels, shared=kind == "kind")
    alone = _gains(measured, asked, nothing, labels)
    for id, join, own, added in zip(ids, weights, alone, gains, strict=True):
        reading, chance = card.get(id), CHANCE[measured]
        item = ItemWorth(kind=kind, id=id, measured=measured, read=reading)
        if own is not None and added is not None:
            # The card has the more precise figure of reading; the texts that were asked about have the gain.
            both = reading.moved(added) if reading is not None and join.read > 0 else None
            answers = Worth(value=chance, low=chance, high=chance, n=own.n).moved(own)
            item = item.replaced(asked=answers, both=both, added=added, weights=join)
        if item.asked is not None or item.read is not None:
            yield item


def _gains(
    measured: Measured, better: Vector, base: Vector, labels: Vector, *, shared: bool = False
) -> list[Worth | None]:
    """Return the gain of ``better`` over ``base`` by item, with intervals by bootstrap over texts; None where too few
    texts are labelled. ``shared``: all items get their mean gain, because one question asks about them all."""
    named = (labels >= 0.5).sum(axis=0)
    labelled = (named >= LEAST_NAMED) & (named <= len(labels) - LEAST_NAMED)
    if measured == "r":
        labelled = (labels.std(axis=0) > 0) & (len(labels) > 2 * LEAST_NAMED)
    columns = np.flatnonzero(labelled)
    if not len(columns):
        return [None] * labels.shape[1]
    better, base, labels = better[:, columns], base[:, columns], labels[:, columns]
    figure = _correlations if measured == "r" else _areas

    def gain(rows: Ints) -> Vector:
        return figure(better[rows], labels[rows]) - figure(base[rows], labels[rows])

    draws = resampled(len(labels), gain, _RESAMPLES, np.random.default_rng(_SEED))
    values = gain(np.arange(len(labels)))
    (low, high), (all_low, all_high) = interval(draws), interval(draws.mean(axis=1))
    if shared:
        return [Worth.of(values.mean(), float(all_low), float(all_high), len(labels))] * len(labelled)
    gains: list[Worth | None] = [None] * len(labelled)
    for at, place in enumerate(columns):
        gains[place] = Worth.of(values[at], min(low[at], all_low), high[at], len(labels))
    return gains


def _areas(a: Vector, b: Vector) -> Vector:
    return np.array([area(scores, labels) for scores, labels in zip(a.T, b.T, strict=True)])


def _correlations(a: Vector, b: Vector) -> Vector:
    a, b = a - a.mean(axis=0), b - b.mean(axis=0)
    spreads = np.sqrt(np.mean(a * a, axis=0)), np.sqrt(np.mean(b * b, axis=0))
    flat = (spreads[0] < _SMALL) | (spreads[1] < _SMALL)
    return np.where(flat, 0.0, np.mean(a * b, axis=0) / np.where(flat, 1.0, spreads[0] * spreads[1]))


def _summed(
    fit: Callable[[Sequence[Vector], Vector], Weights], parts: Sequence[Vector], labels: Vector
) -> tuple[Vector, list[JoinWeights]]:
    """Return sums of the parts out of fold (texts, items), and their weights from all texts."""

    def scored(inside: Ints, outside: Ints) -> Vector:
        items = enumerate(fit([part[inside] for part in parts], labels[inside]))
        sums = [
            constant + sum(w * part[outside, place] for w, part in zip(weights, parts, strict=True))
            for place, (weights, constant) in items
        ]
        return np.stack(sums, axis=1)

    out = out_of_fold(np.arange(len(labels)) % FOLDS, scored)
    joins = []
    for weights, constant in fit(parts, labels):
        read = weights[1] if len(weights) > 1 else 0.0
        joins.append(JoinWeights(asked=weights[0], read=read, constant=constant))
    return out, joins


def _ridge(parts: Sequence[Vector], labels: Vector) -> Weights:
    """Return weights for scores: a ridge towards the weights that all items share."""
    means = [part.mean(axis=0) for part in parts]
    spreads = [part.std(axis=0) + _SMALL for part in parts]
    x = np.stack([(p - m) / s for p, m, s in zip(parts, means, spreads, strict=True)], axis=2)
    # A constant part has no information, whatever the rounding of its spread.
    x[:, np.stack(spreads, axis=1) < 1e-6] = 0.0
    middle, spread = labels.mean(axis=0), labels.std(axis=0) + _SMALL
    y = (labels - middle) / spread
    count = x.shape[2]
    inner, outer = np.einsum("tik,til->ikl", x, x), np.einsum("tik,ti->ik", x, y)

    def not_negative(inner: Vector, outer: Vector) -> Vector:
        """Return the best weights ≥ 0 of one or two parts."""
        weights = np.asarray(np.linalg.solve(inner, outer), dtype=np.float64)
        if (weights >= 0).all():
            return weights
        alone = np.diag(np.maximum(0.0, outer / np.diag(inner)))
        return np.asarray(alone[int((alone @ outer).argmax())])

    shared = not_negative(inner.sum(axis=0) + np.eye(count), outer.sum(axis=0))
    fits: Weights = []
    for place in range(labels.shape[1]):
        own = inner[place] + _PRIOR_TEXTS * np.eye(count)
        weights = not_negative(own, outer[place] + _PRIOR_TEXTS * shared)
        raw = [
            0.0 if s[place] < 1e-6 else float(w * spread[place] / s[place])
            for w, s in zip(weights, spreads, strict=True)
        ]
        constant = float(middle[place]) - sum(w * float(m[place]) for w, m in zip(raw, means, strict=True))
        fits.append((raw, constant))
    return fits


def _logistic(parts: Sequence[Vector], labels: Vector) -> Weights:
    """Return weights for log-odds: one pair for all items, as one question asks about them all."""
    rows = np.stack([parts[0].ravel(), *(np.clip(part, -_SURE, _SURE).ravel() for part in parts[1:])], axis=1)
    *weights, constant = without_negative(lambda used: logistic(rows[:, used], labels.ravel()), len(parts), 1)
    return [(list(map(float, weights)), float(constant))] * labels.shape[1]


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
        one, other = judge.measure.pair((first, second), teacher.token)
        alone_one, alone_other = judge.measure.alone((first, second), teacher.token)
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
            weights=JoinWeights(asked=float(weight), read=0.5 if read is not None else 0.0),
            question=judge.questions[DUEL][DUEL],
        )
        for id, weight in zip(("pair", "alone"), weights_of(x), strict=True)
    )
