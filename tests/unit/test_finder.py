"""Finding models on the disk: every program's folders, nothing twice, nothing harmed; and which file a name means."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library import embedded, finder
from jokejudge_gui.library.catalogue import Catalogue
from jokejudge_gui.library.finder import FoundModel, find_models, resolve_model
from tests.catalogue_builder import entry
from tests.gguf_builder import gguf

CONTENT = gguf(data=4096)
HASH = "ab" * 32
KNOWN = Catalogue.model_validate({"version": 1, "models": [entry(size=len(CONTENT), sha256=[HASH], file="tiny.gguf")]})


def put(path: Path, content: bytes = CONTENT) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@contextmanager
def machine(home: Path) -> Iterator[None]:
    """As if the program ran for the user of that home folder."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "environ", {"HOME": str(home)})
        yield


def find(profile: Profile, home: Path) -> list[FoundModel]:
    with machine(home):
        return find_models(profile, catalogue=KNOWN)


@pytest.mark.parametrize(
    ("place", "origin"),
    [
        (".lmstudio/models/org/repo/some.gguf", "LM Studio"),
        (".cache/huggingface/hub/models--org--repo/snapshots/0123/some.gguf", "Hugging Face"),
    ],
)
def test_models_of_other_programs_are_found_where_they_keep_them(
    profile: Profile, home: Path, place: str, origin: str
) -> None:
    path = put(home / place)
    assert find(profile, home) == [FoundModel(path, "some", origin, len(CONTENT))]


def test_a_model_of_ollama_has_the_name_and_hash_of_its_manifest(profile: Profile, home: Path) -> None:
    path = put(home / f".ollama/models/blobs/sha256-{HASH}")
    layer = {"mediaType": "application/vnd.ollama.image.model", "digest": f"sha256:{HASH}"}
    put(home / ".ollama/models/manifests/h/n/tiny/latest", json.dumps({"layers": [layer]}).encode())
    (model,) = find(profile, home)
    assert (model.path, model.label, model.origin, model.sha256) == (path, "Tiny Q8_0", "Ollama", HASH)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b'{"layers": 3}',
        b'{"layers": [1, {"mediaType": 2}]}',
        b'{"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:../../../etc/passwd"}]}',
        b"[" * 100_000,
    ],
)
def test_damaged_manifests_are_passed_over(profile: Profile, home: Path, content: bytes) -> None:
    put(home / ".ollama/models/manifests/h/n/m/t", content)
    assert find(profile, home) == []


def test_projectors_later_parts_fragments_and_other_files_are_left_out(profile: Profile, home: Path) -> None:
    folder = home / ".lmstudio/models/o/r"
    put(folder / "mmproj-model.gguf")
    put(folder / "m-00002-of-00003.gguf")
    put(folder / "text.gguf", b"not a model" * 500)
    put(folder / "empty.gguf", b"")
    put(folder / "some.gguf.part")
    put(folder / ".hidden" / "x.gguf")
    (folder / "folder.gguf").mkdir()
    (folder / "dangling.gguf").symlink_to(folder / "gone")
    first = put(folder / "m-00001-of-00003.gguf")
    assert [m.path for m in find(profile, home)] == [first]


# Which file a name means


def resolve(spec: str | None, profile: Profile, home: Path) -> finder.ModelFile:
    with machine(home):
        return resolve_model(spec, profile, catalogue=KNOWN)


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ("no/such/model.gguf", "E_MODEL_MISSING"),
        ("nothing.gguf", "E_MODEL_MISSING"),
        ("tyny", "E_MODEL_UNKNOWN"),
        ("tiny", "E_MODEL_NOT_FETCHED"),
        ("nul\0/x", "E_MODEL_MISSING"),
    ],
)
def test_a_name_that_means_nothing_here_says_what_to_do(profile: Profile, home: Path, spec: str, code: str) -> None:
    with pytest.raises(ModelError) as caught:
        resolve(spec, profile, home)
    assert caught.value.code == code
    assert caught.value.hint


def test_a_fetched_model_is_found_by_name_with_its_checked_hash(profile: Profile, home: Path) -> None:
    path = put(profile.models / "tiny.gguf")
    assert resolve("Tiny", profile, home) == finder.ModelFile(path, "Tiny Q8_0", HASH)


@pytest.mark.parametrize("spec", [None, "", "  "])
def test_no_name_is_the_embedded_model(
    profile: Profile, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, spec: str | None
) -> None:
    asked: list[Profile] = []

    def ensure(profile: Profile, progress: object = None) -> Path:
        asked.append(profile)
        return tmp_path / "embedded.gguf"

    monkeypatch.setattr(finder, "ensure_embedded", ensure)
    resolved = resolve(spec, profile, home)
    assert (resolved.path, resolved.sha256) == (tmp_path / "embedded.gguf", embedded.EMBEDDED_SHA256)
    assert asked == [profile]
