"""Ranking maths: strengths from what is known of each joke alone and from duels, and how surely they differ.

Pure functions of numbers (SCIENCE, Ranking N jokes). Jokes are numbered from 0; a duel's ``y`` is the probability that
its first joke is the better one, and its strength is on the log-odds scale of what is known of each joke alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ...statistics import Z95

Vector = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]

PRIOR_PRECISION = 1.0
"""λ: what is known of each joke alone may be off by about one log-odds."""
_ANSWER_NOISE = 0.5
"""Least standard deviation of a duel's log-odds, nats."""
SURE = 0.9
"""Two jokes are told apart if one is above the other with this probability."""
_STEPS = 100
_CLOSE = 1e-8


@dataclass(frozen=True)
class Duel:
    """Joke ``i`` against joke ``j``: ``y`` 0…1 for i, which counts as ``weight`` votes."""

    i: int
    j: int
    y: float
    weight: float = 1.0


@dataclass(frozen=True, eq=False)
class Block:
    """Jokes that duels tie together: their ``places`` in the list, the covariance of their strengths, and the inverse
    of the curvature, both (size, size)."""

    places: Whole
    covariance: Vector
    inverse: Vector


@dataclass(frozen=True, eq=False)
class Strengths:
    """``theta``: strength of each joke, log-odds; ``variance`` of each. Jokes of different ``blocks`` are independent;
    one that had no duel is in none."""

    theta: Vector
    variance: Vector
    blocks: tuple[Block, ...]

    def surely_above(self, z: float = Z95) -> tuple[Whole, Whole]:
        """For each joke: how many are surely above it, and how many surely below (|θi − θj| > z standard errors of the
        difference)."""
        above = np.zeros(len(self.theta), dtype=np.int64)
        below = np.zeros(len(self.theta), dtype=np.int64)
        for place in range(len(self.theta)):
            gap = self.theta - self.theta[place]
            bar = z * np.sqrt(np.maximum(self.differences(place), 0.0))
            above[place] = int((gap > bar).sum())
            below[place] = int((-gap > bar).sum())
        return above, below

    def rank_intervals(self, z: float = Z95) -> tuple[Whole, Whole]:
        """First and last rank (from 1) that each joke may have."""
        above, below = self.surely_above(z)
        return 1 + above, len(self.theta) - below

    def differences(self, place: int) -> Vector:
        """Variance of the difference between the joke at ``place`` and every other one; 0 for itself."""
        found: Vector = self.variance + self.variance[place]
        for block in self.blocks:
            where = np.flatnonzero(block.places == place)
            if len(where):
                found[block.places] -= 2.0 * block.covariance[int(where[0])]
        found[place] = 0.0
        return found


def strengths(prior: Vector, duels: Sequence[Duel], precision: float = PRIOR_PRECISION) -> Strengths:
    """The strengths that explain both what is known of each joke alone (``prior``, log-odds) and the duels best:
    the maximum of Σ w[y log σ(θi−θj) + (1−y) log σ(θj−θi)] − (λ/2)Σ(θi−m_i)², by Newton's steps. The scale is the
    prior's, so nothing is centred. Jokes without a duel keep their prior."""
    theta = prior.astype(np.float64).copy()
    variance = np.full(len(prior), 1.0 / precision)
    blocks = []
    for places, own in _tied(len(prior), duels):
        found, covariance, inverse = _fit(prior[places], own, precision)
        theta[places] = found
        variance[places] = np.diag(covariance)
        blocks.append(Block(places, covariance, inverse))
    return Strengths(theta, variance, tuple(blocks))


def without(found: Strengths, duels: Sequence[Duel], left_out: Duel) -> Vector:
    """The strengths as they would about be without one of the duels: θ − H⁻¹g, g that duel's pull."""
    theta = found.theta.copy()
    for block in found.blocks:
        where = {int(place): at for at, place in enumerate(block.places)}
        if left_out.i in where:
            i, j = where[left_out.i], where[left_out.j]
            p = _sigmoid(theta[left_out.i] - theta[left_out.j])
            pull = left_out.weight * (left_out.y - float(p))
            direction = block.inverse[:, i] - block.inverse[:, j]
            # What the curvature itself loses with the duel makes the step longer (a one-step jackknife).
            held = left_out.weight * float(p * (1.0 - p)) * float(direction[i] - direction[j])
            theta[block.places] -= direction * (pull / max(1.0 - held, 0.1))
    return theta


def decisive(found: Strengths, duels: Sequence[Duel]) -> list[tuple[int, int]]:
    """Duels without which another joke would be first: (place in ``duels``, the joke that would be)."""
    if not len(found.theta):
        return []
    first = int(np.argmax(found.theta))
    told = []
    for at, duel in enumerate(duels):
        other = int(np.argmax(without(found, duels, duel)))
        if other != first:
            told.append((at, other))
    return told


def cycles(duels: Sequence[Duel], most: int = 20) -> list[tuple[int, int, int]]:
    """Triples that go round in a circle: the first beat the second, that the third, and that the first. At most
    ``most`` of them, in order."""
    beats: dict[int, set[int]] = {}
    for duel in duels:
        if duel.y != 0.5:
            winner, loser = (duel.i, duel.j) if duel.y > 0.5 else (duel.j, duel.i)
            beats.setdefault(winner, set()).add(loser)
    told = []
    for a in sorted(beats):
        for b in sorted(beats[a]):
            for c in sorted(beats.get(b, ())):
                if a < min(b, c) and a in beats.get(c, ()):
                    told.append((a, b, c))
                    if len(told) == most:
                        return told
    return told


def groups(order: Sequence[int], chance: Callable[[int, int], float], sure: float = SURE) -> dict[int, int]:
    """The group of each joke, from 1, for jokes in their ``order``, best first: a new group begins with the first joke
    that the first one of the present group is above with a ``chance`` of ``sure``."""
    found: dict[int, int] = {}
    group, head = 0, -1
    for place in order:
        if head < 0 or chance(head, place) >= sure:
            group, head = group + 1, place
        found[place] = group
    return found


def _tied(n: int, duels: Sequence[Duel]) -> list[tuple[Whole, list[Duel]]]:
    """Groups of jokes that duels tie together, with their duels renumbered; in the order of their first joke."""
    leader = list(range(n))

    def find(place: int) -> int:
        while leader[place] != place:
            leader[place] = leader[leader[place]]
            place = leader[place]
        return place

    for duel in duels:
        one, other = sorted((find(duel.i), find(duel.j)))
        leader[other] = one
    members: dict[int, list[int]] = {}
    for place in sorted({place for duel in duels for place in (duel.i, duel.j)}):
        members.setdefault(find(place), []).append(place)
    at = {place: (head, k) for head, places in members.items() for k, place in enumerate(places)}
    own: dict[int, list[Duel]] = {head: [] for head in members}
    for duel in duels:
        head, i = at[duel.i]
        own[head].append(Duel(i, at[duel.j][1], duel.y, duel.weight))
    return [(np.array(places, dtype=np.int64), own[head]) for head, places in sorted(members.items())]


def _fit(prior: Vector, duels: Sequence[Duel], precision: float) -> tuple[Vector, Vector, Vector]:
    """Strengths of one block, their covariance and H⁻¹."""
    size, n = len(prior), len(duels)
    first = np.array([duel.i for duel in duels])
    second = np.array([duel.j for duel in duels])
    y = np.array([duel.y for duel in duels])
    weight = np.array([duel.weight for duel in duels])
    theta = prior.copy()
    for _ in range(_STEPS):
        p = _sigmoid(theta[first] - theta[second])
        slope = -precision * (theta - prior)
        np.add.at(slope, first, weight * (y - p))
        np.add.at(slope, second, -weight * (y - p))
        curve = precision * np.eye(size) + _laplacian(size, first, second, weight * p * (1.0 - p))
        step = np.linalg.solve(curve, slope)
        # The function is concave, but far from its top a whole Newton step may overshoot.
        theta += step * min(1.0, 2.0 / max(float(np.abs(step).max()), 1e-300))
        if float(np.abs(step).max()) < _CLOSE:
            break
    p = _sigmoid(theta[first] - theta[second])
    held = _laplacian(size, first, second, weight * p * (1.0 - p))
    inverse = np.asarray(np.linalg.inv(precision * np.eye(size) + held), dtype=np.float64)
    # No duel is known better than an answer's own noise; the prior is off by as much as λ says.
    residual = np.maximum((y - p) ** 2, (_ANSWER_NOISE * p * (1.0 - p)) ** 2)
    spread = precision * np.eye(size) + _laplacian(size, first, second, weight**2 * residual)
    told = size - precision * float(np.trace(inverse))  # parameters that the duels, not the prior, decide
    covariance = inverse @ spread @ inverse * (n / max(n - told, 1.0))
    return theta, (covariance + covariance.T) / 2.0, inverse


def _laplacian(size: int, first: Whole, second: Whole, weight: Vector) -> Vector:
    """Σ w dd′ over duels, d = e_i − e_j."""
    found = np.zeros((size, size))
    np.add.at(found, (first, first), weight)
    np.add.at(found, (second, second), weight)
    np.add.at(found, (first, second), -weight)
    np.add.at(found, (second, first), -weight)
    return found


def _sigmoid(value: Vector) -> Vector:
    found: Vector = 0.5 * (1.0 + np.tanh(0.5 * value))
    return found
