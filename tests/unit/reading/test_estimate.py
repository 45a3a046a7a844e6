"""How far an audience estimate may be off."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.heads.audience import COVER, correlation_of, interval, too_vague
from jokejudge_gui.heads.audience import KindAgreement as Ear
from jokejudge_gui.heads.audience import KindAgreements as Ears


def test_a_coin_knows_nothing_and_an_oracle_all() -> None:
    low, high = interval(90.0, 0.5)
    assert low == pytest.approx(10.0, abs=0.1)
    assert high == pytest.approx(90.0, abs=0.1)
    assert interval(90.0, 1.0) == pytest.approx((90.0, 90.0))


def test_it_holds_the_estimate_and_mirrors() -> None:
    for percentile in (0.0, 3.0, 40.0, 97.0, 100.0):
        low, high = interval(percentile, 0.66)
        assert low <= percentile <= high
        other = interval(100.0 - percentile, 0.66)
        assert (100.0 - other[1], 100.0 - other[0]) == pytest.approx((low, high))


def test_it_covers_what_it_says() -> None:
    random = np.random.default_rng(3)
    rho = 0.6
    judged = random.normal(size=4000)
    people = rho * judged + np.sqrt(1 - rho**2) * random.normal(size=4000)
    agreement = float(np.mean((judged[:2000] > judged[2000:]) == (people[:2000] > people[2000:])))
    assert correlation_of(agreement) == pytest.approx(rho, abs=0.05)

    def place(values: np.ndarray) -> np.ndarray:
        return 100.0 * np.argsort(np.argsort(values)) / (len(values) - 1)

    spans = [interval(float(percentile), agreement) for percentile in place(judged)]
    inside = np.mean([low <= where <= high for (low, high), where in zip(spans, place(people), strict=True)])
    assert inside == pytest.approx(COVER, abs=0.05)


def test_nothing_is_told_of_a_text_that_is_of_no_kind_and_could_stand_anywhere() -> None:
    assert too_vague(0.82, 10.0, 90.0)
    assert not too_vague(0.79, 10.0, 90.0)
    # At the ends of the scale even a kind that wasn't learned has its place.
    assert not too_vague(0.9, 1.0, 50.0)


def test_what_is_strange_is_a_kind_without_votes_or_none_at_all() -> None:
    ears = Ears(known={"ukp": Ear("one-liners", 0.66), "other": Ear("others", 0.55)}, strangers=frozenset({"other"}))
    assert ears.strange({"ukp": 0.3, "other": 0.5, "plain": 0.2}) == pytest.approx(0.7)
    assert Ears().strange({"votes": 1.0}) == 1.0
