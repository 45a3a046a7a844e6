"""What the model is asked about a joke because its plan says that it is worth it, and how answers and readings join."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

from ...core.statistics import sigmoid
from ...core.verdicts import CheckResult, Source
from ...engine.base import CancelToken
from ...heads.editor import EditorReading, FactorReading
from ..asking.questions import Measure, factor_ref
from ..plan.calibration import Calibration
from ..plan.worth import ItemWorth, Kind, Plan
from .admissibility_checker import INTENT, AdmissibilityChecker, answered
from .category_classifier import standardise
from .factor_scorer import FactorScorer

_SURE = 6.0
"""Log-odds that nothing read is surer than, when it is summed with an answer."""


@dataclass(frozen=True)
class Told:
    """What answers and heads say of one joke. ``sources``: of kinds and factors that aren't from the reading alone."""

    found: EditorReading | None
    sources: Mapping[tuple[Kind, str], Source] = field(default_factory=dict)

    def source(self, kind: Kind, id: str) -> Source:
        return self.sources.get((kind, id), "read")


class Asker:
    """Asks one model what its plan holds, and about the factors that the user wants asked about in each rating."""

    def __init__(self, measure: Measure, calibration: Calibration, plan: Plan) -> None:
        self._measure = measure
        self._plan = plan
        self._kinds_calibration = calibration.categories
        self._checker = AdmissibilityChecker(calibration)
        self._scorer = FactorScorer(measure, calibration)
        self._checks = plan.asked("check")
        self._kinds = plan.asked("kind")
        known = {factor.id for factor in measure.criteria.factors}
        planned = tuple(id for id in plan.asked("factor") if id in known)
        self._always = tuple(id for id in measure.criteria.always if id not in planned)
        self._factors = (*planned, *self._always)

    def admit(
        self, text: str, joke: float | None, cancel: CancelToken | None = None
    ) -> tuple[tuple[CheckResult, ...], dict[str, float]]:
        """All checks, where one of them at least is worth asking (they stand on one reading of the text), and the
        log-probability of each kind's name, where that is. ``joke``: log-odds by the heads that it is meant as one.
        Raises what the engine raises."""
        if self._kinds:
            reading = self._measure.reading(text, cancel)
            odds, names = reading.checks, reading.categories
        elif self._checks:
            odds, names = self._measure.checks(text, cancel), {}
        else:
            return (), {}
        if not self._checks:
            return (), names
        checks = self._checker.evaluate(odds)
        if joke is not None and INTENT not in self._checks:
            read = answered(INTENT, joke, source="read")
            checks = tuple(read if check.check == INTENT else check for check in checks)
        return checks, names

    def join(
        self, text: str, names: Mapping[str, float], found: EditorReading | None, cancel: CancelToken | None = None
    ) -> Told:
        """What the heads ``found`` (None: no heads), with the answers that are worth asking: kinds by the ``names``
        that ``admit`` gave, and factors, which are asked about here. Raises what the engine raises."""
        if not names and not self._factors:
            return Told(found)
        sources: dict[tuple[Kind, str], Source] = {}
        kinds = dict(found.kinds) if found is not None else {}
        z = standardise(dict(names), self._kinds_calibration) if names else {}
        for id, value in z.items():
            item = self._plan.of("kind", id)
            joined = _joined(item, value, _odds(kinds.get(id)))
            if item is not None and joined is not None and item.source is not None:
                kinds[id] = sigmoid(max(-30.0, min(30.0, joined)))
                sources["kind", id] = item.source
        factors = dict(found.factors) if found is not None else {}
        refs = [factor_ref(id, self._measure.criteria) for id in self._factors]
        for score in self._scorer.score(text, refs, {}, cancel) if refs else ():
            item = self._plan.of("factor", score.id)
            read = factors.get(score.id)
            if score.id in self._always:
                if score.expected is not None:  # its place among jokes isn't known, so it is in the middle
                    factors[score.id] = FactorReading(expected=score.expected, sd=score.sd or 0.0, standing=0.5)
                    sources["factor", score.id] = "asked"
                continue
            if item is None or item.source is None or score.expected is None:
                continue  # no answer: the reading stands, if there is one
            joined = _joined(item, score.expected, read.expected if read is not None else None)
            if joined is not None:
                factors[score.id] = _reading(item, joined, score.sd or 0.0)
                sources["factor", score.id] = item.source
        nothing = EditorReading(factors={}, kinds={}, faults={}, turn=None, cuts=(), joke=0.5, complete=0.5)
        return Told((found or nothing).replaced(factors=factors, kinds=kinds), sources)


def _joined(item: ItemWorth | None, asked: float, read: float | None) -> float | None:
    return item.joined(asked, read) if item is not None and item.ask else None


def _odds(p: float | None) -> float | None:
    return None if p is None else max(-_SURE, min(_SURE, math.log(max(p, 1e-6) / max(1.0 - p, 1e-6))))


def _reading(item: ItemWorth, value: float, sd: float) -> FactorReading:
    """A joined score in the form of a reading; without weights its place among jokes isn't known, so it is in the
    middle."""
    weights = item.weights
    expected = max(0.0, min(5.0, value))
    if weights is None:
        return FactorReading(expected=expected, sd=sd, standing=0.5)
    standing = 0.5 * (1.0 + math.erf((value - weights.usual) / weights.spread / math.sqrt(2.0)))
    return FactorReading(expected=expected, sd=weights.sd, standing=standing)
