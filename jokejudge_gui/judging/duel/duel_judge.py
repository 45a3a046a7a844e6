"""The duel judge: both orders and each joke alone, combined into calibrated odds."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ...engine.base import CancelToken
from ...events import DuelMeasured, Event, OrderDone, Stage, StageFinished, StageProgress, StageStarted
from ...verdicts import DuelResult, OrderResult, ProbabilityA
from ..asking.answers import sigmoid
from ..asking.explanation import Explainer
from ..asking.questions import Measure
from ..plan.calibration_types import Calibration
from ..reading.reader import Listener
from .bias_mitigation import CanonicalPair, canonical, is_consistent, order_result, position_bias
from .confidence_scorer import PRIOR, WITH_HEAD, ConfidenceScorer, Measurements, Weights

_SAME = "The two texts are the same, so neither is funnier."


class DuelJudge:
    """Compares two cleaned jokes. Yields stage events and the growing result; the last one is complete."""

    def __init__(
        self,
        measure: Measure,
        calibration: Calibration,
        explainer: Explainer | None,
        listener: Listener | None = None,
        weights: Weights | None = None,
    ) -> None:
        """``weights``: fitted on votes; without them the prior serves."""
        self._measure = measure
        self._calibration = calibration
        self._explainer = explainer
        self._listener = listener
        weights = weights or (WITH_HEAD if listener else PRIOR)
        self._scorer = ConfidenceScorer(calibration.duel, weights, calibration.noise_floor.odds)

    def compare(self, result: DuelResult, cancel: CancelToken | None = None) -> Iterator[Event | DuelResult]:
        """``result`` holds id and texts. Yields events, and results whenever something is known."""
        pair = canonical(result.text_a, result.text_b)
        yield StageStarted(stage=Stage.PAIR, total=2)
        begin = time.perf_counter()
        orders: list[OrderResult] = []
        for place, odds in enumerate(self._measure.pair(pair.first, pair.second, cancel)):
            orders.append(order_result(pair, place, odds))
            yield OrderDone(order=orders[-1])
            yield StageProgress(stage=Stage.PAIR, done=place + 1, total=2)
        orders.sort(key=lambda order: order.first)
        seconds = {Stage.PAIR.value: time.perf_counter() - begin}
        result = result.model_copy(update={"orders": tuple(orders), "stage_seconds": dict(seconds)})
        yield result
        yield StageFinished(stage=Stage.PAIR, seconds=seconds[Stage.PAIR.value])

        yield StageStarted(stage=Stage.ALONE, total=2)
        begin = time.perf_counter()
        first, second = self._measure.alone((pair.first, pair.second), cancel)
        alone = pair.for_a(first.value - second.value)
        audience = self._audience(pair, cancel)
        seconds[Stage.ALONE.value] = time.perf_counter() - begin
        masses = (*(order.label_mass for order in orders), first.mass, second.mass)
        result = self._decide(result, pair, alone, audience, min(masses))
        result = result.model_copy(update={"stage_seconds": dict(seconds)})
        yield result
        yield StageFinished(stage=Stage.ALONE, seconds=seconds[Stage.ALONE.value])
        yield DuelMeasured(result=result)
        yield from self._explain(result, pair, cancel)

    def _audience(self, pair: CanonicalPair, cancel: CancelToken | None) -> float | None:
        """The head's log-odds for A; each joke is read alone."""
        if self._listener is None:
            return None
        first, second = (self._listener.read(joke, cancel) for joke in (pair.first, pair.second))
        return pair.for_a(self._listener.head.difference(first, second)) + 0.0

    def _decide(
        self, result: DuelResult, pair: CanonicalPair, alone: float, audience: float | None, mass: float
    ) -> DuelResult:
        a_first, b_first = result.orders
        # −0.0 would print as a sign where there is none.
        measured = Measurements(
            first=a_first.log_odds_a, second=b_first.log_odds_a, alone=alone + 0.0, audience=audience
        )
        consistent = pair.identical or is_consistent(result.orders)
        confidence = self._scorer.score(measured, consistent=consistent)
        duel = self._calibration.duel
        controlled = None
        if duel is not None:
            length = float(len(result.text_a) - len(result.text_b))
            controlled = self._scorer.score(measured, consistent=consistent, length_difference=length)
        warnings = list(result.warnings)
        if mass < 0.5:
            warnings.append("This model hardly answered the question; treat the verdict as a guess.")
        return result.model_copy(
            update={
                "winner": confidence.winner,
                "p_a": confidence.p_a,
                "confidence_factor": confidence.factor,
                "measured_factor": confidence.measured_factor,
                "band": confidence.band,
                "within_noise": confidence.within_noise,
                "consistent": consistent,
                "position_bias": position_bias(result.orders),
                "shares": confidence.shares,
                "audience": ProbabilityA(p_a=sigmoid(audience)) if audience is not None else None,
                "length_controlled": ProbabilityA(p_a=controlled.p_a) if controlled else None,
                "warnings": tuple(warnings),
                "calibrated": duel is not None,
            }
        )

    def _explain(
        self, result: DuelResult, pair: CanonicalPair, cancel: CancelToken | None
    ) -> Iterator[Event | DuelResult]:
        if pair.identical:
            yield result.model_copy(update={"explanation": _SAME})
            return
        if self._explainer is None or result.winner == "tie":
            return
        yield StageStarted(stage=Stage.EXPLANATION)
        begin = time.perf_counter()
        a_wins = result.winner == "A"
        winner, loser = (result.text_a, result.text_b) if a_wins else (result.text_b, result.text_a)
        text = ""
        for piece in self._explainer.duel(winner, loser, cancel):
            text += piece.text
            yield piece
        elapsed = time.perf_counter() - begin
        seconds = {**result.stage_seconds, Stage.EXPLANATION.value: elapsed}
        yield result.model_copy(update={"explanation": text.strip() or None, "stage_seconds": seconds})
        yield StageFinished(stage=Stage.EXPLANATION, seconds=elapsed)
