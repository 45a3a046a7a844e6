"""The 0–5 scale and the admissibility formula, at their edges."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.judge.asking.calibration import contrast, joke_pairs
from jokejudge_gui.judge.asking.measured import CheckCalibration
from jokejudge_gui.judge.asking.questions import Levels, LogOdds, entropy, expectation, level_distribution, spread
from jokejudge_gui.judge.rating.admissibility_checker import check_result

values = st.lists(st.floats(min_value=-40, max_value=0), min_size=6, max_size=6).map(tuple)


@given(values, values, values, values)
def test_a_distribution_sums_to_one_and_its_expectation_is_on_the_scale(
    up: tuple[float, ...], down: tuple[float, ...], bias_up: tuple[float, ...], bias_down: tuple[float, ...]
) -> None:
    distribution = level_distribution(Levels(up, down, 1.0), (bias_up, bias_down))
    assert math.fsum(distribution) == pytest.approx(1)
    assert -1e-9 <= expectation(distribution) <= 5 + 1e-9
    assert 0 <= spread(distribution) <= 2.5 + 1e-9
    assert -1e-9 <= entropy(distribution) <= 1 + 1e-9


def test_flat_answers_give_the_middle_with_full_entropy() -> None:
    flat = Levels((-2.0,) * 6, (-2.0,) * 6, 1.0)
    distribution = level_distribution(flat)
    assert expectation(distribution) == pytest.approx(2.5)
    assert entropy(distribution) == pytest.approx(1)


def test_half_of_a_labels_bias_is_taken_out() -> None:
    biased = (-1.0, -3.0, -3.0, -3.0, -3.0, -3.0)
    plain = level_distribution(Levels(biased, biased, 1.0))
    corrected = level_distribution(Levels(biased, biased, 1.0), (biased, biased))
    assert math.log(plain[0] / plain[1]) == pytest.approx(2.0)
    assert math.log(corrected[0] / corrected[1]) == pytest.approx(1.0)


POWER = CheckCalibration(centre=0.0, half=1.5, sd=1.0)


@pytest.mark.parametrize(("value", "passed"), [(3.0, True), (0.0, True), (-0.7, True), (-0.74, False), (-30.0, False)])
def test_only_a_clear_failure_rejects(value: float, passed: bool) -> None:
    result = check_result("intent", LogOdds(value, 0.9), POWER)
    assert result.reliable
    assert result.passed is passed
    assert result.passed is (result.p_admit >= 0.1)


@pytest.mark.parametrize(
    ("calibration", "mass"),
    [(None, 0.9), (CheckCalibration(centre=0.0, half=0.4, sd=1.0), 0.9), (POWER, 0.3)],
    ids=["not measured", "no power", "no answer"],
)
def test_a_check_that_cannot_be_trusted_admits_and_says_so(calibration: CheckCalibration | None, mass: float) -> None:
    result = check_result("intent", LogOdds(-9.0, mass), calibration)
    assert result.passed
    assert not result.reliable


def test_contrast_gives_d_prime_and_none_to_a_check_that_points_the_wrong_way() -> None:
    good, bad = [2.0, 3.0, 4.0], [-2.0, -3.0, -4.0]
    assert contrast(good, bad).d_prime == pytest.approx(6.0)
    assert contrast(bad, good).d_prime == 0.0


@pytest.mark.parametrize(("count", "pairs_found"), [(5, 10), (8, 16), (30, 40)])
def test_pairs_are_distinct_and_every_joke_comes_about_equally_often(count: int, pairs_found: int) -> None:
    pairs = joke_pairs(count, 40)
    assert len({frozenset(pair) for pair in pairs}) == len(pairs) == pairs_found
    often = [sum(place in pair for pair in pairs) for place in range(count)]
    assert max(often) - min(often) <= 2
