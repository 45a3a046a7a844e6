"""Ridge regression in the dual, in the primal and by conjugate gradients is one regression, and smooth losses are least
where they should be."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.learning import ridge
from models.training import solvers


@pytest.fixture
def random() -> np.random.Generator:
    return np.random.default_rng(3)


def plain(x: np.ndarray, y: np.ndarray, penalty: float) -> np.ndarray:
    return np.linalg.solve(x.T @ x + penalty * np.eye(x.shape[1]), x.T @ y)


@pytest.mark.parametrize(("rows", "features"), [(40, 7), (7, 40), (12, 12)])
def test_the_dual_and_the_primal_give_the_textbook_map(random: np.random.Generator, rows: int, features: int) -> None:
    x, y = random.normal(size=(rows, features)), random.normal(size=(rows, 3))
    found = list(solvers.maps(x, y, (10.0, 0.3)))
    for strength, weights in zip((10.0, 0.3), found, strict=True):
        np.testing.assert_allclose(weights, plain(x, y, strength * solvers.unit(x)), atol=1e-9)


def test_conjugate_gradients_reach_the_same_map(random: np.random.Generator) -> None:
    x, y = random.normal(size=(30, 50)), random.normal(size=30)
    found = ridge.by_gradients(lambda w: x @ w, lambda r: x.T @ r, y, 4.0, exact=1e-9)
    np.testing.assert_allclose(found, plain(x, y, 4.0), atol=1e-6)


def test_pairs_as_a_quadratic_form_give_the_map_of_their_differences(random: np.random.Generator) -> None:
    x = random.normal(size=(8, 20))
    first, second = np.array([0, 1, 2, 5]), np.array([3, 4, 6, 7])
    gaps, target = x[first] - x[second], np.array([1.0, 0.5, 1.0, 2.0])
    left, right = np.zeros((8, 8)), np.zeros(8)
    for a, b, goal in zip(first, second, target, strict=True):
        left[a, a] += 1
        left[b, b] += 1
        left[a, b] -= 1
        left[b, a] -= 1
        right[a] += goal
        right[b] -= goal
    kernel = x @ x.T
    (alpha,) = ridge.dual(kernel, left, right, (2.0,))
    np.testing.assert_allclose(x.T @ alpha, plain(gaps, target, 2.0 * np.trace(kernel) / 8), atol=1e-9)


def test_an_intercept_is_never_shrunk(random: np.random.Generator) -> None:
    x = random.normal(size=(25, 4)) + 9.0
    ((weights, constant),) = solvers.ridge(x, np.full(25, 5.0), (100.0,))
    np.testing.assert_allclose(x @ weights + constant, 5.0, atol=1e-9)


def test_a_mixture_gives_weight_to_what_knows_something() -> None:
    random = np.random.default_rng(5)
    known = random.normal(1.0, 1.0, 4000)
    found = solvers.mixture(np.stack([known, random.normal(size=4000), -known], axis=1))
    assert found[0] > 0.5
    assert abs(found[1]) < 0.1
    assert found[2] == 0.0


def test_a_mixture_makes_differences_honest_log_odds() -> None:
    random = np.random.default_rng(6)
    odds = 1.5 * random.normal(size=20000)
    won = random.random(20000) < 1 / (1 + np.exp(-odds))
    differences = np.where(won, odds, -odds)[:, None] * 40.0  # on another scale
    np.testing.assert_allclose(solvers.mixture(differences) * 40.0, [1.0], atol=0.05)


def test_descent_finds_the_bottom_of_a_long_valley() -> None:
    curve = np.geomspace(1.0, 1e4, 30)
    goal = np.arange(30.0)
    found = ridge.descend(
        lambda x: (float(curve @ (x - goal) ** 2) / 2, curve * (x - goal)), np.zeros(30), steps=500, exact=1e-16
    )
    np.testing.assert_allclose(found, goal, atol=1e-3)
