"""The catalogue: the shipped file is sound, and names find their model or what comes near."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import ModelError, SettingsError
from jokejudge_gui.library.catalogue import Catalogue, load_catalogue
from tests.catalogue_builder import entry


def written(folder: Path, *models: dict[str, Any], version: int = 1) -> Path:
    path = folder / "catalogue.json"
    path.write_text(json.dumps({"version": version, "models": models}), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def catalogue() -> Catalogue:
    return load_catalogue()


def test_the_shipped_catalogue_has_the_embedded_model_first_and_only_once(catalogue: Catalogue) -> None:
    assert [m.id for m in catalogue.models if m.embedded] == ["smollm2-135m"]
    assert catalogue.models[0].embedded


def test_what_is_recommended_is_free_and_can_be_fetched(catalogue: Catalogue) -> None:
    recommended = [m for m in catalogue.models if m.recommended]
    assert len(recommended) >= 4
    for model in recommended:
        assert model.licence in ("Apache-2.0", "MIT")
        assert model.source is not None
        assert not model.gated


@pytest.mark.parametrize(
    "name",
    [
        "granite4-micro",
        " Granite4-Micro ",
        "granite-4.0-micro-Q4_K_M.gguf",
        "Granite 4.0 Micro",
        "granite 4.0 micro q4_k_m",
        "97c417dcc0534b0737c74016fb2af083cb17c3b51eaac621192d23961b7024eb",
    ],
)
def test_a_model_is_found_by_id_file_label_and_hash(catalogue: Catalogue, name: str) -> None:
    found = catalogue.find(name)
    assert found.id == "granite4-micro"


def test_an_unknown_name_is_an_error_with_what_to_do(catalogue: Catalogue) -> None:
    with pytest.raises(ModelError, match="models list") as caught:
        catalogue.get("smolm2-135m")
    assert caught.value.code == "E_MODEL_UNKNOWN"
    for strange in ("", "xyzzy!", "\0", "a" * 100_000):
        with pytest.raises(ModelError, match="models list"):
            catalogue.get(strange)


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": []},
        {"file": "../tiny.gguf"},
        {"size": 0},
        {"surprise": 1},
        {"source": {"kind": "ftp"}},
    ],
)
def test_an_unsound_entry_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="can't be used") as caught:
        load_catalogue(written(tmp_path, entry(**changes)))
    assert caught.value.code == "E_CATALOGUE"
