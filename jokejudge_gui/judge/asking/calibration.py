"""Measures a model's calibration, once: its answers for known texts, against which a verdict compares its answers about
a joke. A reworded question is measured again by itself."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Generator, Iterator, Sequence
from typing import Any

from pydantic import ValidationError

from ...core.errors import EngineError
from ...core.events import Event, Stage, StageFinished, StageProgress, StageStarted
from ...core.vote_sets import shipped_votes
from ...engine.base import CancelToken
from .measured import (
    LEAST_POWER,
    Baseline,
    Calibration,
    CheckCalibration,
    DuelCalibration,
    MeasuredFiles,
    ScoreCalibration,
)
from .questions import BASELINE_JOKES, Levels, LogOdds, Measure, deviation, expectation, level_distribution, mean

RATED = 20
"""Number of rated texts to read, the funniest ones, beside the varied jokes of the criteria. The contrast texts of a
check are clear cases, short and plain; jokes are stranger than the good ones among them. By those alone Qwen2.5-Coder
1.5B rejected one funny joke in six."""
SPREADS = 4.0
"""Standard deviations below the jokes' mean above which a check rejects nothing. Jokes from other sources lie lower:
with three, up to six of sixty would still be rejected."""
FACTOR_JOKES = 8
"""Number of jokes on which the factors are measured, which takes as long as all else together."""
PAIRS = 40
"""Pairs for the duel's values; a length coefficient needs at least 40 (METHODS, d)."""
_TOGETHER = 10
"""Factors of one step: with all of them, a step of a small model takes seconds."""
Steps = Generator[None, None, dict[str, Any]]
"""A part of the calibration: yields after each text and returns the fields of ``Calibration`` that it measured."""


class Calibrator:
    """Measures missing parts one by one; each is saved, so that a stopped calibration can be resumed."""

    def __init__(self, measure: Measure, files: MeasuredFiles) -> None:
        self._measure, self._files = measure, files
        self._criteria, self._contrast = measure.criteria, measure.criteria.contrast

    def complete(
        self, calibration: Calibration, *, duel: bool, cancel: CancelToken | None = None
    ) -> Iterator[Event | Calibration]:
        """Yield progress, and the calibration as it grows: a duel's part if ``duel``, a rating's otherwise."""
        parts = list(self._missing(calibration, duel, cancel))
        total, done = sum(size for _, size, _ in parts), 0
        if parts:
            yield StageStarted(stage=Stage.CALIBRATION, total=total)
        for name, size, steps in parts:
            note = f"measuring this model's habits, once ({name})"
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
                for field, values in stop.value.items():
                    own = values | getattr(calibration, field) if isinstance(values, dict) else values
                    calibration = calibration.replaced(**{field: own})
            done += size
            self._files.save_calibration(calibration)
            yield calibration
        if parts:
            yield StageFinished(stage=Stage.CALIBRATION, seconds=0.0)

    def _missing(self, have: Calibration, duel: bool, cancel: CancelToken | None) -> Iterator[tuple[str, int, Steps]]:
        """Yield what isn't measured yet: its name, its number of steps, and the steps."""
        texts, missing = self._contrast, have.missing()
        if duel:
            if have.duel is None:
                yield "duels", len(texts.baseline) + PAIRS, self._duel(cancel)
            return
        if checks := missing["checks"]:
            bad = sum(len(texts.inadmissible.get(check, ())) for check in checks)
            yield "checks", len(texts.admissible) + bad + len(texts.baseline) + RATED, self._checks(checks, cancel)
        if missing["categories"]:
            yield "categories", BASELINE_JOKES, self._categories(cancel)
        if factors := list(dict.fromkeys((*missing["relevance"], *missing["scores"]))):
            name = f"the factor “{self._criteria.factor(factors[0]).name}”" if len(factors) == 1 else "factors"
            parts = math.ceil(len(factors) / _TOGETHER)
            yield name, (len(texts.neutral) + FACTOR_JOKES) * parts, self._factors(factors, cancel)

    def _checks(self, wanted: Sequence[str], cancel: CancelToken | None) -> Steps:
        """Compare the clear cases, then find how low the jokes lie that people liked, hardly any of which may be
        rejected."""
        texts = self._contrast
        good: list[dict[str, LogOdds]] = []
        for text in texts.admissible:
            good.append(self._measure.checks(text, cancel))
            yield
        checks = {}
        for check in wanted:
            bad: list[float] = []
            for text in texts.inadmissible.get(check, ()):
                bad.append(self._measure.checks(text, cancel)[check].value)
                yield
            checks[check] = contrast([row[check].value for row in good], bad)
        strong = [check for check in wanted if checks[check].d_prime >= LEAST_POWER]
        rows: list[dict[str, LogOdds]] = []
        for text in liked_jokes(self._contrast.baseline) if strong else ():
            rows.append(self._measure.checks(text, cancel))
            yield
        for check in strong:
            values = [row[check].value for row in rows]
            least = min(*values, mean(values) - SPREADS * deviation(values))
            checks[check] = checks[check].replaced(least=least)
        return {"checks": checks}

    def _categories(self, cancel: CancelToken | None) -> Steps:
        rows = []
        for joke in self._contrast.baseline[:BASELINE_JOKES]:
            rows.append(self._measure.reading(joke, cancel).categories)
            yield
        return {"categories": _baselines(rows)}

    def _factors(self, wanted: Sequence[str], cancel: CancelToken | None) -> Steps:
        factors = [self._criteria.factor(id) for id in wanted]
        some = [factors[at : at + _TOGETHER] for at in range(0, len(factors), _TOGETHER)]
        neutral: list[dict[str, Levels]] = []
        for text in self._contrast.neutral:
            neutral.append({})
            for part in some:
                neutral[-1] |= self._measure.levels(text, part, cancel)
                yield
        relevance: list[dict[str, float]] = []
        levels: list[dict[str, Levels]] = []
        for joke in self._contrast.baseline[:FACTOR_JOKES]:
            relevance.append({})
            levels.append({})
            for part in some:
                odds, scored = self._measure.appraisal(joke, part, cancel)
                relevance[-1] |= {name: value.value for name, value in odds.items()}
                levels[-1] |= scored
                yield
        scores = {}
        for id in wanted:
            ascending = tuple(map(mean, zip(*(row[id].ascending for row in neutral), strict=True)))
            descending = tuple(map(mean, zip(*(row[id].descending for row in neutral), strict=True)))
            expected = [expectation(level_distribution(row[id], (ascending, descending))) for row in levels]
            scores[id] = ScoreCalibration(
                ascending=ascending, descending=descending, mean_expected=mean(expected),
                sd_expected=deviation(expected),
            )  # fmt: skip
        return {"relevance": _baselines(relevance), "scores": scores}

    def _duel(self, cancel: CancelToken | None) -> Steps:
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


def liked_jokes(baseline: Sequence[str]) -> tuple[str, ...]:
    """Return the varied jokes of the criteria, and the funniest of the rated texts shipped with the program, in the
    order of a digest, which is independent of text and rating. It also decides between equal ratings at the border, so
    that the same texts are always read. Raises ``ModelError``."""
    rated = shipped_votes().ratings
    mixed = sorted(rated, key=lambda row: hashlib.sha256(row.text.encode("utf-8", "surrogatepass")).digest())
    funny = set(sorted(mixed, key=lambda row: row.value)[-RATED:])
    return (*baseline, *(row.text for row in mixed if row in funny))


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
    return math.sqrt(mean([value * value for value in values]))


def joke_pairs(count: int, wanted: int) -> list[tuple[int, int]]:
    """Return pairs of places 0…count−1, every joke about equally often: neighbours on a circle, then wider steps."""
    places = ((place, (place + step) % count) for step in (1, 7, 11, 3, 5) for place in range(count))
    pairs: dict[frozenset[int], tuple[int, int]] = {}
    for pair in places:
        pairs.setdefault(frozenset(pair), pair)
    return [pair for pair in pairs.values() if pair[0] != pair[1]][:wanted]


def _baselines(rows: list[dict[str, float]]) -> dict[str, Baseline]:
    return {
        name: Baseline(mean=mean([row[name] for row in rows]), sd=deviation([row[name] for row in rows]))
        for name in rows[0]
    }
