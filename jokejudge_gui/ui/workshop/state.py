"""What the Versions tab knows of a joke: folded from events as they come, or read from the history."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...events import Cancelled, Failed, Finished, Stage, StageProgress, StageStarted, Started
from ...history.query import HistoryEntry
from ...judging.workshop.judge import VersionRead
from ...judging.workshop.types import ReadVersion, WorkshopResult
from ...judging.workshop.words import headline_sentence
from ..look import wording
from ..verdict.verdict_state import STORED_PHASES, Phase, VerdictState


@dataclass
class WorkshopState(VerdictState):
    """One joke's versions as they are shown. ``result`` holds what was known before while a new version is read."""

    stage: Stage | None = None
    done: int = 0
    total: int = 0
    note: str = ""
    result: WorkshopResult | None = field(default=None, kw_only=True)

    @property
    def versions(self) -> tuple[ReadVersion, ...]:
        """The versions that were read or couldn't be, the oldest first."""
        known = self.result.versions if self.result is not None else ()
        return tuple(version for version in known if version.read or version.error is not None)

    @property
    def unread(self) -> int:
        """How many versions wait to be read."""
        return len(self.result.versions) - len(self.versions) if self.result is not None else 0

    @property
    def heading(self) -> str:
        """How many versions there are, and which is the best."""
        return wording.sentence_case(headline_sentence(self.result)) + "." if self.result is not None else ""

    @property
    def doing(self) -> str:
        """What is going on; empty once it has ended."""
        if not self.live:
            return ""
        match self.stage:
            case None:
                return "Waiting: it begins when the model is free"
            case Stage.LOADING:
                return wording.sentence_case(self.note or "loading the model")
            case Stage.CALIBRATION:
                return "Measuring this model's habits, once for each model"
        return (
            "Reading this version" if self.total - self.done < 2 else f"Reading version {self.done + 1} of {self.total}"
        )

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        match event:
            case Started(id=identity):
                self.start(identity)
            case StageStarted(stage=stage, total=total):
                self.enter(stage)
                self.stage, self.done, self.total, self.note = stage, 0, total or 0, ""
            case StageProgress(stage=stage, done=done, total=total, note=note):
                self.stage, self.done, self.total, self.note = stage, done, total or self.total, note
            case VersionRead(result=result):
                self.result = result
            case Finished(result=result):
                self._end("finished", result)
            case Failed(error=error, result=result):
                self.error = error
                self._end("failed", result)
            case Cancelled(result=result):
                self._end("stopped", result)

    def _end(self, phase: Phase, result: object) -> None:
        if isinstance(result, WorkshopResult):
            self.result = result
        self.phase, self.stage = phase, None


def state_of_entry(entry: HistoryEntry) -> WorkshopState:
    """The state in which a stored workshop ended."""
    result = entry.result if isinstance(entry.result, WorkshopResult) else None
    state = WorkshopState(id=entry.row.id)
    state._end(STORED_PHASES[entry.row.status], result)
    state.context = result.context if result is not None else ""
    state.error = (result.error if result is not None else None) or entry.error
    return state
