"""The admissibility formula at its edges."""

from __future__ import annotations

import pytest

from jokejudge_gui.judge.asking.calibration import CheckCalibration, contrast
from jokejudge_gui.judge.asking.questions import LogOdds
from jokejudge_gui.judge.rating.admissibility_checker import check_result

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
