"""Evaluation of a judge: its answers on labelled rows, compared with chance, length and the rows' wording."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Literal

import numpy as np
import numpy.typing as npt

from ..core.statistics import (
    Bin,
    Correlation,
    Difference,
    Fraction,
    Vector,
    bins,
    bootstrap,
    difference,
    expected_calibration_error,
    fraction,
    log_loss,
    mean_absolute_error,
    one_against_the_others,
    pearson,
    spearman,
)
from ..core.verdicts import Frozen, Mode, ModelRef
from ..judge.duel.record import DuelResult
from ..judge.rating.record import RatingResult
from ..learning.wording import baseline_scores, longer
from .labelled import LabelledPair, LabelledText
from .reference import ReferenceReport

Margin = Literal["all", "clear"]
MARGINS: dict[Margin, str] = {"all": "all pairs", "clear": "pairs with at least 4 votes and 80 % of them on one side"}


def percentile_of(answer: RatingResult) -> float | None:
    """Return the audience's estimate 0…100; None where there is none."""
    return answer.audience.percentile if answer.audience is not None else None


def _number_of(answer: RatingResult) -> float | None:
    """Return the audience's estimate 0…1 where there is one, else the score 0…1."""
    if answer.audience is not None:
        return answer.audience.percentile / 100
    return None if answer.mean_score is None else answer.mean_score / 5


class Agreement(Frozen):
    """Share of pairs in which the judge and its baselines name people's winner (a tie is half right), on the same
    pairs; ``over_…``: the judge's share less the baseline's. Chance is .5."""

    margin: Margin
    judge: Fraction
    length: Fraction
    ngrams: Fraction
    over_length: Difference | None
    over_ngrams: Difference | None


class Reliability(Frozen):
    """Calibration of stated probabilities. ``ece``: expected calibration error over the ten ``tenths`` of the winner's
    stated p; ``log_loss`` of p_a in nats (a coin's: .693); ``bands``: by the confidence factor."""

    ece: float | None
    log_loss: float | None
    tenths: tuple[Bin, ...]
    bands: tuple[Bin, ...]


class PairsReport(Frozen):
    """One file of pairs. ``rows``: in the file, of them ``ties`` among people and ``bad`` ones left out; ``judged``: of
    those drawn, ``errors``: without an answer. ``one_person``: one voter against the majority of the others.
    ``length``: rank correlation of the log-odds for A with A's excess length: the judge's own (``raw``), with length
    ``controlled``, and that of ``people``'s choice. ``kappa`` (Cohen's) and ``alpha`` (Krippendorff's, nominal): the
    judge's winner and people's; ``alpha_people``: the voters among themselves."""

    name: str
    rows: int
    ties: int
    bad: int
    judged: int
    errors: int
    agreement: tuple[Agreement, ...]
    parts: dict[str, Fraction]
    one_person: Fraction | None
    trust: Reliability
    flips: Fraction
    position_bias: float | None
    length: dict[str, Correlation]
    kappa: Correlation | None = None
    alpha: Correlation | None = None
    alpha_people: Correlation | None = None


class Likeness(Frozen):
    """Agreement of a score with people's ratings. ``mae`` 0…1: mean absolute error as a share of the scale, with the
    score's range mapped to that of the file's ratings."""

    spearman: Correlation
    pearson: Correlation
    mae: float | None


class RatingsReport(Frozen):
    """One file of ratings. ``admission``: rejections of texts that are humour (``false_reject``), acceptances of texts
    that aren't (``false_accept``), and rejections in the half of the rated texts that people found funnier
    (``funny_rejected``). ``kappa_half`` (Cohen's): whether a text is in the funnier half, by people and by the judge;
    ``kappa_humor``: whether it is humour, and whether it was admitted; ``alpha`` (Krippendorff's, interval): people's
    rating and the judge's, each on 0…1. The judge's number is the audience estimate where there is one, else the score.
    None where the file has no such labels."""

    name: str
    column: str | None
    rows: int
    bad: int
    judged: int
    errors: int
    score: Likeness
    audience: Likeness | None
    length: Correlation
    ngrams: Correlation
    admission: dict[str, Fraction | None]
    kappa_half: Correlation | None = None
    kappa_humor: Correlation | None = None
    alpha: Correlation | None = None


class Validation(Frozen):
    """One line of the validation table; ``passed`` None: not measured. ``at_least``: the threshold is a lower one."""

    measure: str
    threshold: float
    at_least: bool
    value: float | None
    passed: bool | None


class Evaluation(Frozen):
    """All figures. ``macro``: means over the files of pairs, each counted once; ``whole`` False: stopped before all
    the rows drawn were judged."""

    model: ModelRef | None
    mode: Mode
    seed: int
    limit: int | None
    whole: bool
    pairs: tuple[PairsReport, ...] = ()
    ratings: tuple[RatingsReport, ...] = ()
    macro: dict[str, int | float] | None = None
    validation: tuple[Validation, ...] = ()
    reference: tuple[ReferenceReport, ...] = ()

    @property
    def judged(self) -> int:
        """Number of rows with an answer."""
        counts = [part.judged for part in self.pairs] + [part.judged for part in self.ratings]
        return sum(counts) + sum(part.judged for part in self.reference)


# Agreement beyond chance, with 95 % intervals by bootstrap over rows


def cohen_kappa(first: Sequence[int], second: Sequence[int]) -> Correlation:
    """Return κ of two judges' categories (whole numbers from 0) of the same rows: 1 − (1 − p_o)/(1 − p_e) (Cohen 1960).
    It isn't defined where both give every row the same category."""
    one, two = np.asarray(first, dtype=np.int64), np.asarray(second, dtype=np.int64)
    size = int(max(one.max(initial=-1), two.max(initial=-1))) + 1

    def kappa(times: Vector) -> float | None:
        table = np.bincount(one * size + two, weights=times, minlength=size * size).reshape(size, size)
        total = float(table.sum())
        if not total:
            return None
        seen = float(np.trace(table)) / total
        expected = float(table.sum(axis=0) @ table.sum(axis=1)) / total**2
        return None if expected >= 1.0 else (seen - expected) / (1.0 - expected)

    return _beyond(len(one), kappa)


def nominal_alpha(counts: Sequence[Sequence[float]] | Vector) -> Correlation:
    """Return Krippendorff's α of nominal data. ``counts`` (rows, categories): number of judges who gave a row each
    category; a row with fewer than two values is left out. It isn't defined where all values are the same."""
    table = np.asarray(counts, dtype=np.float64).reshape(len(counts), -1 if len(counts) else 1)
    table = table[table.sum(axis=1) >= 2]
    sizes = table.sum(axis=1)
    apart = (sizes**2 - (table**2).sum(axis=1)) / (sizes - 1)

    def alpha(times: Vector) -> float | None:
        values, totals = float(times @ sizes), times @ table
        return _alpha(float(times @ apart), values**2 - float(totals @ totals), values)

    return _beyond(len(table), alpha)


def interval_alpha(scores: Sequence[Sequence[float]] | Vector) -> Correlation:
    """Return Krippendorff's α of interval data: distance is the squared difference. ``scores`` (rows, judges), NaN
    where a judge gave none; a row with fewer than two values is left out. It isn't defined where all values are the
    same."""
    table = np.asarray(scores, dtype=np.float64).reshape(len(scores), -1 if len(scores) else 1)
    table = table[(~np.isnan(table)).sum(axis=1) >= 2]
    # Distances don't depend on the zero point; one within the values keeps sums of squares exact.
    table = table - np.nanmean(table) if len(table) else table
    sizes = (~np.isnan(table)).sum(axis=1).astype(np.float64)
    sums, squares = np.nansum(table, axis=1), np.nansum(table**2, axis=1)
    apart = 2 * (sizes * squares - sums**2) / (sizes - 1)

    def alpha(times: Vector) -> float | None:
        values, total = float(times @ sizes), float(times @ sums)
        return _alpha(float(times @ apart), 2 * (values * float(times @ squares) - total**2), values)

    return _beyond(len(table), alpha)


def _alpha(within: float, everywhere: float, values: float) -> float | None:
    """Return 1 − D_o/D_e (Krippendorff 2011) from sums of distances: between the values of a row (each row's divided by
    its number of values less one), and between all values."""
    if values < 2 or everywhere <= 1e-12:
        return None
    return 1.0 - within * (values - 1) / everywhere


def _beyond(rows: int, statistic: Callable[[Vector], float | None]) -> Correlation:
    value = statistic(np.ones(rows)) if rows else None
    if value is None:
        return Correlation(n=rows, value=None)
    low, high = bootstrap(rows, statistic)
    if not (math.isfinite(low) and math.isfinite(high)):
        return Correlation(n=rows, value=value)
    return Correlation(n=rows, value=value, low=min(low, value), high=max(high, value))


_TENTHS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))
_BANDS = (0.5, 1.1 / 2.1, 2 / 3, 5 / 6, 10 / 11, 1.0)
_EVEN = 1
"""The judge's category in a pair, from B to A, where it leans to neither."""


def draw(count: int, limit: int | None, seed: int) -> list[int]:
    """Return the rows to judge of ``count``, in random order, so that any beginning is a fair sample too."""
    order = np.random.default_rng(seed).permutation(count)
    return [int(place) for place in order[:limit]]


def measure_pairs(
    name: str,
    rows: Sequence[LabelledPair],
    answers: Mapping[int, DuelResult],
    *,
    ties: int = 0,
    bad: int = 0,
    errors: int = 0,
    seed: int = 1,
) -> PairsReport:
    """Measure the ``answers`` given to ``rows`` (by index), each with a ``p_a``. ``rows``: all labelled pairs of the
    file, since the n-gram baseline is trained on all of them; ``ties`` and ``bad`` rows are not among them."""
    places = np.array(sorted(answers), dtype=np.int64)
    given = [answers[int(place)] for place in places]
    asked = [rows[int(place)] for place in places]
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in asked])
    stated = np.array([answer.p_a for answer in given], dtype=float)
    judge = _hits(stated - 0.5, truth)
    length = _hits(longer([r.text_a for r in asked], [r.text_b for r in asked]), truth)
    targets = np.array([_target(row) for row in rows])
    texts = [row.text_a for row in rows], [row.text_b for row in rows]
    ngrams = _hits(baseline_scores(texts, targets, places, seed), truth)
    masks: dict[Margin, npt.NDArray[np.bool_]] = {"all": np.ones(len(places), dtype=bool)}
    if any(row.votes_a is not None for row in asked):
        masks["clear"] = np.array([row.clear for row in asked], dtype=bool)
    people = [int(_EVEN + side) for side in truth]
    votes = [(row.votes_a, row.votes_b) for row in asked if row.votes_a is not None and row.votes_b is not None]
    winner = np.maximum(stated, 1 - stated)
    tenths = bins(winner, judge, _TENTHS)
    biases = [answer.position_bias for answer in given if answer.position_bias is not None]
    flips = [0.0 if answer.consistent else 1.0 for answer in given if answer.consistent is not None]
    return PairsReport(
        name=name,
        rows=len(rows) + ties + bad,
        ties=ties,
        bad=bad,
        judged=len(places),
        errors=errors,
        agreement=tuple(
            Agreement(
                margin=margin,
                judge=fraction(judge[mask]),
                length=fraction(length[mask]),
                ngrams=fraction(ngrams[mask]),
                over_length=difference(judge[mask], length[mask]),
                over_ngrams=difference(judge[mask], ngrams[mask]),
            )
            for margin, mask in masks.items()
        ),
        parts=_parts(given, truth),
        one_person=_one_person(votes),
        trust=Reliability(
            ece=expected_calibration_error(tenths),
            log_loss=log_loss(stated, (truth > 0).astype(float)),
            tenths=tenths,
            bands=bins(winner, judge, _BANDS),
        ),
        flips=fraction(flips),
        position_bias=math.fsum(biases) / len(biases) if biases else None,
        length=_length_pull(asked, given, stated, truth),
        kappa=cohen_kappa(sides := [int(_EVEN + lean) for lean in np.sign(stated - 0.5)], people),
        alpha=nominal_alpha(np.eye(3)[sides] + np.eye(3)[people] if asked else []),
        alpha_people=nominal_alpha(votes) if any(a + b >= 2 for a, b in votes) else None,
    )


def _target(row: LabelledPair) -> float:
    """Return −1…1, positive for A: the lead in votes as a share where they were counted, else ±1."""
    if row.votes_a is None or row.votes_b is None:
        return 1.0 if row.winner == "A" else -1.0
    return (row.votes_a - row.votes_b) / (row.votes_a + row.votes_b)


def _hits(scores: Vector, truth: Vector) -> Vector:
    """Return 1 right, 0 wrong, ½ for no preference."""
    return 0.5 + 0.5 * np.sign(scores) * truth


def _parts(given: Sequence[DuelResult], truth: Vector) -> dict[str, Fraction]:
    parts: dict[str, dict[int, float]] = {}
    for place, answer in enumerate(given):
        for share in answer.shares:
            parts.setdefault(share.name, {})[place] = share.log_odds_a
    return {name: fraction(_hits(np.array([*odds.values()]), truth[[*odds]])) for name, odds in parts.items()}


def _one_person(votes: Iterable[tuple[float, float]]) -> Fraction | None:
    right, asked = np.array([one_against_the_others(a, b) for a, b in votes]).reshape(-1, 2).sum(axis=0)
    count = round(asked)
    return fraction(np.r_[np.ones(round(right)), np.zeros(count - round(right))]) if count else None


def _length_pull(
    asked: Sequence[LabelledPair], given: Sequence[DuelResult], stated: Vector, truth: Vector
) -> dict[str, Correlation]:
    excess = np.array([len(row.text_a) - len(row.text_b) for row in asked], dtype=float)
    controlled = {place: p.p_a for place, answer in enumerate(given) if (p := answer.length_controlled) is not None}
    # Ranks of a probability are those of its log-odds.
    return {
        "raw": spearman(excess, stated),
        "controlled": spearman(excess[[*controlled]], [*controlled.values()]),
        "people": spearman(excess, truth),
    }


def measure_ratings(
    name: str,
    column: str | None,
    rows: Sequence[LabelledText],
    answers: Mapping[int, RatingResult],
    *,
    bad: int = 0,
    errors: int = 0,
    seed: int = 1,
) -> RatingsReport:
    """Measure the ``answers`` given to ``rows`` (by index); ``bad`` rows are not among them."""
    ratings = {place: row.rating for place, row in enumerate(rows) if row.rating is not None}
    low, high = (min(ratings.values()), max(ratings.values())) if ratings else (0.0, 0.0)
    span = high - low
    scaled = {place: (value - low) / span if span > 0 else 0.5 for place, value in ratings.items()}
    answered = sorted(place for place in answers if place in ratings)

    def likeness(read: Callable[[RatingResult], float | None], scale: float) -> Likeness:
        both = [(scaled[place], value / scale) for place in answered if (value := read(answers[place])) is not None]
        people, judge = [pair[0] for pair in both], [pair[1] for pair in both]
        return Likeness(
            spearman=spearman(people, judge),
            pearson=pearson(people, judge),
            mae=mean_absolute_error(people, judge) if span > 0 else None,
        )

    rated = sorted(ratings)
    position = {place: number for number, place in enumerate(rated)}
    predicted = baseline_scores(
        [[rows[place].text for place in rated]],
        np.array([scaled[place] for place in rated]),
        np.array([position[place] for place in answered], dtype=np.int64),
        seed,
    )
    people = [scaled[place] for place in answered]
    with_audience = any(answer.audience is not None for answer in answers.values())
    middle = float(np.median(list(ratings.values()))) if ratings else 0.0
    both = [(scaled[place], value) for place in answered if (value := _number_of(answers[place])) is not None]
    # Each half is above the median of its own numbers; values equal to it are in the funnier half.
    numbers = np.array(both).reshape(-1, 2)
    funnier = (numbers >= np.median(numbers, axis=0)).astype(np.int64) if both else numbers.astype(np.int64)
    humor = [
        (int(is_humor), int(admitted))
        for place, answer in sorted(answers.items())
        if (is_humor := rows[place].is_humor) is not None and (admitted := answer.admissible) is not None
    ]
    return RatingsReport(
        name=name,
        column=column,
        rows=len(rows) + bad,
        bad=bad,
        judged=len(answers),
        errors=errors,
        score=likeness(lambda answer: answer.mean_score, 5.0),
        audience=likeness(percentile_of, 100.0) if with_audience else None,
        length=spearman(people, [float(len(rows[place].text)) for place in answered]),
        ngrams=spearman(people, predicted),
        admission={
            "false_reject": _admission(rows, answers, lambda row: row.is_humor is True, admitted=False),
            "false_accept": _admission(rows, answers, lambda row: row.is_humor is False, admitted=True),
            "funny_rejected": _admission(
                rows, answers, lambda row: row.rating is not None and row.rating >= middle, admitted=False
            ),
        },
        kappa_half=cohen_kappa(funnier[:, 0].tolist(), funnier[:, 1].tolist()) if both else None,
        kappa_humor=cohen_kappa(*zip(*humor, strict=True)) if humor else None,
        alpha=interval_alpha(both) if both and span > 0 else None,
    )


def _admission(
    rows: Sequence[LabelledText],
    answers: Mapping[int, RatingResult],
    asked: Callable[[LabelledText], bool],
    *,
    admitted: bool,
) -> Fraction | None:
    """Return the share of the answers on ``asked`` rows that were (or weren't) admitted."""
    hits = [
        1.0 if answer.admissible is admitted else 0.0
        for place, answer in sorted(answers.items())
        if asked(rows[place]) and answer.admissible is not None
    ]
    return fraction(hits) if hits else None


# Over all files


def macro(reports: Sequence[PairsReport]) -> dict[str, int | float] | None:
    """Return means over the files of pairs that have answers; None where none has."""
    rows = []
    for report in reports:
        row = report.agreement[0]
        shares = (row.judge.share, row.length.share, row.ngrams.share, report.trust.ece, report.trust.log_loss)
        if all(share is not None for share in shares):
            rows.append([share for share in shares if share is not None])
    if not rows:
        return None
    means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    names = ("agreement", "length", "ngrams", "ece", "log_loss")
    return {"sets": len(rows), **dict(zip(names, means, strict=True))}


def validation(pairs: Sequence[PairsReport], ratings: Sequence[RatingsReport]) -> tuple[Validation, ...]:
    """Return the table by which a judge is accepted: agreement ≥ 70 %, mean absolute error ≤ .15, Pearson ≥ .60, false
    rejects ≤ 20 %, false accepts ≤ 10 %. Over several files, agreement, error and correlation are means of the files;
    rejects and accepts are of all texts together. The audience's lines are included where the model has an audience
    estimate."""
    whole = macro(pairs)
    score, audience = [r.score for r in ratings], [r.audience for r in ratings if r.audience is not None]
    rows = [
        _row("agreement in pairs", 0.70, True, whole["agreement"] if whole else None),
        _row("mean absolute error of the score", 0.15, False, _mean(part.mae for part in score)),
        _row("Pearson correlation of the score", 0.60, True, _mean(part.pearson.value for part in score)),
    ]
    if audience:
        rows += [
            _row("mean absolute error of the audience", 0.15, False, _mean(part.mae for part in audience)),
            _row("Pearson correlation of the audience", 0.60, True, _mean(part.pearson.value for part in audience)),
        ]
    return (
        *rows,
        _row("false rejects", 0.20, False, _pooled(report.admission["false_reject"] for report in ratings)),
        _row("false accepts", 0.10, False, _pooled(report.admission["false_accept"] for report in ratings)),
    )


def _row(measure: str, threshold: float, at_least: bool, value: float | None) -> Validation:
    passed = None if value is None else value >= threshold if at_least else value <= threshold
    return Validation(measure=measure, threshold=threshold, at_least=at_least, value=value, passed=passed)


def _mean(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None


def _pooled(parts: Iterable[Fraction | None]) -> float | None:
    shares = [part for part in parts if part is not None]
    count = sum(part.n for part in shares)
    return math.fsum(part.right for part in shares) / count if count else None
