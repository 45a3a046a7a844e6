"""What stands in for a llama.cpp that lacks functions."""

from __future__ import annotations

import importlib.machinery
import subprocess
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import EngineSetupError, ModelError
from jokejudge_gui.core.files import sha256_of
from jokejudge_gui.engine import prebuilt
from jokejudge_gui.engine.gguf import read_gguf
from jokejudge_gui.engine.prebuilt import check_processor
from jokejudge_gui.engine.quantise import write_q8_0
from jokejudge_gui.library.embedded import EMBEDDED_SHA256, find_wheel_model


def test_the_embedded_model_is_made_byte_for_byte_without_llama_cpp(tmp_path: Path) -> None:
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


def test_a_function_that_the_library_lacks_is_an_error_when_it_is_called_and_not_before() -> None:
    """In a process of its own: a library that lacks two functions is made by hiding them from the bindings."""
    program = """
import ctypes
real = ctypes.CDLL.__getattr__
def hidden(self, name):
    if name in ("llama_model_quantize", "llama_max_parallel_sequences"):
        raise AttributeError(name)
    return real(self, name)
ctypes.CDLL.__getattr__ = hidden
from jokejudge_gui.core.errors import EngineSetupError
from jokejudge_gui.engine import binding, prebuilt
assert prebuilt.lacking >= {"llama_model_quantize", "llama_max_parallel_sequences"}, prebuilt.lacking
assert binding.max_sequences() == 256
assert "(prebuilt)" in binding.build_id()
binding.check_interface()
import llama_cpp
try:
    llama_cpp.llama_model_quantize(b"a", b"b", None)
except EngineSetupError as error:
    print(error.code, error.hint)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("E_ENGINE_LACKS")
    assert "--compile" in done.stdout


def test_a_processor_that_the_prebuilt_library_would_die_on_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library, other = tmp_path / "lib" / "libllama.so", tmp_path / "xllamacpp.abi3.so"
    library.parent.mkdir()
    spec = importlib.machinery.ModuleSpec("llama_cpp", None, is_package=True)
    spec.submodule_search_locations = [str(tmp_path)]
    monkeypatch.setattr(prebuilt.importlib.util, "find_spec", lambda name: spec)
    monkeypatch.setattr(prebuilt.platform, "machine", lambda: "x86_64")
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("processor\t: 0\nflags\t\t: sse4_2 popcnt bmi2\n")
    new.write_text("processor\t: 0\nflags\t\t: sse4_2 avx2 fma f16c bmi2\n")
    library.write_bytes(b"compiled here")
    check_processor(old)
    library.unlink()
    library.symlink_to(other)
    check_processor(new)
    check_processor(tmp_path / "not there")
    with pytest.raises(EngineSetupError, match=r"no AVX2, F16C, FMA, which") as raised:
        check_processor(old)
    assert "--compile" in raised.value.hint
