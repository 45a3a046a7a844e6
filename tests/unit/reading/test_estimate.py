"""How far an audience estimate may be off."""

from __future__ import annotations

from statistics import NormalDist

import pytest

from jokejudge_gui.heads.audience import (
    believed,
    head_normal,
)


def test_the_estimate_is_drawn_to_the_middle_lies_inside_and_mirrors() -> None:
    for z in (-4.0, -1.9, -0.2, 0.7, 2.6, 4.0):
        found, other = believed(z, 0.66), believed(-z, 0.66)
        assert found.low < found.percentile < found.high
        assert abs(found.percentile - 50.0) < abs(100.0 * NormalDist().cdf(z) - 50.0)
        assert (100.0 - other.high, 100.0 - other.percentile) == pytest.approx((found.low, found.percentile))
        assert head_normal(found.percentile, 0.66) == pytest.approx(max(-4.0, min(4.0, z)), abs=1e-6)
