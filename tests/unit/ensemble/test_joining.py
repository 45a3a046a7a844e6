"""Weights for models of different worth whose errors go together."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.judge.panel import SharedErrors, independent_votes, join, mean_correlation


def correlated(n: int, c: float) -> np.ndarray:
    return np.full((n, n), c) + (1.0 - c) * np.eye(n)


def test_models_with_the_same_errors_are_one_vote_and_with_their_own_as_many_as_they_are() -> None:
    assert independent_votes(correlated(3, 0.0)) == pytest.approx(3.0)
    assert independent_votes(correlated(3, 0.98)) == pytest.approx(1.0, abs=0.02)
    assert independent_votes(correlated(2, 0.5)) == pytest.approx(4 / 3)
    assert mean_correlation(correlated(3, 0.4)) == pytest.approx(0.4)


def test_equal_models_have_equal_parts_and_are_worth_more_together() -> None:
    joint = join([0.7, 0.7], correlated(2, 0.3))
    assert joint.shares == pytest.approx((0.5, 0.5))
    assert 0.7 < joint.agreement < 0.8
    assert join([0.7, 0.7], correlated(2, 0.97)).agreement == pytest.approx(0.7, abs=0.01)


def test_joint_weights_are_those_that_a_simulation_finds() -> None:
    """People's opinion y, and two models whose correlation with y and with each other's errors is known."""
    random = np.random.default_rng(4)
    errors, worths = correlated(2, 0.6), [0.75, 0.65]
    rho = np.sin(np.pi * (np.array(worths) - 0.5))
    y = random.standard_normal(200_000)
    noise = random.multivariate_normal(np.zeros(2), errors, size=len(y))
    said = y[:, None] * rho + noise * np.sqrt(1 - rho**2)
    joint = join(worths, errors)
    found = said @ np.array(joint.factors)
    assert found.std() == pytest.approx(1.0, abs=0.01)
    assert np.corrcoef(found, y)[0, 1] == pytest.approx(joint.rho, abs=0.01)
    assert joint.rho >= max(rho)


@given(st.lists(st.floats(0.5, 0.95), min_size=2, max_size=5), st.floats(0.0, 0.95))
def test_no_model_has_a_negative_part_and_the_best_one_loses_nothing(worths: list[float], c: float) -> None:
    joint = join(worths, correlated(len(worths), c))
    assert min(joint.shares) >= 0
    assert math.fsum(joint.shares) == pytest.approx(1.0)
    assert joint.agreement >= max(worths) - 1e-6


def test_a_model_of_unknown_worth_has_no_say_beside_a_known_one_and_an_equal_one_among_unknown_ones() -> None:
    assert join([0.7, None], correlated(2, 0.5)).shares == pytest.approx((1.0, 0.0))
    assert join([None, None], correlated(2, 0.5)).shares == pytest.approx((0.5, 0.5))


def test_correlations_come_from_the_file_and_else_the_highest_one_stands_in(tmp_path: Path) -> None:
    pair = {"models": ["a", "b"], "correlation": 0.7, "low": 0.6, "high": 0.8, "n": 300}
    (tmp_path / "errors.json").write_text(json.dumps({"pairs": [pair]}))
    errors = SharedErrors.load(tmp_path)
    matrix, measured = errors.between(["b", "a"])
    assert (matrix[0, 1], measured) == (0.7, True)
    matrix, measured = errors.between(["a", "c"])
    assert (matrix[0, 1], measured) == (0.7, False)
    assert SharedErrors.load(tmp_path / "nowhere").between(["a", "b"])[1] is False


def test_a_damaged_file_is_told_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "errors.json").write_text('{"pairs": [3]}')
    with pytest.raises(ModelError) as refused:
        SharedErrors.load(tmp_path)
    assert refused.value.code == "E_PANEL_FILE"
