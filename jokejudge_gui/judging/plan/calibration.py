"""What is measured of a model once: where its answers lie for texts that are known, so that a verdict says how this
joke differs and not how the model talks. Kept per model and question; a reworded one is measured alone."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from ...engine.base import CancelToken
from ...errors import EngineError
from ...events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...verdicts import FactorRef
from ..asking.answers import deviation, mean
from ..asking.factor_scale import expectation, level_distribution
from ..asking.questions import Measure
from .calibration_files import CalibrationFiles
from .calibration_types import Baseline, Calibration, CheckCalibration, DuelCalibration, ScoreCalibration
from .check_limits import RATED, check_limits
from .noise import NOISE_CALLS, Noise, measure_noise
from .question_keys import BASELINE_JOKES
from .verbalisers import TEXTS, AnswerWords, alone_words, check_words

Steps = Generator[None, None, dict[str, Any]]
"""A part of the measuring: yields after each text and returns the fields of ``Calibration`` that it found."""
ContrastOdds = Generator[None, None, tuple[dict[str, list[float]], dict[str, list[float]], list[float]]]
"""Yields after each text and returns log-odds of the admissible and of the inadmissible texts by check, and all label
masses."""
PAIRS = 40
"""Pairs for the duel's figures; from 40 on a length coefficient means something (METHODS, d)."""


class Calibrator:
    """Measures what is missing, part by part; each is saved, so that a stopped calibration goes on where it was."""

    def __init__(self, measure: Measure, files: CalibrationFiles) -> None:
        self._measure = measure
        self._files = files
        self._contrast = measure.criteria.contrast
        self._found: Calibration | None = None  # what the parts before have measured

    def complete(
        self, calibration: Calibration, *, duel: bool, noise: bool = False, cancel: CancelToken | None = None
    ) -> Iterator[Event | Calibration]:
        """Yields progress, and the calibration as it grows: a duel's part if ``duel``, a rating's otherwise. The noise
        is measured with the duel's part, or if it is asked for."""
        parts = []
        if calibration.noise is None and (noise or (duel and calibration.duel is None)):
            parts.append(("numerical noise", NOISE_CALLS, self._noise))
        if duel and calibration.duel is None:
            # A duel's figures hold for the form that they were measured with, so the form comes first.
            if calibration.alone_words is None:
                parts.append(("answer words", TEXTS, self._alone_words))
            parts.append(("duels", len(self._contrast.baseline) + PAIRS, self._duel))
        if not duel:
            bad = sum(len(texts) for texts in self._contrast.inadmissible.values())
            if not calibration.checks:
                # Read twice: in the default form, and in the others.
                parts.append(("checks", 2 * (len(self._contrast.admissible) + bad), self._checks))
            elif some := self._missing_checks(calibration):
                size = sum(len(self._contrast.inadmissible.get(check, ())) for check in some)
                parts.append(("checks", len(self._contrast.admissible) + size, self._more_checks))
            if self._missing_checks(calibration) or calibration.wants_limits:
                parts.append(("checks on jokes", len(self._contrast.baseline) + RATED, self._limits))
            if any(category.id not in calibration.categories for category in self._measure.criteria.categories):
                parts.append(("categories", len(self._jokes()), self._categories))
            if self._missing_factors(calibration):
                parts.append(("factors", len(self._contrast.neutral) + len(self._jokes()), self._factors))
        if not parts:
            return
        self._measure = asked_as(self._measure, calibration)
        total = sum(size for _, size, _ in parts)
        done = 0
        yield StageStarted(stage=Stage.CALIBRATION, total=total)
        for name, size, part in parts:
            self._found = calibration
            steps = part(cancel)
            try:
                count = 0
                while True:
                    next(steps)
                    count += 1
                    note = f"getting to know this model, once: {name}"
                    yield StageProgress(
                        stage=Stage.CALIBRATION, done=min(done + count, done + size), total=total, note=note
                    )
            except ValidationError as error:
                # Kept, such figures would be refused at every start, and measured again each time.
                raise EngineError(
                    "E_MEASURED",
                    "This model's answers to the measuring questions aren't usable numbers.",
                    "The model's file is probably damaged: fetch it again, or choose another model.",
                ) from error
            except StopIteration as stop:
                calibration = calibration.replaced(**stop.value)
                self._measure = asked_as(self._measure, calibration)
            done += size
            self._files.save(calibration)
            yield calibration
        yield StageFinished(stage=Stage.CALIBRATION, seconds=0.0)

    def _jokes(self) -> tuple[str, ...]:
        return self._contrast.baseline[:BASELINE_JOKES]

    def _checks(self, cancel: CancelToken | None) -> Steps:
        good, bad, masses = yield from contrast_odds(replace(self._measure, check_form=None), cancel)
        words: AnswerWords | None = None
        for step in check_words(self._measure, good, bad, masses, cancel):
            words = step
            yield
        if words is not None and words.changed:
            # Once more alone, as the checks of a verdict are asked.
            good, bad, _ = yield from contrast_odds(replace(self._measure, check_form=words.form), cancel)
        return {"checks": {check: contrast(good[check], bad[check]) for check in good}, "check_words": words}

    def _more_checks(self, cancel: CancelToken | None) -> Steps:
        """The checks that nothing is known of, in the form in which the others are asked."""
        assert self._found is not None
        wanted = self._missing_checks(self._found)
        good, bad, _ = yield from contrast_odds(self._measure, cancel, only=wanted)
        return {"checks": {**self._found.checks, **{check: contrast(good[check], bad[check]) for check in wanted}}}

    def _missing_checks(self, calibration: Calibration) -> list[str]:
        return [check.id for check in self._measure.criteria.template.checks if check.id not in calibration.checks]

    def _missing_factors(self, calibration: Calibration) -> list[FactorRef]:
        return [
            factor
            for factor in self._measure.shared_factors()
            if factor.id not in calibration.relevance or factor.id not in calibration.scores
        ]

    def _limits(self, cancel: CancelToken | None) -> Steps:
        assert self._found is not None
        known, wanted = self._found.checks, self._found.wants_limits
        limits: dict[str, float] = {}
        for step in check_limits(self._measure, wanted, cancel) if wanted else ():
            limits = step or {}
            yield
        return {"checks": {name: check.replaced(least=limits.get(name, check.least)) for name, check in known.items()}}

    def _categories(self, cancel: CancelToken | None) -> Steps:
        rows = []
        for joke in self._jokes():
            rows.append(self._measure.reading(joke, cancel).categories)
            yield
        assert self._found is not None
        return {"categories": {**_baselines(rows), **self._found.categories}}

    def _factors(self, cancel: CancelToken | None) -> Steps:
        assert self._found is not None
        factors = self._missing_factors(self._found)
        neutral = []
        for text in self._contrast.neutral:
            neutral.append(self._measure.levels(text, factors, cancel))
            yield
        relevance, levels = [], []
        for joke in self._jokes():
            odds = self._measure.relevance(joke, factors, cancel)
            relevance.append({name: value.value for name, value in odds.items()})
            levels.append(self._measure.levels(joke, factors, cancel))
            yield
        scores = {}
        for factor in factors:
            ascending = _mean_levels([row[factor.id].ascending for row in neutral])
            descending = _mean_levels([row[factor.id].descending for row in neutral])
            expected = [expectation(level_distribution(row[factor.id], (ascending, descending))) for row in levels]
            scores[factor.id] = ScoreCalibration(
                ascending=ascending,
                descending=descending,
                mean_expected=mean(expected),
                sd_expected=deviation(expected),
            )
        return {
            "relevance": {**_baselines(relevance), **self._found.relevance},
            "scores": {**scores, **self._found.scores},
        }

    def _noise(self, cancel: CancelToken | None) -> Steps:
        found: Noise | None = None
        for step in measure_noise(self._measure.engine, cancel):
            found = step
            yield
        return {"noise": found}

    def _alone_words(self, cancel: CancelToken | None) -> Steps:
        found: AnswerWords | None = None
        for step in alone_words(self._measure, cancel):
            found = step
            yield
        return {"alone_words": found}

    def _duel(self, cancel: CancelToken | None) -> Steps:
        jokes = self._contrast.baseline
        pairs = joke_pairs(len(jokes), PAIRS)
        alone: dict[int, float] = {}
        for index in sorted({place for pair in pairs for place in pair}):
            alone[index] = self._measure.alone([jokes[index]], cancel)[0].value
            yield
        odds, biases = [], []
        for a, b in pairs:
            ascending, descending = self._measure.pair(jokes[a], jokes[b], cancel)
            yield
            odds.append(0.5 * (ascending.value - descending.value))
            biases.append(0.5 * (ascending.value + descending.value))
        lengths = [float(len(jokes[a]) - len(jokes[b])) for a, b in pairs]
        length_sd = deviation(lengths) or 1.0
        return {
            "duel": DuelCalibration(
                mean_bias=mean(biases),
                sd_pair=root_mean_square(odds),
                sd_alone=root_mean_square([alone[a] - alone[b] for a, b in pairs]),
                gamma=length_coefficient(odds, lengths, length_sd),
                length_sd=length_sd,
            )
        }


def asked_as(measure: Measure, calibration: Calibration) -> Measure:
    """The same questions in the forms that were chosen for this model."""
    return replace(measure, alone_form=calibration.alone_form, check_form=calibration.check_form)


def contrast_odds(
    measure: Measure, cancel: CancelToken | None = None, *, only: Sequence[str] | None = None
) -> ContrastOdds:
    """Read the contrast texts, each alone, in the form that ``measure`` asks in; ``only``: those of some checks."""
    texts = measure.criteria.contrast
    good: dict[str, list[float]] = {check.id: [] for check in measure.criteria.template.checks}
    bad: dict[str, list[float]] = {check: [] for check in good}
    masses = []
    for text in texts.admissible:
        for check, odds in measure.checks(text, cancel).items():
            good[check].append(odds.value)
            masses.append(odds.mass)
        yield
    for check, side in texts.inadmissible.items():
        for text in side if only is None or check in only else ():
            found = measure.checks(text, cancel)[check]
            bad[check].append(found.value)
            masses.append(found.mass)
            yield
    return good, bad, masses


def contrast(good: list[float], bad: list[float]) -> CheckCalibration:
    """Centre, half distance and pooled deviation of two groups (METHODS, a). A check that points the wrong way has
    no distance, so no power."""
    pooled = math.sqrt(0.5 * (deviation(good) ** 2 + deviation(bad) ** 2))
    half = 0.5 * (mean(good) - mean(bad))
    return CheckCalibration(centre=0.5 * (mean(good) + mean(bad)), half=max(half, 0.0), sd=max(pooled, 0.2))


def length_coefficient(odds: list[float], lengths: list[float], length_sd: float) -> float:
    """γ of L = … + γ·tanh(Δlength/sd) by ridge with the prior N(0, ½²) (METHODS, d)."""
    terms = [math.tanh(length / length_sd) for length in lengths]
    noise = max(root_mean_square(odds), 0.2) ** 2
    return math.fsum(t * o for t, o in zip(terms, odds, strict=True)) / (math.fsum(t * t for t in terms) + noise / 0.25)


def root_mean_square(values: list[float]) -> float:
    """Spread about zero, which for log-odds of pairs is the middle."""
    return math.sqrt(math.fsum(value * value for value in values) / len(values)) if values else 0.0


def joke_pairs(count: int, wanted: int) -> list[tuple[int, int]]:
    """Pairs of places 0…count−1, every joke about equally often: neighbours on a circle, then wider steps."""
    pairs: list[tuple[int, int]] = []
    for step in (1, 7, 11, 3, 5):
        for place in range(count):
            other = (place + step) % count
            if other != place and (place, other) not in pairs and (other, place) not in pairs:
                pairs.append((place, other))
            if len(pairs) == wanted:
                return pairs
    return pairs


def _mean_levels(rows: list[tuple[float, ...]]) -> tuple[float, ...]:
    return tuple(mean([row[level] for row in rows]) for level in range(len(rows[0])))


def _baselines(rows: list[dict[str, float]]) -> dict[str, Baseline]:
    return {
        name: Baseline(mean=mean([row[name] for row in rows]), sd=deviation([row[name] for row in rows]))
        for name in rows[0]
    }
