"""What the Rate tab knows of a rating: folded from events as they come, or read from the history."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Literal

from ...core.events import (
    CategoriesDone,
    CheckDone,
    FactorDone,
    FactorsChosen,
    ScoresDone,
    Stage,
    StageFinished,
    StageProgress,
    StageStarted,
)
from ...core.verdicts import CategoryScore, CheckResult, FactorRef, FactorScore, RatingResult, Status
from ...history.query import HistoryEntry
from ..verdict.tab import STORED_PHASES, Phase, VerdictState

StageState = Literal["idle", "running", "done", "failed", "not run", "stopped"]
SHOWN_STAGES = (Stage.ADMISSIBILITY, Stage.CATEGORIES, Stage.FACTORS, Stage.SCORES)
"""Of a rating whose questions are asked."""
READ_STAGES = (Stage.READING, Stage.EXPLANATION)
"""Of a rating that is one reading of the joke."""


@dataclass
class StageView:
    """A stage: ``seconds`` it took, or None; ``begun`` on the monotonic clock while it runs."""

    state: StageState = "idle"
    seconds: float | None = None
    begun: float | None = None
    done: int = 0
    total: int | None = None
    note: str = ""


@dataclass
class FactorView:
    """A factor's row: what it is, and its score once there is one."""

    id: str
    name: str
    written: bool
    score: FactorScore | None = None
    running: bool = False


@dataclass
class RateState(VerdictState):
    """One rating as it is shown."""

    text: str = ""
    checks: list[CheckResult] = field(default_factory=list)
    categories: tuple[CategoryScore, ...] = ()
    independent: bool = False
    categories_known: bool = False
    factors: list[FactorView] = field(default_factory=list)
    stages: dict[Stage, StageView] = field(default_factory=dict)
    explaining: bool = False
    result: RatingResult | None = field(default=None, kw_only=True)

    @property
    def texts(self) -> tuple[str, ...]:
        return (self.text,)

    @property
    def scored(self) -> int:
        return sum(1 for row in self.factors if row.score is not None)

    @property
    def reads(self) -> bool:
        """Whether the joke is read, not asked about. While neither has begun, it is the usual way: reading."""
        if self.result is not None and self.result.admissibility:
            return was_read(self.result)
        if self.stages.get(Stage.READING, StageView()).state not in ("idle", "not run"):
            return True  # after the model's habits were measured, for what is worth asking
        asking = [self.stages.get(stage, StageView()).state for stage in (*SHOWN_STAGES, Stage.CALIBRATION)]
        return all(state in ("idle", "not run") for state in asking)

    @property
    def shown_stages(self) -> tuple[Stage, ...]:
        return READ_STAGES if self.reads else SHOWN_STAGES

    @property
    def has_verdict(self) -> bool:
        """Whether there is a verdict to show."""
        if self.result is None:
            return False
        if self.result.mean_score is not None or self.result.audience is not None:
            return True
        admitted = self.result.admissible is True or self.result.forced
        return self.phase == "finished" and admitted and was_read(self.result)

    @property
    def unseen(self) -> bool:
        return super().unseen and not self.scored

    @property
    def current(self) -> Stage | None:
        """The stage that runs now."""
        return next((stage for stage, view in self.stages.items() if view.state == "running"), None)

    @property
    def seconds(self) -> float | None:
        """Time of the whole rating so far; None before it began."""
        if self.live:
            return self.so_far
        if self.result is not None and self.result.seconds:
            return self.result.seconds
        known = [view.seconds for view in self.stages.values() if view.seconds is not None]
        return sum(known) if known else None

    def view_of(self, stage: Stage) -> StageView:
        return self.stages.setdefault(stage, StageView())

    def apply(self, event: object) -> None:
        """Take in one event of the job."""
        super().apply(event)
        match event:
            case StageStarted(stage=stage, total=total):
                self.stages[stage] = StageView("running", begun=time.monotonic(), total=total)
                self.explaining = stage is Stage.EXPLANATION
                self._point_at_running()
            case StageProgress(stage=stage, done=done, total=total, note=note):
                view = self.view_of(stage)
                view.done, view.total, view.note = done, total if total is not None else view.total, note
            case StageFinished(stage=stage, seconds=seconds):
                view = self.view_of(stage)
                view.state, view.seconds, view.begun = "done", seconds, None
                if stage is Stage.ADMISSIBILITY and any(not c.passed for c in self.checks):
                    view.state = "failed"
                if stage is Stage.EXPLANATION:
                    self.explaining = False
                self._point_at_running()
            case CheckDone(check=check):
                self.checks.append(check)
            case CategoriesDone(categories=categories, independent=independent):
                self.categories, self.independent, self.categories_known = categories, independent, True
            case FactorsChosen(factors=factors):
                self.factors = [_row(ref) for ref in factors]
            case FactorDone(score=score):
                self._score(score)
            case ScoresDone(result=result):
                self.result = result

    def _score(self, score: FactorScore) -> None:
        row = next((row for row in self.factors if row.id == score.id), None)
        if row is None:
            row = FactorView(score.id, score.name, score.origin == "dynamic")
            self.factors.append(row)
        row.score = score
        self._point_at_running()

    def _point_at_running(self) -> None:
        """The first factor without a score is the one being scored."""
        scoring = self.stages.get(Stage.SCORES, StageView()).state == "running"
        for row in self.factors:
            row.running = scoring and row.score is None
            scoring = scoring and not row.running

    def _end(self, phase: Phase, result: RatingResult | None) -> None:
        if result is not None:
            self.result = result
            if result.explanation:
                self.explanation = result.explanation
        if phase == "finished" and self.result is not None and self.result.admissible is False and not self.has_verdict:
            phase = "rejected"
        self.phase = phase
        self.explaining = False
        for row in self.factors:
            row.running = False
        for stage, view in self.stages.items():
            if view.state == "running":
                if view.begun is not None:
                    view.seconds = time.monotonic() - view.begun
                view.state = "failed" if phase == "failed" else "stopped"
                view.begun = None
            if stage in (Stage.ADMISSIBILITY, Stage.READING) and phase == "rejected":
                view.state = "failed"
        for stage in self.shown_stages:
            view = self.view_of(stage)
            if view.state == "idle":
                view.state = "not run"


def _row(ref: FactorRef) -> FactorView:
    return FactorView(ref.id, ref.name, ref.origin == "dynamic")


def was_read(result: RatingResult) -> bool:
    """Whether the rating came from one reading of the joke, and from no more answers than are worth asking for."""
    if not result.admissibility:
        return False
    read = Stage.READING.value in result.stage_seconds
    return read or all(check.source == "read" for check in result.admissibility)


def best_factor(result: RatingResult) -> FactorScore | None:
    """The factor with the highest score; the higher expectation decides between equals."""
    scored = [f for f in result.factors if f.score is not None]
    return max(scored, key=lambda f: (f.score or 0, f.expected or 0.0), default=None)


def state_of_entry(entry: HistoryEntry) -> RateState:
    """The state in which a stored rating ended."""
    row = entry.row
    state = RateState(text=row.text_a, id=row.id)
    result = entry.result if isinstance(entry.result, RatingResult) else None
    state.result = result
    if result is not None:
        state.context = result.context
        state.checks = list(result.admissibility)
        state.categories = result.categories
        state.categories_known = bool(result.categories) or result.pathway is not None
        state.independent = result.pathway == "independent"
        state.factors = [FactorView(f.id, f.name, f.origin == "dynamic", f) for f in result.factors]
        state.explanation = result.explanation or ""
        state.error = result.error
        for stage in Stage:
            if stage.value in result.stage_seconds:
                state.stages[stage] = StageView("done", result.stage_seconds[stage.value])
        if state.checks and Stage.ADMISSIBILITY in state.stages and any(not c.passed for c in state.checks):
            state.stages[Stage.ADMISSIBILITY].state = "failed"
        for stage, known in (
            ()
            if was_read(result)
            else (
                (Stage.ADMISSIBILITY, bool(state.checks)),
                (Stage.CATEGORIES, bool(result.categories)),
                (Stage.FACTORS, bool(state.factors)),
                (Stage.SCORES, bool(state.factors) and row.status is Status.FINISHED),
            )
        ):
            if known and stage not in state.stages:
                failed = stage is Stage.ADMISSIBILITY and not result.admissible
                state.stages[stage] = StageView("failed" if failed else "done")
    state.error = state.error or entry.error
    if row.status is Status.RUNNING:
        state.phase = STORED_PHASES[row.status]
    else:
        state._end(STORED_PHASES[row.status], result)
    if row.status in (Status.CANCELLED, Status.INTERRUPTED, Status.FAILED):
        for stage in state.shown_stages:
            view = state.view_of(stage)
            if view.state == "not run":
                view.state = "failed" if row.status is Status.FAILED else "stopped"
                break
    return state
