"""Probing: what a child that answers, refuses, crashes or hangs is turned into, and what is remembered."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import Cancelled, ModelError
from jokejudge_gui.core.files import remembered
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.library.probe import probe
from tests.gguf_builder import gguf

GOOD = 'print(\'noise\'); print(\'jokejudge-probe:{"facts": {"architecture": "llama"}}\')'


def child(code: str) -> list[str]:
    return [sys.executable, "-S", "-c", code]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "m.gguf"
    path.write_bytes(gguf())
    return path


def error_of(model: Path, profile: Profile, code: str) -> ModelError:
    with pytest.raises(ModelError) as caught:
        probe(model, profile, command=child(code))
    assert caught.value.hint
    assert str(model) not in remembered(profile.data / "probes.json")
    return caught.value


def test_a_sound_model_gives_its_facts_and_is_not_tried_again(model: Path, profile: Profile) -> None:
    first = probe(model, profile, command=child(GOOD))
    assert first == {"architecture": "llama"}
    assert probe(model, profile, command=child("raise SystemExit('not run')")) == first


def test_an_unsound_header_never_reaches_the_child(tmp_path: Path, profile: Profile) -> None:
    path = tmp_path / "cut.gguf"
    path.write_bytes(gguf()[:200])
    marker = tmp_path / "ran"
    with pytest.raises(ModelError) as caught:
        probe(path, profile, command=child(f"open({str(marker)!r}, 'w')"))
    assert caught.value.code == "E_MODEL_CORRUPT"
    assert not marker.exists()


def test_a_file_changed_behind_its_size_and_time_is_tried_again(model: Path, profile: Profile) -> None:
    probe(model, profile, command=child(GOOD))
    before = model.stat()
    content = bytearray(model.read_bytes())
    content[-1] ^= 1
    model.write_bytes(content)
    os.utime(model, ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(ModelError):
        probe(model, profile, command=child("raise SystemExit('run')"))


@pytest.mark.parametrize(
    "code",
    [
        "import os; os.kill(os.getpid(), 9)",
        "import sys; sys.stderr.write('ggml: failed to allocate buffer of size 9'); sys.exit(1)",
        "import sys, os; sys.stderr.write('std::bad_alloc'); sys.stderr.flush(); os.abort()",
        'print(\'jokejudge-probe:\' + \'{"error": ["E_MODEL_LOAD", "x (unable to allocate CPU buffer).", "h"]}\');'
        "raise SystemExit(1)",
    ],
)
def test_too_little_memory_is_recognised(model: Path, profile: Profile, code: str) -> None:
    assert error_of(model, profile, code).code == "E_MODEL_MEMORY"


def test_a_crash_tells_the_last_words(model: Path, profile: Profile) -> None:
    code = "import os, sys; sys.stderr.write('loading\\nGGML_ASSERT(a == b) failed\\n'); sys.stderr.flush(); os.abort()"
    error = error_of(model, profile, code)
    assert error.code == "E_MODEL_CRASH"
    assert "GGML_ASSERT(a == b) failed" in error.sentence
    assert "signal 6" in error.sentence


def test_a_child_that_hangs_is_ended(model: Path, profile: Profile) -> None:
    with pytest.raises(ModelError) as caught:
        probe(model, profile, command=child("import time; time.sleep(60)"), timeout=0.2)
    assert caught.value.code == "E_MODEL_TIMEOUT"


def test_a_cancel_ends_the_child(model: Path, profile: Profile) -> None:
    class Second(CancelToken):
        asked = 0

        def check(self) -> None:
            self.asked += 1
            if self.asked > 2:
                self.cancel()
            super().check()

    with pytest.raises(Cancelled):
        probe(model, profile, Second(), command=child("import time; time.sleep(60)"))
