"""The audience head: exact symmetry, bounded percentiles, and files that can't be trusted."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.heads.audience import AudienceHead, Features
from tests.fake_engine import FakeEngine
from tests.head_builder import BUCKETS, KINDS, SIZE, Arrays, joint_parts, meta, parts, save

finite = st.floats(-50, 50)
features = st.builds(
    lambda scores, shares: Features(tuple(scores), tuple(share / sum(shares) for share in shares)),
    st.lists(finite, min_size=KINDS, max_size=KINDS),
    st.lists(st.floats(0.01, 1), min_size=KINDS, max_size=KINDS),
)


@pytest.fixture
def head(tmp_path: Path) -> AudienceHead:
    return AudienceHead.load(save(tmp_path, parts()))


@given(a=features, b=features)
def test_swapping_two_texts_negates_the_difference_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, a: Features, b: Features
) -> None:
    head = AudienceHead.load(save(tmp_path_factory.mktemp("head"), parts()))
    assert head.difference(a, b) == -head.difference(b, a)
    assert head.difference(a, a) == 0.0
    assert math.copysign(1, head.difference(a, a)) == 1.0


@given(scores=st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=20))
def test_percentiles_rise_with_the_score_and_stay_in_0_to_100(
    tmp_path_factory: pytest.TempPathFactory, scores: list[float]
) -> None:
    head = AudienceHead.load(save(tmp_path_factory.mktemp("head"), parts()))
    found = [head.audience(Features((score,) * KINDS, (1.0, 0.0, 0.0))) for score in sorted(scores)]
    percentiles = [audience.percentile for audience in found]
    assert percentiles == sorted(percentiles)
    assert all(0.0 <= percentile <= 100.0 for percentile in percentiles)


def pickled(arrays: Arrays) -> Arrays:
    return arrays | {"bias": np.array([print, print, print], dtype=object)}


BROKEN: dict[str, Callable[[Arrays], Arrays]] = {
    "a pickle": pickled,
    "a part missing": lambda arrays: {name: array for name, array in arrays.items() if name != "gate"},
    "a part too many": lambda arrays: arrays | {"extra": np.zeros(1)},
    "another version": lambda arrays: arrays | {"meta": meta(format=99)},
    "no JSON": lambda arrays: arrays | {"meta": np.frombuffer(b"{", np.uint8)},
    "no object": lambda arrays: arrays | {"meta": np.frombuffer(b"[]", np.uint8)},
    "a hash that is none": lambda arrays: arrays | {"meta": meta(model_sha256="../../etc/passwd")},
    "agreement over one": lambda arrays: arrays | {"meta": meta(agreement=7.0)},
    "agreement a word": lambda arrays: arrays | {"meta": meta(agreement="high")},
    "no kinds": lambda arrays: arrays | {"meta": meta(kinds=[])},
    "kinds that don't fit": lambda arrays: arrays | {"meta": meta(kinds=["one"])},
    "wrong shape": lambda arrays: arrays | {"weights": np.zeros((KINDS, SIZE + 1), np.float32)},
    "whole numbers": lambda arrays: arrays | {"weights": np.zeros((KINDS, SIZE), np.uint8)},
    "not a number": lambda arrays: arrays | {"centre": np.full(SIZE, np.nan, np.float32)},
    "infinite": lambda arrays: arrays | {"grams": np.full((KINDS, BUCKETS), np.inf, np.float16)},
    "no scale": lambda arrays: arrays | {"scale": np.zeros(SIZE, np.float32)},
    "falling quantiles": lambda arrays: arrays | {"quantiles": np.linspace(2, -2, 101)},
    "complex numbers": lambda arrays: arrays | {"bias": np.zeros(KINDS, np.complex64)},
}


@pytest.mark.parametrize("harm", BROKEN.values(), ids=BROKEN)
def test_a_head_that_cannot_be_right_is_refused_in_a_sentence(tmp_path: Path, harm: Callable[[Arrays], Arrays]) -> None:
    path = save(tmp_path, harm(parts()))
    with pytest.raises(ModelError) as raised:
        AudienceHead.load(path)
    assert raised.value.code == "E_FILE_DAMAGED"
    assert raised.value.sentence.endswith(".")
    assert raised.value.hint


def test_a_head_hears_what_the_editor_found_for_one_kind_of_text(tmp_path: Path) -> None:
    head = AudienceHead.load(save(tmp_path, joint_parts()))
    assert head.joined == "0123abcd"
    states = FakeEngine().embed(["A duck walks in."])[0]
    alone = head.of_states(states, "A duck walks in.")
    both = head.of_states(states, "A duck walks in.", np.array([1.0, 1.0, 7.0]))
    assert both.scores[0] == pytest.approx(3.5)
    assert both.scores[1:] == alone.scores[1:]
    assert (both.kinds, both.joke) == (alone.kinds, alone.joke)
