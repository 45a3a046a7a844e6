"""Smooth losses are least where they should be."""

from __future__ import annotations

import numpy as np

from jokejudge_gui.learning.ridge import descend
from models.training.solvers import mixture, search


def test_a_mixture_gives_weight_to_what_knows_something() -> None:
    random = np.random.default_rng(5)
    known = random.normal(1.0, 1.0, 4000)
    found = mixture(np.stack([known, random.normal(size=4000), -known], axis=1))
    assert found[0] > 0.5
    assert abs(found[1]) < 0.1
    assert found[2] == 0.0


def test_a_mixture_makes_differences_honest_log_odds() -> None:
    random = np.random.default_rng(6)
    odds = 1.5 * random.normal(size=20000)
    won = random.random(20000) < 1 / (1 + np.exp(-odds))
    differences = np.where(won, odds, -odds)[:, None] * 40.0  # on another scale
    np.testing.assert_allclose(mixture(differences) * 40.0, [1.0], atol=0.05)


def test_descent_finds_the_bottom_of_a_long_valley() -> None:
    curve = np.geomspace(1.0, 1e4, 30)
    goal = np.arange(30.0)
    found = descend(
        lambda x: (float(curve @ (x - goal) ** 2) / 2, curve * (x - goal)), np.zeros(30), steps=500, exact=1e-16
    )
    np.testing.assert_allclose(found, goal, atol=1e-3)


def test_a_search_stays_within_its_bounds() -> None:
    goal = np.array([0.3, 1.1, 5.0])
    found = search(lambda x: float(((x - goal) ** 2).sum()), np.array([0.1, 0.1, 1.0]), 0.0, 2.0)
    np.testing.assert_allclose(found, [0.3, 1.1, 2.0], atol=2e-3)
