"""Evaluation of a judge: its answers on labelled rows, compared with chance, length and the rows' wording.

Figures are plain objects, as ``evaluate --json`` prints them and the profile keeps them. A share is ``right`` of ``n``
with its interval; None: it wasn't measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic_core import to_jsonable_python

from ..core.statistics import (
    Fraction,
    Vector,
    bins,
    difference,
    expected_calibration_error,
    fraction,
    log_loss,
    one_against_the_others,
    pearson,
    spearman,
)
from ..learning.wording import baseline_scores, longer
from .labelled import Labelled

Report = dict[str, Any]
MARGINS = {"all": "all pairs", "clear": "pairs with at least 4 votes and 80 % of them on one side"}
_TENTHS = tuple(round(0.5 + 0.05 * step, 2) for step in range(11))
_BANDS = (0.5, 1.1 / 2.1, 2 / 3, 5 / 6, 10 / 11, 1.0)


Answer = dict[str, Any]
"""A judge's answer to a row, as in a line of a run: of a pair with ``p_a``, of a text with ``admissible``, else
``error``. Beside the terminal's JSON object: ``people``: their label without its texts; ``shares`` of a duel;
``estimate``: the audience's, also where a verdict withholds it; ``program``: the version that asked."""


def answered(answer: Answer) -> bool:
    """Whether it is an answer, not an error."""
    return answer["error"] is None and (answer.get("text") is not None or answer.get("p_a") is not None)


def _percentile(answer: Answer) -> float | None:
    """Return the audience's estimate 0…100; None where there is none."""
    percentile: float | None = (answer.get("estimate") or {}).get("percentile")
    return percentile


def judged(evaluation: Report) -> int:
    """Return the number of rows with an answer."""
    return sum(report["judged"] for part in ("pairs", "ratings") for report in evaluation[part])


# A file of pairs


def draw(count: int, limit: int | None, seed: int) -> list[int]:
    """Return the rows to judge of ``count``, in random order, so that any beginning is a fair sample too."""
    return [int(place) for place in np.random.default_rng(seed).permutation(count)[:limit]]


def measure_pairs(
    name: str,
    rows: Sequence[Labelled],
    answers: Mapping[int, Answer],
    *,
    ties: int = 0,
    bad: int = 0,
    errors: int = 0,
    seed: int = 1,
) -> Report:
    """Measure the ``answers`` given to ``rows`` (by index), each with a ``p_a``. ``rows``: all labelled pairs of the
    file, since the n-gram baseline is trained on all of them; ``ties`` and ``bad`` rows are not among them. Returns:

    ``rows``: in the file; ``judged``: of those drawn, ``errors``: without an answer. ``agreement``: by ``margin`` the
    share of pairs in which the judge and its baselines name people's winner (a tie is half right), on the same pairs;
    ``over_…``: the judge's share less the baseline's. ``parts``: each of its measurements alone. ``one_person``: one
    voter against the majority of the others. ``trust``: expected calibration error over the ten ``tenths`` of the
    winner's stated p, log-loss of p_a in nats (a coin's: .693), and ``bands`` by the confidence factor. ``length``:
    rank correlation of the log-odds for A with A's excess length: the judge's own (``raw``), with length
    ``controlled``, and that of ``people``'s choice."""
    places = np.array(sorted(answers), dtype=np.int64)
    given, asked = [answers[int(place)] for place in places], [rows[int(place)] for place in places]
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in asked])
    stated = np.array([answer["p_a"] for answer in given], dtype=float)
    first, second = ([row.texts[side] for row in asked] for side in (0, 1))
    excess = np.array([len(a) - len(b) for a, b in zip(first, second, strict=True)], dtype=float)
    texts = [row.texts[0] for row in rows], [row.texts[1] for row in rows]
    wording = baseline_scores(texts, np.array([_target(row) for row in rows]), places, seed)
    lengths = longer(first, second)
    judge, length, ngrams = (_hits(scores, truth) for scores in (stated - 0.5, lengths, wording))
    masks: dict[str, npt.NDArray[np.bool_]] = {"all": np.ones(len(places), dtype=bool)}
    if any(row.votes is not None for row in asked):
        masks["clear"] = np.array([row.clear for row in asked], dtype=bool)
    parts: dict[str, dict[int, float]] = {}
    for place, answer in enumerate(given):
        for share in answer["shares"]:
            parts.setdefault(share["name"], {})[place] = share["log_odds_a"]
    winner = np.maximum(stated, 1 - stated)
    tenths = bins(winner, judge, _TENTHS)
    biases = [answer["position_bias"] for answer in given if answer["position_bias"] is not None]
    controlled = {
        place: p["p_a"] for place, answer in enumerate(given) if (p := answer["length_controlled"]) is not None
    }
    report = {
        "name": name, "rows": len(rows) + ties + bad, "ties": ties, "bad": bad, "judged": len(places), "errors": errors,
        "agreement": [
            {
                "margin": margin, "judge": fraction(judge[mask]), "length": fraction(length[mask]),
                "ngrams": fraction(ngrams[mask]), "over_length": difference(judge[mask], length[mask]),
                "over_ngrams": difference(judge[mask], ngrams[mask]),
            }
            for margin, mask in masks.items()
        ],
        "parts": {
            part: fraction(_hits(np.array([*odds.values()]), truth[[*odds]])) for part, odds in parts.items()
        },
        "one_person": _one_person(asked),
        "trust": {
            "ece": expected_calibration_error(tenths), "log_loss": log_loss(stated, (truth > 0).astype(float)),
            "tenths": tenths, "bands": bins(winner, judge, _BANDS),
        },
        "flips": fraction([float(not answer["consistent"]) for answer in given if answer["consistent"] is not None]),
        "position_bias": math.fsum(biases) / len(biases) if biases else None,
        # Ranks of a probability are those of its log-odds.
        "length": {
            "raw": spearman(excess, stated), "controlled": spearman(excess[[*controlled]], [*controlled.values()]),
            "people": spearman(excess, truth),
        },
    }  # fmt: skip
    plain: Report = to_jsonable_python(report)
    return plain


def _target(row: Labelled) -> float:
    """Return −1…1, positive for A: the lead in votes as a share where they were counted, else ±1."""
    if row.votes is None:
        return 1.0 if row.winner == "A" else -1.0
    return (row.votes[0] - row.votes[1]) / sum(row.votes)


def _hits(scores: Vector, truth: Vector) -> Vector:
    """Return 1 right, 0 wrong, ½ for no preference."""
    return 0.5 + 0.5 * np.sign(scores) * truth


def _one_person(rows: Iterable[Labelled]) -> Fraction | None:
    votes = (row.votes for row in rows if row.votes is not None)
    right, asked = np.array([one_against_the_others(*both) for both in votes]).reshape(-1, 2).sum(axis=0)
    hits = np.arange(round(asked)) < round(right)
    return fraction(hits.astype(float)) if len(hits) else None


# A file of ratings


def measure_ratings(
    name: str,
    column: str | None,
    rows: Sequence[Labelled],
    answers: Mapping[int, Answer],
    *,
    bad: int = 0,
    errors: int = 0,
    seed: int = 1,
) -> Report:
    """Measure the ``answers`` given to ``rows`` (by index); ``bad`` rows are not among them. Returns:

    ``score``, ``audience``, ``length``, ``ngrams``: how they agree with people's ratings; ``mae`` 0…1: mean absolute
    error as a share of the scale, with the score's range mapped to that of the file's ratings. ``admission``:
    rejections of texts that are humour (``false_reject``), acceptances of texts that aren't (``false_accept``), and
    rejections in the half of the rated texts that people found funnier (``funny_rejected``)."""
    ratings = {place: row.rating for place, row in enumerate(rows) if row.rating is not None}
    low, high = (min(ratings.values()), max(ratings.values())) if ratings else (0.0, 0.0)
    span = high - low
    scaled = {place: (value - low) / span if span > 0 else 0.5 for place, value in ratings.items()}
    answered = sorted(place for place in answers if place in ratings)

    def likeness(read: Callable[[Answer], float | None], scale: float) -> Report:
        both = [(scaled[place], value / scale) for place in answered if (value := read(answers[place])) is not None]
        people, judge = [pair[0] for pair in both], [pair[1] for pair in both]
        error = float(np.abs(np.subtract(people, judge)).mean()) if both and span > 0 else None
        return {"spearman": spearman(people, judge), "pearson": pearson(people, judge), "mae": error}

    def admission(wanted: Callable[[Labelled], bool], *, admitted: bool) -> Fraction | None:
        asked = [answer for place, answer in sorted(answers.items()) if wanted(rows[place])]
        hits = [float(answer["admissible"] is admitted) for answer in asked if answer["admissible"] is not None]
        return fraction(hits) if hits else None

    rated = sorted(ratings)
    position = {place: at for at, place in enumerate(rated)}
    predicted = baseline_scores(
        [[rows[place].texts[0] for place in rated]],
        np.array([scaled[place] for place in rated]),
        np.array([position[place] for place in answered], dtype=np.int64),
        seed,
    )
    people = [scaled[place] for place in answered]
    with_audience = any(answer["estimate"] is not None for answer in answers.values())
    middle = float(np.median(list(ratings.values()))) if ratings else 0.0
    report = {
        "name": name, "column": column, "rows": len(rows) + bad, "bad": bad, "judged": len(answers), "errors": errors,
        "score": likeness(lambda answer: answer["mean_score"], 5.0),
        "audience": likeness(_percentile, 100.0) if with_audience else None,
        "length": spearman(people, [float(len(rows[place].texts[0])) for place in answered]),
        "ngrams": spearman(people, predicted),
        "admission": {
            "false_reject": admission(lambda row: row.is_humor is True, admitted=False),
            "false_accept": admission(lambda row: row.is_humor is False, admitted=True),
            "funny_rejected": admission(lambda r: r.rating is not None and r.rating >= middle, admitted=False),
        },
    }  # fmt: skip
    plain: Report = to_jsonable_python(report)
    return plain


# Over all files


def macro(reports: Sequence[Report]) -> dict[str, int | float] | None:
    """Return means over the files of pairs that have answers; None where none has."""
    rows = []
    for report in reports:
        row, trust = report["agreement"][0], report["trust"]
        shares = [*(row[name]["share"] for name in ("judge", "length", "ngrams")), trust["ece"], trust["log_loss"]]
        if None not in shares:
            rows.append(shares)
    if not rows:
        return None
    means = [math.fsum(column) / len(rows) for column in zip(*rows, strict=True)]
    return {"sets": len(rows), **dict(zip(("agreement", "length", "ngrams", "ece", "log_loss"), means, strict=True))}


def validation(pairs: Sequence[Report], ratings: Sequence[Report]) -> list[Report]:
    """Return the table by which a judge is accepted: agreement ≥ 70 %, mean absolute error ≤ .15, Pearson ≥ .60, false
    rejects ≤ 20 %, false accepts ≤ 10 %. Over several files, agreement, error and correlation are means of the files;
    rejects and accepts are of all texts together. The audience's lines are included where the model has an audience
    estimate. ``at_least``: the threshold is a lower one; ``passed`` None: not measured."""
    whole = macro(pairs)
    rows = [_row("agreement in pairs", 0.70, True, whole["agreement"] if whole else None)]
    for name in ("score", "audience"):
        parts = [report[name] for report in ratings if report[name] is not None]
        if parts or name == "score":
            rows.append(_row(f"mean absolute error of the {name}", 0.15, False, _mean(part["mae"] for part in parts)))
            values = (part["pearson"]["value"] for part in parts)
            rows.append(_row(f"Pearson correlation of the {name}", 0.60, True, _mean(values)))
    for name, key, most in (("false rejects", "false_reject", 0.20), ("false accepts", "false_accept", 0.10)):
        shares = [share for report in ratings if (share := report["admission"][key]) is not None]
        count = sum(share["n"] for share in shares)
        rows.append(_row(name, most, False, math.fsum(share["right"] for share in shares) / count if count else None))
    return rows


def _row(measure: str, threshold: float, at_least: bool, value: float | None) -> Report:
    passed = None if value is None else value >= threshold if at_least else value <= threshold
    return {"measure": measure, "threshold": threshold, "at_least": at_least, "value": value, "passed": passed}


def _mean(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return math.fsum(numbers) / len(numbers) if numbers else None
