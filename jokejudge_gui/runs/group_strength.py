"""Maths of a leaderboard: strengths of groups from opinions of their jokes, with and without the pull of length.

Pure functions of numbers. An opinion is a number for each joke (one draw of what is believed of it); groups and jokes
are numbered from 0, and intervals come from many draws.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Vector = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

_PRECISION = 1.0 / 1.5**2
"""Prior of a group's strength (SCIENCE (e)): normal about 0 with a standard deviation of 1.5 log-odds."""
_EACH = 10.0
_LENGTH_PRECISION = 1.0 / 0.5**2
"""Prior of length's pull γ (SCIENCE (d))."""
_STEPS = 60
_CLOSE = 1e-7
_MOST_PAIRS = 2000


@dataclass(frozen=True, eq=False)
class Pairs:
    """Jokes drawn to meet: ``first`` and ``second`` are places in the list, always of two groups, and every pair of
    groups meets equally often. Each counts as ``weight`` duels, so that all together count as half as many as there are
    jokes: a joke says something once, however often it is looked at."""

    first: Whole
    second: Whole
    weight: float


def wins(values: Vector, group: Whole, count: int) -> Vector:
    """(count, count): the share of pairs in which a joke of the row's group has the higher value, ties as half; .5 in
    the diagonal and where a group has no joke."""
    ordered = np.argsort(values, kind="stable")
    member = np.zeros((len(values) + 1, count))
    member[np.arange(1, len(values) + 1), group[ordered]] = 1.0
    up_to = member.cumsum(axis=0)
    sorted_values = values[ordered]
    below = up_to[np.searchsorted(sorted_values, values, "left")]
    below += up_to[np.searchsorted(sorted_values, values, "right")]
    sums = np.zeros((count, count))
    np.add.at(sums, group, below / 2.0)
    sizes = np.bincount(group, minlength=count).astype(np.float64)
    possible = np.outer(sizes, sizes)
    found: Vector = np.divide(sums, possible, out=np.full((count, count), 0.5), where=possible > 0)
    np.fill_diagonal(found, 0.5)
    return found


def bradley_terry(won: Vector) -> Vector:
    """Strengths of groups, log-odds about a mean of 0, that explain the shares ``won`` best: the maximum of
    n·Σ[w log σ(θg−θh) + (1−w) log σ(θh−θg)] − (λ/2)Σθ², by Newton's steps. n is the same for every pair, whatever the
    groups' sizes: the draws say how much is uncertain, and the prior only keeps one that always wins
    from running off."""
    n = np.full(won.shape, _EACH)
    np.fill_diagonal(n, 0.0)
    theta = np.zeros(len(won))
    for _ in range(_STEPS):
        p = _sigmoid(theta[:, None] - theta[None, :])
        slope = (n * (won - p)).sum(axis=1) - _PRECISION * theta
        held = n * p * (1.0 - p)
        curve = np.diag(held.sum(axis=1) + _PRECISION) - held
        step = np.linalg.solve(curve, slope)
        theta += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CLOSE:
            break
    centred: Vector = theta - theta.mean()
    return centred


def pairs_between(group: Whole, count: int, random: np.random.Generator) -> Pairs:
    """Pairs of jokes of two groups, drawn at random."""
    members = [np.flatnonzero(group == each) for each in range(count)]
    meetings = [(one, other) for one in range(count) for other in range(one + 1, count)]
    each = max(1, _MOST_PAIRS // len(meetings))
    first = np.concatenate([random.choice(members[one], each) for one, _ in meetings])
    second = np.concatenate([random.choice(members[other], each) for _, other in meetings])
    return Pairs(first, second, len(group) / (2.0 * len(first)))


def length_controlled(values: Vector, lengths: Vector, group: Whole, count: int, pairs: Pairs) -> tuple[Vector, float]:
    """Strengths of groups as they would be between texts of one length, and length's pull γ: the logistic model
    L = θg − θh + γ·tanh(Δlength/sd) of who has the higher value in each pair, read at Δlength = 0 (SCIENCE (d))."""
    one, other = group[pairs.first], group[pairs.second]
    y = 0.5 + 0.5 * np.sign(values[pairs.first] - values[pairs.second])
    sd = max(float(np.std(lengths)), 1.0)
    pull = np.tanh((lengths[pairs.first] - lengths[pairs.second]) / sd)
    prior = np.append(np.full(count, _PRECISION), _LENGTH_PRECISION)
    theta = np.zeros(count + 1)
    for _ in range(_STEPS):
        p = _sigmoid(theta[one] - theta[other] + theta[-1] * pull)
        off = pairs.weight * (y - p)
        held = pairs.weight * p * (1.0 - p)
        slope = np.append(
            np.bincount(one, off, minlength=count) - np.bincount(other, off, minlength=count), float((off * pull).sum())
        )
        curve = np.zeros((count + 1, count + 1))
        np.add.at(curve, (one, one), held)
        np.add.at(curve, (other, other), held)
        np.add.at(curve, (one, other), -held)
        np.add.at(curve, (other, one), -held)
        side = np.bincount(one, held * pull, minlength=count) - np.bincount(other, held * pull, minlength=count)
        curve[-1, :-1] = side
        curve[:-1, -1] = side
        curve[-1, -1] = float((held * pull * pull).sum())
        slope -= prior * theta
        step = np.linalg.solve(curve + np.diag(prior), slope)
        theta += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CLOSE:
            break
    strengths: Vector = theta[:-1] - theta[:-1].mean()
    return strengths, float(theta[-1])


def mean_chance(theta: Vector) -> Vector:
    """How often each group wins against the mean of the others, all others alike, as its strength has it."""
    p = _sigmoid(theta[:, None] - theta[None, :])
    found: Vector = (p.sum(axis=1) - 0.5) / (len(theta) - 1)
    return found


def _sigmoid(value: Vector) -> Vector:
    found: Vector = 0.5 * (1.0 + np.tanh(0.5 * value))
    return found
