"""How original a joke of a list is, without a question."""

from __future__ import annotations

import pytest

from jokejudge_gui.judge.contest.ranking_state import originality, relevance
from jokejudge_gui.judge.contest.record import Reading, ScaleMean


@pytest.mark.parametrize(
    ("fresh", "stock", "versions", "expected"),
    [
        (0.8, 0.1, 0, 0.8),
        (0.8, 0.7, 0, 0.3),  # an old one, whatever else is read
        (0.8, None, 0, 0.8),
        (None, 0.4, 0, 0.6),
        (0.8, 0.1, 1, 0.4),  # two of a kind share it
        (None, None, 2, 1 / 3),
    ],
)
def test_originality(fresh: float | None, stock: float | None, versions: int, expected: float) -> None:
    reading = Reading(value=0.0, fresh=fresh, stock=stock)
    assert originality(reading, versions, any_versions=True) == pytest.approx(expected)


@pytest.mark.parametrize(("mean", "expected"), [(1.0, 0.0), (5.5, 0.5), (10.0, 1.0), (10.4, 1.0), (0.7, 0.0)])
def test_relevance_is_a_share(mean: float, expected: float) -> None:
    assert relevance((ScaleMean(scale="relevance", mean=mean),)) == pytest.approx(expected)
