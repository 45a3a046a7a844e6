"""What the Rate tab knows of a rating: folded from events as they come, or read from the history."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ...core.events import FactorDone, FactorsChosen, ScoresDone, Stage
from ...core.verdicts import RatingResult
from ...core.words import WORD
from ...history.query import HistoryEntry
from ..look import wording
from ..verdict.tab import HABITS, Phase, VerdictState

LEAST_WORDS = 4
"""Of a shorter text nothing can be read."""
Finding = Literal["page", "no turn", "too short", "no text", "rejected", "stopped", "failed", "no answer"]
"""What there is to show of a rating that has ended."""
_DOING = {
    Stage.LOADING: "Loading the model",
    Stage.CALIBRATION: HABITS[0],
    Stage.READING: "Reading the joke",
    Stage.ADMISSIBILITY: "Checking the text",
    Stage.CATEGORIES: "Finding its kinds",
    Stage.FACTORS: "Choosing the factors",
    Stage.SCORES: "Scoring",
    Stage.REASONING: "Reading it again where there is doubt",
    Stage.EXPLANATION: "Writing the note",
}


@dataclass
class RateState(VerdictState):
    """One rating as it is shown. ``scored`` of ``chosen`` factors have a score by now, where they are asked for."""

    text: str = ""
    scored: int = 0
    chosen: int = 0
    result: RatingResult | None = field(default=None, kw_only=True)

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)

    @property
    def unseen(self) -> bool:
        return super().unseen and not self.scored

    @property
    def has_verdict(self) -> bool:
        """Whether something was found in the joke that can be shown."""
        return self.result is not None and (self.result.mean_score is not None or self.result.audience is not None)

    @property
    def doing(self) -> tuple[str, float | None]:
        """What goes on, in words, and how much of it is done (0…1, None: not known)."""
        if self.phase == "waiting" and self.stage is None:
            return "Waiting for the model", None
        words = _DOING.get(self.stage, "Rating") if self.stage is not None else "Rating"
        if self.stage is Stage.SCORES and self.chosen:
            return f"{words}: {self.scored} of {self.chosen}", self.scored / self.chosen
        if self.stage is Stage.LOADING and self.note:
            words = wording.sentence_case(self.note)
        share = self.done / self.total if self.total else None
        return (
            f"{words}: {self.done:,} of {self.total:,}" if share and self.stage is Stage.CALIBRATION else words
        ), share

    @property
    def finding(self) -> Finding:
        """What an ended rating came to."""
        result = self.result
        if self.phase == "failed" and not self.has_verdict:
            return "failed"
        given = result is not None and (result.asked_turn is not None or result.forced)
        if result is not None and not given and was_read(result) and 0 < len(WORD.findall(result.text)) < LEAST_WORDS:
            return "too short"
        if result is not None and not given and result.sense is not None and result.sense.said == "no turn":
            return "no turn"
        if self.has_verdict:
            return "page"
        if result is not None and result.admissible is False and not result.forced:
            return "rejected" if WORD.search(result.text) else "no text"
        if self.phase == "finished" and result is not None and (result.admissible or result.forced):
            return "page" if was_read(result) else "no answer"
        return "stopped"

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        super().apply(event)
        match event:
            case FactorsChosen(factors=factors):
                self.chosen = len(factors)
            case FactorDone():
                self.scored += 1
            case ScoresDone(result=result):
                self.result = result

    def _end(self, phase: Phase, result: RatingResult | None) -> None:
        super()._end(phase, result)
        if self.result is not None and self.result.explanation:
            self.explanation = self.result.explanation


def was_read(result: RatingResult) -> bool:
    """Whether the rating came from one reading of the joke, and from no more answers than are worth asking for."""
    if not result.admissibility:
        return False
    read = Stage.READING.value in result.stage_seconds
    return read or all(check.source == "read" for check in result.admissibility)


def state_of_entry(entry: HistoryEntry) -> RateState:
    """The state in which a stored rating ended."""
    state = RateState(text=entry.row.text_a)
    return state.load(entry)
