"""One person's own scores, 0…10, and the chance of a joke for this person that follows from them.

A joke is good for the person from a score of ``good_from`` on. With q the chance of a joke for most people,

    logit p = g·logit q + c,    g ~ N(.35, .25²), c ~ N(0, 1),

by MAP with Laplace's interval: Platt's scale, shrunk to what most people share of the crowd's opinion (METHODS, g), for
a few scores can't say more. It is used only if jokes left out one at a time have a smaller log-loss than q.
``python -m tests.bench.screening --scores`` prints what it gains.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ..judging.contest.screening_types import OwnScale
from ..statistics import Vector
from ..verdicts import Frozen
from .taste import HABIT_SD, PRIOR, PRIOR_SD

FEWEST = 20
"""Scores from which on a scale is fitted."""
BEST = 10
GOOD_FROM = 6
_CENTRE = np.array([PRIOR, 0.0])
_PRECISION = 1.0 / np.array([PRIOR_SD, HABIT_SD]) ** 2
_EDGE = 1e-6


class OwnScore(Frozen):
    """``score`` 0…10 of a joke that has the ``chance`` 0…1 with most people. ``text``: a digest of it, so that
    another score of the same joke takes this one's place."""

    text: str
    chance: float
    score: float


def fit_scale(scores: Sequence[OwnScore], good_from: int = GOOD_FROM) -> OwnScale | None:
    """The scale that some scores show; None below ``FEWEST``. The same scores give the same scale."""
    if len(scores) < FEWEST:
        return None
    chances = np.clip(np.array([each.chance for each in scores]), _EDGE, 1.0 - _EDGE)
    rows = np.stack([np.log(chances / (1.0 - chances)), np.ones(len(scores))], axis=1)
    good = np.array([float(each.score >= good_from) for each in scores])
    (slope, shift), bend = _maximum(rows, good)
    covariance = np.linalg.inv(bend)
    kept = ~np.eye(len(scores), dtype=bool)
    left_out = [rows[at] @ _maximum(rows[kept[at]], good[kept[at]])[0] for at in range(len(scores))]
    # Laplace's rule: of the others, and one good and one bad one more.
    shares = (good.sum() - good + 1.0) / (len(good) + 1.0)
    return OwnScale(
        n=len(scores),
        good=int(good.sum()),
        good_from=good_from,
        slope=float(slope),
        shift=float(shift),
        covariance=(float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])),
        loss=_loss(np.array(left_out), good),
        plain_loss=_loss(rows[:, 0], good),
        share_loss=_loss(np.log(shares / (1.0 - shares)), good),
    )


def _loss(log_odds: Vector, good: Vector) -> float:
    return float((np.logaddexp(0.0, log_odds) - good * log_odds).mean())


def _maximum(rows: Vector, good: Vector) -> tuple[Vector, Vector]:
    """(2,) slope and shift, and the (2, 2) Hessian of the negative log posterior there."""
    found = _CENTRE.copy()

    def height(at: Vector) -> float:
        odds = rows @ at
        return float((good * odds - np.logaddexp(0.0, odds)).sum() - 0.5 * (_PRECISION * (at - _CENTRE) ** 2).sum())

    for _ in range(50):
        p = 1.0 / (1.0 + np.exp(-np.clip(rows @ found, -30.0, 30.0)))
        slope = rows.T @ (good - p) - _PRECISION * (found - _CENTRE)
        bend = (rows * (p * (1.0 - p))[:, None]).T @ rows + np.diag(_PRECISION)
        step = np.linalg.solve(bend, slope)
        size = 1.0
        while size > 1e-4 and height(found + size * step) < height(found) - 1e-12:
            size /= 2.0
        found = found + size * step
        if float(np.abs(step).max()) < 1e-9:
            break
    return found, bend


def scale_told(scale: OwnScale | None, scores: int) -> list[str]:
    """What is known of a person's scale, in words. ``scores``: how many there are."""
    if scale is None:
        jokes = "No joke is scored yet" if scores == 0 else "1 joke scored" if scores == 1 else f"{scores} jokes scored"
        return [f"{jokes}. From {FEWEST} on your own chances are worked out."]
    told = [f"You scored {scale.n} jokes, {scale.good} of them {scale.good_from} or more."]
    if not scale.kept:
        told.append("Tried on jokes that were left out, your own chances do no better than most people's: not used.")
        return told
    even, (low, high) = scale.p(0.5), scale.interval(0.5)
    told.append(
        f"A typical joke is good to you with a chance of {even:.2f} (95 %: {low:.2f} to {high:.2f}). "
        "The chances here are yours."
    )
    if scale.loss >= scale.share_loss:
        told.append("Your share of good ones alone would tell as much: which of them you like isn't known yet.")
    return told
