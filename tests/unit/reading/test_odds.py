"""The odds of the upper half of people's votes, which also compare texts of unlike kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.heads.audience import AudienceHead, Features
from tests.head_builder import KINDS, SIZE, Arrays, odds_parts, save

finite = st.floats(-50, 50)
features = st.builds(
    lambda scores, shares, upper: Features(tuple(scores), tuple(share / sum(shares) for share in shares), upper=upper),
    st.lists(finite, min_size=KINDS, max_size=KINDS),
    st.lists(st.floats(0.01, 1), min_size=KINDS, max_size=KINDS),
    finite,
)
ONE, TWO = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)


def load(folder: Path, arrays: Arrays | None = None) -> AudienceHead:
    return AudienceHead.load(save(folder, odds_parts() if arrays is None else arrays))


@given(a=features, b=features, length=st.none() | st.floats(-500, 500))
def test_swapping_two_texts_negates_the_difference_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, a: Features, b: Features, length: float | None
) -> None:
    head = load(tmp_path_factory.mktemp("head"))
    turned = None if length is None else -length
    assert head.difference(a, b, length) == -head.difference(b, a, turned)
    assert head.difference(a, a) == 0.0


def test_texts_of_one_kind_are_compared_by_its_own_map_and_of_two_kinds_by_the_odds(tmp_path: Path) -> None:
    head = load(tmp_path)
    a, b = Features((3.0, 0.0, 0.0), ONE, upper=-1.0), Features((1.0, 0.0, 0.0), ONE, upper=1.0)
    assert head.difference(a, b) == pytest.approx(2.0, abs=1e-4)
    other = head.difference(a, Features(b.scores, TWO, upper=1.0))
    assert other < 0.0
    half = Features(b.scores, (0.5, 0.5, 0.0), upper=1.0)
    assert other < head.difference(a, half) < 2.0


def test_a_text_like_the_well_liked_leans_to_the_upper_half_and_one_unlike_all_is_even(tmp_path: Path) -> None:
    head = load(tmp_path)

    def upper(*findings: float) -> float:
        found = head.features_of(np.zeros(SIZE), "A joke.", np.array([*findings, 0.0]))
        assert found.upper is not None
        return found.upper

    assert upper(1.0, 0.0) > 0.5 > upper(0.5, 0.0) > 0.0 > upper(-1.0, 0.0)
    assert abs(upper(1.0, 7.0)) < 1e-6
    assert head.features_of(np.zeros(SIZE), "A joke.").upper is None
