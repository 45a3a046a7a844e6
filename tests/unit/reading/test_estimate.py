"""How far an audience estimate may be off."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.judging.reading.estimate import COVER, correlation_of, interval


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
