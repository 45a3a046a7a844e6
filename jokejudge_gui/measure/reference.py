"""A judge's verdicts compared with readings of the same texts, item by item: checks, kinds, factors, faults, the turn.

Only the shown parts of a verdict are measured: a factor that isn't shown has no figure, a kind or a fault that isn't
named counts as not found.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
from pydantic import Field

from ..core.statistics import Bin, Fraction, Vector, auc, bins, bootstrap, expected_calibration_error, fraction, pearson
from ..core.verdicts import Frozen, Span
from ..judge.rating.record import RatingResult
from .labelled import ReadText

Section = Literal["check", "kind", "factor", "fault"]
_CHECKS: dict[str, Callable[[ReadText], float]] = {
    "intent": lambda read: read.joke,
    "completeness": lambda read: read.complete,
}
"""Checks that readings have a label for."""
_TENTHS = tuple(round(0.1 * step, 1) for step in range(11))
_LONGEST = 3
"""Greatest length of a turn relative to the reader's for counting as found; a longer one might be the whole text."""
_REPEATS = 200


class ReferenceAnswer(Frozen):
    """The parts of a verdict that readings are compared with. ``checks``: probability to be admitted; ``kinds``,
    ``faults``: p of those stated; ``chosen``: kinds that are named; ``factors``: 0…5."""

    checks: dict[str, float] = Field(default_factory=dict)
    kinds: dict[str, float] = Field(default_factory=dict)
    chosen: tuple[str, ...] = ()
    factors: dict[str, float] = Field(default_factory=dict)
    faults: dict[str, float] = Field(default_factory=dict)
    turn: Span | None = None

    @classmethod
    def of(cls, result: RatingResult) -> ReferenceAnswer:
        """Return the answer in a rating's verdict."""
        return cls(
            checks={check.check: check.p_admit for check in result.admissibility},
            kinds={kind.id: kind.p for kind in result.categories},
            chosen=tuple(kind.id for kind in result.categories if kind.chosen),
            factors={each.id: each.expected for each in result.factors if each.expected is not None},
            faults={fault.id: fault.p for fault in result.faults},
            turn=result.turn,
        )

    def turn_in(self, text: str) -> str:
        """Return the words of the text that the verdict gives as its turn."""
        return text[self.turn.start : self.turn.end] if self.turn is not None else ""


class ReferenceItem(Frozen):
    """One item over ``n`` texts, in ``named`` of which a reader named it (a factor: which a reader scored). ``worth``:
    correlation −1…1 of a factor (``r``), else area under the curve 0…1 (``auc``), with its 95 % interval; None where it
    isn't defined. ``precision`` and ``recall``: of a kind or fault that verdicts name."""

    section: Section
    id: str
    n: int
    named: int
    measured: Literal["r", "auc"]
    worth: float | None
    low: float | None = None
    high: float | None = None
    precision: Fraction | None = None
    recall: Fraction | None = None


class Named(Frozen):
    """Kinds or faults together: precision and recall of those that verdicts name; the calibration error of stated p,
    and its ``tenths``."""

    precision: Fraction
    recall: Fraction
    calibration_error: float | None
    tenths: tuple[Bin, ...]


class ReferenceReport(Frozen):
    """One file of readings: ``rows`` texts, ``bad`` lines left out, ``judged`` of those drawn, ``errors`` without an
    answer; ``learned``: number of judged texts that the shipped heads may have been trained on. ``first_kind``: the
    most probable kind is one of a reader's; ``turn``: the words found overlap a reader's and are at most three times as
    long. Both of jokes."""

    name: str
    rows: int
    bad: int
    judged: int
    errors: int
    learned: int
    items: tuple[ReferenceItem, ...]
    kinds: Named
    faults: Named
    first_kind: Fraction
    turn: Fraction


def measure_reference(
    name: str,
    rows: Sequence[ReadText],
    answers: Mapping[int, ReferenceAnswer],
    *,
    bad: int = 0,
    errors: int = 0,
    learned: int = 0,
) -> ReferenceReport:
    """Measure the ``answers`` given to ``rows`` (by index)."""
    both = [(rows[place], answers[place]) for place in sorted(answers)]
    kinds = [(read.kinds, answer.kinds, set(answer.chosen)) for read, answer in both]
    faults = [(read.faults, answer.faults, set(answer.faults)) for read, answer in both]
    jokes = [(read, answer) for read, answer in both if read.joke >= 0.5]
    first = [hit for read, answer in jokes if (hit := kind_hit(read, answer)) is not None]
    turns = [hit for read, answer in jokes if (hit := turn_hit(read, answer)) is not None]
    return ReferenceReport(
        name=name,
        rows=len(rows) + bad,
        bad=bad,
        judged=len(both),
        errors=errors,
        learned=learned,
        items=(*_checks(both), *_factors(jokes), *_items("kind", kinds), *_items("fault", faults)),
        kinds=_together(kinds),
        faults=_together(faults),
        first_kind=fraction(first),
        turn=fraction(turns),
    )


def kind_hit(read: ReadText, answer: ReferenceAnswer) -> float | None:
    """Return 1 where the most probable kind of a joke is one of a reader's, else 0; None where none is stated."""
    return float(max(answer.kinds, key=answer.kinds.__getitem__) in read.kinds) if answer.kinds else None


def turn_hit(read: ReadText, answer: ReferenceAnswer) -> float | None:
    """Return 1 where the words on which a joke turns are found, else 0; None where the verdict or the readers name
    none."""
    if answer.turn is None or not read.turns:
        return None
    return float(any(_found(answer.turn, turn, read.text) for turn in read.turns))


Pairs = Sequence[tuple[ReadText, ReferenceAnswer]]
Stated = Sequence[tuple[frozenset[str], dict[str, float], set[str]]]
"""By text: the names by readers, p of the stated ones, and the verdict's names."""


def _checks(both: Pairs) -> Iterable[ReferenceItem]:
    for id, read_in in _CHECKS.items():
        found = [(answer.checks[id], read_in(read)) for read, answer in both if id in answer.checks]
        if found:
            scores, truth = (np.array(column) for column in zip(*found, strict=True))
            yield _auc_item("check", id, scores, (truth >= 0.5).astype(np.float64))


def _factors(jokes: Pairs) -> Iterable[ReferenceItem]:
    for id in sorted({id for _, answer in jokes for id in answer.factors}):
        found = [
            (answer.factors[id], read.factors[id])
            for read, answer in jokes
            if id in answer.factors and id in read.factors
        ]
        r = pearson(*zip(*found, strict=True)) if found else None
        if r is not None:
            yield ReferenceItem(
                section="factor", id=id, n=len(found), named=len(found), measured="r", worth=r.value,
                low=r.low, high=r.high,
            )  # fmt: skip


def _items(section: Section, stated: Stated) -> Iterable[ReferenceItem]:
    for id in sorted({id for named, _, shown in stated for id in (*named, *shown)}):
        scores = np.array([p.get(id, 0.0) for _, p, _ in stated])
        truth = np.array([float(id in named) for named, _, _ in stated])
        shown = np.array([id in names for _, _, names in stated])
        precision, recall = fraction(truth[shown]), fraction(shown[truth > 0].astype(np.float64))
        item = _auc_item(section, id, scores, truth)
        yield item.replaced(precision=precision, recall=recall)


def _auc_item(section: Section, id: str, scores: Vector, truth: Vector) -> ReferenceItem:
    def area(times: Vector) -> float | None:
        drawn = np.repeat(np.arange(len(scores)), times.astype(np.int64))
        return auc(scores[drawn], truth[drawn])

    # The area isn't defined where verdicts never state the item, or state the same p for all texts.
    value = auc(scores, truth) if len(scores) and np.ptp(scores) > 0 else None
    low, high = bootstrap(len(scores), area, repeats=_REPEATS) if value is not None else (math.nan, math.nan)
    known = value is not None and math.isfinite(low) and math.isfinite(high)
    return ReferenceItem(
        section=section, id=id, n=len(scores), named=int(truth.sum()), measured="auc", worth=value,
        low=low if known else None, high=high if known else None,
    )  # fmt: skip


def _together(stated: Stated) -> Named:
    right = [float(id in named) for named, _, shown in stated for id in shown]
    met = [float(id in shown) for named, _, shown in stated for id in named]
    chances = [(p, float(id in named)) for named, known, _ in stated for id, p in known.items()]
    p, hits = (np.array(column, dtype=np.float64) for column in (zip(*chances, strict=True) if chances else ((), ())))
    tenths = bins(p, hits, _TENTHS) if chances else ()
    return Named(
        precision=fraction(right),
        recall=fraction(met),
        calibration_error=expected_calibration_error(tenths),
        tenths=tenths,
    )


def _found(span: Span | None, turn: str, text: str) -> bool:
    place = text.find(turn)
    if span is None or place < 0 or span.end - span.start > _LONGEST * len(turn):
        return False
    return span.start < place + len(turn) and place < span.end
