"""Duels of texts of unlike kinds: one scale for all of them, as exact a mirror as the maps of single kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.audience import AudienceHead, Features, alike
from jokejudge_gui.heads.editor import EditorHeads
from tests.fake_engine import FakeEngine
from tests.head_builder import FOUND, KINDS, Arrays, across_parts, joint_parts, meta, parts, save

finite = st.floats(-50, 50)
features = st.builds(
    lambda scores, shares, across: Features(
        tuple(scores), tuple(share / sum(shares) for share in shares), across=across
    ),
    st.lists(finite, min_size=KINDS, max_size=KINDS),
    st.lists(st.floats(0.01, 1), min_size=KINDS, max_size=KINDS),
    finite,
)
ONE, TWO = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0)
TEXT = "A duck walks in."


def load(folder: Path, arrays: Arrays | None = None) -> AudienceHead:
    return AudienceHead.load(save(folder, across_parts() if arrays is None else arrays))


@given(a=features, b=features, length=st.none() | st.floats(-500, 500))
def test_swapping_two_texts_negates_the_difference_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, a: Features, b: Features, length: float | None
) -> None:
    head = load(tmp_path_factory.mktemp("head"), across_parts(kinds={"two": 0.5}))
    turned = None if length is None else -length
    assert head.difference(a, b, length) == -head.difference(b, a, turned)
    assert head.difference(a, a) == 0.0


def test_texts_of_one_kind_are_compared_by_its_own_map_and_of_two_kinds_by_the_map_for_all(tmp_path: Path) -> None:
    head = load(tmp_path)
    a, b = Features((3.0, 0.0, 0.0), ONE, across=-1.0), Features((1.0, 0.0, 0.0), ONE, across=1.0)
    assert head.difference(a, b) == pytest.approx(2.0, abs=1e-4)
    assert head.difference(a, Features(b.scores, TWO, across=1.0)) == pytest.approx(-2.0, abs=1e-4)
    half = Features(b.scores, (0.5, 0.5, 0.0), across=1.0)
    assert -2.0 < head.difference(a, half) < 2.0


def test_a_kind_without_votes_of_its_own_is_partly_compared_by_the_map_for_all(tmp_path: Path) -> None:
    head = load(tmp_path, across_parts(kinds={"one": 0.25}))
    a, b = Features((3.0, 0.0, 0.0), ONE, across=-1.0), Features((1.0, 0.0, 0.0), ONE, across=1.0)
    assert head.difference(a, b) == pytest.approx(0.75 * 2.0 - 0.25 * 2.0, abs=1e-4)


def test_its_pull_of_length_is_taken_out_where_that_is_asked_for(tmp_path: Path) -> None:
    head = load(tmp_path)
    a, b = Features((0.0,) * 3, ONE, across=0.2), Features((0.0,) * 3, TWO, across=0.2)
    assert head.difference(a, b) == 0.0
    assert head.difference(a, b, 40.0) == pytest.approx(-0.5 * np.tanh(1.0), abs=1e-4)


def test_what_was_found_counts_up_to_its_ceiling(tmp_path: Path) -> None:
    head = load(tmp_path)
    assert head.joined == "0123abcd"
    states = FakeEngine().embed([TEXT])[0]
    found = [
        head.of_states(states, TEXT, np.array(values)) for values in ([1.0, 0.5, 9.0], [1.0, 1.0, 0.0], [1.0, 7.0, 0.0])
    ]
    assert [each.across for each in found] == pytest.approx([2.0, 3.0, 3.0])
    assert head.of_states(states, TEXT).across is None


def test_without_the_editors_heads_and_with_old_heads_all_is_as_before(tmp_path: Path) -> None:
    new, old = load(tmp_path / "new"), load(tmp_path / "old", parts())
    engine = FakeEngine()
    a, b = (new.read(engine, text) for text in (TEXT, "The bill, please, said the pelican."))
    assert new.difference(a, b) == old.difference(a, b)
    states = engine.embed([TEXT])[0]
    assert old.of_states(states, TEXT, np.ones(FOUND)).across is None


def test_a_map_fitted_with_other_editors_heads_than_the_joint_one_is_not_used(tmp_path: Path) -> None:
    said = {"editor": "ffff0000", "kinds": {}, "length": [0.0, 1.0]}
    arrays = across_parts() | joint_parts() | {"meta": meta(joint={"kind": "one", "editor": "0123abcd"}, across=said)}
    head = load(tmp_path, arrays)
    assert head.joined == "0123abcd"
    assert head.of_states(FakeEngine().embed([TEXT])[0], TEXT, np.ones(FOUND)).across is None


@pytest.mark.parametrize(
    "harm",
    [
        {"across_weights": np.zeros(3, np.float32)},
        {"across_weights": np.full(2, 1e9, np.float32)},
        {"across_scale": np.zeros(2, np.float32)},
        {"across_ceiling": np.zeros((2, 1), np.float32)},
        {"across_centre": np.zeros(2, np.int64)},
        {"meta": meta()},
        {"meta": meta(across=5)},
        across_parts(kinds={"none such": 0.5}),
        across_parts(kinds={"one": 1.5}),
        across_parts(length=[99.0, 40.0]),
        across_parts(length=[0.1, 0.0]),
        across_parts(length=[0.1]),
        across_parts() | {"meta": meta(across={"editor": 5, "kinds": {}, "length": [0.0, 1.0]})},
    ],
)
def test_a_damaged_map_for_all_kinds_is_refused(tmp_path: Path, harm: Arrays) -> None:
    with pytest.raises(ModelError, match="damaged"):
        load(tmp_path, across_parts() | harm)


def test_alike_is_one_for_the_same_kinds_and_zero_for_none_in_common() -> None:
    assert alike(ONE, ONE) == 1.0
    assert alike(ONE, TWO) == 0.0
    assert alike((0.0, 0.0, 0.0), ONE) == 0.0
    assert alike((0.6, 0.4, 0.0), (0.4, 0.6, 0.0)) == alike((0.4, 0.6, 0.0), (0.6, 0.4, 0.0))


def test_shipped_maps_for_all_kinds_hear_the_shipped_editors_heads() -> None:
    for path in (models_dir() / "heads").glob("*.npz"):
        with np.load(path) as kept:
            said = kept["meta"].tobytes().decode()
        if '"across"' in said:
            mark = EditorHeads.load(models_dir() / "editor" / path.name).mark
            assert AudienceHead.load(path).joined == mark, f"run models/training/across.py for {path.name}"
