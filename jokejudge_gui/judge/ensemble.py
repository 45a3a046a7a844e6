"""Several models' verdicts on the same texts as one verdict: their mean, weighted by each model's agreement with
people."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from ..core.statistics import sigmoid
from ..core.verdicts import Frozen, VerdictResult
from .duel.confidence_scorer import band_of
from .duel.record import DuelResult
from .rating.factor_scorer import level_of
from .rating.record import RatingResult

P = TypeVar("P", bound=Frozen)
_LEAST_P = 1e-6


def worth_of(result: VerdictResult) -> float | None:
    """Return the share of held-out pairs of such texts that the model puts in people's order; None if it wasn't
    measured, or the text is too unlike those that people voted on."""
    parts = (getattr(result, name, None) for name in ("read_a", "read_b", "audience"))
    agreements = [one for part in parts if (one := getattr(part, "agreement", None)) is not None]
    return math.fsum(agreements) / len(agreements) if agreements else None


def joined(results: Sequence[VerdictResult]) -> tuple[VerdictResult, tuple[float, ...]]:
    """Return the joint verdict and each verdict's weight in it, 1 in all: in proportion to the pairs that its model
    puts in people's order above one half. A model of unknown worth has no weight beside one of known worth; of unknown
    ones all are equal. What can't be averaged, such as words, is that of the model with the largest weight."""
    # Whether a joke is admitted is decided by the majority, a tie admits; the minority doesn't count further.
    admitted = [getattr(result, "admissible", None) is not False for result in results]
    majority = 2 * sum(admitted) >= len(results)
    worths = [
        max(0.0, 2.0 * (worth_of(result) or 0.0) - 1.0) if own == majority else 0.0
        for result, own in zip(results, admitted, strict=True)
    ]
    if not any(worths):
        worths = [float(own == majority) for own in admitted]
    weights = tuple(worth / math.fsum(worths) for worth in worths)
    # By weight, then by name, so that the order of the models changes nothing.
    voted = [pair for pair in zip(results, weights, strict=True) if pair[1] > 0]
    votes = sorted(voted, key=lambda vote: (-vote[1], vote[0].model.sha256 if vote[0].model else ""))
    return _JOINS[type(results[0])](votes).replaced(calibrated=all(result.calibrated for result in results)), weights


def _rating(votes: Sequence[tuple[RatingResult, float]]) -> RatingResult:
    audiences = [(one.audience, weight) for one, weight in votes if one.audience is not None]
    factors = _by("id", "factors", votes, ("expected", "sd", "standing", "trust"))
    return _mean(votes, ("max_score", "mean_score", "spread", "weighted_score")).replaced(
        audience=_mean(audiences, ("percentile", "score", "upper", "low", "high"))
        if audiences
        else votes[0][0].audience,
        admissibility=_by("check", "admissibility", votes, ("p_admit",), ("passed",)),
        categories=_by("id", "categories", votes, ("p",), ("chosen",)),
        factors=tuple(one if one.expected is None else one.replaced(score=level_of(one.expected)) for one in factors),
        faults=_by("id", "faults", votes, ("p",)),
    )


def _duel(votes: Sequence[tuple[DuelResult, float]]) -> DuelResult:
    votes = [vote for vote in votes if vote[0].p_a is not None] or votes
    # Log-odds are summed, so that a swapped duel mirrors to the last bit.
    whole = math.fsum(weight * _odds(one) for one, weight in votes) / math.fsum(weight for _, weight in votes) + 0.0
    factor = math.exp(abs(whole))
    winner = votes[0][0].winner_by(whole)
    orders = [one.consistent for one, _ in votes if one.consistent is not None]
    parts = {
        name: [(part, weight) for one, weight in votes if (part := getattr(one, name)) is not None]
        for name in ("audience", "length_controlled", "drafts")
    }
    return votes[0][0].replaced(
        winner=winner,
        p_a=sigmoid(whole),
        confidence_factor=factor,
        measured_factor=factor,
        band=band_of(factor),
        within_noise=all(one.within_noise for one, _ in votes),
        consistent=all(orders) if orders else None,
        position_bias=None,
        orders=(),
        shares=(),
        explanation=next((one.explanation for one, _ in votes if one.winner == winner), None),
        **{name: _mean(own, ("p_a",)) if own else None for name, own in parts.items()},
    )


_JOINS: dict[type[VerdictResult], Callable[[Any], Any]] = {RatingResult: _rating, DuelResult: _duel}


def _odds(result: DuelResult) -> float:
    """The log-odds for A. From the factor, which is the same for both orders to the last bit."""
    size = math.log(max(1.0, result.confidence_factor or 1.0))
    return size if (result.p_a or 0.0) > 0.5 else -size


def _by(
    key: str, field: str, votes: Sequence[tuple[Any, float]], numbers: Sequence[str], flags: Sequence[str] = ()
) -> tuple[Any, ...]:
    """Join the models' findings of one name (``key``), in the order of the first model: ``numbers`` are averaged,
    ``flags`` decided by the majority of the weights. Left out is what fewer than half of the weights have."""
    groups: dict[str, list[tuple[Any, float]]] = {}
    for one, weight in votes:
        for part in getattr(one, field):
            groups.setdefault(getattr(part, key), []).append((part, weight))
    joint = []
    for parts in groups.values():
        total = math.fsum(weight for _, weight in parts)
        if total >= 0.5:
            chosen = {flag: 2.0 * math.fsum(w for part, w in parts if getattr(part, flag)) >= total for flag in flags}
            joint.append(_mean(parts, numbers).replaced(**chosen))
    return tuple(joint)


def _mean(votes: Sequence[tuple[P, float]], names: Sequence[str]) -> P:
    """Return the first vote with the weighted means of these numbers. Probabilities of A are averaged as log-odds,
    which mirror."""
    means: dict[str, float] = {}
    for name in names:
        given = [(getattr(part, name), weight) for part, weight in votes if getattr(part, name) is not None]
        if given:
            values = [_logit(value) if name == "p_a" else value for value, _ in given]
            mean = math.fsum(value * weight for value, (_, weight) in zip(values, given, strict=True))
            mean /= math.fsum(weight for _, weight in given)
            means[name] = sigmoid(mean) if name == "p_a" else mean
    return votes[0][0].replaced(**means)


def _logit(p: float) -> float:
    """ln(p/(1−p)), antisymmetric about ½ to the last bit."""
    return -_logit(1.0 - p) if p > 0.5 else math.log(max(_LEAST_P, p) / (1.0 - max(_LEAST_P, p)))
