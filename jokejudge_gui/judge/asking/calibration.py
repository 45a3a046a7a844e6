"""A model's calibration: its answers for known texts, against which a verdict compares its answers about a joke. It is
measured once; a reworded question is measured again by itself."""

from __future__ import annotations

import hashlib
import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from statistics import fmean as mean
from typing import Annotated, Any, TypeAlias

from pydantic import Field, ValidationError

from ...core.errors import EngineError
from ...core.events import Event, Stage, StageProgress, StageStarted
from ...core.verdicts import Frozen
from ...core.vote_sets import shipped_votes
from ...rubric.prompts import PromptSet, constant_texts
from ...rubric.xml_parser import Criteria
from .questions import LogOdds, Measure, deviation, expectation, level_distribution

# -- Keys of what is measured with a question: a digest of its words and of the texts that it is measured on. A reworded
# factor changes its own key and no other.

BASELINE_JOKES = 20
"""Varied jokes read for the means of categories and factors (METHODS, e)."""
_LISTS = ("checks", "categories", "factors")
"""Slots that list all items. Only the line of the item in question counts: other lines change its answer by less than
the noise of twenty jokes, and measuring everything again for one of them would take minutes."""
DUEL = "duel"
Keys: TypeAlias = Mapping[str, Mapping[str, str]]
"""Keys by item, in the parts of a ``Calibration``; a duel's one question has the item ``DUEL``."""


def question_keys(prompts: PromptSet, criteria: Criteria) -> Keys:
    """Return the keys for these prompts and criteria. Raises ``CriteriaError``."""
    constants = {name: text for name, text in constant_texts(criteria).items() if name not in _LISTS}
    texts, jokes = criteria.contrast, criteria.contrast.baseline[:BASELINE_JOKES]

    def words(prompt: str, *answers: str) -> object:
        return prompts.words(prompt, constants, answers)

    reading, naming, relevance = words("reading", "check"), words("reading", "category"), words("scoring", "relevance")
    scoring = words("scoring", "ascending", "descending")
    factors = {
        one.id: (one.name, one.explanation, one.zero, *((one.middle,) if one.middle else ()), one.five)
        for one in criteria.factors
    }
    return {
        "checks": {
            check.id: _key(
                "check", check.id, reading, check.description, check.admits, check.rejects,
                texts.admissible, texts.inadmissible.get(check.id, ()), texts.baseline,
            )
            for check in criteria.template.checks
        },
        "categories": {c.id: _key("category", c.id, naming, c.name.lower(), jokes) for c in criteria.categories},
        "relevance": {name: _key("relevance", name, relevance, own, jokes) for name, own in factors.items()},
        "scores": {name: _key("score", name, scoring, own, texts.neutral, jokes) for name, own in factors.items()},
        DUEL: {DUEL: _key("duel", "", words("duel", "choice"), words("alone", "verdict"), texts.baseline)},
    }  # fmt: skip


def _key(kind: str, item: str, *words: object) -> str:
    digest = hashlib.sha256(repr(words).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return ":".join(part for part in (kind, item, digest) if part)


# -- What is measured

LEAST_POWER = 1.0
"""Least d′ at which a check has power."""
_LARGEST = 1e4
Nats = Annotated[float, Field(ge=-_LARGEST, le=_LARGEST, allow_inf_nan=False)]
"""A log-probability, its mean or a distance; real values are far from the bounds."""
Spread = Annotated[float, Field(ge=0, le=_LARGEST, allow_inf_nan=False)]
Levels = Annotated[tuple[Nats, ...], Field(min_length=6, max_length=6)]
"""One number for each level 0…5."""


NOISE = 0.2
"""Standard deviation in nats of an answer's log-odds with the batch that its question shares: quantised kernels round
activations. More than what three models in Q8_0, Q4_0 and Q4_1 were measured to have; nothing finer is claimed."""


class CheckCalibration(Frozen):
    """One admissibility check: midpoint ``centre`` and half distance ``half`` of the two groups' means, pooled
    deviation ``sd``, all in nats. ``least``: log-odds above which nothing is rejected, as jokes that people liked reach
    down to them; None where the check has no power."""

    centre: Nats
    half: Nats
    sd: float = Field(gt=0, le=_LARGEST, allow_inf_nan=False)
    least: Nats | None = None

    @property
    def d_prime(self) -> float:
        """2s/σ; under 1 the check has no power on this model."""
        return 2.0 * self.half / self.sd


class Baseline(Frozen):
    """Mean and deviation of a log-odds over varied jokes."""

    mean: Nats
    sd: Spread

    def z(self, value: float) -> float:
        """Standardised value; a deviation under the numerical noise of .2 nats counts as .2."""
        return (value - self.mean) / max(self.sd, 0.2)


class ScoreCalibration(Frozen):
    """One factor: mean log-probability of each level over neutral texts, in both orders; mean and deviation of the
    expected score over varied jokes (deviation under .4: the model doesn't separate jokes on it)."""

    ascending: Levels
    descending: Levels
    mean_expected: Nats
    sd_expected: Spread

    @property
    def bias(self) -> tuple[Sequence[float], Sequence[float]]:
        """The labels' own bias, in both orders."""
        return self.ascending, self.descending


class DuelCalibration(Frozen):
    """Mean position bias, deviations of the pair's log-odds and of the difference of the jokes alone; the judge's own
    length coefficient ``gamma`` on tanh(Δlength/``length_sd``)."""

    mean_bias: Nats
    sd_pair: Spread
    sd_alone: Spread
    gamma: Nats
    length_sd: float = Field(gt=0, le=1e9, allow_inf_nan=False)


PARTS: dict[str, type[Frozen]] = {
    "checks": CheckCalibration, "categories": Baseline, "relevance": Baseline, "scores": ScoreCalibration,
    DUEL: DuelCalibration,
}  # fmt: skip
"""The parts of a calibration, and what each item of them is."""


class Calibration(Frozen):
    """One model's calibration for the questions that ``keys`` names."""

    model_sha256: str
    keys: Keys = Field(default_factory=dict)
    checks: dict[str, CheckCalibration] = Field(default_factory=dict)
    categories: dict[str, Baseline] = Field(default_factory=dict)
    relevance: dict[str, Baseline] = Field(default_factory=dict)
    scores: dict[str, ScoreCalibration] = Field(default_factory=dict)
    duel: DuelCalibration | None = None

    @classmethod
    def of_files(cls, sha256: str, keys: Keys, files: Sequence[Mapping[str, Any]]) -> Calibration:
        """Return what the files hold of the questions, values by their keys, the file that takes precedence last; an
        invalid value counts as missing."""
        parts: dict[str, dict[str, Any]] = {part: {} for part in PARTS}
        for file in files:
            for part, kind in PARTS.items():
                for item, key in keys.get(part, {}).items():
                    with suppress(ValidationError, RecursionError, KeyError):
                        parts[part][item] = kind.model_validate(file[key])
        return cls(model_sha256=sha256, keys=keys, **parts | {DUEL: parts[DUEL].get(DUEL)})

    def by_question(self) -> dict[str, Any]:
        """Return the values by the key of their question, for the file; values without a key couldn't be found."""
        parts = {part: {DUEL: self.duel} if part == DUEL else getattr(self, part) for part in self.keys}
        rows = ((key, parts[part].get(item)) for part, keys in self.keys.items() for item, key in keys.items())
        return {key: value.model_dump(mode="json") for key, value in rows if value is not None}

    @property
    def rates(self) -> bool:
        """Whether all questions of a rating are calibrated."""
        return bool(self.scores) and not any(self.missing().values())

    def missing(self) -> dict[str, list[str]]:
        """Return the ids of a rating's items that aren't calibrated, by part."""
        return {
            part: [item for item in self.keys.get(part, ()) if item not in getattr(self, part)]
            for part in PARTS
            if part != DUEL
        }


# -- Measuring it

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
Answers: TypeAlias = Sequence[Any]
_Part: TypeAlias = "tuple[str, Sequence[Callable[[], Any]], Callable[[Answers], dict[str, Any]]]"
"""A part of the calibration: its name, its questions, and what makes fields of ``Calibration`` of the answers."""


def complete(
    calibration: Calibration, measure: Measure, keep: Callable[[Calibration], None], *, duel: bool
) -> Iterator[Event]:
    """Measure missing parts one by one, a duel's if ``duel``, a rating's otherwise. The calibration is kept after each
    part, so that one that was stopped can be resumed."""
    missing, parts = calibration.missing(), list[_Part]()
    if duel:
        parts += [_of_duels(measure)] if calibration.duel is None else []
    else:
        parts += [_of_checks(missing["checks"], measure)] if missing["checks"] else []
        parts += [_of_categories(measure)] if missing["categories"] else []
        factors = list(dict.fromkeys((*missing["relevance"], *missing["scores"])))
        parts += [_of_factors(factors, measure)] if factors else []
    total, done = sum(len(asks) for _, asks, _ in parts), 0
    if parts:
        yield StageStarted(stage=Stage.CALIBRATION, total=total)
    for name, asks, figures in parts:
        answers = []
        for ask in asks:
            answers.append(ask())
            done += 1
            note = f"measuring this model's habits, once ({name})"
            yield StageProgress(stage=Stage.CALIBRATION, done=done, total=total, note=note)
        try:
            fields = figures(answers)
        except ValidationError as error:
            # If stored, such values would be refused at every start, and measured again each time.
            raise EngineError(
                "E_MEASURED",
                "This model's answers to the measuring questions aren't usable numbers.",
                "The model's file is probably damaged: fetch it again, or choose another model.",
            ) from error
        own = {part: one | getattr(calibration, part) for part, one in fields.items() if isinstance(one, dict)}
        calibration = calibration.replaced(**fields | own)
        keep(calibration)


def _of_categories(measure: Measure) -> _Part:
    def figures(answers: Answers) -> dict[str, Any]:
        rows = [kinds for _, kinds in answers]
        return {"categories": {name: _baseline([row[name] for row in rows]) for name in rows[0]}}

    jokes = measure.criteria.contrast.baseline[:BASELINE_JOKES]
    return "categories", [partial(measure.reading, joke) for joke in jokes], figures


def _of_checks(wanted: Sequence[str], measure: Measure) -> _Part:
    """Clear cases are compared, and it is measured how low the jokes lie that people liked, hardly any of which may be
    rejected."""
    texts = measure.criteria.contrast
    bad = [(check, text) for check in wanted for text in texts.inadmissible.get(check, ())]
    liked = liked_jokes(texts.baseline)

    def figures(answers: Answers) -> dict[str, Any]:
        rows = iter(checks for checks, _ in answers)
        good = [next(rows) for _ in texts.admissible]
        failing = [(check, next(rows)[check].value) for check, _ in bad]
        jokes, measured = list(rows), {}
        for check in wanted:
            own = contrast([row[check].value for row in good], [value for of, value in failing if of == check])
            if own.d_prime >= LEAST_POWER:
                values = [row[check].value for row in jokes]
                own = own.replaced(least=min(*values, mean(values) - SPREADS * deviation(values)))
            measured[check] = own
        return {"checks": measured}

    asked = (*texts.admissible, *(text for _, text in bad), *liked)
    return "checks", [partial(measure.reading, text, kinds=False) for text in asked], figures


def _of_factors(wanted: Sequence[str], measure: Measure) -> _Part:
    texts, factors = measure.criteria.contrast, [measure.criteria.factor(id) for id in wanted]
    some = [factors[at : at + _TOGETHER] for at in range(0, len(factors), _TOGETHER)]
    asks: list[Callable[[], Any]] = []
    asks += [partial(measure.levels, text, part) for text in texts.neutral for part in some]
    asks += [partial(measure.appraisal, text, part) for text in texts.baseline[:FACTOR_JOKES] for part in some]

    def figures(answers: Answers) -> dict[str, Any]:
        neutral, jokes = answers[: len(texts.neutral) * len(some)], answers[len(texts.neutral) * len(some) :]
        scores, relevance = {}, {}
        for id in wanted:
            habits = [row[id] for row in neutral if id in row]
            ascending = tuple(map(mean, zip(*(levels.ascending for levels in habits), strict=True)))
            descending = tuple(map(mean, zip(*(levels.descending for levels in habits), strict=True)))
            own = [(odds[id].value, levels[id]) for odds, levels in jokes if id in odds]
            expected = [expectation(level_distribution(levels, (ascending, descending))) for _, levels in own]
            relevance[id] = _baseline([odds for odds, _ in own])
            scores[id] = ScoreCalibration(
                ascending=ascending, descending=descending, mean_expected=mean(expected),
                sd_expected=deviation(expected),
            )  # fmt: skip
        return {"relevance": relevance, "scores": scores}

    return f"the factor “{factors[0].name}”" if len(factors) == 1 else "factors", asks, figures


def _of_duels(measure: Measure) -> _Part:
    jokes = measure.criteria.contrast.baseline
    pairs = joke_pairs(len(jokes), PAIRS)
    single = sorted({place for pair in pairs for place in pair})

    def figures(answers: Answers) -> dict[str, Any]:
        alone = {place: answer[0].value for place, answer in zip(single, answers, strict=False)}
        both: Sequence[tuple[LogOdds, LogOdds]] = answers[len(single) :]
        odds = [0.5 * (one.value - other.value) for one, other in both]
        lengths = [float(len(jokes[a]) - len(jokes[b])) for a, b in pairs]
        length_sd = deviation(lengths) or 1.0
        duel = DuelCalibration(
            mean_bias=mean([0.5 * (one.value + other.value) for one, other in both]), sd_pair=root_mean_square(odds),
            sd_alone=root_mean_square([alone[a] - alone[b] for a, b in pairs]),
            gamma=length_coefficient(odds, lengths, length_sd), length_sd=length_sd,
        )  # fmt: skip
        return {DUEL: duel}

    asks: list[Callable[[], Any]] = [partial(measure.alone, [jokes[place]]) for place in single]
    return "duels", [*asks, *(partial(measure.pair, (jokes[a], jokes[b])) for a, b in pairs)], figures


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
    return math.fsum(map(operator.mul, terms, odds)) / (math.fsum(t * t for t in terms) + noise / 0.25)


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


def _baseline(values: Sequence[float]) -> Baseline:
    return Baseline(mean=mean(values), sd=deviation(values))
