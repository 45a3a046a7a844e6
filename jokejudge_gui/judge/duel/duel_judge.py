"""The duel judges: two jokes' answers and readings, combined into calibrated odds.

Every measurement is antisymmetric and each joke is read alone: a swapped duel is the mirror image to the last bit."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

from ...core.events import Event, Interim, Stage
from ...core.statistics import sigmoid
from ...heads.sense_features import edit_of
from ...heads.told import heard
from ...rubric.notes import NoteRules
from ..asking.explanation import TOO_CLOSE
from ..asking.questions import LEAST_MASS
from ..ensemble_words import kin_caution
from ..judged_kind import Work, staged
from ..reader import Predictions
from .bias_mitigation import both_orders, consistent, each_once, position_bias
from .confidence_scorer import ConfidenceScorer, Weights, weights_for
from .record import Drafts, DuelRequest, DuelResult, DuelText, ProbabilityA
from .words import SAME

COIN = "This model's answers in duels were no better than a coin on jokes that people compared."
_LEAST_TURN = 0.5
"""Least probability at which the words on which a text turns are reported."""
_NAMED = 0.95
"""The probability from which on the fault of the weaker draft is named."""
_LEAST_LOST = 2.0
"""Least deficit in wordplay strength (log-odds) for a draft to count as having lost the other's second meaning."""


class DuelJudge:
    """Compares two cleaned jokes: each is read once, and where the model's answers count, it is asked in both orders,
    and about each joke alone. Yields stage events and the draft after each result; at the end it is complete."""

    def __init__(self, draft: DuelResult, request: DuelRequest, work: Work) -> None:
        self._draft, self._judge, self._reader = draft, work.judge, work.judge.reader
        self._explain, self._seed, self._generator = request.explain, request.seed, request.generator
        self._everything = request.ask == "all" or request.mode == "deep"  # deep mode always asks

    def compare(self) -> Iterator[Event | DuelResult]:
        """Run the whole duel. Raises the engine's errors."""
        draft, judge = self._draft, self._judge
        draft.warn(kin_caution([self._generator], [judge.engine.info]))
        weights = weights_for(judge, everything=self._everything)
        if not (self._everything or judge.duels_ask):
            alone = ConfidenceScorer(None, Weights(pair=0.0, alone=0.0, audience=weights.audience), noise=0.0)
            yield from staged(draft, Stage.READING, partial(self._compared, alone))
            yield Interim(result=draft.freeze())
            return
        draft.everything_asked = self._everything or not judge.plan.asked("duel")
        yield from judge.calibrate(duel=True)
        pair = judge.plan.of("duel", "pair")
        if draft.everything_asked and not self._everything and pair is not None and pair.weights:
            draft.warn(COIN)  # without a head, worthless answers are still the only evidence
        yield from staged(draft, Stage.PAIR, self._ask)
        yield from staged(draft, Stage.ALONE, partial(self._asked, ConfidenceScorer(judge.calibration.duel, weights)))
        if draft.within_noise and self._explain:
            # The model would write why one joke is funnier even where it can't distinguish them.
            draft.explanation = TOO_CLOSE
        yield Interim(result=draft.freeze())
        if draft.text_a == draft.text_b:
            draft.explanation = SAME
        if draft.text_a == draft.text_b or draft.within_noise:
            yield draft
        elif self._explain and draft.winner != "tie":
            yield from staged(draft, Stage.EXPLANATION, self._write)

    # -- The answers ---------------------------------------------------------------------------------------------------

    def _ask(self) -> None:
        self._draft.orders = both_orders(self._judge.measure, self._draft.text_a, self._draft.text_b)

    def _asked(self, scorer: ConfidenceScorer) -> None:
        """Ask about each joke alone, and decide."""
        draft, (a_first, b_first) = self._draft, self._draft.orders
        first, second = self._judge.measure.alone(sorted((draft.text_a, draft.text_b)))
        alone = first.value - second.value if draft.text_a <= draft.text_b else second.value - first.value
        draft.consistent = draft.text_a == draft.text_b or consistent(a_first, b_first)
        draft.position_bias = position_bias(a_first, b_first)
        draft.calibrated = self._judge.calibration.duel is not None
        self._decide(partial(scorer.score, a_first.log_odds_a, b_first.log_odds_a, alone, consistent=draft.consistent))
        if min(first.mass, second.mass, a_first.label_mass, b_first.label_mass) < LEAST_MASS:
            draft.warn("This model hardly answered the question; treat the verdict as a guess.")

    def _write(self) -> None:
        draft = self._draft
        winner, loser = (draft.text_a, draft.text_b) if draft.winner == "A" else (draft.text_b, draft.text_a)
        draft.explanation = self._judge.explainer(self._seed).duel(winner, loser) or None

    # -- The readings --------------------------------------------------------------------------------------------------

    def _compared(self, scorer: ConfidenceScorer) -> None:
        """Decide by the readings alone."""
        draft = self._draft
        draft.calibrated = True
        self._decide(partial(scorer.score, 0.0, 0.0, 0.0, consistent=True))
        draft.shares = tuple(share for share in draft.shares if share["share"] > 0)
        if self._explain:
            draft.explanation = SAME if draft.text_a == draft.text_b else self._reason()

    def _decide(self, score: partial[dict[str, Any]]) -> None:
        """Combine the answers that ``score`` holds with the heads' estimates; where it is calibrated, also without the
        effect of length."""
        draft, reader = self._draft, self._reader
        audience = controlled = None
        if reader.head is not None:
            a, b = self._read()
            # −0.0 would print with a sign.
            audience = reader.difference(a, b) + 0.0
            controlled = reader.difference(a, b, length_controlled=True) + 0.0
            draft.audience = ProbabilityA(p_a=sigmoid(audience))
            draft.read_a, draft.read_b, draft.people = self._about(a), self._about(b), reader.people(a, b)
        draft.edit = edit_of(draft.text_a, draft.text_b) if draft.text_a != draft.text_b else None
        drafts = reader.compare_drafts(draft.text_a, draft.text_b, self._judge.cancel)
        if drafts is not None:
            draft.edit = drafts.edit or draft.edit
            p = drafts.faults[drafts.fault] if drafts.fault else None
            draft.drafts = Drafts(p_a=drafts.p_a, agreement=drafts.agreement, fault=drafts.fault, fault_p=p)
        fields = score(audience, drafts.log_odds_a if drafts else None)
        draft.winner = draft.winner_by(fields.pop("log_odds"))
        for name, value in fields.items():
            setattr(draft, name, value)
        if draft.calibrated:
            length = float(len(draft.text_a) - len(draft.text_b))
            fields = score(controlled, drafts.controlled_a if drafts else None, length_difference=length)
            draft.length_controlled = ProbabilityA(p_a=fields["p_a"])

    def _read(self) -> tuple[Predictions, Predictions]:
        """The readings of A and of B."""
        read = partial(self._reader.read, cancel=self._judge.cancel, context=self._draft.context)
        return each_once(self._draft.text_a, self._draft.text_b, read)

    def _about(self, reading: Predictions) -> DuelText:
        turn = reading.editor.turn if reading.editor is not None else None
        crowd = self._reader.audience(reading)
        return DuelText(
            turn=turn if turn is not None and turn.p >= _LEAST_TURN else None,
            said=reading.sense.sense.said if reading.sense is not None else None,
            told=heard(reading.text),
            **({"kind": crowd.kind, "agreement": crowd.agreement, "heard": crowd.heard} if crowd is not None else {}),
        )

    def _reason(self) -> str | None:
        """Return what is known of two drafts: a second meaning that only one of them has, or the weaker one's fault;
        None where neither is known, and for two different jokes."""
        draft, drafts, words = self._draft, self._draft.drafts, self._judge.words
        if drafts is None:
            return None
        if played := played_on(*self._read(), words.notes):
            return played
        says = next((fault.says for fault in words.faults if fault.id == drafts.fault), "")
        if not says or draft.winner == "tie" or (drafts.fault_p or 0.0) < _NAMED:
            return None
        return f"{'B' if draft.winner == 'A' else 'A'} {says}."


def played_on(a: Predictions, b: Predictions, notes: NoteRules) -> str:
    """Return a sentence about the draft that has lost the second meaning on which the other plays; "" where neither or
    both have one."""
    meanings = {side: read.wordplay.said for side, read in (("A", a), ("B", b)) if read.wordplay is not None}
    plays = {side: meaning for side, meaning in meanings.items() if meaning is not None}
    lost = a.wordplay is None or b.wordplay is None or abs(a.wordplay.strength - b.wordplay.strength) >= _LEAST_LOST
    if len(plays) != 1 or not lost:
        return ""
    ((kept, meaning),) = plays.items()
    other = "B" if kept == "A" else "A"
    return f"{kept} still has the second meaning ({notes.with_sentence(meaning).sentence}), {other} has lost it."
