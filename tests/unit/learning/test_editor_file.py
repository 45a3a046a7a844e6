"""Files of the editor's heads: what was fitted is read again, and what can't be heads is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads.editor import EditorHeads
from jokejudge_gui.heads.editor_file import EditorCard, EditorMeta
from jokejudge_gui.heads.features import phrases
from jokejudge_gui.learning.editor_fit import fit_editor
from tests.editor_engine import EditorEngine
from tests.editor_fitted import (
    NAME,
    NEW,
    READINGS,
    SHA,
    fit,
    meta_of,
    npy,
    packed,
    parts,
    read,
    rows_of,
    written,
)


@pytest.fixture(scope="module")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("editor")
    fit(EditorEngine(), folder)
    return folder


def changed(values: np.ndarray, place: int, value: float) -> np.ndarray:
    values[place] = value
    return values


ARRAYS: dict[str, Callable[[np.ndarray], np.ndarray | None]] = {
    "traits_scale": np.zeros_like,
    "traits_reach": np.zeros_like,
    "group_ids": lambda values: changed(values.astype(np.uint32), 0, 1 << 16),
    "group_ends": lambda values: values[::-1].copy(),
    "near_shares": lambda values: changed(values, 2, -0.1),
    "mean": lambda values: changed(values, 0, np.inf),
    "alpha": lambda values: values[:-1],
    "axes_step": lambda _values: None,
    "turn_span_weights": lambda _values: None,
    "turn_span_scale": np.zeros_like,
    "traits": lambda _values: None,
}
META: dict[str, Any] = {"phrases": "../phrases", "kinds": ["../pun"], "forms": {"pun": 1.0}}


@pytest.mark.parametrize("damage", ["cut", "empty", "pickle", "more", "no turn", *ARRAYS, *META])
def test_a_damaged_file_is_a_sentence(fitted: Path, tmp_path: Path, damage: str) -> None:
    source, target = fitted / "editor" / NAME, tmp_path / NAME
    contents = parts(source)
    meta = meta_of(contents) | {name: value for name, value in META.items() if name == damage}
    if damage in ARRAYS:
        values = ARRAYS[damage](np.load(io.BytesIO(contents.pop(f"{damage}.npy"))))
        contents |= {} if values is None else {f"{damage}.npy": npy(values)}
    elif damage == "pickle":
        contents["mean.npy"] = npy(np.array([{"a": 1}], dtype=object))
    elif damage == "no turn":
        contents = {name: data for name, data in contents.items() if not name.startswith("turn_")}
    elif damage == "more":
        contents["more.npy"] = npy(np.zeros(3))
    written(target, contents | packed(meta))
    if damage in ("cut", "empty"):
        target.write_bytes(b"" if damage == "empty" else source.read_bytes()[:-500])
    with pytest.raises(ModelError) as error:
        EditorHeads.load(target)
    assert error.value.code == "E_FILE_DAMAGED"
    assert error.value.hint


def test_heads_that_learned_with_another_table_of_phrases_are_refused(fitted: Path, tmp_path: Path) -> None:
    found = parts(fitted / "editor" / NAME)
    meta = meta_of(found)
    assert meta["phrases"] == phrases().mark
    meta["phrases"] = f"{int(meta['phrases'], 16) ^ 1:08x}"
    written(tmp_path / NAME, found | packed(meta))
    with pytest.raises(ModelError) as error:
        EditorHeads.find(SHA, tmp_path)
    assert error.value.code == "E_EDITOR_OLD"
    assert "jokejudge models fit --editor" in error.value.hint


def test_a_damaged_card_is_a_sentence(tmp_path: Path) -> None:
    path = tmp_path / "card.json"
    for content in ("", "{}", "[1]", '{"format": 2}'):
        path.write_text(content)
        with pytest.raises(ModelError) as error:
            EditorCard.load(path)
        assert error.value.code == "E_FILE_DAMAGED"


def test_what_was_fitted_is_what_is_read_again(tmp_path: Path) -> None:
    readings_kept = READINGS.keep(np.arange(120))
    fitted = fit_editor(rows_of(readings_kept.texts), readings_kept, [], [])
    card = EditorCard.load(next((models_dir() / "editor").glob("*.json")))
    meta = {**fitted.meta, "version": card.version, "model_sha256": card.model.sha256}
    with (tmp_path / f"{card.model.sha256[:16]}.npz").open("wb") as stream:
        EditorHeads.write(stream, meta, fitted.arrays)
    again = EditorHeads.find(card.model.sha256, tmp_path)
    assert set(again.arrays) == set(fitted.arrays)
    for name in ("group_ids", "group_ends", "rarity_of_groups"):
        assert (again.arrays[name] == fitted.arrays[name]).all()
    before = EditorHeads(EditorMeta.model_validate_json(json.dumps(meta)), dict(fitted.arrays))
    for text in NEW[:10]:
        one, other = read(before, text), read(again, text)
        assert {id: found.expected for id, found in other.factors.items()} == pytest.approx(
            {id: found.expected for id, found in one.factors.items()}, abs=0.05
        )
        assert (one.turn and one.turn.text) == (other.turn and other.turn.text)


@pytest.mark.parametrize("path", sorted((models_dir() / "editor").glob("*.npz")), ids=lambda path: path.stem)
def test_heads_that_ship_are_read(path: Path) -> None:
    heads = EditorHeads.load(path)
    text = "My owl rows with an oar too many. Nobody asked."
    scan = EditorEngine().scan(text)
    states = np.random.default_rng(4).normal(size=(len(scan.spans), heads.embedding_size)).astype(np.float32)
    reading, numbers = heads.found(states, text, scan.spans, scan.logprobs)
    assert np.isfinite(numbers).all()
    assert reading.turn is not None
    assert set(reading.kinds) == set(heads.kinds)
    if {"pun", "homophone"} <= set(heads.kinds):
        assert reading.kinds["pun"] >= reading.kinds["homophone"]
