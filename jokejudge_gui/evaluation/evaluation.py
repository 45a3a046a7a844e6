"""How far to trust a judge: its answers on rows that people judged, beside chance, length and the rows' wording."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from ..learning import baselines
from ..statistics import (
    Fraction,
    Vector,
    bins,
    difference,
    expected_calibration_error,
    fraction,
    log_loss,
    mean_absolute_error,
    one_against_the_others,
    pearson,
    spearman,
)
from .chance import cohen_kappa, interval_alpha, nominal_alpha
from .evaluation_types import (
    Admission,
    Agreement,
    BeyondChance,
    LabelledPair,
    LabelledText,
    LengthPull,
    Likeness,
    Margin,
    PairAnswer,
    PairsReport,
    RatingsReport,
    Reliability,
    TextAnswer,
)

_TENTHS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))
_BANDS = (0.5, 1.1 / 2.1, 2 / 3, 5 / 6, 10 / 11, 1.0)
_MOST_POINTS = 400
_EVEN = 1
"""The judge's category in a pair, from B to A, where it leans to neither."""


def draw(count: int, limit: int | None, seed: int) -> list[int]:
    """Which of ``count`` rows to judge, in which order: at random, so that any beginning is a fair sample too."""
    order = np.random.default_rng(seed).permutation(count)
    return [int(place) for place in order[:limit]]


def measure_pairs(
    name: str,
    rows: Sequence[LabelledPair],
    answers: Mapping[int, PairAnswer],
    *,
    ties: int = 0,
    bad: int = 0,
    errors: int = 0,
    seed: int = 1,
) -> PairsReport:
    """Measure the ``answers`` given to ``rows`` (by place). ``rows``: all labelled pairs of the file, since the n-gram
    baseline learns from all of them; ``ties`` and ``bad`` rows are not among them."""
    places = np.array(sorted(answers), dtype=np.int64)
    given = [answers[int(place)] for place in places]
    asked = [rows[int(place)] for place in places]
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in asked])
    stated = np.array([answer.p_a for answer in given], dtype=float)
    judge = _hits(stated - 0.5, truth)
    longer = _hits(baselines.longer([r.text_a for r in asked], [r.text_b for r in asked]), truth)
    targets = np.array([_target(row) for row in rows])
    texts = [(row.text_a, row.text_b) for row in rows]
    ngrams = _hits(baselines.pair_scores(texts, targets, places, seed), truth)
    masks: dict[Margin, npt.NDArray[np.bool_]] = {"all": np.ones(len(places), dtype=bool)}
    if any(row.votes_a is not None for row in asked):
        masks["clear"] = np.array([row.clear for row in asked], dtype=bool)
    people = [int(_EVEN + side) for side in truth]
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
                length=fraction(longer[mask]),
                ngrams=fraction(ngrams[mask]),
                over_length=difference(judge[mask], longer[mask]),
                over_ngrams=difference(judge[mask], ngrams[mask]),
            )
            for margin, mask in masks.items()
        ),
        parts=_parts(given, truth),
        one_person=_one_person(asked),
        trust=_reliability(stated, judge, truth),
        flips=fraction(flips),
        position_bias=math.fsum(biases) / len(biases) if biases else None,
        length=_length_pull(asked, given, truth),
        kappa=cohen_kappa(sides := [int(_EVEN + lean) for lean in np.sign(stated - 0.5)], people),
        alpha=nominal_alpha(np.eye(3)[sides] + np.eye(3)[people] if asked else []),
        alpha_people=_among_people(asked),
    )


def _among_people(asked: Sequence[LabelledPair]) -> BeyondChance | None:
    votes = [(r.votes_a, r.votes_b) for r in asked if r.votes_a is not None and r.votes_b is not None]
    return nominal_alpha(votes) if any(a + b >= 2 for a, b in votes) else None


def _target(row: LabelledPair) -> float:
    """−1…1, positive for A; how clearly people chose counts where it was counted."""
    if row.votes_a is None or row.votes_b is None:
        return 1.0 if row.winner == "A" else -1.0
    return (row.votes_a - row.votes_b) / (row.votes_a + row.votes_b)


def _hits(scores: Vector, truth: Vector) -> Vector:
    """1 right, 0 wrong, ½ for no preference."""
    return 0.5 + 0.5 * np.sign(scores) * truth


def _parts(given: Sequence[PairAnswer], truth: Vector) -> dict[str, Fraction]:
    names = list(dict.fromkeys(name for answer in given for name in answer.parts))
    found: dict[str, Fraction] = {}
    for name in names:
        have = [place for place, answer in enumerate(given) if name in answer.parts]
        found[name] = fraction(_hits(np.array([given[place].parts[name] for place in have]), truth[have]))
    return found


def _one_person(asked: Iterable[LabelledPair]) -> Fraction | None:
    right = total = 0.0
    for row in asked:
        if row.votes_a is not None and row.votes_b is not None:
            here, of = one_against_the_others(row.votes_a, row.votes_b)
            right, total = right + here, total + of
    count = round(total)
    return fraction(np.r_[np.ones(round(right)), np.zeros(count - round(right))]) if count else None


def _reliability(stated: Vector, judge: Vector, truth: Vector) -> Reliability:
    winner = np.maximum(stated, 1 - stated)
    tenths = bins(winner, judge, _TENTHS)
    return Reliability(
        ece=expected_calibration_error(tenths),
        log_loss=log_loss(stated, (truth > 0).astype(float)),
        tenths=tenths,
        bands=bins(winner, judge, _BANDS),
    )


def _length_pull(asked: Sequence[LabelledPair], given: Sequence[PairAnswer], truth: Vector) -> LengthPull:
    excess = np.array([baselines.length(row.text_a) - baselines.length(row.text_b) for row in asked], dtype=float)
    known = [place for place, answer in enumerate(given) if answer.controlled_p_a is not None]
    controlled = [p for answer in given if (p := answer.controlled_p_a) is not None]
    # Ranks of a probability are those of its log-odds.
    return LengthPull(
        raw=spearman(excess, [answer.p_a for answer in given]),
        controlled=spearman(excess[known], controlled),
        people=spearman(excess, truth),
    )


def measure_ratings(
    name: str,
    column: str | None,
    rows: Sequence[LabelledText],
    answers: Mapping[int, TextAnswer],
    *,
    bad: int = 0,
    errors: int = 0,
    seed: int = 1,
) -> RatingsReport:
    """Measure the ``answers`` given to ``rows`` (by place); ``bad`` rows are not among them."""
    ratings = {place: row.rating for place, row in enumerate(rows) if row.rating is not None}
    low, high = (min(ratings.values()), max(ratings.values())) if ratings else (0.0, 0.0)
    span = high - low
    scaled = {place: (value - low) / span if span > 0 else 0.5 for place, value in ratings.items()}
    known = sorted(place for place in answers if place in ratings)

    def likeness(read: Callable[[TextAnswer], float | None], scale: float) -> Likeness:
        found = [(scaled[place], value / scale) for place in known if (value := read(answers[place])) is not None]
        people, judge = [pair[0] for pair in found], [pair[1] for pair in found]
        return Likeness(
            spearman=spearman(people, judge),
            pearson=pearson(people, judge),
            mae=mean_absolute_error(people, judge) if span > 0 else None,
        )

    rated = sorted(ratings)
    position = {place: number for number, place in enumerate(rated)}
    predicted = baselines.rating_scores(
        [rows[place].text for place in rated],
        np.array([scaled[place] for place in rated]),
        np.array([position[place] for place in known], dtype=np.int64),
        seed,
    )
    people = [scaled[place] for place in known]
    with_audience = any(answer.audience is not None for answer in answers.values())
    middle = float(np.median(list(ratings.values()))) if ratings else 0.0
    return RatingsReport(
        name=name,
        column=column,
        rows=len(rows) + bad,
        bad=bad,
        judged=len(answers),
        errors=errors,
        score=likeness(lambda answer: answer.score, 5.0),
        audience=likeness(lambda answer: answer.audience, 100.0) if with_audience else None,
        length=spearman(people, [float(baselines.length(rows[place].text)) for place in known]),
        ngrams=spearman(people, predicted),
        admission=Admission(
            false_reject=_admission(rows, answers, lambda row: row.is_humor is True, admitted=False),
            false_accept=_admission(rows, answers, lambda row: row.is_humor is False, admitted=True),
            funny_rejected=_admission(
                rows, answers, lambda row: row.rating is not None and row.rating >= middle, admitted=False
            ),
        ),
        kappa_half=_halves(known, scaled, answers),
        kappa_humor=_humor(rows, answers),
        alpha=interval_alpha(found) if len(found := _both(known, scaled, answers)) and span > 0 else None,
        points=_thinned(found),
    )


def _halves(
    known: Sequence[int], scaled: Mapping[int, float], answers: Mapping[int, TextAnswer]
) -> BeyondChance | None:
    """Each half is over the median of its own numbers; what lies on it is in the funnier half."""
    found = np.array(_both(known, scaled, answers)).reshape(-1, 2)
    if not len(found):
        return None
    funnier = (found >= np.median(found, axis=0)).astype(np.int64)
    return cohen_kappa(funnier[:, 0].tolist(), funnier[:, 1].tolist())


def _humor(rows: Sequence[LabelledText], answers: Mapping[int, TextAnswer]) -> BeyondChance | None:
    found = [
        (int(humor), int(admitted))
        for place, answer in sorted(answers.items())
        if (humor := rows[place].is_humor) is not None and (admitted := answer.admissible) is not None
    ]
    return cohen_kappa(*zip(*found, strict=True)) if found else None


def _admission(
    rows: Sequence[LabelledText],
    answers: Mapping[int, TextAnswer],
    asked: Callable[[LabelledText], bool],
    *,
    admitted: bool,
) -> Fraction | None:
    """The share of those answers on ``asked`` rows that were (or weren't) admitted."""
    found = [
        1.0 if answer.admissible is admitted else 0.0
        for place, answer in sorted(answers.items())
        if asked(rows[place]) and answer.admissible is not None
    ]
    return fraction(found) if found else None


def _both(
    known: Sequence[int], scaled: Mapping[int, float], answers: Mapping[int, TextAnswer]
) -> list[tuple[float, float]]:
    """(people's, judge's) numbers of a text, both 0…1, of those that have both."""
    return [(scaled[place], value) for place in known if (value := answers[place].number) is not None]


def _thinned(found: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    return tuple(found[:: max(1, math.ceil(len(found) / _MOST_POINTS))])
