"""How far an audience estimate may be off."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest

from jokejudge_gui.heads.audience import (
    COVER,
    believed,
    correlation_of,
    head_normal,
    normal_of,
)


def test_the_estimate_is_drawn_to_the_middle_lies_inside_and_mirrors() -> None:
    for z in (-4.0, -1.9, -0.2, 0.7, 2.6, 4.0):
        found, other = believed(z, 0.66), believed(-z, 0.66)
        assert found.low < found.percentile < found.high
        assert abs(found.percentile - 50.0) < abs(100.0 * NormalDist().cdf(z) - 50.0)
        assert (100.0 - other.high, 100.0 - other.percentile) == pytest.approx((found.low, found.percentile))
        assert head_normal(found.percentile, 0.66) == pytest.approx(max(-4.0, min(4.0, z)), abs=1e-6)


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
