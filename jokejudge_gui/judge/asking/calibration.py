"""Measures a model's calibration, once: its answers for known texts, against which a verdict compares its answers about
a joke. A reworded question is measured again by itself."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from ...core.errors import EngineError, ModelError
from ...core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...core.vote_sets import Rated, shipped_votes
from ...engine.base import CancelToken
from .measured import Baseline, Calibration, CheckCalibration, DuelCalibration, MeasuredFiles, ScoreCalibration
from .question_keys import BASELINE_JOKES
from .questions import FactorRef, Levels, Measure, deviation, expectation, level_distribution, mean

# -- The checks' answers about jokes that people liked, hardly any of which may be rejected. The contrast texts of a
# check are clear cases, short and plain; jokes are stranger than the good ones among them. By those alone Qwen2.5-Coder
# 1.5B rejected one funny joke in six.

RATED = 20
"""Number of rated texts to read, the funniest ones, beside the varied jokes of the criteria."""
SPREADS = 4.0
"""Standard deviations below the jokes' mean above which a check rejects nothing. Jokes from other sources lie lower:
with three, up to six of sixty would still be rejected."""
FACTOR_JOKES = 8
"""Number of jokes on which the factors are measured, which takes as long as all else together."""
_TOGETHER = 10
"""Factors of one step: with all of them, a step of a small model takes seconds."""


def liked_jokes(baseline: Sequence[str]) -> tuple[str, ...]:
    """Return the varied jokes of the criteria, and the funniest of the rated texts shipped with the program, if these
    can be read."""
    try:
        funny = funniest(shipped_votes().ratings, RATED)
    except ModelError:
        return tuple(baseline)
    return (*baseline, *(row.text for row in funny))


def funniest(rated: Sequence[Rated], count: int) -> list[Rated]:
    """Return the ``count`` funniest texts, at most half of all, in the order of a digest, which is independent of text
    and rating. It also decides between equal ratings at the border, so that the same texts are always read."""
    mixed = sorted(rated, key=lambda row: hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).digest())
    ranked = sorted(mixed, key=lambda row: row.value)
    funny = set(ranked[len(ranked) - min(count, len(ranked) // 2) :])
    return [row for row in mixed if row in funny]


def check_limits(
    measure: Measure, checks: Sequence[str], cancel: CancelToken | None = None
) -> Generator[None, None, dict[str, float]]:
    """Return for each of ``checks`` the log-odds (nats) above which nothing is rejected. Yields after each text."""
    found: dict[str, list[float]] = {check: [] for check in checks}
    for text in liked_jokes(measure.criteria.contrast.baseline):
        odds = measure.checks(text, cancel)
        for check, values in found.items():
            values.append(odds[check].value)
        yield
    return {check: min(*values, mean(values) - SPREADS * deviation(values)) for check, values in found.items()}


Steps = Generator[None, None, dict[str, Any]]
"""A part of the calibration: yields after each text and returns the fields of ``Calibration`` that it measured."""
ContrastOdds = Generator[None, None, tuple[dict[str, list[float]], dict[str, list[float]]]]
"""Yields after each text and returns the log-odds of the admissible and of the inadmissible texts by check."""
PAIRS = 40
"""Pairs for the duel's values; a length coefficient needs at least 40 (METHODS, d)."""


class Calibrator:
    """Measures missing parts one by one; each is saved, so that a stopped calibration can be resumed."""

    def __init__(self, measure: Measure, files: MeasuredFiles) -> None:
        self._measure = measure
        self._files = files
        self._contrast = measure.criteria.contrast

    def complete(
        self, calibration: Calibration, *, duel: bool, cancel: CancelToken | None = None
    ) -> Iterator[Event | Calibration]:
        """Yield progress, and the calibration as it grows: a duel's part if ``duel``, a rating's otherwise."""
        parts: list[tuple[str, int, Callable[[Calibration, CancelToken | None], Steps]]] = []
        if duel and calibration.duel is None:
            parts.append(("duels", len(self._contrast.baseline) + PAIRS, self._duel))
        if not duel:
            missing = self._missing_checks(calibration)
            if missing:
                size = sum(len(self._contrast.inadmissible.get(check, ())) for check in missing)
                parts.append(("checks", len(self._contrast.admissible) + size, self._checks))
            if missing or calibration.wants_limits:
                parts.append(("checks on jokes", len(self._contrast.baseline) + RATED, self._limits))
            if any(category.id not in calibration.categories for category in self._measure.criteria.categories):
                parts.append(("categories", len(self._jokes()), self._categories))
            if factors := self._missing_factors(calibration):
                name = f"the factor “{factors[0].name}”" if len(factors) == 1 else "factors"
                texts = len(self._contrast.neutral) + FACTOR_JOKES
                parts.append((name, texts * math.ceil(len(factors) / _TOGETHER), self._factors))
        if not parts:
            return
        total = sum(size for _, size, _ in parts)
        done = 0
        yield StageStarted(stage=Stage.CALIBRATION, total=total)
        for name, size, part in parts:
            note = f"measuring this model's habits, once ({name})"
            steps = part(calibration, cancel)
            try:
                for count in itertools.count(1):
                    next(steps)
                    yield StageProgress(stage=Stage.CALIBRATION, done=done + min(count, size), total=total, note=note)
            except ValidationError as error:
                # If stored, such values would be refused at every start, and measured again each time.
                raise EngineError(
                    "E_MEASURED",
                    "This model's answers to the measuring questions aren't usable numbers.",
                    "The model's file is probably damaged: fetch it again, or choose another model.",
                ) from error
            except StopIteration as stop:
                calibration = calibration.replaced(**stop.value)
            done += size
            self._files.save_calibration(calibration)
            yield calibration
        yield StageFinished(stage=Stage.CALIBRATION, seconds=0.0)

    def _jokes(self) -> tuple[str, ...]:
        return self._contrast.baseline[:BASELINE_JOKES]

    def _checks(self, known: Calibration, cancel: CancelToken | None) -> Steps:
        wanted = self._missing_checks(known)
        good, bad = yield from contrast_odds(self._measure, cancel, only=wanted)
        return {"checks": {**known.checks, **{check: contrast(good[check], bad[check]) for check in wanted}}}

    def _missing_checks(self, calibration: Calibration) -> list[str]:
        return [check.id for check in self._measure.criteria.template.checks if check.id not in calibration.checks]

    def _missing_factors(self, calibration: Calibration) -> list[FactorRef]:
        return [
            factor
            for factor in self._measure.shared_factors()
            if factor.id not in calibration.relevance or factor.id not in calibration.scores
        ]

    def _limits(self, known: Calibration, cancel: CancelToken | None) -> Steps:
        wanted = known.wants_limits
        limits = (yield from check_limits(self._measure, wanted, cancel)) if wanted else {}
        return {
            "checks": {
                name: check.replaced(least=limits.get(name, check.least)) for name, check in known.checks.items()
            }
        }

    def _categories(self, known: Calibration, cancel: CancelToken | None) -> Steps:
        rows = []
        for joke in self._jokes():
            rows.append(self._measure.reading(joke, cancel).categories)
            yield
        return {"categories": {**_baselines(rows), **known.categories}}

    def _factors(self, known: Calibration, cancel: CancelToken | None) -> Steps:
        factors = self._missing_factors(known)
        some = [factors[at : at + _TOGETHER] for at in range(0, len(factors), _TOGETHER)]
        neutral: list[dict[str, Levels]] = []
        for text in self._contrast.neutral:
            neutral.append({})
            for part in some:
                neutral[-1] |= self._measure.levels(text, part, cancel)
                yield
        relevance: list[dict[str, float]] = []
        levels: list[dict[str, Levels]] = []
        for joke in self._jokes()[:FACTOR_JOKES]:
            relevance.append({})
            levels.append({})
            for part in some:
                odds, scored = self._measure.appraisal(joke, part, cancel)
                relevance[-1] |= {name: value.value for name, value in odds.items()}
                levels[-1] |= scored
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
            "relevance": {**_baselines(relevance), **known.relevance},
            "scores": {**scores, **known.scores},
        }

    def _duel(self, _known: Calibration, cancel: CancelToken | None) -> Steps:
        jokes = self._contrast.baseline
        pairs = joke_pairs(len(jokes), PAIRS)
        alone: dict[int, float] = {}
        for index in sorted({place for pair in pairs for place in pair}):
            alone[index] = self._measure.alone([jokes[index]], cancel)[0].value
            yield
        odds, biases = [], []
        for a, b in pairs:
            ascending, descending = self._measure.pair((jokes[a], jokes[b]), cancel)
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


def contrast_odds(
    measure: Measure, cancel: CancelToken | None = None, *, only: Sequence[str] | None = None
) -> ContrastOdds:
    """Read the contrast texts, each alone; ``only``: those of some checks."""
    texts = measure.criteria.contrast
    good: dict[str, list[float]] = {check.id: [] for check in measure.criteria.template.checks}
    bad: dict[str, list[float]] = {check: [] for check in good}
    for text in texts.admissible:
        for check, odds in measure.checks(text, cancel).items():
            good[check].append(odds.value)
        yield
    for check, side in texts.inadmissible.items():
        for text in side if only is None or check in only else ():
            bad[check].append(measure.checks(text, cancel)[check].value)
            yield
    return good, bad


def contrast(good: list[float], bad: list[float]) -> CheckCalibration:
    """Return centre, half distance and pooled deviation of two groups (METHODS, a). A check that points the wrong way
    has no distance, so no power."""
    pooled = math.sqrt(0.5 * (deviation(good) ** 2 + deviation(bad) ** 2))
    half = 0.5 * (mean(good) - mean(bad))
    return CheckCalibration(centre=0.5 * (mean(good) + mean(bad)), half=max(half, 0.0), sd=max(pooled, 0.2))


def length_coefficient(odds: list[float], lengths: list[float], length_sd: float) -> float:
    """γ of L = … + γ·tanh(Δlength/sd) by ridge with the prior N(0, ½²) (METHODS, d)."""
    terms = [math.tanh(length / length_sd) for length in lengths]
    noise = max(root_mean_square(odds), 0.2) ** 2
    return math.fsum(t * o for t, o in zip(terms, odds, strict=True)) / (math.fsum(t * t for t in terms) + noise / 0.25)


def root_mean_square(values: list[float]) -> float:
    """Return the spread about zero, which is the midpoint for log-odds of pairs."""
    return math.sqrt(math.fsum(value * value for value in values) / len(values)) if values else 0.0


def joke_pairs(count: int, wanted: int) -> list[tuple[int, int]]:
    """Return pairs of places 0…count−1, every joke about equally often: neighbours on a circle, then wider steps."""
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
