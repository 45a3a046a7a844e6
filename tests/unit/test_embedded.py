"""Preparing the embedded model: every way in which wheel, disk or result can be wrong."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import JokeJudgeError, ModelError, SettingsError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.library import embedded
from jokejudge_gui.library.embedded import distrust_embedded, embedded_path, ensure_embedded
from tests.gguf_builder import gguf

SOURCE = b"the wheel's file"
RESULT = gguf()


class Quantiser:
    """Writes a known result, and counts its calls."""

    def __init__(self, result: bytes = RESULT) -> None:
        self.result = result
        self.calls = 0

    def __call__(self, source: Path, target: Path) -> None:
        assert source.read_bytes() == SOURCE
        self.calls += 1
        target.write_bytes(self.result)


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small source and result stand for the real ones."""
    monkeypatch.setattr(embedded, "_SOURCE_SIZE", len(SOURCE))
    monkeypatch.setattr(embedded, "_SOURCE_SHA256", hashlib.sha256(SOURCE).hexdigest())
    monkeypatch.setattr(embedded, "EMBEDDED_SIZE", len(RESULT))
    monkeypatch.setattr(embedded, "EMBEDDED_SHA256", hashlib.sha256(RESULT).hexdigest())
    monkeypatch.setattr(embedded.platform, "machine", lambda: "x86_64")
    path = tmp_path / "source.gguf"
    path.write_bytes(SOURCE)
    return path


def left_over(profile: Profile) -> list[str]:
    return sorted(p.name for p in profile.models.iterdir()) if profile.models.exists() else []


def test_it_is_prepared_once_and_then_quick(profile: Profile, source: Path) -> None:
    quantise, words = Quantiser(), list[str]()
    path = ensure_embedded(profile, words.append, source=source, quantise=quantise)
    assert path == embedded_path(profile)
    assert path.read_bytes() == RESULT
    assert any("Q8_0" in w for w in words)
    words.clear()
    assert ensure_embedded(profile, words.append, source=source, quantise=quantise) == path
    assert (quantise.calls, words) == (1, [])
    assert left_over(profile) == ["SmolLM2-135M-Instruct.Q8_0.gguf"]


def test_the_hash_is_checked_again_after_the_model_failed(profile: Profile, source: Path) -> None:
    quantise, words = Quantiser(), list[str]()
    path = ensure_embedded(profile, source=source, quantise=quantise)
    distrust_embedded(profile)
    ensure_embedded(profile, words.append, source=source, quantise=quantise)
    assert (words, quantise.calls) == ([], 1)
    path.write_bytes(RESULT[:-1] + b"x")
    distrust_embedded(profile)
    ensure_embedded(profile, words.append, source=source, quantise=quantise)
    assert (path.read_bytes(), quantise.calls) == (RESULT, 2)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (SettingsError("E_WRITE", "It can't be written.", ""), 3),
        (ModelError("E_MODEL_MEMORY", "There isn't enough memory.", ""), 3),
        (ModelError("E_MODEL_CRASH", "llama.cpp crashed.", ""), 1),
    ],
)
def test_the_exit_status_tells_set_up_whether_the_library_or_this_computer_is_at_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: JokeJudgeError, status: int
) -> None:
    def fail(*_: object) -> Path:
        raise error

    monkeypatch.setattr(embedded, "ensure_embedded", fail)
    assert embedded.main(["--data-dir", str(tmp_path)]) == status
