"""The GGUF header reader: what it reads from sound files, and what it says of every unsound one."""

from __future__ import annotations

import os
import struct
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.engine.gguf import GgufFacts, read_gguf
from tests.gguf_builder import ARRAY, BASICS, STRING, U8, U32, gguf, pair, tensor, text


def written(folder: Path, content: bytes, name: str = "m.gguf") -> Path:
    path = folder / name
    path.write_bytes(content)
    return path


def code_of(path: Path) -> str:
    with pytest.raises(ModelError) as caught:
        read_gguf(path)
    assert caught.value.sentence.endswith(".")
    assert caught.value.hint
    return caught.value.code


def outcome(path: Path) -> str:
    try:
        facts = read_gguf(path)
    except ModelError as error:
        return error.code
    return "sound" if facts.parameters > 0 else "empty"


def test_a_sound_file_tells_its_facts(tmp_path: Path) -> None:
    content = gguf()
    assert read_gguf(written(tmp_path, content)) == GgufFacts(
        name="Tiny",
        architecture="llama",
        quantisation="Q8_0",
        parameters=320,
        size_bytes=len(content),
        slow_kernels=False,
    )


@pytest.mark.parametrize("content", [b"", b"Why did the chicken cross the road?", b"PK\3\4" + bytes(40)])
def test_another_file_is_called_no_model(tmp_path: Path, content: bytes) -> None:
    assert code_of(written(tmp_path, content)) == "E_MODEL_NOT_GGUF"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_refused_without_waiting_on_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.gguf")
    assert code_of(tmp_path / "pipe.gguf") == "E_MODEL_NOT_GGUF"


def test_a_file_cut_anywhere_is_called_damaged(tmp_path: Path) -> None:
    content = gguf()
    for length in range(4, len(content)):
        assert code_of(written(tmp_path, content[:length])) == "E_MODEL_CORRUPT", length


@pytest.mark.parametrize(
    "content",
    [
        gguf(counts=(2, 2**40)),
        gguf((pair("general.architecture", STRING, "llama"), text(b"k" * 70_000) + struct.pack("<IB", U8, 1))),
        gguf((BASICS[0], BASICS[0])),
        gguf((BASICS[0], text("k") + struct.pack("<I", 13))),
        gguf((BASICS[0], text("k") + struct.pack("<IIQ", ARRAY, ARRAY, 1) + bytes(20))),
        gguf((BASICS[0], text("k") + struct.pack("<IIQ", ARRAY, STRING, 2**60))),
        gguf((BASICS[0], text("k") + struct.pack("<IQ", STRING, 2**63))),
        gguf((BASICS[0], pair("general.alignment", U32, 24))),
        gguf(tensors=(tensor("w", (), 0, 0),)),
        gguf(tensors=(tensor("w", (2**40, 2**40), 0, 0),)),
        gguf(tensors=(tensor("w", (33,), 8, 0),)),
        gguf(tensors=(tensor("w", (32,), 4, 0),)),
        gguf(tensors=(tensor("w", (32,), 0, 7),)),
        gguf(tensors=(tensor("w", (8,), 0, 0), tensor("w", (8,), 0, 32))),
        gguf(tensors=()),
        gguf(BASICS[1:]),
    ],
)
def test_hostile_or_nonsensical_headers_are_called_damaged(tmp_path: Path, content: bytes) -> None:
    assert code_of(written(tmp_path, content)) == "E_MODEL_CORRUPT"


@pytest.mark.parametrize(
    ("pairs", "words"),
    [
        ((pair("general.architecture", STRING, "clip"),), "projector"),
        ((BASICS[0], pair("general.type", STRING, "adapter")), "adapter"),
        ((BASICS[0], pair("general.type", STRING, "imatrix")), "measurements"),
    ],
)
def test_gguf_files_that_are_no_language_model(tmp_path: Path, pairs: tuple[bytes, ...], words: str) -> None:
    path = written(tmp_path, gguf(pairs))
    assert code_of(path) == "E_MODEL_KIND"
    with pytest.raises(ModelError, match=words):
        read_gguf(path)


def split(number: int, count: int) -> bytes:
    return gguf((*BASICS, pair("split.no", U32, number), pair("split.count", U32, count)))


def test_a_model_in_parts_is_summed_up_from_all_of_them(tmp_path: Path) -> None:
    first = written(tmp_path, split(0, 2), "m-00001-of-00002.gguf")
    written(tmp_path, split(1, 2), "m-00002-of-00002.gguf")
    facts = read_gguf(first)
    assert (facts.parameters, facts.size_bytes) == (640, 2 * first.stat().st_size)


def test_parts_that_are_missing_renamed_or_not_the_first(tmp_path: Path) -> None:
    first = written(tmp_path, split(0, 2), "m-00001-of-00002.gguf")
    assert code_of(first) == "E_MODEL_PARTS"
    second = written(tmp_path, split(1, 2), "m-00002-of-00002.gguf")
    with pytest.raises(ModelError, match="not the first of its") as caught:
        read_gguf(second)
    assert "m-00001-of-00002.gguf" in caught.value.hint
    assert code_of(written(tmp_path, split(0, 2), "renamed.gguf")) == "E_MODEL_PARTS"
    assert code_of(written(tmp_path, split(0, 2**31), "m-00001-of-00003.gguf")) == "E_MODEL_PARTS"


@given(st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_sound_file_with_some_bytes_changed_gives_facts_or_a_model_error(tmp_path: Path, data: st.DataObject) -> None:
    content = bytearray(gguf())
    for _ in range(data.draw(st.integers(1, 6))):
        place = data.draw(st.integers(0, len(content) - 545))
        content[place] = data.draw(st.sampled_from([0, 1, 8, 9, 127, 128, 255]))
    assert outcome(written(tmp_path, bytes(content))).startswith(("E_MODEL_", "sound"))
