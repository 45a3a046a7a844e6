"""The rating judge: admissibility, categories, factors, scores, and then words."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

from ...engine.base import CancelToken
from ...events import (
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
)
from ...texts import plain_rejection
from ...verdicts import CheckResult, RatingResult
from ..asking.explanation import Explainer
from ..asking.questions import Measure, Reading
from ..plan.calibration_types import Calibration
from ..reading.audience import Features
from ..reading.reader import Listener
from .admissibility_checker import AdmissibilityChecker
from .category_classifier import CategoryClassifier
from .factor_analyzer import FactorAnalyzer
from .factor_scorer import FactorScorer, aggregate

Step = Iterator[Event | RatingResult]


class RatingJudge:
    """Rates one cleaned joke. Yields stage events, and the growing result whenever something is known."""

    def __init__(
        self,
        measure: Measure,
        calibration: Calibration,
        explainer: Explainer | None,
        *,
        grammar: Callable[[], str],
        seed: int,
        listener: Listener | None = None,
    ) -> None:
        self._measure = measure
        self._calibration = calibration
        self._explainer = explainer
        self._listener = listener
        self._reading: Reading | None = None  # of this joke, by the first stage for the second one too
        self._heard: Features | None = None  # what the head read in it, by the first stage for the last one too
        self._checker = AdmissibilityChecker(measure.criteria, calibration)
        self._classifier = CategoryClassifier(measure.criteria, calibration)
        self._analyzer = FactorAnalyzer(measure, calibration, grammar, seed)
        self._scorer = FactorScorer(measure, calibration)

    def rate(self, result: RatingResult, cancel: CancelToken | None = None) -> Step:
        """``result`` holds id, text and ``forced``; the last result yielded is complete."""
        result = result.model_copy(update={"calibrated": self._calibration.rates})
        self._reading = self._heard = None
        for stage in (self._admissibility, self._categories, self._factors_and_scores, self._explanation):
            for step in stage(result, cancel):
                if isinstance(step, RatingResult):
                    result = step
                yield step
            if result.admissible is False and not result.forced:
                return

    def _admissibility(self, result: RatingResult, cancel: CancelToken | None) -> Step:
        yield StageStarted(stage=Stage.ADMISSIBILITY, total=5)
        begin = time.perf_counter()
        plain = plain_rejection(result.text)
        if plain is not None and not result.forced:
            checks: tuple[CheckResult, ...] = tuple(
                CheckResult(check=check.id, p_admit=0.0 if failed else 0.5, passed=not failed, reliable=failed)
                for check in self._measure.criteria.template.checks
                for failed in (check.id in ("completeness", "coherence"),)
            )
            reasons: tuple[str, ...] = (plain,)
        else:
            # The kinds of joke don't depend on the checks: asked in the same batch they cost their tokens and no more.
            self._reading = self._measure.reading(result.text, cancel)
            if self._listener is not None:
                self._heard = self._listener.read(result.text, cancel)
            found = self._checker.evaluate(self._reading.checks, self._heard.joke if self._heard else None)
            checks, reasons = found.checks, found.reasons
        for number, check in enumerate(checks, start=1):
            yield CheckDone(check=check)
            yield StageProgress(stage=Stage.ADMISSIBILITY, done=number, total=len(checks))
        warnings = list(result.warnings)
        silent = [check.check for check in checks if not check.reliable]
        if plain is None and silent:
            names = {check.id: check.name for check in self._measure.criteria.template.checks}
            blind = "whether a text is a joke at all" if len(silent) == len(checks) else None
            what = blind or f"whether a text is {_listed([names[check] for check in silent])}"
            warnings.append(f"This model can't tell {what}, so every text passes there.")
        seconds = time.perf_counter() - begin
        yield result.model_copy(
            update={
                "admissible": not reasons,
                "rejection": f"Not clearly a joke: {_listed(reasons)}." if reasons else None,
                "admissibility": checks,
                "warnings": tuple(warnings),
                "stage_seconds": {**result.stage_seconds, Stage.ADMISSIBILITY.value: seconds},
            }
        )
        yield StageFinished(stage=Stage.ADMISSIBILITY, seconds=seconds)

    def _categories(self, result: RatingResult, cancel: CancelToken | None) -> Step:
        assert self._reading is not None
        yield StageStarted(stage=Stage.CATEGORIES)
        found = self._classifier.classify(self._reading.categories)
        yield CategoriesDone(categories=found.categories, independent=not found.chosen)
        yield result.model_copy(update={"categories": found.categories})
        # No time of its own: the model answered this together with the checks.
        yield StageFinished(stage=Stage.CATEGORIES, seconds=None)

    def _factors_and_scores(self, result: RatingResult, cancel: CancelToken | None) -> Step:
        yield StageStarted(stage=Stage.FACTORS)
        begin = time.perf_counter()
        chosen = tuple(category for category in result.categories if category.chosen)
        found = self._analyzer.determine(result.text, chosen, cancel)
        seconds = time.perf_counter() - begin
        yield FactorsChosen(factors=found.factors, pathway=found.pathway)
        result = result.model_copy(
            update={
                "pathway": found.pathway,
                "warnings": (*result.warnings, *found.warnings),
                "stage_seconds": {**result.stage_seconds, Stage.FACTORS.value: seconds},
            }
        )
        yield result
        yield StageFinished(stage=Stage.FACTORS, seconds=seconds)

        count = len(found.factors)
        yield StageStarted(stage=Stage.SCORES, total=count)
        begin = time.perf_counter()
        scores = self._scorer.score(result.text, found.factors, found.levels, cancel)
        for number, score in enumerate(scores, start=1):
            yield FactorDone(score=score)
            yield StageProgress(stage=Stage.SCORES, done=number, total=count, note=score.name)
        total = aggregate(scores)
        audience = None
        if self._listener is not None and self._heard is not None:
            audience = self._listener.head.audience(self._heard)
        warnings = list(result.warnings)
        silent = [score.name for score in scores if score.score is None]
        if silent:
            warnings.append(f"This model gave no answer on {_listed(silent)}.")
        flat = [score.name for score in scores if score.separates is False]
        if len(flat) * 2 > count:
            share = "these factors" if len(flat) == count else f"{len(flat)} of these {count} factors"
            better = "; the audience estimate says more" if audience is not None else ""
            warnings.append(f"It scores nearly every joke alike on {share}{better}.")
        seconds = time.perf_counter() - begin
        result = result.model_copy(
            update={
                "factors": scores,
                "max_score": total.maximum,
                "mean_score": total.mean,
                "spread": total.spread,
                "audience": audience,
                "warnings": tuple(warnings),
                "stage_seconds": {**result.stage_seconds, Stage.SCORES.value: seconds},
            }
        )
        yield result
        yield ScoresDone(result=result)
        yield StageFinished(stage=Stage.SCORES, seconds=seconds)

    def _explanation(self, result: RatingResult, cancel: CancelToken | None) -> Step:
        if self._explainer is None:
            return
        yield StageStarted(stage=Stage.EXPLANATION)
        begin = time.perf_counter()
        text = ""
        for piece in self._explainer.rating(result.text, result.factors, cancel):
            text += piece.text
            yield piece
        seconds = time.perf_counter() - begin
        yield result.model_copy(
            update={
                "explanation": text.strip() or None,
                "stage_seconds": {**result.stage_seconds, Stage.EXPLANATION.value: seconds},
            }
        )
        yield StageFinished(stage=Stage.EXPLANATION, seconds=seconds)


def _listed(words: tuple[str, ...] | list[str]) -> str:
    """ "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " and " + words[-1]
