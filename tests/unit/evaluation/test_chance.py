"""Agreement beyond chance, against published examples and figures reckoned by hand."""

from __future__ import annotations

import math

import pytest

from jokejudge_gui.core.statistics import by_luck
from jokejudge_gui.measure.evaluation import cohen_kappa, interval_alpha, nominal_alpha

# Krippendorff (2011), Computing Krippendorff's Alpha-Reliability, example C: four observers, twelve units, gaps.
OBSERVERS = ("123321412...", "1233224125.3", ".33323422" + "51.", "12332441251.")


def test_cohens_kappa_is_that_of_a_table_reckoned_by_hand() -> None:
    # 20 and 15 agree, 5 and 10 don't: p_o = .7, p_e = .5.
    first = [0] * 25 + [1] * 25
    second = [0] * 20 + [1] * 5 + [0] * 10 + [1] * 15
    found = cohen_kappa(first, second)
    assert found.value == pytest.approx(0.4)
    assert found.n == 50
    assert found.low is not None
    assert found.high is not None
    assert 0.1 < found.low < 0.4 < found.high < 0.7


def test_cohens_kappa_with_three_categories() -> None:
    # Diagonal 4, 3, 2 of 12; rows 5, 4, 3 and columns 5, 4, 3: p_o = .75, p_e = 50/144.
    first = [0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2]
    second = [0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 0]
    assert cohen_kappa(first, second).value == pytest.approx((0.75 - 50 / 144) / (1 - 50 / 144))


def test_krippendorffs_alpha_is_that_of_the_published_example() -> None:
    columns = list(zip(*OBSERVERS, strict=True))
    counts = [[float(column.count(str(value))) for value in range(1, 6)] for column in columns]
    scores = [[math.nan if cell == "." else float(cell) for cell in column] for column in columns]
    assert nominal_alpha(counts).value == pytest.approx(0.743, abs=0.0005)
    assert interval_alpha(scores).value == pytest.approx(0.849, abs=0.0005)
    assert nominal_alpha(counts).n == 11


def test_what_cannot_be_told_is_none_and_not_zero() -> None:
    assert cohen_kappa([], []).value is None
    assert cohen_kappa([1, 1], [1, 1]).value is None
    assert nominal_alpha([]).value is None
    assert nominal_alpha([[2, 0], [3, 0]]).value is None
    assert nominal_alpha([[1, 0], [0, 1]]).n == 0
    assert interval_alpha([[0.5, 0.5], [0.5, math.nan]]).value is None


def test_agreement_by_chance_is_near_zero_and_the_opposite_below() -> None:
    assert cohen_kappa([0, 0, 1, 1], [0, 1, 0, 1]).value == pytest.approx(0.0)
    assert cohen_kappa([0, 1, 0, 1], [1, 0, 1, 0]).value == pytest.approx(-1.0)


@pytest.mark.parametrize(("n", "luck"), [(15, (4, 11)), (14, (3, 11)), (8, (1, 7)), (5, (0, 5))])
def test_what_a_coin_gets_right(n: int, luck: tuple[int, int]) -> None:
    assert by_luck(n) == luck
