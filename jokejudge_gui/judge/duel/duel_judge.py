"""The duel judge: both orders and each joke alone, combined into calibrated odds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from ...core.events import DuelMeasured, Event, OrderDone, Stage, StageFinished, StageProgress, StageStarted, TextPiece
from ...core.statistics import sigmoid
from ...core.verdict_kinds import Draft
from ...core.verdicts import Drafts, DuelResult, OrderResult, ProbabilityA
from ...engine.base import CancelToken
from ...heads.drafts import DraftComparison
from ...rubric.notes import EditorWords
from ...rubric.xml_parser import Criteria
from ..asking.explanation import TOO_CLOSE, Explainer
from ..asking.questions import LEAST_MASS, Measure
from ..plan.calibration import Calibration
from ..plan.worth import Shown
from ..reader import Heard, Reader
from .bias_mitigation import CanonicalPair, canonical, is_consistent, order_result, position_bias
from .confidence_scorer import PRIOR, WITH_HEAD, Confidence, ConfidenceScorer, Measurements, Weights

# --------------------------------------------------------------------------------------------------------------------
# A duel while it grows.


class DuelDraft(Draft[DuelResult], DuelResult, frozen=False):
    """``DuelResult`` while it grows."""


# --------------------------------------------------------------------------------------------------------------------
# The duel of a model whose answers are worth nothing: each joke is read once, and the heads decide.
#  Every measurement is antisymmetric and each joke is read alone: a swapped duel is the mirror image to the last bit.

SAME = "The two texts are the same, so neither is funnier."
NEAR = "What tells the two apart is too little to say why."
NEAR_DRAFTS = "An editor would hardly prefer either draft."
UNTOLD = "What holds the weaker draft back can't be told."
_LEAST_GAP = 0.3
"""A factor tells two jokes apart if their places among jokes lie this far from each other."""


class ReadingDuelJudge:
    """Compares two cleaned jokes by reading each once. Yields stage events, and the draft when it is decided."""

    def __init__(self, criteria: Criteria, words: EditorWords, reader: Reader, shown: Shown, weight: float) -> None:
        """``weight`` ≥ 0: of the audience head's log-odds, fitted on votes; ``shown``: which factors may be named."""
        self._criteria = criteria
        self._words = words
        self._reader = reader
        self._shown = shown
        self._scorer = ConfidenceScorer(None, Weights(pair=0.0, alone=0.0, audience=weight), noise=0.0)

    def compare(self, draft: DuelDraft, cancel: CancelToken | None = None, *, explain: bool = True) -> Iterator[Step]:
        """``draft`` holds id and texts; at the end it is complete."""
        yield StageStarted(stage=Stage.READING, total=2)
        begin = time.perf_counter()
        pair = canonical(draft.text_a, draft.text_b)
        first, second = (self._reader.read(joke, cancel, context=draft.context) for joke in (pair.first, pair.second))
        audience = pair.for_a(self._reader.difference(first, second)) + 0.0
        controlled = pair.for_a(self._reader.difference(first, second, length_controlled=True)) + 0.0
        drafts = self._reader.compare_drafts(draft.text_a, draft.text_b, cancel)
        self._decide(draft, (audience, controlled), drafts)
        seconds = time.perf_counter() - begin
        draft.stage_seconds[Stage.READING.value] = seconds
        a, b = (first, second) if draft.text_a == pair.first else (second, first)
        if explain:
            draft.explanation = self._explanation(draft, a, b)
        yield draft
        yield StageFinished(stage=Stage.READING, seconds=seconds)
        yield DuelMeasured(result=draft.freeze())
        if draft.explanation:
            yield TextPiece(text=draft.explanation)

    def _decide(self, draft: DuelDraft, odds: tuple[float, float], drafts: DraftComparison | None) -> None:
        """``odds``: the audience head's log-odds for A, and the same without what length adds."""
        audience, audience_controlled = odds
        measured = Measurements(
            first=0.0,
            second=0.0,
            alone=0.0,
            audience=audience,
            audience_controlled=audience_controlled,
            drafts=drafts.log_odds_a if drafts else None,
            drafts_controlled=drafts.controlled_a if drafts else None,
        )
        found: Confidence = self._scorer.score(measured, consistent=True)
        draft.winner, draft.p_a, draft.band = found.winner, found.p_a, found.band
        draft.confidence_factor, draft.measured_factor = found.factor, found.measured_factor
        draft.shares = tuple(share for share in found.shares if share.share > 0)
        draft.audience = ProbabilityA(p_a=sigmoid(audience))
        draft.calibrated = True
        if drafts is not None:
            draft.drafts = Drafts(
                p_a=drafts.p_a,
                agreement=drafts.agreement,
                fault=drafts.fault,
                fault_p=drafts.faults[drafts.fault] if drafts.fault else None,
            )
        controlled = self._scorer.score(measured, consistent=True, length_difference=0.0)
        draft.length_controlled = ProbabilityA(p_a=controlled.p_a)

    # -- words -----------------------------------------------------------------------------------------------------

    def _explanation(self, draft: DuelDraft, a: Heard, b: Heard) -> str:
        if draft.text_a == draft.text_b:
            return SAME
        if draft.drafts is not None:
            return self._of_drafts(draft, draft.drafts)
        return self._of_jokes(a, b)

    def _of_drafts(self, draft: DuelDraft, drafts: Drafts) -> str:
        """What the weaker draft suffers from, where that can be told; that it is judged by drafts, and how surely, is
        said beside it."""
        if draft.winner == "tie":
            return NEAR_DRAFTS
        other = "B" if draft.winner == "A" else "A"
        fault = next((fault for fault in self._words.faults if fault.id == drafts.fault), None)
        return f"{other} {fault.says}." if fault is not None else UNTOLD

    def _of_jokes(self, a: Heard, b: Heard) -> str:
        """Where an editor would put the one clearly above the other."""
        if a.editor is None or b.editor is None:
            return ""
        gaps = [
            (a.editor.factors[factor.id].standing - b.editor.factors[factor.id].standing, factor.name.lower())
            for factor in self._criteria.factors
            if factor.id in self._shown.factors and factor.id in a.editor.factors and factor.id in b.editor.factors
        ]
        more_a = [name for gap, name in sorted(gaps, reverse=True) if gap >= _LEAST_GAP][:2]
        more_b = [name for gap, name in sorted(gaps) if gap <= -_LEAST_GAP][:2]
        parts = [f"more {' and '.join(names)} in {side}" for names, side in ((more_a, "A"), (more_b, "B")) if names]
        return f"An editor finds {', and '.join(parts)}." if parts else NEAR


Step = Event | DuelDraft


@dataclass(frozen=True)
class Voices:
    """What the jokes got each for itself, as log-odds for A: asked alone, and by the audience head (None without one),
    ``audience_controlled`` without what length adds. ``drafts``: what the draft heads say, if these are two drafts of
    one joke; ``mass``: the lesser label mass of the answers."""

    alone: float
    audience: float | None
    audience_controlled: float | None
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
        raw, controlled = self._audience(draft, pair, cancel)
        voices = Voices(
            alone=pair.for_a(first.value - second.value),
            audience=raw,
            audience_controlled=controlled,
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

    def _audience(
        self, draft: DuelDraft, pair: CanonicalPair, cancel: CancelToken | None
    ) -> tuple[float | None, float | None]:
        """The head's log-odds for A, and the same without what length adds; each joke is read alone."""
        if self._reader.head is None:
            return None, None
        first, second = (self._reader.read(joke, cancel, context=draft.context) for joke in (pair.first, pair.second))
        raw = self._reader.difference(first, second)
        controlled = self._reader.difference(first, second, length_controlled=True)
        return pair.for_a(raw) + 0.0, pair.for_a(controlled) + 0.0

    def _decide(self, draft: DuelDraft, pair: CanonicalPair, voices: Voices) -> None:
        a_first, b_first = draft.orders
        # −0.0 would print as a sign where there is none.
        measured = Measurements(
            first=a_first.log_odds_a,
            second=b_first.log_odds_a,
            alone=voices.alone + 0.0,
            audience=voices.audience,
            audience_controlled=voices.audience_controlled,
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
