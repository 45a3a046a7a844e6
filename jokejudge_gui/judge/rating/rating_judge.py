"""The rating judge: admissibility, categories, factors, scores, and then words."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from dataclasses import dataclass

from ...core.errors import SettingsError
from ...core.events import (
    CategoriesDone,
    CheckDone,
    Event,
    FactorDone,
    FactorsChosen,
    ScoresDone,
    Stage,
    StageFinished,
    StageProgress,
    StageStarted,
    TextPiece,
)
from ...core.languages import is_english
from ...core.texts import plain_rejection
from ...core.verdicts import CategoryScore, CheckResult, FactorScore
from ...engine.base import CancelToken
from ..asking.questions import Measure, Reading
from ..plan.calibration import Calibration
from ..plan.worth import Kind, Plan
from ..reader import Heard, Reader
from .admissibility_checker import AdmissibilityChecker
from .category_classifier import CategoryClassifier
from .draft import RatingDraft
from .factor_analyzer import FactorAnalyzer, FactorResult
from .factor_scorer import FactorScorer, aggregate
from .factor_writer import FactorWriter
from .note import Writer

Step = Event | RatingDraft


@dataclass(frozen=True)
class Read:
    """What was found in the joke before its factors: the model's answers about it, and what the heads read in it."""

    reading: Reading
    heard: Heard


class RatingJudge:
    """Rates one cleaned joke. Yields stage events, and the draft whenever something is known."""

    def __init__(
        self,
        measure: Measure,
        calibration: Calibration,
        writer: Writer | None,
        *,
        factor_writer: FactorWriter,
        reader: Reader,
        plan: Plan | None = None,
    ) -> None:
        """``writer``: None for a rating without words; ``plan``: what the answers are worth, as far as it is
        known."""
        self._measure = measure
        self._calibration = calibration
        self._writer = writer
        self._reader = reader
        self._checker = AdmissibilityChecker(measure.criteria, calibration)
        self._classifier = CategoryClassifier(measure.criteria, calibration)
        self._analyzer = FactorAnalyzer(measure, calibration, factor_writer)
        self._factor_writer = factor_writer
        self._scorer = FactorScorer(measure, calibration)
        self._plan = plan

    def rate(self, draft: RatingDraft, cancel: CancelToken | None = None) -> Iterator[Step]:
        """``draft`` holds id, text and ``forced``; at the end it is complete."""
        draft.calibrated = self._calibration.rates
        read = yield from self._admissibility(draft, cancel)
        if read is None or (draft.admissible is False and not draft.forced):
            return
        chosen = yield from self._categories(draft, read.reading)
        factors = yield from self._factors(draft, chosen, cancel)
        yield from self._scores(draft, factors, read.heard, cancel)
        if self._writer is not None:
            yield from self._explanation(draft, self._writer, cancel)

    def _admissibility(self, draft: RatingDraft, cancel: CancelToken | None) -> Generator[Step, None, Read | None]:
        """Sets what the checks found. None: the text isn't read, for it shows without a model that it is no joke."""
        yield StageStarted(stage=Stage.ADMISSIBILITY, total=5)
        begin = time.perf_counter()
        plain = plain_rejection(draft.text)
        read = None
        if plain is not None and not draft.forced:
            checks: tuple[CheckResult, ...] = tuple(
                CheckResult(check=check.id, p_admit=0.0 if failed else 0.5, passed=not failed, reliable=failed)
                for check in self._measure.criteria.template.checks
                for failed in (check.id in ("completeness", "coherence"),)
            )
            reasons: tuple[str, ...] = (plain,)
        else:
            # The kinds of joke don't depend on the checks: asked in the same batch they cost their tokens and no more.
            reading = self._measure.reading(draft.text, cancel)
            heard = self._reader.read(draft.text, cancel, context=draft.context)
            read = Read(reading, heard)
            found = self._checker.evaluate(reading.checks, heard.joke)
            checks, reasons = found.checks, found.reasons
        for number, check in enumerate(checks, start=1):
            yield CheckDone(check=check)
            yield StageProgress(stage=Stage.ADMISSIBILITY, done=number, total=len(checks))
        silent = [check.check for check in checks if not check.reliable]
        if plain is None and silent:
            names = {check.id: check.name for check in self._measure.criteria.template.checks}
            blind = "whether a text is a joke at all" if len(silent) == len(checks) else None
            what = blind or f"whether a text is {_listed([names[check] for check in silent])}"
            draft.warn(f"This model can't tell {what}, so every text passes there.")
        draft.admissible = not reasons
        draft.rejection = f"Not clearly a joke: {_listed(reasons)}." if reasons else None
        draft.admissibility = checks
        yield from _done(draft, Stage.ADMISSIBILITY, begin)
        return read

    def _categories(self, draft: RatingDraft, reading: Reading) -> Generator[Step, None, tuple[CategoryScore, ...]]:
        """The chosen categories."""
        yield StageStarted(stage=Stage.CATEGORIES)
        found = self._classifier.classify(reading.categories)
        yield CategoriesDone(categories=found.categories, independent=not found.chosen)
        draft.categories = tuple(
            CategoryScore(**{**kind.model_dump(), "trust": self._trust("kind", kind.id)}) for kind in found.categories
        )
        yield draft
        # No time of its own: the model answered this together with the checks.
        yield StageFinished(stage=Stage.CATEGORIES, seconds=None)
        return found.chosen

    def _trust(self, kind: Kind, id: str) -> float | None:
        """What the model's own answer is worth; None where that isn't known."""
        item = self._plan.of(kind, id) if self._plan is not None else None
        return item.asked.value if item is not None and item.asked is not None else None

    def _factors(
        self, draft: RatingDraft, chosen: tuple[CategoryScore, ...], cancel: CancelToken | None
    ) -> Generator[Step, None, FactorResult]:
        """The factors to score."""
        yield StageStarted(stage=Stage.FACTORS)
        begin = time.perf_counter()
        found = self._analyzer.determine(draft.text, chosen, cancel)
        seconds = time.perf_counter() - begin
        yield FactorsChosen(factors=found.factors, pathway=found.pathway)
        draft.pathway = found.pathway
        for warning in found.warnings:
            draft.warn(warning)
        yield from _took(draft, Stage.FACTORS, seconds)
        return found

    def _scores(
        self, draft: RatingDraft, found: FactorResult, heard: Heard, cancel: CancelToken | None
    ) -> Iterator[Step]:
        count = len(found.factors)
        yield StageStarted(stage=Stage.SCORES, total=count)
        begin = time.perf_counter()
        answers = self._scorer.score(draft.text, found.factors, found.levels, cancel)
        scores = tuple(FactorScore(**{**s.model_dump(), "trust": self._trust("factor", s.id)}) for s in answers)
        for number, score in enumerate(scores, start=1):
            yield FactorDone(score=score)
            yield StageProgress(stage=Stage.SCORES, done=number, total=count, note=score.name)
        total = aggregate(scores)
        draft.factors = scores
        answered = {score.id for score in scores if score.score is not None}
        try:
            self._factor_writer.served([factor for factor in found.factors if factor.id in answered], draft.text)
        except SettingsError as error:
            draft.warn(f"The factor that was written for this joke can't be kept: {error.sentence} {error.hint}")
        draft.max_score, draft.mean_score, draft.spread = total.maximum, total.mean, total.spread
        draft.weigh(scores, self._measure.criteria.weights)
        draft.audience = self._reader.audience(heard)
        draft.offence = heard.offence if is_english(draft.text) else None
        silent = [score.name for score in scores if score.score is None]
        if silent:
            draft.warn(f"This model gave no answer on {_listed(silent)}.")
        flat = [score.name for score in scores if score.separates is False]
        if len(flat) * 2 > count:
            share = "these factors" if len(flat) == count else f"{len(flat)} of these {count} factors"
            better = "; the audience estimate says more" if draft.audience is not None else ""
            draft.warn(f"It scores nearly every joke alike on {share}{better}.")
        seconds = time.perf_counter() - begin
        draft.stage_seconds[Stage.SCORES.value] = seconds
        yield draft
        yield ScoresDone(result=draft.freeze())
        yield StageFinished(stage=Stage.SCORES, seconds=seconds)

    def _explanation(self, draft: RatingDraft, writer: Writer, cancel: CancelToken | None) -> Iterator[Step]:
        yield StageStarted(stage=Stage.EXPLANATION)
        begin = time.perf_counter()
        draft.prose = writer.write(draft.text, draft.factors, cancel)
        if draft.prose is not None:
            draft.explanation = draft.prose.text
            yield TextPiece(text=draft.prose.text)
        yield from _done(draft, Stage.EXPLANATION, begin)


def _done(draft: RatingDraft, stage: Stage, begin: float) -> Iterator[Step]:
    yield from _took(draft, stage, time.perf_counter() - begin)


def _took(draft: RatingDraft, stage: Stage, seconds: float) -> Iterator[Step]:
    """The end of a stage whose findings are in the draft."""
    draft.stage_seconds[stage.value] = seconds
    yield draft
    yield StageFinished(stage=stage, seconds=seconds)


def _listed(words: tuple[str, ...] | list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " and " + words[-1]
