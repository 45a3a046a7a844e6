"""What is measured of a model once: where its answers lie for texts that are known, so that a verdict says how this
joke differs and not how the model talks. Kept per model, prompts and criteria."""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError

from ...engine.base import CancelToken
from ...events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...files import atomic_write, read_json
from ...verdicts import Frozen
from ..asking.answers import deviation, mean
from ..asking.factor_scale import expectation, level_distribution
from ..asking.questions import Measure
from .check_limits import RATED, check_limits
from .noise import DEFAULT, NOISE_CALLS, Noise, measure_noise
from .verbalisers import TEXTS, AnswerWords, alone_words, check_words

Steps = Generator[None, None, dict[str, Any]]
"""A part of the measuring: yields after each text and returns the fields of ``Calibration`` that it found."""
ContrastOdds = Generator[None, None, tuple[dict[str, list[float]], dict[str, list[float]], list[float]]]
"""Yields after each text and returns log-odds of the admissible and of the inadmissible texts by check, and all label
masses."""
MEASURED_PROMPTS = ("reading", "scoring", "duel", "alone")
"""Prompts whose words a calibration depends on; explanations may be reworded without measuring again."""
BASELINE_JOKES = 20
"""Varied jokes read for the means of categories and factors (SCIENCE, categories: about 20)."""
PAIRS = 40
"""Pairs for the duel's figures; from 40 on a length coefficient means something (SCIENCE, d)."""
LEAST_POWER = 1.0
"""d′ from which a check can tell anything."""


class CheckCalibration(Frozen):
    """One admissibility check: midpoint ``centre`` and half distance ``half`` of the two groups' means, pooled
    deviation ``sd``, all in nats. ``least``: log-odds over which nothing is rejected, since jokes that people liked lie
    there (``check_limits``); None where that wasn't measured."""

    centre: float
    half: float
    sd: float
    least: float | None = None

    @property
    def d_prime(self) -> float:
        """2s/σ; under 1 the check has no power on this model."""
        return 2.0 * self.half / self.sd if self.sd > 0 else 0.0

    @property
    def wants_limit(self) -> bool:
        """Whether it could reject something, and it isn't known how low jokes lie."""
        return self.d_prime >= LEAST_POWER and self.least is None


class Baseline(Frozen):
    """Mean and deviation of a log-odds over varied jokes."""

    mean: float
    sd: float

    def z(self, value: float) -> float:
        """Standardised value; a deviation under the numerical noise of .2 nats counts as .2."""
        return (value - self.mean) / max(self.sd, 0.2)


class ScoreCalibration(Frozen):
    """One factor: mean log-probability of each level over neutral texts, in both orders; mean and deviation of the
    expected score over varied jokes (deviation under .4: the model doesn't separate jokes on it)."""

    ascending: tuple[float, ...]
    descending: tuple[float, ...]
    mean_expected: float
    sd_expected: float


class DuelCalibration(Frozen):
    """Mean position bias, deviations of the pair's log-odds and of the difference of the jokes alone; the judge's own
    length coefficient ``gamma`` on tanh(Δlength/``length_sd``)."""

    mean_bias: float
    sd_pair: float
    sd_alone: float
    gamma: float
    length_sd: float


class Calibration(Frozen):
    """All that was measured of one model under one version of prompts and criteria. ``check_words`` and
    ``alone_words``: None where no forms were chosen between."""

    model_sha256: str
    prompt_version: str
    criteria_version: str
    checks: dict[str, CheckCalibration] = Field(default_factory=dict)
    categories: dict[str, Baseline] = Field(default_factory=dict)
    relevance: dict[str, Baseline] = Field(default_factory=dict)
    scores: dict[str, ScoreCalibration] = Field(default_factory=dict)
    duel: DuelCalibration | None = None
    noise: Noise | None = None
    check_words: AnswerWords | None = None
    alone_words: AnswerWords | None = None

    @property
    def check_form(self) -> str | None:
        """The form in which the checks are asked about; None: the default."""
        return self.check_words.form if self.check_words else None

    @property
    def alone_form(self) -> str | None:
        """The form in which each joke alone is asked about; None: the default."""
        return self.alone_words.form if self.alone_words else None

    @property
    def noise_floor(self) -> Noise:
        """The numerical noise that verdicts reckon with: as measured once, else the default. It is never measured by
        the way, so that the same input gives the same verdict."""
        return self.noise or DEFAULT

    @property
    def rates(self) -> bool:
        """Whether all that a rating needs is there."""
        return bool(self.checks and self.categories and self.relevance and self.scores) and not self.wants_limits

    @property
    def wants_limits(self) -> list[str]:
        """The checks whose limit isn't known."""
        return [name for name, check in self.checks.items() if check.wants_limit]


class CalibrationFiles:
    """Calibrations that ship with the program and those measured on this machine, the latter first."""

    def __init__(self, shipped: Path, own: Path) -> None:
        self._shipped = shipped
        self._own = own

    def load(self, sha256: str, prompt_version: str, criteria_version: str) -> Calibration:
        """The calibration for a model; an empty one where there is none, or where the file is damaged."""
        name = self._name(sha256, prompt_version, criteria_version)
        for folder in (self._own, self._shipped):
            try:
                data = read_json(folder / name)
                found = Calibration.model_validate(data)
            except (OSError, ValueError, ValidationError):
                continue  # measured again: a calibration is never the only copy of anything
            if (found.model_sha256, found.prompt_version, found.criteria_version) == (
                sha256,
                prompt_version,
                criteria_version,
            ):
                return found
        return Calibration(model_sha256=sha256, prompt_version=prompt_version, criteria_version=criteria_version)

    def save(self, calibration: Calibration) -> Path:
        """Write a calibration among the user's own and return where."""
        name = self._name(calibration.model_sha256, calibration.prompt_version, calibration.criteria_version)
        atomic_write(self._own / name, calibration.model_dump_json(indent=1) + "\n")
        return self._own / name

    @staticmethod
    def _name(sha256: str, prompt_version: str, criteria_version: str) -> str:
        return f"{sha256[:16]}-{prompt_version}-{criteria_version}.json"


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
            if not calibration.checks or calibration.wants_limits:
                parts.append(("checks on jokes", len(self._contrast.baseline) + RATED, self._limits))
            if not calibration.categories:
                parts.append(("categories", len(self._jokes()), self._categories))
            if not (calibration.relevance and calibration.scores):
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
            except StopIteration as stop:
                calibration = calibration.model_copy(update=stop.value)
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

    def _limits(self, cancel: CancelToken | None) -> Steps:
        assert self._found is not None
        known, wanted = self._found.checks, self._found.wants_limits
        limits: dict[str, float] = {}
        for step in check_limits(self._measure, wanted, cancel) if wanted else ():
            limits = step or {}
            yield
        return {
            "checks": {
                name: check.model_copy(update={"least": limits.get(name, check.least)}) for name, check in known.items()
            }
        }

    def _categories(self, cancel: CancelToken | None) -> Steps:
        rows = []
        for joke in self._jokes():
            rows.append(self._measure.reading(joke, cancel).categories)
            yield
        return {"categories": _baselines(rows)}

    def _factors(self, cancel: CancelToken | None) -> Steps:
        factors = self._measure.shared_factors()
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
        return {"relevance": _baselines(relevance), "scores": scores}

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


def contrast_odds(measure: Measure, cancel: CancelToken | None = None) -> ContrastOdds:
    """Read all contrast texts, each alone, in the form that ``measure`` asks in."""
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
        for text in side:
            found = measure.checks(text, cancel)[check]
            bad[check].append(found.value)
            masses.append(found.mass)
            yield
    return good, bad, masses


def contrast(good: list[float], bad: list[float]) -> CheckCalibration:
    """Centre, half distance and pooled deviation of two groups (SCIENCE, a). A check that points the wrong way has
    no distance, so no power."""
    pooled = math.sqrt(0.5 * (deviation(good) ** 2 + deviation(bad) ** 2))
    half = 0.5 * (mean(good) - mean(bad))
    return CheckCalibration(centre=0.5 * (mean(good) + mean(bad)), half=max(half, 0.0), sd=max(pooled, 0.2))


def length_coefficient(odds: list[float], lengths: list[float], length_sd: float) -> float:
    """γ of L = … + γ·tanh(Δlength/sd) by ridge with the prior N(0, ½²) (SCIENCE, d)."""
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
