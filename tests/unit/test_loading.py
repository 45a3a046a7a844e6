"""From a model's name to an engine: what stands in the way is said."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui import loading
from jokejudge_gui.config import Settings
from jokejudge_gui.errors import EngineSetupError
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.library.probe import ProbeResult
from jokejudge_gui.paths import Profile


def test_a_llama_cpp_that_cannot_be_loaded_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*_: object) -> Iterator[Any]:
        yield from ()
        return ModelFile(tmp_path / "m.gguf", "Mine"), "ab" * 32

    monkeypatch.setattr(loading, "identify", found)
    monkeypatch.setattr(loading, "probe", lambda path, *_, context: ProbeResult(path, {"context": context}))
    monkeypatch.setitem(sys.modules, "jokejudge_gui.engine.loader", None)
    with pytest.raises(EngineSetupError) as caught:
        list(loading.open_model(None, Profile.at(tmp_path), Settings(), None))
    assert caught.value.code == "E_SETUP"
    assert "packaging/run.py" in caught.value.hint
