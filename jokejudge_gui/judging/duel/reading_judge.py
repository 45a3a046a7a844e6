"""The duel of a model whose answers are worth nothing: each joke is read once, and the heads decide.

Every measurement is antisymmetric and each joke is read alone: a swapped duel is the mirror image to the last bit."""

from __future__ import annotations

import time
from collections.abc import Iterator

from ...engine.base import CancelToken
from ...events import DuelMeasured, Event, Stage, StageFinished, StageStarted, TextPiece
from ...rubric.notes import EditorWords
from ...rubric.types import Criteria
from ...statistics import sigmoid
from ...verdicts import Drafts, ProbabilityA
from ..plan.shown import Shown
from ..reading.drafts import DraftComparison
from ..reading.reader import Heard, Reader
from .bias_mitigation import canonical
from .confidence_scorer import Confidence, ConfidenceScorer, Measurements, Weights
from .draft import DuelDraft

Step = Event | DuelDraft
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
