"""The library of llama.cpp: which one is taken, and what it doesn't have or can't run."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import EngineSetupError, ModelError
from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.engine import binding, llama_cpp
from jokejudge_gui.engine.gguf import read_gguf, write_q8_0
from jokejudge_gui.engine.llama_cpp import check_processor, find_library
from jokejudge_gui.library.embedded import EMBEDDED_SHA256, find_wheel_model


def test_the_embedded_model_is_made_byte_for_byte(tmp_path: Path) -> None:
    source = find_wheel_model()
    assert source is not None
    target = tmp_path / "model.gguf"
    write_q8_0(source, target)
    assert sha256_of(target) == EMBEDDED_SHA256
    assert read_gguf(target).quantisation == "Q8_0"


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.gguf"
    damaged.write_bytes(b"no model at all")
    with pytest.raises(ModelError, match="GGUF"):
        write_q8_0(damaged, tmp_path / "target.gguf")


def test_the_structures_are_those_of_the_library_and_each_declared_function_is_there() -> None:
    binding.check_interface()
    used = set(re.findall(r"llama_cpp\.(\w+)", Path(str(binding.__file__)).read_text("utf-8")))
    for name in used | set(llama_cpp._FUNCTIONS):
        assert hasattr(llama_cpp, name), name


def test_a_function_that_the_library_lacks_is_an_error_when_it_is_called_and_not_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(llama_cpp._FUNCTIONS, "llama_not_there", (None,))
    with pytest.raises(EngineSetupError) as raised:
        llama_cpp.llama_not_there()
    assert raised.value.code == "E_ENGINE_LACKS"


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", [str(tmp_path / "nothing"), str(tmp_path)])
    (tmp_path / "xllamacpp").mkdir()
    (tmp_path / "xllamacpp" / "xllamacpp.abi3.so").write_bytes(b"prebuilt")
    return tmp_path


def test_a_library_that_was_compiled_here_goes_before_the_prebuilt_one(packages: Path) -> None:
    assert llama_cpp.is_prebuilt()
    library = packages / "llama_cpp" / "lib" / "libllama.so"
    library.parent.mkdir(parents=True)
    library.symlink_to(packages / "xllamacpp" / "xllamacpp.abi3.so")  # as an earlier set-up did
    assert llama_cpp.is_prebuilt()
    library.unlink()
    library.write_bytes(b"compiled")
    assert find_library() == library
    assert not llama_cpp.is_prebuilt()


def test_a_processor_that_the_prebuilt_library_would_die_on_is_a_sentence(
    packages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(llama_cpp.platform, "machine", lambda: "x86_64")
    old, new = packages / "old", packages / "new"
    old.write_text("processor\t: 0\nflags\t\t: sse4_2 popcnt bmi2\n")
    new.write_text("processor\t: 0\nflags\t\t: sse4_2 avx2 fma f16c bmi2\n")
    check_processor(new)
    check_processor(packages / "not there")
    with pytest.raises(EngineSetupError, match=r"no AVX2, F16C, FMA, which") as raised:
        check_processor(old)
    assert "--compile" in raised.value.hint
