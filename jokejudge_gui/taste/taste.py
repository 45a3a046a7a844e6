"""One user's own taste, fitted on the user's votes (METHODS, g): how much of the judge's opinion this user shares.

**Duels.** p(A) = 1/(1+e^−g·L/sd(L)), with L the judge's log-odds for A and sd(L) their root mean square over the voted
duels; zero is the middle, so there is no intercept and swapping the jokes swaps everything. g ~ N(.35, .25²).

**Thumbs.** p(up) = 1/(1+e^−(c + g·z)), with z the joke's standardised score and c ~ N(0, 1) how easily this user is
pleased. It is the same g: say a joke is worth u to the user, each look at it adds a noise of scale τ, and a thumb goes
up when u and noise exceed a limit of the user's own. A thumb then goes by u/τ. A duel compares two such looks, so both
its noise and its spread are √2 times as large, and standardised by its own spread it goes by the same u/τ (exactly for
normal noise, nearly for logistic).

Both kinds are fitted together by MAP, with Laplace's interval. The prior is strong: who shares much more of the judge's
opinion than most people is underrated at first, interval and all (tests/bench/taste.py prints by how much).

The fit is kept only where it holds out: each question is left out in turn (all votes on the same text or pair at once),
and its mean log-loss must beat the prior (g = .35) and the coin. The coin knows nothing of the jokes; for thumbs it may
know how often this user's go up, if that is better, so that a generous user alone keeps nothing.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ..judging.asking.answers import deviation, mean
from ..statistics import Z95, Fraction, fraction, sigmoid
from ..verdict_kinds import Standing
from ..verdicts import Frozen

FEWEST = 20
"""Votes from which on a taste is fitted."""
PRIOR, PRIOR_SD = 0.35, 0.25
HABIT_SD = 1.0
LEAST_SCALE = 5
"""Votes of one scale from which on its scale may be used for a new joke; the error of a deviation is then a third."""
NEWEST = 500
"""Only so many votes count, the newest: tastes change, and a fit stays quick."""
_FOLDS = 100
_FLAT = 0.02
_FIXED = 1e-6
"""A prior as narrow as this holds its parameter where it is."""
_COIN = math.log(2.0)
Matrix = npt.NDArray[np.float64]


@dataclass(frozen=True)
class TasteVote:
    """One vote: ``value`` is the judge's number for it, comparable with others of its ``scale``; ``positive`` whether
    it went to A or up. Votes of the same ``question`` (the text, or the pair in any order) are left out together.
    ``blind``: given before the verdict was seen. ``centred``: on a duel, whose middle is 0; else a thumb."""

    scale: str
    value: float
    positive: bool
    question: tuple[str, ...]
    blind: bool = False
    centred: bool = False


class Scale(Frozen):
    """``middle`` and ``sd`` of the values of a scale over ``n`` votes; a duel's middle is 0."""

    middle: float
    sd: float
    n: int


class Leaning(Frozen):
    """Log-odds of a vote for A, or of a thumb up, with a 95 % interval. Swapped jokes negate it exactly."""

    log_odds: float
    low: float
    high: float

    @property
    def p(self) -> float:
        return sigmoid(self.log_odds)

    @property
    def interval(self) -> tuple[float, float]:
        """The interval as probabilities."""
        return sigmoid(self.low), sigmoid(self.high)


class Taste(Frozen):
    """What is known of a user's taste beside one model. ``agreement``: how often the user's duels went as the judge's;
    ``blind_agreement``: only those voted before the verdict was seen, which alone aren't swayed by it. Below ``FEWEST``
    votes the figures of the fit are None. Losses are mean log-losses per vote, in nats, of questions left out."""

    votes: int
    duels: int
    thumbs: int
    blind: int
    agreement: Fraction
    blind_agreement: Fraction
    scales: dict[str, Scale] = Field(default_factory=dict)
    g: float | None = None
    g_low: float | None = None
    g_high: float | None = None
    habit: float | None = None
    covariance: tuple[float, float, float] = (0.0, 0.0, 0.0)
    loss: float | None = None
    coin_loss: float | None = None
    prior_loss: float | None = None

    @property
    def fitted(self) -> bool:
        """Whether there are votes enough."""
        return self.g is not None

    @property
    def kept(self) -> bool:
        """Whether the fit holds out; only then does it say anything about a new joke."""
        if self.loss is None or self.coin_loss is None or self.prior_loss is None:
            return False
        return self.loss < self.coin_loss and self.loss < self.prior_loss

    def estimate(self, standing: Standing | None) -> Leaning | None:
        """What this user would say of a verdict; None where the taste isn't kept, or knows too little of such
        verdicts."""
        if standing is None or not self.kept or self.g is None or self.habit is None:
            return None
        scale = self.scales.get(standing.scale)
        if scale is None or scale.n < LEAST_SCALE:
            return None
        x = (standing.value - scale.middle) / scale.sd
        thumb = 0.0 if standing.centred else 1.0
        log_odds = self.g * x + self.habit * thumb
        of_g, of_both, of_habit = self.covariance
        half = Z95 * math.sqrt(max(0.0, of_g * x * x + 2 * of_both * x * thumb + of_habit * thumb))
        return Leaning(log_odds=log_odds, low=log_odds - half, high=log_odds + half)


def fit(votes: Sequence[TasteVote]) -> Taste:
    """The taste that votes on one model's verdicts, oldest first, show. The same votes give the same taste."""
    votes = votes[-NEWEST:]
    duels = [vote for vote in votes if vote.centred]
    scales = _scales(votes)
    taste = Taste(
        votes=len(votes),
        duels=len(duels),
        thumbs=len(votes) - len(duels),
        blind=sum(vote.blind for vote in votes),
        agreement=_agreement(duels),
        blind_agreement=_agreement([vote for vote in duels if vote.blind]),
        scales=scales,
    )
    if len(votes) < FEWEST:
        return taste
    rows = np.array([_row(vote, scales[vote.scale]) for vote in votes])
    everything = np.ones((1, len(rows)))
    centre, spread = np.array([PRIOR, 0.0]), np.array([PRIOR_SD, HABIT_SD])
    best, hessian = _maximum(rows, everything, centre, spread)
    covariance = np.linalg.inv(hessian[0])
    g, half = float(best[0, 0]), Z95 * math.sqrt(float(covariance[0, 0]))
    fixed = np.array([_FIXED, HABIT_SD])
    folds = _folds(votes)
    return taste.replaced(
        g=g,
        g_low=g - half,
        g_high=g + half,
        habit=float(best[0, 1]),
        covariance=(float(covariance[0, 0]), float(covariance[0, 1]), float(covariance[1, 1])),
        loss=_held_out(rows, folds, centre, spread),
        coin_loss=min(_COIN, _held_out(rows, folds, np.zeros(2), fixed)),
        prior_loss=_held_out(rows, folds, centre, fixed),
    )


def _agreement(duels: Sequence[TasteVote]) -> Fraction:
    """Ties of the judge agree with nobody and are left out."""
    return fraction([float((duel.value > 0) == duel.positive) for duel in duels if duel.value != 0])


def _scales(votes: Sequence[TasteVote]) -> dict[str, Scale]:
    groups: dict[str, list[float]] = {}
    centred = {vote.scale for vote in votes if vote.centred}
    for vote in votes:
        groups.setdefault(vote.scale, []).append(vote.value)
    scales = {}
    for scale, values in groups.items():
        if scale in centred:
            middle, sd = 0.0, math.sqrt(math.fsum(value * value for value in values) / len(values))
        else:
            middle, sd = mean(values), deviation(values)
        # Where all values are alike they tell nothing; noise mustn't be blown up to look like something.
        scales[scale] = Scale(middle=middle, sd=max(sd, _FLAT), n=len(values))
    return scales


def _row(vote: TasteVote, scale: Scale) -> tuple[float, float]:
    """A vote's factors of g and c in the log-odds of what was voted."""
    sign = 1.0 if vote.positive else -1.0
    x = sign * (vote.value - scale.middle) / scale.sd
    return x, 0.0 if vote.centred else sign


def _folds(votes: Sequence[TasteVote]) -> npt.NDArray[np.int64]:
    """The fold of each vote: one for each question, and not more than 100."""
    places: dict[tuple[str, ...], int] = {}
    return np.array([places.setdefault(vote.question, len(places)) % _FOLDS for vote in votes])


def _held_out(rows: Matrix, folds: npt.NDArray[np.int64], centre: Matrix, spread: Matrix) -> float:
    """Mean log-loss of votes whose fold was left out of the fit."""
    weights = (np.arange(folds.max() + 1)[:, None] != folds[None, :]).astype(np.float64)
    found, _ = _maximum(rows, weights, centre, spread)
    margins = np.einsum("ni,ni->n", rows, found[folds])
    return float(np.logaddexp(0.0, -margins).mean())


def _maximum(rows: Matrix, weights: Matrix, centre: Matrix, spread: Matrix) -> tuple[Matrix, Matrix]:
    """Newton's method for several weightings at once: (fits, 2) parameters and (fits, 2, 2) Hessians of the negative
    log posterior. ``rows`` (votes, 2), ``weights`` (fits, votes), prior N(centre, spread²) of each parameter."""
    precision = 1.0 / spread**2
    squares = np.einsum("ni,nj->nij", rows, rows).reshape(len(rows), -1)
    found = np.tile(centre, (len(weights), 1))

    def height(points: Matrix) -> Matrix:
        fall = (weights * np.logaddexp(0.0, -(points @ rows.T))).sum(axis=1)
        return np.asarray(-fall - 0.5 * ((points - centre) ** 2 * precision).sum(axis=1))

    for _ in range(50):
        wrong = np.exp(-np.logaddexp(0.0, found @ rows.T))
        slope = (weights * wrong) @ rows - (found - centre) * precision
        bend = ((weights * wrong * (1.0 - wrong)) @ squares).reshape(-1, 2, 2) + np.diag(precision)
        step = np.linalg.solve(bend, slope[..., None])[..., 0]
        if np.abs(step).max() < 1e-9:
            break
        before = height(found)
        for _ in range(20):
            # Concave, so a step that is short enough climbs; full ones do but for wild scores.
            lower = height(found + step) < before - 1e-12 * np.abs(before)
            if not lower.any():
                break
            step[lower] *= 0.5
        found = found + step
    return found, bend
