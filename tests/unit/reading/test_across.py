"""Duels of texts of unlike kinds: one scale for all of them, as exact a mirror as the maps of single kinds."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.audience import AudienceHead, Features
from jokejudge_gui.heads.editor import EditorHeads
from tests.head_builder import KINDS, Arrays, across_parts, meta, save

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


def test_shipped_maps_for_all_kinds_hear_the_shipped_editors_heads() -> None:
    for path in (models_dir() / "heads").glob("*.npz"):
        with np.load(path) as kept:
            said = kept["meta"].tobytes().decode()
        if '"across"' in said:
            mark = EditorHeads.load(models_dir() / "editor" / path.name).mark
            assert AudienceHead.load(path).joined == mark, f"run models/training/across.py for {path.name}"
