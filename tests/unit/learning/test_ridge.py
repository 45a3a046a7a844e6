"""Ridge regression in the dual, in the primal and by conjugate gradients is one regression."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.engine.base import CancelToken
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
    x, y = random.normal(size=(25, 4)) + 9.0, np.full((25, 1), 5.0)
    weights, bias = solvers.fit(x, y, (100.0,))
    np.testing.assert_allclose(x @ weights[0] + bias[0], y, atol=1e-9)


def test_without_intercept_the_sign_of_a_difference_turns_the_score(random: np.random.Generator) -> None:
    x, y = random.normal(size=(25, 40)), random.normal(size=(25, 1))
    fold = np.arange(25) % 5
    made = solvers.cross_fitted(x, y, fold, intercept=False)
    np.testing.assert_array_equal(made.of(-x), -made.of(x))


def test_a_row_of_weight_zero_counts_nothing_even_if_its_target_is_unknown(random: np.random.Generator) -> None:
    x, y = random.normal(size=(20, 30)), random.normal(size=(20, 2))
    weights = np.ones((20, 2))
    weights[15:, 1] = 0.0
    unknown = y.copy()
    unknown[15:, 1] = np.nan
    slopes, bias = solvers.fit(x, unknown, (3.0,), weights=weights)
    alone, level = solvers.fit(x[:15], y[:15, 1:], (3.0,))
    np.testing.assert_allclose(slopes[0][:, 1], alone[0][:, 0])
    np.testing.assert_allclose(bias[0, 1], level[0, 0])
    made = solvers.cross_fitted(x, unknown, np.arange(20) % 4, weights=weights)
    assert np.isfinite(made.scores).all()
    assert np.isfinite(made.weights).all()


def test_a_row_of_weight_two_counts_like_two_rows(random: np.random.Generator) -> None:
    x, y = random.normal(size=(10, 3)), random.normal(size=(10, 1))
    twice = np.concatenate([x, x[:4]]), np.concatenate([y, y[:4]])
    heavy, level = solvers.fit(x, y, (1e-9,), weights=np.r_[np.full(4, 2.0), np.ones(6)])
    doubled, other = solvers.fit(*twice, (1e-9,))
    np.testing.assert_allclose(heavy, doubled, atol=1e-6)
    np.testing.assert_allclose(level, other, atol=1e-6)


def test_each_output_has_the_strength_that_it_needs(random: np.random.Generator) -> None:
    x = random.normal(size=(200, 60))
    clear = x @ random.normal(size=60)
    y = np.stack([clear, random.normal(size=200)], axis=1)
    made = solvers.cross_fitted(x, y, np.arange(200) % 5)
    assert made.strength[0] == min(ridge.STRENGTHS)
    assert made.strength[1] > made.strength[0]
    assert np.corrcoef(made.scores[:, 0], clear)[0, 1] > 0.95
    assert abs(np.corrcoef(made.scores[:, 1], y[:, 1])[0, 1]) < 0.2


def test_a_score_out_of_fold_knows_nothing_of_its_own_fold(random: np.random.Generator) -> None:
    x, y = random.normal(size=(30, 50)), random.normal(size=(30, 1))
    fold = np.arange(30) % 3
    changed = y.copy()
    changed[fold == 1] += 100.0
    one, two = (solvers.out_of_fold(x, goal, fold, (1.0,)) for goal in (y, changed))
    np.testing.assert_array_equal(one[:, fold == 1], two[:, fold == 1])
    assert (one[:, fold == 0] != two[:, fold == 0]).any()


def test_what_the_strength_is_chosen_by_can_be_said(random: np.random.Generator) -> None:
    x, y = random.normal(size=(30, 5)), random.normal(size=(30, 2))
    worst = solvers.cross_fitted(x, y, np.arange(30) % 3, loss=lambda scores: -np.ones(scores.shape[::2]))
    assert set(worst.strength) == {ridge.STRENGTHS[0]}


def test_a_nested_choice_sees_neither_of_two_folds() -> None:
    fold = np.array([0, 0, 1, 1, 2, 2])
    ways = [{0}, {1}, {2}, {0, 1}, {0, 2}, {1, 2}]
    told = {frozenset(way): np.full((1, 6), float(number)) for number, way in enumerate(ways)}
    scores = ridge.FoldScores(fold, told)
    np.testing.assert_array_equal(scores.out_of_fold(), [[0, 0, 1, 1, 2, 2]])
    np.testing.assert_array_equal(scores.out_of_fold(1), [[3, 3, 0, 0, 5, 5]])


def test_cross_validation_can_be_stopped() -> None:
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        solvers.out_of_fold(np.ones((4, 2)), np.ones((4, 1)), np.arange(4) % 2, cancel=token)
