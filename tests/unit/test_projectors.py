"""Which file beside a model is taken for its projector, and what is said where none is."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library.probe import find_projector, projectors_beside
from tests.gguf_builder import BOOL, STRING, TENSORS, U32, gguf, pair

SIZES = {
    "projection_dim": 64, "image_size": 56, "patch_size": 14, "attention.head_count": 4, "embedding_length": 64,
    "block_count": 2,
}  # fmt: skip


def projector(kind: str = "clip", *, vision: bool = True, **sizes: int) -> bytes:
    keys = (pair("general.architecture", STRING, kind), pair("clip.has_vision_encoder", BOOL, vision))
    given = {**SIZES, **{name.replace("__", "."): size for name, size in sizes.items()}}
    return gguf((*keys, *(pair(f"clip.vision.{name}", U32, size) for name, size in given.items())), TENSORS)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.gguf"
    path.write_bytes(gguf())
    return path


BAD = [
    ("nothing", b"", "E_MODEL_EMPTY"),
    ("a text", b"A horse walks into a bar.", "E_MODEL_NOT_GGUF"),
    ("cut off", projector()[:-400], "E_MODEL_TRUNCATED"),
    ("a language model", gguf(), "E_PROJECTOR_KIND"),
    ("one for sound alone", projector(vision=False), "E_PROJECTOR_KIND"),
    ("another model's", projector(projection_dim=128), "E_PROJECTOR_FIT"),
    ("no pixels in a patch", projector(patch_size=0), "E_MODEL_CORRUPT"),
    ("no attention heads", projector(attention__head_count=0), "E_MODEL_CORRUPT"),
    ("a picture without end", projector(image_size=1 << 30), "E_MODEL_CORRUPT"),
]


@pytest.mark.parametrize(("what", "data", "code"), BAD, ids=[what for what, _, _ in BAD])
def test_a_doubtful_projector_is_refused_by_its_header(
    what: str, data: bytes, code: str, model: Path, profile: Profile
) -> None:
    model.with_name("mmproj-tiny.gguf").write_bytes(data)
    with pytest.raises(ModelError) as caught:
        find_projector(model, profile)
    assert caught.value.code == code, what
    assert caught.value.hint


def test_without_a_projector_and_with_several_none_is_taken(model: Path, profile: Profile) -> None:
    with pytest.raises(ModelError) as caught:
        find_projector(model, profile)
    assert caught.value.code == "E_PROJECTOR_MISSING"
    names = ["mmproj-a.gguf", "MMPROJ-b.gguf"]
    for name in names:
        model.with_name(name).write_bytes(projector())
    assert sorted(path.name for path in projectors_beside(model)) == sorted(names)
    with pytest.raises(ModelError) as caught:
        find_projector(model, profile)
    assert caught.value.code == "E_PROJECTOR_SEVERAL"
    assert all(name in caught.value.sentence for name in names)
