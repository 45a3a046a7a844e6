"""A judge's verdicts compared with readings of the same texts, item by item: checks, kinds, factors, faults, the turn.

Only the shown parts of a verdict are measured: a factor that isn't shown has no figure, a kind or a fault that isn't
named counts as not found.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from pydantic import Field
from pydantic_core import to_jsonable_python

from ..core.statistics import Vector, auc, bins, bootstrap, expected_calibration_error, fraction, pearson
from ..core.verdicts import Frozen, Span
from ..judge.rating.record import RatingResult
from .labelled import ReadText

_CHECKS = {"intent": "joke", "completeness": "complete"}
"""Checks that readings have a label for, and its name."""
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
            factors={factor.id: factor.expected for factor in result.factors if factor.expected is not None},
            faults={fault.id: fault.p for fault in result.faults},
            turn=result.turn,
        )

    def turn_in(self, text: str) -> str:
        """Return the words of the text that the verdict gives as its turn."""
        return text[self.turn.start : self.turn.end] if self.turn is not None else ""


def measure_reference(
    name: str,
    rows: Sequence[ReadText],
    answers: Mapping[int, ReferenceAnswer],
    *,
    bad: int = 0,
    errors: int = 0,
    learned: int = 0,
) -> dict[str, Any]:
    """Measure the ``answers`` given to ``rows`` (by index). Returns the report on a file of readings:

    ``rows`` texts, ``bad`` lines left out, ``judged`` of those drawn, ``errors`` without an answer; ``learned``: number
    of judged texts that the shipped heads may have been trained on. ``items``: each over ``n`` texts, in ``named`` of
    which a reader named it (a factor: scored it); ``worth``: correlation −1…1 of a factor (``measured`` "r"), else area
    under the curve 0…1 ("auc"), None where it isn't defined; ``precision`` and ``recall`` of a kind or fault that
    verdicts name. ``kinds``, ``faults``: those together, and the calibration of stated p. ``first_kind``: the most
    probable kind is one of a reader's; ``turn``: the words found overlap a reader's and are at most three times as
    long. Both of jokes."""
    both = [(rows[place], answers[place]) for place in sorted(answers)]
    kinds = [(read.kinds, answer.kinds, set(answer.chosen)) for read, answer in both]
    faults = [(read.faults, answer.faults, set(answer.faults)) for read, answer in both]
    jokes = [(read, answer) for read, answer in both if read.joke >= 0.5]
    first, turns = ([hit for pair in jokes if (hit := of(*pair)) is not None] for of in (kind_hit, turn_hit))
    report = {
        "name": name, "rows": len(rows) + bad, "bad": bad, "judged": len(both), "errors": errors, "learned": learned,
        "items": [*_checks(both), *_factors(jokes), *_named("kind", kinds), *_named("fault", faults)],
        "kinds": _together(kinds), "faults": _together(faults),
        "first_kind": fraction(first), "turn": fraction(turns),
    }  # fmt: skip
    plain: dict[str, Any] = to_jsonable_python(report)
    return plain


def kind_hit(read: ReadText, answer: ReferenceAnswer) -> float | None:
    """Return 1 where the most probable kind of a joke is one of a reader's, else 0; None where none is stated."""
    return float(max(answer.kinds, key=answer.kinds.__getitem__) in read.kinds) if answer.kinds else None


def turn_hit(read: ReadText, answer: ReferenceAnswer) -> float | None:
    """Return 1 where the words on which a joke turns are found, else 0; None where the verdict or the readers name
    none."""
    span = answer.turn
    if span is None or not read.turns:
        return None
    places = ((read.text.find(turn), len(turn)) for turn in read.turns)
    return float(
        any(
            0 <= place < span.end and span.start < place + size and span.end - span.start <= _LONGEST * size
            for place, size in places
        )
    )


Pairs = Sequence[tuple[ReadText, ReferenceAnswer]]
Stated = Sequence[tuple[frozenset[str], dict[str, float], set[str]]]
"""By text: the names by readers, p of the stated ones, and the verdict's names."""


def _item(section: str, id: str, n: int, named: int, measured: str, **more: Any) -> dict[str, Any]:
    blank = {"worth": None, "low": None, "high": None, "precision": None, "recall": None}
    return {"section": section, "id": id, "n": n, "named": named, "measured": measured, **blank, **more}


def _checks(both: Pairs) -> Iterator[dict[str, Any]]:
    for id, label in _CHECKS.items():
        found = [(answer.checks[id], getattr(read, label)) for read, answer in both if id in answer.checks]
        if found:
            scores, truth = np.array(found).T
            yield _auc_item("check", id, scores, (truth >= 0.5).astype(np.float64))


def _factors(jokes: Pairs) -> Iterator[dict[str, Any]]:
    for id in sorted({id for _, answer in jokes for id in answer.factors}):
        found = [
            (answer.factors[id], read.factors[id])
            for read, answer in jokes
            if id in answer.factors and id in read.factors
        ]
        if found:
            r = pearson(*zip(*found, strict=True))
            yield _item("factor", id, len(found), len(found), "r", worth=r.value, low=r.low, high=r.high)


def _named(section: str, stated: Stated) -> Iterator[dict[str, Any]]:
    for id in sorted({id for named, _, shown in stated for id in (*named, *shown)}):
        scores = np.array([p.get(id, 0.0) for _, p, _ in stated])
        truth = np.array([float(id in named) for named, _, _ in stated])
        shown = np.array([id in names for _, _, names in stated])
        met = fraction(shown[truth > 0].astype(np.float64))
        yield _auc_item(section, id, scores, truth) | {"precision": fraction(truth[shown]), "recall": met}


def _auc_item(section: str, id: str, scores: Vector, truth: Vector) -> dict[str, Any]:
    def area(times: Vector) -> float | None:
        drawn = np.repeat(np.arange(len(scores)), times.astype(np.int64))
        return auc(scores[drawn], truth[drawn])

    # The area isn't defined where verdicts never state the item, or state the same p for all texts.
    worth = auc(scores, truth) if len(scores) and np.ptp(scores) > 0 else None
    low, high = bootstrap(len(scores), area, repeats=_REPEATS) if worth is not None else (math.nan, math.nan)
    ends = {"low": low, "high": high} if math.isfinite(low) and math.isfinite(high) else {}
    return _item(section, id, len(scores), int(truth.sum()), "auc", worth=worth, **ends)


def _together(stated: Stated) -> dict[str, Any]:
    right = [float(id in named) for named, _, shown in stated for id in shown]
    met = [float(id in shown) for named, _, shown in stated for id in named]
    chances = [(p, float(id in named)) for named, known, _ in stated for id, p in known.items()]
    p, hits = np.array(chances).reshape(-1, 2).T
    tenths = bins(p, hits, _TENTHS)
    return {
        "precision": fraction(right), "recall": fraction(met),
        "calibration_error": expected_calibration_error(tenths), "tenths": tenths,
    }  # fmt: skip
