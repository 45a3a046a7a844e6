"""Two runs on the same rows."""

from __future__ import annotations

import pytest

from jokejudge_gui.measure.comparison import mcnemar, paired, paired_rank
from jokejudge_gui.measure.words import comparison_words


def test_mcnemars_test_is_the_exact_one() -> None:
    # Two-sided binomial: 2 · (1 + 10 + 45)/1024, and a split down the middle.
    assert mcnemar(8, 2) == pytest.approx(2 * 56 / 1024)
    assert mcnemar(2, 8) == mcnemar(8, 2)
    assert (mcnemar(5, 5), mcnemar(0, 0)) == (1.0, 1.0)
    assert mcnemar(6000, 4000) < 1e-80


def test_a_run_that_is_right_more_often_is_told_so_with_its_interval() -> None:
    first, second = [1.0] * 80 + [0.0] * 20, [1.0] * 55 + [0.0] * 45
    part = paired(first, second)
    assert (part["only_first"], part["only_second"], part["difference"]["value"]) == (25, 0, pytest.approx(0.25))
    assert 0.15 < part["difference"]["low"] < 0.25 < part["difference"]["high"] < 0.35
    assert "The first has 25.0 more of 100" in comparison_words(part)
    assert "more than chance" in comparison_words(part)
    other = paired(second, first)
    assert "The second has 25.0 more of 100" in comparison_words(other)
    assert other["difference"]["value"] == -part["difference"]["value"]


def test_a_small_lead_may_be_chance_and_half_a_row_counts_for_the_better_one() -> None:
    part = paired([1.0, 1.0, 0.5], [1.0, 0.0, 0.0])
    assert (part["only_first"], part["only_second"], part["p"]) == (2, 0, 0.5)
    assert "may be chance" in comparison_words(part)
    assert comparison_words(paired([1.0], [1.0])).endswith("Neither does better.")


def test_rank_correlations_are_compared_on_the_same_texts() -> None:
    people = [float(place) for place in range(40)]
    mixed = [float((place * 17) % 40) for place in range(40)]
    part = paired_rank(people, people, mixed)
    assert part["first"]["value"] == pytest.approx(1.0)
    assert part["difference"]["low"] > 0.3
    assert paired_rank([1.0, 1.0], [1.0, 2.0], [1.0, 2.0])["difference"] is None
