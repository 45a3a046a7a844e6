"""The ranking maths on invented truth: the order is found, and intervals hold what they promise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from jokejudge_gui.core.statistics import sigmoid, spearman
from jokejudge_gui.heads.audience import believed, correlation_of
from jokejudge_gui.judge.contest.ranking import Duel, Strengths, next_round, of_people, strengths


def contest(n: int, budget: int, seed: int) -> tuple[np.ndarray, Strengths]:
    """Jokes of a known strength, of which something is known alone, after so many duels with noise in them."""
    random = np.random.default_rng(seed)
    truth = random.normal(size=n)
    prior = truth + random.normal(size=n)
    duels: list[Duel] = []
    held: set[frozenset[int]] = set()
    found = strengths(prior, duels)
    while len(duels) < budget:
        pairs = next_round(found, held, not duels, 3, budget - len(duels))
        for i, j in pairs:
            duels.append((i, j, sigmoid(float(truth[i] - truth[j] + 0.7 * random.normal()))))
            held.add(frozenset((i, j)))
        assert len(held) == len(duels)  # no pair is asked twice
        found = strengths(prior, duels)
    return truth, found


@pytest.mark.parametrize(("n", "budget"), [(8, 28), (20, 40), (60, 120)])
def test_rank_intervals_hold_the_true_rank(n: int, budget: int) -> None:
    inside = []
    for seed in range(8):
        truth, found = contest(n, budget, seed)
        rank = np.argsort(np.argsort(-truth)) + 1
        low, high = found.rank_intervals()
        inside += list((low <= rank) & (rank <= high))
    assert np.mean(inside) >= 0.9


def test_duels_bring_the_order_nearer_to_the_truth_and_make_intervals_narrower() -> None:
    shares = []
    for budget in (0, 60, 180):
        told = [contest(40, budget, seed) for seed in range(4)]
        agreement = np.mean([spearman(found.theta, truth)["value"] or 0.0 for truth, found in told])
        width = np.mean([np.subtract(*reversed(found.rank_intervals())).mean() for _, found in told])
        shares.append((agreement, -width))
    assert shares == sorted(shares)
    assert shares[-1][0] > 0.8


def test_what_people_would_say_is_held_by_the_crowds_intervals() -> None:
    random = np.random.default_rng(1)
    rho = correlation_of(0.66)
    inside = []
    for _ in range(20):
        z = random.normal(size=30)
        people = rho * z + math.sqrt(1 - rho * rho) * random.normal(size=30)
        percentiles = [believed(float(value), 0.66).percentile for value in z]
        low, high, top = of_people(percentiles, [0.66] * 30, [0.0] * 30).ranks(3)
        rank = np.argsort(np.argsort(-people)) + 1
        inside += list((low <= rank) & (rank <= high))
        assert float(top.sum()) == pytest.approx(3.0)
    assert np.mean(inside) >= 0.88


def test_where_nothing_is_known_of_the_crowd_every_place_is_possible() -> None:
    opinion = of_people([99.0, 50.0, 1.0], [None] * 3, [0.0] * 3)
    low, high, _ = opinion.ranks(1)
    assert (low == 1).all()
    assert (high == 3).all()
    assert opinion.agreement() == pytest.approx(0.5)


def test_a_certain_answer_has_finite_strengths() -> None:
    found = strengths(np.zeros(3), [(0, 1, 1.0), (1, 2, 1.0), (0, 2, 1.0)])
    assert list(np.argsort(-found.theta)) == [0, 1, 2]
    assert np.isfinite(found.theta).all()


def test_few_jokes_are_all_compared_and_many_meet_their_neighbours_first() -> None:
    few = strengths(np.arange(5.0), [])
    assert {frozenset(pair) for pair in next_round(few, set(), True, 3, 99)} == {
        frozenset(pair) for pair in itertools.combinations(range(5), 2)
    }
    many = strengths(np.arange(30.0), [])
    assert next_round(many, set(), True, 3, 2) == [(29, 28), (28, 27)]
    later = next_round(many, {frozenset((29, 28))}, False, 3, 99)
    places = [place for pair in later for place in pair]
    assert len(places) == len(set(places))
