"""The duel judge: both orders and each joke alone, combined into calibrated odds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from ...engine.base import CancelToken
from ...events import DuelMeasured, Event, OrderDone, Stage, StageFinished, StageProgress, StageStarted
from ...statistics import sigmoid
from ...verdicts import Drafts, OrderResult, ProbabilityA
from ..asking.answers import LEAST_MASS
from ..asking.explanation import TOO_CLOSE, Explainer
from ..asking.questions import Measure
from ..plan.calibration_types import Calibration
from ..reading.drafts import DraftComparison
from ..reading.reader import Reader
from .bias_mitigation import CanonicalPair, canonical, is_consistent, order_result, position_bias
from .confidence_scorer import PRIOR, WITH_HEAD, ConfidenceScorer, Measurements, Weights
from .draft import DuelDraft
from .reading_judge import SAME

Step = Event | DuelDraft


@dataclass(frozen=True)
class Voices:
    """What the jokes got each for itself, as log-odds for A: asked alone, and by the audience head (None without one);
    ``drafts``: what the draft heads say, if these are two drafts of one joke.
    ``mass``: the lesser label mass of the answers."""

    alone: float
    audience: float | None
    drafts: DraftComparison | None
    mass: float


class DuelJudge:
    """Compares two cleaned jokes. Yields stage events and the draft whenever something is known."""

    def __init__(
        self,
        measure: Measure,
        calibration: Calibration,
        explainer: Explainer | None,
        reader: Reader,
        weights: Weights | None = None,
    ) -> None:
        """``explainer``: None for a duel without words; ``weights``: fitted on votes, without them the prior serves."""
        self._measure = measure
        self._calibration = calibration
        self._explainer = explainer
        self._reader = reader
        weights = weights or (WITH_HEAD if reader.head else PRIOR)
        self._scorer = ConfidenceScorer(calibration.duel, weights, calibration.noise_floor.odds)

    def compare(self, draft: DuelDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        """``draft`` holds id and texts; at the end it is complete."""
        pair = canonical(draft.text_a, draft.text_b)
        yield from self._orders(draft, pair, cancel)
        yield from self._decision(draft, pair, cancel)
        yield from self._explain(draft, pair, cancel)

    def _orders(self, draft: DuelDraft, pair: CanonicalPair, cancel: CancelToken | None) -> Iterator[Step]:
        yield StageStarted(stage=Stage.PAIR, total=2)
        begin = time.perf_counter()
        orders: list[OrderResult] = []
        for place, odds in enumerate(self._measure.pair(pair.first, pair.second, cancel)):
            orders.append(order_result(pair, place, odds))
            yield OrderDone(order=orders[-1])
            yield StageProgress(stage=Stage.PAIR, done=place + 1, total=2)
        draft.orders = tuple(sorted(orders, key=lambda order: order.first))
        seconds = time.perf_counter() - begin
        draft.stage_seconds[Stage.PAIR.value] = seconds
        yield draft
        yield StageFinished(stage=Stage.PAIR, seconds=seconds)

    def _decision(self, draft: DuelDraft, pair: CanonicalPair, cancel: CancelToken | None) -> Iterator[Step]:
        yield StageStarted(stage=Stage.ALONE, total=2)
        begin = time.perf_counter()
        first, second = self._measure.alone((pair.first, pair.second), cancel)
        voices = Voices(
            alone=pair.for_a(first.value - second.value),
            audience=self._audience(pair, cancel),
            drafts=self._reader.compare_drafts(draft.text_a, draft.text_b, cancel),
            mass=min(first.mass, second.mass),
        )
        seconds = time.perf_counter() - begin
        self._decide(draft, pair, voices)
        draft.stage_seconds[Stage.ALONE.value] = seconds
        yield draft
        yield StageFinished(stage=Stage.ALONE, seconds=seconds)
        if draft.within_noise and self._explainer is not None:
            # Of two jokes that it can't tell apart the model would still write why one of them is funnier.
            draft.explanation = TOO_CLOSE
        yield DuelMeasured(result=draft.freeze())

    def _audience(self, pair: CanonicalPair, cancel: CancelToken | None) -> float | None:
        """The head's log-odds for A; each joke is read alone."""
        if self._reader.head is None:
            return None
        first, second = (self._reader.read(joke, cancel) for joke in (pair.first, pair.second))
        return pair.for_a(self._reader.difference(first, second)) + 0.0

    def _decide(self, draft: DuelDraft, pair: CanonicalPair, voices: Voices) -> None:
        a_first, b_first = draft.orders
        # −0.0 would print as a sign where there is none.
        measured = Measurements(
            first=a_first.log_odds_a,
            second=b_first.log_odds_a,
            alone=voices.alone + 0.0,
            audience=voices.audience,
            drafts=voices.drafts.log_odds_a if voices.drafts else None,
            drafts_controlled=voices.drafts.controlled_a if voices.drafts else None,
        )
        consistent = pair.identical or is_consistent(draft.orders)
        confidence = self._scorer.score(measured, consistent=consistent)
        draft.winner, draft.p_a, draft.band = confidence.winner, confidence.p_a, confidence.band
        draft.confidence_factor, draft.measured_factor = confidence.factor, confidence.measured_factor
        draft.within_noise, draft.shares = confidence.within_noise, confidence.shares
        draft.consistent, draft.position_bias = consistent, position_bias(draft.orders)
        if voices.audience is not None:
            draft.audience = ProbabilityA(p_a=sigmoid(voices.audience))
        if voices.drafts is not None:
            draft.drafts = _told(voices.drafts)
        draft.calibrated = self._calibration.duel is not None
        if draft.calibrated:
            length = float(len(draft.text_a) - len(draft.text_b))
            controlled = self._scorer.score(measured, consistent=consistent, length_difference=length)
            draft.length_controlled = ProbabilityA(p_a=controlled.p_a)
        if min(voices.mass, *(order.label_mass for order in draft.orders)) < LEAST_MASS:
            draft.warn("This model hardly answered the question; treat the verdict as a guess.")

    def _explain(self, draft: DuelDraft, pair: CanonicalPair, cancel: CancelToken | None) -> Iterator[Step]:
        if pair.identical:
            draft.explanation = SAME
        if pair.identical or draft.within_noise:
            yield draft
            return
        if self._explainer is None or draft.winner == "tie":
            return
        yield StageStarted(stage=Stage.EXPLANATION)
        begin = time.perf_counter()
        a_wins = draft.winner == "A"
        winner, loser = (draft.text_a, draft.text_b) if a_wins else (draft.text_b, draft.text_a)
        text = ""
        for piece in self._explainer.duel(winner, loser, cancel):
            text += piece.text
            yield piece
        draft.explanation = text.strip() or None
        seconds = time.perf_counter() - begin
        draft.stage_seconds[Stage.EXPLANATION.value] = seconds
        yield draft
        yield StageFinished(stage=Stage.EXPLANATION, seconds=seconds)


def _told(found: DraftComparison) -> Drafts:
    return Drafts(
        p_a=found.p_a,
        agreement=found.agreement,
        fault=found.fault,
        fault_p=found.faults[found.fault] if found.fault else None,
    )
