"""The duel judges: what two jokes got, asked and read, combined into calibrated odds.

Every measurement is antisymmetric and each joke is read alone: a swapped duel is the mirror image to the last bit."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Iterator

from ...core.events import DuelMeasured, Event, OrderDone, Stage, StageProgress, TextPiece
from ...core.statistics import sigmoid
from ...core.verdict_kinds import Draft
from ...core.verdicts import Drafts, DuelResult, DuelText, OrderResult, ProbabilityA, Span
from ...engine.base import CancelToken
from ...heads.sense_features import edit_of
from ...rubric.notes import EditorWords, NoteRules
from ...rubric.xml_parser import Criteria
from ..asking.explanation import TOO_CLOSE, Explainer
from ..asking.questions import LEAST_MASS, Measure
from ..judged_kind import staged
from ..plan.calibration import Calibration
from ..plan.worth import Shown
from ..reader import Heard, Reader
from .bias_mitigation import canonical, is_consistent, order_result, position_bias
from .confidence_scorer import PRIOR, WITH_HEAD, ConfidenceScorer, Measurements, Weights

SAME = "The two texts are the same, so neither is funnier."
NEAR = "What tells the two apart is too little to say why."
NEAR_DRAFTS = "An editor would hardly prefer either draft."
UNTOLD = "What holds the weaker draft back can't be told."
_LEAST_TURN = 0.5
"""Probability from which on the words on which a text turns are told."""
_LEAST_LOST = 2.0
"""Log-odds that a draft plays on a word, by which the other must fall short to have lost its second meaning."""
_LEAST_GAP = 0.3
"""A factor tells two jokes apart if their places among jokes lie this far from each other."""


class DuelDraft(Draft[DuelResult], DuelResult, frozen=False):
    """``DuelResult`` while it grows."""


Step = Event | DuelDraft
Steps = Generator[Step, None, None]


class _Judge(ABC):
    """What is the same whether a model is asked or only reads."""

    def __init__(self, reader: Reader, scorer: ConfidenceScorer) -> None:
        self._reader = reader
        self._scorer = scorer

    @abstractmethod
    def compare(self, draft: DuelDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        """Yields stage events and the draft whenever something is known. ``draft`` holds id and texts; at the end it is
        complete."""

    def _read(self, draft: DuelDraft, cancel: CancelToken | None) -> tuple[Heard, Heard]:
        """What was found in A and in B."""
        pair = canonical(draft.text_a, draft.text_b)
        first, second = (self._reader.read(joke, cancel, context=draft.context) for joke in (pair.first, pair.second))
        return (second, first) if pair.swapped else (first, second)

    def _measured(
        self,
        draft: DuelDraft,
        cancel: CancelToken | None,
        *,
        orders: tuple[float, float] = (0.0, 0.0),
        alone: float = 0.0,
    ) -> Measurements:
        """The answers as log-odds for A (in both ``orders``, and ``alone``), and what the heads say beside them."""
        audience = controlled = None
        if self._reader.head is not None:
            a, b = self._read(draft, cancel)
            # −0.0 would print as a sign where there is none.
            audience = self._reader.difference(a, b) + 0.0
            controlled = self._reader.difference(a, b, length_controlled=True) + 0.0
            draft.audience = ProbabilityA(p_a=sigmoid(audience))
            draft.read_a, draft.read_b = self._found(a), self._found(b)
            draft.people = self._reader.people(a, b)
        draft.edit = edit_of(draft.text_a, draft.text_b) if draft.text_a != draft.text_b else None
        drafts = self._reader.compare_drafts(draft.text_a, draft.text_b, cancel)
        if drafts is not None:
            draft.drafts = Drafts(
                p_a=drafts.p_a,
                agreement=drafts.agreement,
                fault=drafts.fault,
                fault_p=drafts.faults[drafts.fault] if drafts.fault else None,
            )
        return Measurements(
            first=orders[0],
            second=orders[1],
            alone=alone + 0.0,
            audience=audience,
            audience_controlled=controlled,
            drafts=drafts.log_odds_a if drafts else None,
            drafts_controlled=drafts.controlled_a if drafts else None,
        )

    def _found(self, heard: Heard) -> DuelText:
        """What is told of one text by itself."""
        turn = heard.editor.turn if heard.editor is not None else None
        crowd = self._reader.audience(heard)
        return DuelText(
            turn=Span.model_validate(turn.model_dump()) if turn is not None and turn.p >= _LEAST_TURN else None,
            said=heard.sense.sense.said if heard.sense is not None else None,
            kind=crowd.kind if crowd is not None else "",
            agreement=crowd.agreement if crowd is not None else None,
            heard=crowd is None or crowd.heard,
        )

    def _decide(self, draft: DuelDraft, measured: Measurements, *, consistent: bool, calibrated: bool) -> None:
        found = self._scorer.score(measured, consistent=consistent)
        draft.winner, draft.p_a, draft.band = found.winner, found.p_a, found.band
        draft.confidence_factor, draft.measured_factor = found.factor, found.measured_factor
        draft.within_noise, draft.shares = found.within_noise, found.shares
        draft.calibrated = calibrated
        if calibrated:
            length = float(len(draft.text_a) - len(draft.text_b))
            controlled = self._scorer.score(measured, consistent=consistent, length_difference=length)
            draft.length_controlled = ProbabilityA(p_a=controlled.p_a)


class ReadingDuelJudge(_Judge):
    """Compares two cleaned jokes for a model whose answers are worth nothing: each is read once, and the heads
    decide."""

    def __init__(
        self,
        criteria: Criteria,
        words: EditorWords,
        reader: Reader,
        shown: Shown,
        weight: float,
        *,
        explain: bool = True,
    ) -> None:
        """``weight`` ≥ 0: of the audience head's log-odds, fitted on votes; ``shown``: which factors may be named."""
        super().__init__(reader, ConfidenceScorer(None, Weights(pair=0.0, alone=0.0, audience=weight), noise=0.0))
        self._criteria = criteria
        self._words = words
        self._shown = shown
        self._explain = explain

    def compare(self, draft: DuelDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        yield from staged(draft, Stage.READING, self._compared(draft, cancel), total=2)
        yield DuelMeasured(result=draft.freeze())
        if draft.explanation:
            yield TextPiece(text=draft.explanation)

    def _compared(self, draft: DuelDraft, cancel: CancelToken | None) -> Steps:
        self._decide(draft, self._measured(draft, cancel), consistent=True, calibrated=True)
        draft.shares = tuple(share for share in draft.shares if share.share > 0)
        if self._explain:
            draft.explanation = self._explanation(draft, cancel)
        yield from ()

    def _explanation(self, draft: DuelDraft, cancel: CancelToken | None) -> str:
        if draft.text_a == draft.text_b:
            return SAME
        if draft.drafts is None:
            return self._of_jokes(*self._read(draft, cancel))
        played = played_on(*self._read(draft, cancel), self._words.notes)
        if played:
            return played
        # That it is judged by drafts, and how surely, is said beside it.
        if draft.winner == "tie":
            return NEAR_DRAFTS
        fault = next((fault for fault in self._words.faults if fault.id == draft.drafts.fault), None)
        return f"{'B' if draft.winner == 'A' else 'A'} {fault.says}." if fault is not None else UNTOLD

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


def played_on(a: Heard, b: Heard, notes: NoteRules) -> str:
    """Which of two drafts has lost the second meaning that the other plays on; "" where neither or both have one."""
    first, second = a.wordplay, b.wordplay
    told = [each.said if each is not None else None for each in (first, second)]
    if (told[0] is None) == (told[1] is None):
        return ""
    if first is not None and second is not None and abs(first.strength - second.strength) < _LEAST_LOST:
        return ""
    kept, said = ("A", told[0]) if told[0] is not None else ("B", told[1])
    assert said is not None
    lost = "B" if kept == "A" else "A"
    return f"{kept} still has the second meaning ({notes.told(said).sentence}), {lost} has lost it."


class DuelJudge(_Judge):
    """Compares two cleaned jokes by asking: in both orders, and about each joke alone."""

    def __init__(
        self,
        measure: Measure,
        calibration: Calibration,
        explainer: Explainer | None,
        reader: Reader,
        weights: Weights | None = None,
    ) -> None:
        """``explainer``: None for a duel without words; ``weights``: fitted on votes, without them the prior serves."""
        weights = weights or (WITH_HEAD if reader.head else PRIOR)
        super().__init__(reader, ConfidenceScorer(calibration.duel, weights, calibration.noise_floor.odds))
        self._measure = measure
        self._calibrated = calibration.duel is not None
        self._explainer = explainer

    def compare(self, draft: DuelDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        yield from staged(draft, Stage.PAIR, self._orders(draft, cancel), total=2)
        yield from staged(draft, Stage.ALONE, self._decision(draft, cancel), total=2)
        if draft.within_noise and self._explainer is not None:
            # Of two jokes that it can't tell apart the model would still write why one of them is funnier.
            draft.explanation = TOO_CLOSE
        yield DuelMeasured(result=draft.freeze())
        identical = draft.text_a == draft.text_b
        if identical:
            draft.explanation = SAME
        if identical or draft.within_noise:
            yield draft
        elif self._explainer is not None and draft.winner != "tie":
            yield from staged(draft, Stage.EXPLANATION, self._explained(draft, self._explainer, cancel))

    def _orders(self, draft: DuelDraft, cancel: CancelToken | None) -> Steps:
        pair = canonical(draft.text_a, draft.text_b)
        orders: list[OrderResult] = []
        for place, odds in enumerate(self._measure.pair(pair.first, pair.second, cancel)):
            orders.append(order_result(pair, place, odds))
            yield OrderDone(order=orders[-1])
            yield StageProgress(stage=Stage.PAIR, done=place + 1, total=2)
        draft.orders = tuple(sorted(orders, key=lambda order: order.first))

    def _decision(self, draft: DuelDraft, cancel: CancelToken | None) -> Steps:
        pair = canonical(draft.text_a, draft.text_b)
        first, second = self._measure.alone((pair.first, pair.second), cancel)
        a_first, b_first = draft.orders
        measured = self._measured(
            draft,
            cancel,
            orders=(a_first.log_odds_a, b_first.log_odds_a),
            alone=pair.for_a(first.value - second.value),
        )
        draft.consistent = pair.identical or is_consistent(draft.orders)
        draft.position_bias = position_bias(draft.orders)
        self._decide(draft, measured, consistent=draft.consistent, calibrated=self._calibrated)
        if min(first.mass, second.mass, *(order.label_mass for order in draft.orders)) < LEAST_MASS:
            draft.warn("This model hardly answered the question; treat the verdict as a guess.")
        yield from ()

    def _explained(self, draft: DuelDraft, explainer: Explainer, cancel: CancelToken | None) -> Steps:
        winner, loser = (draft.text_a, draft.text_b) if draft.winner == "A" else (draft.text_b, draft.text_a)
        text = ""
        for piece in explainer.duel(winner, loser, cancel):
            text += piece.text
            yield piece
        draft.explanation = text.strip() or None
