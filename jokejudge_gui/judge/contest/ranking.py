"""Ranking maths: strengths from each joke's own estimate and from duels, and the certainty of their differences.

Pure functions of numbers. Jokes are numbered from 0; a duel's ``y`` is the probability that
its first joke is the better one; strengths are on the log-odds scale of the estimates.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import TypeAlias, TypeVar

from ...core.lazily import np, npt
from ...core.statistics import Z95, Vector
from ...heads.audience import correlation_of, head_normal

Whole: TypeAlias = "npt.NDArray[np.int64]"
Member = TypeVar("Member", bound=Hashable)

_PRECISION = 1.0
"""λ: a joke's own estimate may be off by about one log-odds."""
_MOST_STEPS, _CLOSE = 100, 1e-8
_ANSWER_NOISE = 0.5
"""Least standard deviation of a duel's log-odds, nats."""
SURE = 0.9
"""Two jokes are distinguished if one is above the other with this probability."""
COVER = 0.9
"""Share of jokes whose rank lies inside the interval."""
_NORMAL = NormalDist()
DRAWS = 2000
_MOST_NUMBERS = 4 * 10**6
_DRAWN_TOGETHER = 1 << 15
"""Numbers that are drawn and sorted at once; more wouldn't be faster."""
_MOST_PAIRED = 300


Duel = tuple[int, int, float]
"""A duel of joke i against joke j, and the probability 0…1 that i is the better one."""
Block = tuple[Whole, Vector]
"""Jokes that are connected by duels: their places in the list, and the covariance (size, size) of their strengths."""
Ranks = tuple[Whole, Whole, Vector]
"""First and last rank, from 1, of each joke's interval, which holds in ``COVER`` of cases; and the share of cases in
which it is among the first K."""


@dataclass(frozen=True, eq=False)
class Strengths:
    """How strong jokes are in somebody's opinion: ``theta`` of each, log-odds or standard deviations, and its
    ``variance``. Jokes of different ``blocks`` are independent; a joke without a duel is in none."""

    theta: Vector
    variance: Vector
    blocks: tuple[Block, ...] = ()

    def rank_intervals(self) -> tuple[Whole, Whole]:
        """Return the first and last rank (from 1) of each joke, counting only the jokes that are surely above or below
        it: |θi − θj| is over 1.96 standard errors of the difference."""
        first = np.ones(len(self.theta), dtype=np.int64)
        last = np.full(len(self.theta), len(self.theta), dtype=np.int64)
        for place in range(len(self.theta)):
            gap = self.theta - self.theta[place]
            bar = Z95 * np.sqrt(np.maximum(self.differences(place), 0.0))
            first[place] += int((gap > bar).sum())
            last[place] -= int((-gap > bar).sum())
        return first, last

    def chance(self, one: int, other: int) -> float:
        """Return the probability that ``one`` is above ``other``."""
        spread = math.sqrt(max(float(self.differences(one)[other]), 1e-12))
        return _NORMAL.cdf(float(self.theta[one] - self.theta[other]) / spread)

    def differences(self, place: int) -> Vector:
        """Return the variance of the difference between the joke at ``place`` and every other one; 0 for itself."""
        variance: Vector = self.variance + self.variance[place]
        for places, covariance in self.blocks:
            where = np.flatnonzero(places == place)
            if len(where):
                variance[places] -= 2.0 * covariance[int(where[0])]
        variance[place] = 0.0
        return variance

    def groups(self, order: Sequence[int]) -> dict[int, int]:
        """Return the group of each joke, from 1, for jokes in their ``order``, best first: a new group begins with the
        first joke that the first one of the present group is surely above."""
        group_of: dict[int, int] = {}
        group, head = 0, -1
        for place in order:
            if head < 0 or self.chance(head, place) >= SURE:
                group, head = group + 1, place
            group_of[place] = group
        return group_of

    def agreement(self) -> float | None:
        """Return the expected share of the list's pairs that are in this order, of independent jokes; None for fewer
        than two."""
        order = np.argsort(-self.theta, kind="stable")
        if len(order) > _MOST_PAIRED:
            order = order[np.linspace(0, len(order) - 1, _MOST_PAIRED).round().astype(np.int64)]
        if len(order) < 2:
            return None
        upper, lower = np.triu_indices(len(order), k=1)
        mean, sd = self.theta[order], np.sqrt(self.variance[order])
        z = (mean[upper] - mean[lower]) / np.maximum(np.hypot(sd[upper], sd[lower]), 1e-12)
        return math.fsum(map(_NORMAL.cdf, z)) / len(z)

    def ranks(self, top: int, draws: int = DRAWS) -> Ranks:
        """Return the ranks of each joke and its chance to be among the ``top``, of independent jokes, by drawing the
        order so many times with a fixed seed."""
        n = len(self.theta)
        if n == 0:
            none = np.zeros(0, dtype=np.int64)
            return none, none, np.zeros(0)
        draws = min(draws, max(100, _MOST_NUMBERS // n))
        random = np.random.default_rng(14)
        places = np.empty((draws, n), dtype=np.int32)
        everyone = np.arange(1, n + 1, dtype=np.int32)
        together = max(1, _DRAWN_TOGETHER // n)
        for first in range(0, draws, together):
            part = places[first : first + together]
            drawn = self.theta + np.sqrt(self.variance) * random.standard_normal(part.shape)
            np.put_along_axis(part, np.argsort(-drawn, axis=1, kind="stable"), everyone[None], axis=1)
        low = np.quantile(places, (1 - COVER) / 2, axis=0, method="lower").astype(np.int64)
        high = np.quantile(places, (1 + COVER) / 2, axis=0, method="higher").astype(np.int64)
        return low, high, (places <= top).mean(axis=0)


def of_people(percentiles: Sequence[float], agreements: Sequence[float | None], shifts: Sequence[float]) -> Strengths:
    """Return people's opinion of jokes whose estimates are ``percentiles`` (0…100), by heads that agree with people in
    ``agreements`` of pairs (None: unknown, so the estimate doesn't count); ``shifts``: by how much duels moved a joke,
    in standard deviations of the head's scores. The head's and people's order are two normal variables whose
    correlation ρ follows from the agreement (``estimate``): given the head's z, people's is normal about ρ·z with
    variance 1 − ρ²."""
    rho = np.array([0.0 if share is None else correlation_of(share) for share in agreements])
    z = np.array([0.0 if a is None else head_normal(p, a) for p, a in zip(percentiles, agreements, strict=True)])
    return Strengths(rho * (z + np.asarray(shifts, dtype=np.float64)), 1.0 - rho**2)


def strengths(prior: Vector, duels: Sequence[Duel]) -> Strengths:
    """Return the strengths that best fit both each joke's own estimate (``prior``, log-odds) and the duels: the maximum
    of Σ [y log σ(θi−θj) + (1−y) log σ(θj−θi)] − (λ/2)Σ(θi−m_i)², by Newton's steps. The scale is the prior's, so
    nothing is centred. Jokes without a duel keep their prior."""
    theta = prior.astype(np.float64).copy()
    variance = np.full(len(prior), 1.0 / _PRECISION)
    blocks = []
    for places, own in _tied(duels):
        fitted, covariance = _fit(prior[places], own)
        theta[places] = fitted
        variance[places] = np.diag(covariance)
        blocks.append((places, covariance))
    return Strengths(theta, variance, tuple(blocks))


def families(pairs: Iterable[tuple[Member, Member]]) -> list[list[Member]]:
    """Return the connected components of ``pairs``, in the order of their first members."""
    beside: dict[Member, list[Member]] = {}
    for one, other in pairs:
        beside.setdefault(one, []).append(other)
        beside.setdefault(other, []).append(one)
    components = []
    while beside:
        family, todo = [], [next(iter(beside))]
        while todo:
            member = todo.pop()
            if (others := beside.pop(member, None)) is not None:
                family.append(member)
                todo += others
        components.append(family)
    return components


def _tied(duels: Sequence[Duel]) -> list[tuple[Whole, list[Duel]]]:
    """Groups of jokes that are connected by duels, with their duels renumbered; in the order of their first joke."""
    groups = sorted(map(sorted, families((i, j) for i, j, _ in duels)))
    at = {place: (group, k) for group, places in enumerate(groups) for k, place in enumerate(places)}
    own: list[list[Duel]] = [[] for _ in groups]
    for i, j, y in duels:
        group, first = at[i]
        own[group].append((first, at[j][1], y))
    return [(np.array(places, dtype=np.int64), own[group]) for group, places in enumerate(groups)]


def _fit(prior: Vector, duels: Sequence[Duel]) -> tuple[Vector, Vector]:
    """Strengths of one block, and their covariance."""
    size, n = len(prior), len(duels)
    first, second = np.array([i for i, _, _ in duels]), np.array([j for _, j, _ in duels])
    y = np.array([y for _, _, y in duels])

    theta = prior.copy()
    for _ in range(_MOST_STEPS):
        p = _sigmoid(theta[first] - theta[second])
        slope = -_PRECISION * (theta - prior)
        np.add.at(slope, first, y - p)
        np.add.at(slope, second, p - y)
        step = np.linalg.solve(_PRECISION * np.eye(size) + _laplacian(size, first, second, p * (1.0 - p)), slope)
        # Far from the maximum a whole Newton step may overshoot.
        theta += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CLOSE:
            break
    p = _sigmoid(theta[first] - theta[second])
    curvature = _laplacian(size, first, second, p * (1.0 - p))
    inverse = np.asarray(np.linalg.inv(_PRECISION * np.eye(size) + curvature), dtype=np.float64)
    # No duel is more certain than an answer's own noise; the prior's error follows from λ.
    residual = np.maximum((y - p) ** 2, (_ANSWER_NOISE * p * (1.0 - p)) ** 2)
    spread = _PRECISION * np.eye(size) + _laplacian(size, first, second, residual)
    decided = size - _PRECISION * float(np.trace(inverse))  # parameters that the duels, not the prior, decide
    covariance = inverse @ spread @ inverse * (n / max(n - decided, 1.0))
    return theta, (covariance + covariance.T) / 2.0


def _laplacian(size: int, first: Whole, second: Whole, weight: Vector) -> Vector:
    """Σ w dd′ over duels, d = e_i − e_j."""
    matrix = np.zeros((size, size))
    np.add.at(matrix, (first, first), weight)
    np.add.at(matrix, (second, second), weight)
    np.add.at(matrix, (first, second), -weight)
    np.add.at(matrix, (second, first), -weight)
    return matrix


def _sigmoid(value: Vector) -> Vector:
    p: Vector = 0.5 * (1.0 + np.tanh(0.5 * value))
    return p


# -- The choice of the next duels: those that decide something, none twice, the top of the list first -----------------

ALL_PAIRS = 12
"""Up to this many jokes are all compared with one another."""
MOST_CONTENDERS = 200
"""This many jokes, the best ones, take part in duels."""
_BORDER = 3.0
"""Factor on the worth of a duel across the border of the first K."""
_UNCHANGED = 2
"""Rounds in which the first K must stay the same."""


def next_round(
    fit: Strengths, done: Collection[frozenset[int]], first: bool, top: int, budget: int
) -> list[tuple[int, int]]:
    """Return at most ``budget`` duels, most useful first; none if nothing is left to be decided. ``done``: pairs that
    had their duel; ``first``: the round in which neighbours meet."""
    order = sorted(range(len(fit.theta)), key=lambda place: (-fit.theta[place], place))[:MOST_CONTENDERS]
    few = len(order) <= ALL_PAIRS
    if first and not few:
        return [pair for pair in itertools.pairwise(order) if frozenset(pair) not in done][:budget]
    # A duel is worth its expected information: σ(1−σ) times the variance of the difference.
    theta = fit.theta[order]
    p = _sigmoid(np.abs(theta[:, None] - theta[None, :]))
    worth: Vector = p * (1.0 - p) * np.array([fit.differences(place)[order] for place in order])
    ahead = np.arange(len(order)) < top
    worth[ahead[:, None] & ~ahead[None, :]] *= _BORDER
    upper, lower = np.triu_indices(len(order), k=1)
    best = np.argsort(-worth[upper, lower], kind="stable")
    telling = [(order[upper[k]], order[lower[k]]) for k in best if few or worth[upper[k], lower[k]] > 0.0]
    pairs: list[tuple[int, int]] = []
    taken: set[int] = set()
    for pair in telling:
        if frozenset(pair) not in done and (few or taken.isdisjoint(pair)):  # in a long list each joke is in one duel
            taken |= {*pair}
            pairs.append(pair)
    return pairs[:budget]


def settled(tops: Sequence[frozenset[int]]) -> bool:
    """Whether the first K stayed the same over the last rounds; ``tops``: the first K after each round."""
    return len(tops) > _UNCHANGED and len(set(tops[-_UNCHANGED - 1 :])) == 1
