"""The duel judges: two jokes' answers and readings, combined into calibrated odds.

Every measurement is antisymmetric and each joke is read alone: a swapped duel is the mirror image to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ...core.events import Event, Interim, Stage
from ...core.statistics import sigmoid
from ...core.verdicts import Span
from ...engine.base import CancelToken
from ...heads.sense_features import edit_of
from ...heads.told import heard
from ...rubric.notes import NoteRules
from ..asking.explanation import TOO_CLOSE
from ..asking.questions import LEAST_MASS
from ..judged_kind import staged
from ..main_judge import MainJudge
from ..reader import Predictions
from .bias_mitigation import both_orders, consistent, each_once, position_bias
from .confidence_scorer import ConfidenceScorer, Weights
from .record import Drafts, DuelResult, DuelText, ProbabilityA
from .words import SAME

_LEAST_TURN = 0.5
"""Least probability at which the words on which a text turns are reported."""
_NAMED = 0.95
"""The probability from which on the fault of the weaker draft is named."""
_LEAST_LOST = 2.0
"""Least deficit in wordplay strength (log-odds) for a draft to count as having lost the other's second meaning."""
Step = Event | DuelResult


class DuelJudge:
    """Compares two cleaned jokes: each is read once, and where ``asks`` the model is asked in both orders, and about
    each joke alone."""

    def __init__(self, judge: MainJudge, weights: Weights, *, asks: bool, explain: bool, seed: int = 1) -> None:
        """``explain``: add an explanation."""
        self._judge, self._reader = judge, judge.reader
        self._asks, self._explain, self._seed = asks, explain, seed
        if asks:
            self._scorer = ConfidenceScorer(judge.calibration.duel, weights)
        else:
            self._scorer = ConfidenceScorer(None, Weights(pair=0.0, alone=0.0, audience=weights.audience), noise=0.0)

    def compare(self, draft: DuelResult, cancel: CancelToken | None = None) -> Iterator[Step]:
        """Yield stage events and the draft after each result. ``draft`` begins with id and texts; at the end it is
        complete."""
        if not self._asks:
            yield from staged(draft, Stage.READING, partial(self._compared, draft, cancel))
            yield Interim(result=draft.freeze())
            return
        measure, same = self._judge.measure, draft.text_a == draft.text_b

        def orders() -> None:
            draft.orders = both_orders(measure, draft.text_a, draft.text_b, cancel)

        yield from staged(draft, Stage.PAIR, orders)
        yield from staged(draft, Stage.ALONE, partial(self._decision, draft, cancel))
        if draft.within_noise and self._explain:
            # The model would write why one joke is funnier even where it can't distinguish them.
            draft.explanation = TOO_CLOSE
        yield Interim(result=draft.freeze())
        if same:
            draft.explanation = SAME
        if same or draft.within_noise:
            yield draft
        elif self._explain and draft.winner != "tie":
            yield from staged(draft, Stage.EXPLANATION, partial(self._explain_it, draft, cancel))

    def _decide(
        self, draft: DuelResult, cancel: CancelToken | None,
        first: float = 0.0, second: float = 0.0, alone: float = 0.0,
        *, consistent: bool = True, calibrated: bool = True,
    ) -> None:  # fmt: skip
        """Combine the answers as log-odds for A (``first``: with A first, ``second``: with B first, and ``alone``) with
        the heads' estimates; where ``calibrated``, also without the effect of length."""
        audience = controlled = None
        if self._reader.head is not None:
            a, b = self._read(draft, cancel)
            # −0.0 would print with a sign.
            audience = self._reader.difference(a, b) + 0.0
            controlled = self._reader.difference(a, b, length_controlled=True) + 0.0
            draft.audience = ProbabilityA(p_a=sigmoid(audience))
            draft.read_a, draft.read_b = self._about(a), self._about(b)
            draft.people = self._reader.people(a, b)
        draft.edit = edit_of(draft.text_a, draft.text_b) if draft.text_a != draft.text_b else None
        drafts = self._reader.compare_drafts(draft.text_a, draft.text_b, cancel)
        if drafts is not None:
            draft.edit = drafts.edit or draft.edit
            p = drafts.faults[drafts.fault] if drafts.fault else None
            draft.drafts = Drafts(p_a=drafts.p_a, agreement=drafts.agreement, fault=drafts.fault, fault_p=p)
        score = partial(self._scorer.score, first, second, alone + 0.0, consistent=consistent)
        fields = score(audience, drafts.log_odds_a if drafts else None)
        draft.winner = draft.winner_by(fields.pop("log_odds"))
        for name, value in fields.items():
            setattr(draft, name, value)
        draft.calibrated = calibrated
        if calibrated:
            length = float(len(draft.text_a) - len(draft.text_b))
            fields = score(controlled, drafts.controlled_a if drafts else None, length_difference=length)
            draft.length_controlled = ProbabilityA(p_a=fields["p_a"])

    def _read(self, draft: DuelResult, cancel: CancelToken | None) -> tuple[Predictions, Predictions]:
        """The readings of A and of B."""
        return each_once(
            draft.text_a, draft.text_b, lambda text: self._reader.read(text, cancel, context=draft.context)
        )

    def _about(self, reading: Predictions) -> DuelText:
        turn = reading.editor.turn if reading.editor is not None else None
        crowd = self._reader.audience(reading)
        return DuelText(
            turn=Span.model_validate(turn.model_dump()) if turn is not None and turn.p >= _LEAST_TURN else None,
            said=reading.sense.sense.said if reading.sense is not None else None,
            told=heard(reading.text),
            **({"kind": crowd.kind, "agreement": crowd.agreement, "heard": crowd.heard} if crowd is not None else {}),
        )

    # -- Reading alone, for a model whose answers aren't used ------------------------------------------------------

    def _compared(self, draft: DuelResult, cancel: CancelToken | None) -> None:
        self._decide(draft, cancel)
        draft.shares = tuple(share for share in draft.shares if share["share"] > 0)
        if self._explain:
            draft.explanation = self._explanation(draft, cancel)

    def _explanation(self, draft: DuelResult, cancel: CancelToken | None) -> str | None:
        """Return what is known of two drafts: a second meaning that only one of them has, or the weaker one's fault;
        None where neither is known, and for two different jokes."""
        if draft.text_a == draft.text_b:
            return SAME
        if draft.drafts is None:
            return None
        if played := played_on(*self._read(draft, cancel), self._judge.words.notes):
            return played
        fault = next((fault for fault in self._judge.words.faults if fault.id == draft.drafts.fault), None)
        if fault is None or draft.winner == "tie" or (draft.drafts.fault_p or 0.0) < _NAMED:
            return None
        return f"{'B' if draft.winner == 'A' else 'A'} {fault.says}."

    # -- Asking ----------------------------------------------------------------------------------------------------

    def _decision(self, draft: DuelResult, cancel: CancelToken | None) -> None:
        first, second = self._judge.measure.alone(sorted((draft.text_a, draft.text_b)), cancel)
        alone = first.value - second.value if draft.text_a <= draft.text_b else second.value - first.value
        a_first, b_first = draft.orders
        draft.consistent = draft.text_a == draft.text_b or consistent(a_first, b_first)
        draft.position_bias = position_bias(a_first, b_first)
        self._decide(
            draft, cancel, a_first.log_odds_a, b_first.log_odds_a, alone,
            consistent=draft.consistent, calibrated=self._judge.calibration.duel is not None,
        )  # fmt: skip
        if min(first.mass, second.mass, *(order.label_mass for order in draft.orders)) < LEAST_MASS:
            draft.warn("This model hardly answered the question; treat the verdict as a guess.")

    def _explain_it(self, draft: DuelResult, cancel: CancelToken | None) -> None:
        winner, loser = (draft.text_a, draft.text_b) if draft.winner == "A" else (draft.text_b, draft.text_a)
        draft.explanation = self._judge.explainer(self._seed).duel(winner, loser, cancel) or None


def played_on(a: Predictions, b: Predictions, notes: NoteRules) -> str:
    """Return a sentence about the draft that has lost the second meaning on which the other plays; "" where neither or
    both have one."""
    first, second = a.wordplay, b.wordplay
    meanings = [pun.said if pun is not None else None for pun in (first, second)]
    if (meanings[0] is None) == (meanings[1] is None):
        return ""
    if first is not None and second is not None and abs(first.strength - second.strength) < _LEAST_LOST:
        return ""
    kept, lost = ("A", "B") if meanings[0] is not None else ("B", "A")
    meaning = meanings[0] or meanings[1]
    assert meaning is not None
    return f"{kept} still has the second meaning ({notes.with_sentence(meaning).sentence}), {lost} has lost it."
