"""Probing with llama.cpp itself: a sound model, and files that only it can tell are wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.files import remembered
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.probe import probe
from tests.gguf_builder import STRING, gguf, pair


def test_the_embedded_model_loads_and_answers(embedded_model: Path, profile: Profile) -> None:
    facts = probe(embedded_model, profile)
    assert (facts["recurrent"], facts["sliding_window"], len(facts["frame"])) == (False, 0, 3)
    assert str(embedded_model) in remembered(profile.data / "probes.json")


def test_an_architecture_that_llama_cpp_does_not_know_is_named(tmp_path: Path, profile: Profile) -> None:
    path = tmp_path / "zebra.gguf"
    path.write_bytes(gguf((pair("general.architecture", STRING, "zebra"),)))
    with pytest.raises(ModelError) as caught:
        probe(path, profile)
    assert caught.value.code == "E_MODEL_UNKNOWN_ARCHITECTURE"
    assert "zebra" in caught.value.sentence


def test_a_model_without_its_layers_is_refused(tmp_path: Path, profile: Profile) -> None:
    path = tmp_path / "hollow.gguf"
    path.write_bytes(gguf())
    with pytest.raises(ModelError) as caught:
        probe(path, profile)
    assert caught.value.code in ("E_MODEL_LOAD", "E_MODEL_CRASH")
    assert caught.value.hint


def test_a_model_whose_weights_are_rubbish_never_ends_this_process(
    embedded_model: Path, tmp_path: Path, profile: Profile
) -> None:
    content = bytearray(embedded_model.read_bytes())
    content[len(content) // 2 :] = b"\xff" * (len(content) - len(content) // 2)
    path = tmp_path / "rubbish.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelError) as caught:
        probe(path, profile)
    assert caught.value.code in ("E_MODEL_CORRUPT", "E_MODEL_CRASH", "E_MODEL_LOAD")
