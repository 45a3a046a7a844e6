"""Statistics with known answers, and the baselines that a judge must beat."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.statistics import (
    bins,
    difference,
    expected_calibration_error,
    log_loss,
    one_against_the_others,
    pearson,
    spearman,
    wilson,
)
from jokejudge_gui.heads.audience import grams, weigh
from jokejudge_gui.learning import wording as baselines
from jokejudge_gui.learning.wording import counted, lengths
from tests.animal_pairs import pairs


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [(0, 10, 0.0, 0.2775), (10, 10, 0.7225, 1.0), (5, 10, 0.2366, 0.7634), (69, 100, 0.5937, 0.7722)],
)
def test_wilson_gives_the_textbook_interval(right: int, n: int, low: float, high: float) -> None:
    assert wilson(right, n) == pytest.approx((low, high), abs=1e-4)


@given(st.integers(1, 500), st.floats(0, 1))
def test_wilson_holds_the_share_and_stays_in_bounds(n: int, part: float) -> None:
    right = round(part * n)
    low, high = wilson(right, n)
    assert 0 <= low <= right / n + 1e-12
    assert right / n - 1e-12 <= high <= 1


def test_correlations_of_known_numbers() -> None:
    assert pearson([1, 2, 3, 4], [2, 4, 6, 8])["value"] == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4, 5], [1, 4, 9, 16, 1000])["value"] == pytest.approx(1.0)
    assert spearman([1, 2, 3, 4, 5], [5, 4, 3, 2, 1])["value"] == pytest.approx(-1.0)
    assert spearman([1, 2, 3, 4, 5], [2, 1, 4, 3, 5])["value"] == pytest.approx(0.8)


def test_the_log_loss_of_a_coin_is_ln_two_and_a_sure_mistake_stays_finite() -> None:
    assert log_loss(np.array([0.5, 0.5]), np.array([1.0, 0.0])) == pytest.approx(math.log(2))
    wrong = log_loss(np.array([1.0]), np.array([0.0]))
    assert wrong is not None
    assert math.isfinite(wrong)
    assert log_loss(np.array([]), np.array([])) is None


def test_a_probability_that_means_what_it_says_has_no_calibration_error() -> None:
    stated, hits = np.full(10, 0.8), np.array([1.0] * 8 + [0.0] * 2)
    assert expected_calibration_error(bins(stated, hits, (0.5, 0.75, 1.0))) == pytest.approx(0.0)
    assert expected_calibration_error(bins(stated, 1 - hits, (0.5, 0.75, 1.0))) == pytest.approx(0.6)
    assert expected_calibration_error(()) is None


def test_few_rows_are_never_surely_better() -> None:
    few = difference(np.ones(2), np.zeros(2))
    many = difference(np.ones(50), np.zeros(50))
    assert few["low"] < 0 < many["low"]
    assert (few["value"], many["value"]) == (1.0, 1.0)
    assert difference(np.array([]), np.array([])) is None


@pytest.mark.parametrize(
    ("votes", "expected"),
    [((5, 0), (5, 5)), ((4, 1), (4, 5)), ((3, 2), (0, 2)), ((2, 1), (0, 1)), ((1, 0), (0, 0)), ((2, 2), (0, 4))],
)
def test_one_voter_is_held_against_the_majority_of_the_others(
    votes: tuple[int, int], expected: tuple[int, int]
) -> None:
    assert one_against_the_others(*votes) == expected


def test_longer_is_funnier_chooses_the_longer_text() -> None:
    assert baselines.longer(["abc", "a", "ab"], ["a", "abc", "ab"]).tolist() == [1.0, -1.0, 0.0]


def likings(count: int) -> tuple[list[list[str]], np.ndarray]:
    """Texts that stand first and second, and 1 where people like the first."""
    rows = pairs(count)
    truth = np.array([1.0 if row.winner == "A" else -1.0 for row in rows])
    return [[row.texts[0] for row in rows], [row.texts[1] for row in rows]], truth


def test_the_ridge_finds_wording_that_people_like_in_texts_that_it_never_saw_and_turns_with_the_pair() -> None:
    texts, truth = likings(60)
    found = baselines.baseline_scores(texts, truth, np.arange(60), seed=1)
    assert np.mean(np.sign(found) == truth) > 0.9
    turned = baselines.baseline_scores(texts[::-1], -truth, np.arange(60), seed=1)
    assert np.sign(found) == pytest.approx(-np.sign(turned))


def test_the_ridge_learns_nothing_from_the_texts_it_is_asked_about() -> None:
    # Labels are a coin and each text has a word of its own: only a leak could be right more often.
    random = np.random.default_rng(3)
    texts = [f"word{number:03d}" for number in range(40)]
    rows = [(a, b) for a, b in itertools.combinations(texts, 2)][::2]
    better = dict(zip(texts, random.permutation(40), strict=True))
    truth = np.array([1.0 if better[a] > better[b] else -1.0 for a, b in rows])
    found = baselines.baseline_scores(list(zip(*rows, strict=True)), truth, np.arange(len(rows)), seed=1)
    assert 0.3 < np.mean(np.sign(found) == truth) < 0.7


def test_more_rows_than_can_be_learned_from_are_sampled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(baselines, "MOST_ROWS", 30)
    texts, truth = likings(60)
    found = baselines.baseline_scores(texts, truth, np.arange(50, 60), seed=1)
    assert np.mean(np.sign(found) == truth[50:]) > 0.8


BUCKETS = 256
TEXTS = ["A duck walks in.", "", "“Bill me,” said the duck; the duck left.", "?!", "naïve café"]


def test_a_row_is_what_a_head_reads_of_its_text() -> None:
    counts = counted(TEXTS, BUCKETS)
    rarity = counts.rarity()
    weighed = counts.weighed(rarity).dense()
    for row, text in zip(weighed, TEXTS, strict=True):
        expected = np.zeros(BUCKETS)
        if found := grams(text, BUCKETS):
            places, values = weigh(found, rarity)
            expected[places] = values
        np.testing.assert_allclose(row, expected, atol=1e-6)


def test_products_are_those_of_the_dense_matrix() -> None:
    matrix = counted(TEXTS, BUCKETS).beside(lengths(TEXTS))
    dense = matrix.dense().astype(float)
    random = np.random.default_rng(1)
    weights, scores = random.normal(size=(BUCKETS + 2, 3)), random.normal(size=len(TEXTS))
    np.testing.assert_allclose(matrix.times(weights), dense @ weights, atol=1e-5)
    np.testing.assert_allclose(matrix.times(weights[:, 0]), dense @ weights[:, 0], atol=1e-5)
    np.testing.assert_allclose(matrix.back(scores), dense.T @ scores, atol=1e-5)
