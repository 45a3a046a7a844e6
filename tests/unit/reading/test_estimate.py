"""How far an audience estimate may be off."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from jokejudge_gui.heads.audience import (
    COVER,
    KindAgreement,
    KindAgreements,
    believed,
    correlation_of,
    head_normal,
    normal_of,
)


def test_a_coin_knows_nothing_and_an_oracle_all() -> None:
    coin = believed(1.3, 0.5)
    assert (coin.percentile, coin.low, coin.high) == pytest.approx((50.0, 10.0, 90.0), abs=0.1)
    oracle = believed(normal_of(90.0), 1.0)
    assert (oracle.percentile, oracle.low, oracle.high) == pytest.approx((90.0, 90.0, 90.0))


def test_the_estimate_is_drawn_to_the_middle_lies_inside_and_mirrors() -> None:
    for z in (-4.0, -1.9, -0.2, 0.7, 2.6, 4.0):
        found, other = believed(z, 0.66), believed(-z, 0.66)
        assert found.low < found.percentile < found.high
        assert abs(found.percentile - 50.0) < abs(100.0 * NormalDist().cdf(z) - 50.0)
        assert (100.0 - other.high, 100.0 - other.percentile) == pytest.approx((found.low, found.percentile))
        assert head_normal(found.percentile, 0.66) == pytest.approx(max(-4.0, min(4.0, z)), abs=1e-6)


def test_the_estimate_is_the_mean_of_what_people_would_say() -> None:
    random = np.random.default_rng(4)
    rho = correlation_of(0.66)
    people = rho * 1.7 + np.sqrt(1 - rho**2) * random.normal(size=20_000)
    places = [100.0 * NormalDist().cdf(float(value)) for value in people]
    assert believed(1.7, 0.66).percentile == pytest.approx(float(np.mean(places)), abs=0.5)


def test_it_covers_what_it_says() -> None:
    random = np.random.default_rng(3)
    rho = 0.6
    judged = random.normal(size=4000)
    people = rho * judged + np.sqrt(1 - rho**2) * random.normal(size=4000)
    agreement = float(np.mean((judged[:2000] > judged[2000:]) == (people[:2000] > people[2000:])))
    assert correlation_of(agreement) == pytest.approx(rho, abs=0.05)

    def place(values: np.ndarray) -> np.ndarray:
        return 100.0 * np.argsort(np.argsort(values)) / (len(values) - 1)

    spans = [believed(normal_of(float(percentile)), agreement) for percentile in place(judged)]
    inside = np.mean([span.low <= where <= span.high for span, where in zip(spans, place(people), strict=True)])
    assert inside == pytest.approx(COVER, abs=0.05)


def test_a_kind_without_votes_or_none_at_all_was_not_learned() -> None:
    agreements = KindAgreements(
        known={"ukp": KindAgreement("one-liners", 0.66), "other": KindAgreement("others", 0.55)},
        strangers=frozenset({"other"}),
    )
    assert [agreements.learned(kind) for kind in ("ukp", "other", "plain")] == [True, False, False]
    assert not KindAgreements().learned("votes")
