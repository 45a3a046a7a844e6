"""From a model's name to an engine: what stands in the way is said."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core import paths
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import EngineSetupError
from jokejudge_gui.core.events import ModelReady
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine import loader
from jokejudge_gui.library.finder import ModelFile
from jokejudge_gui.session import loading
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine


def test_a_llama_cpp_that_cannot_be_loaded_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(*_: object) -> Iterator[Any]:
        yield from ()
        return ModelFile(tmp_path / "m.gguf", "Mine"), "ab" * 32

    monkeypatch.setattr(loading, "identify", found)
    monkeypatch.setattr(loading, "probe", lambda *_, context: {"context": context})
    monkeypatch.setitem(sys.modules, "jokejudge_gui.engine.loader", None)
    for hint in ("Run python3 packaging/run.py again.", "Install JokeJudge's package again."):
        with pytest.raises(EngineSetupError) as caught:
            list(loading.open_model(None, Profile.at(tmp_path), Settings(), None))
        assert caught.value.code == "E_SETUP"
        assert caught.value.hint == hint
        monkeypatch.setattr(sys, "frozen", True, raising=False)  # the program of a package


def test_hints_name_the_set_up_script_only_where_there_is_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    hints = paths.how_to_mend("x"), paths.how_to_compile(), paths.how_to_add("agents")
    assert all("packaging/run.py" in hint for hint in hints)
    monkeypatch.setattr(paths, "_PACKAGE", tmp_path / "site-packages" / "jokejudge_gui")
    hints = paths.how_to_mend("x"), paths.how_to_compile(), paths.how_to_add("agents"), paths.how_to_add("window")
    assert all("pip" in hint and "packaging/run.py" not in hint for hint in hints)


ENDS = "import os, sys; from pathlib import Path; from jokejudge_gui.library.probe import attempt; "
ENDS += "from jokejudge_gui.core.paths import Profile\n"
ENDS += "with attempt(Path(sys.argv[1]), Profile.at(Path(sys.argv[2]))): os._exit(9)"


@pytest.fixture
def ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A model that ended the program when it was last loaded, the embedded one beside it; loading either gives a fake
    engine of its name."""
    files = {None: ModelFile(tmp_path / "embedded.gguf", "embedded"), "bad": ModelFile(tmp_path / "bad.gguf", "Bad")}
    for file in files.values():
        file.path.write_bytes(b"GGUF")
    subprocess.run(
        [sys.executable, "-c", ENDS, str(files["bad"].path), str(tmp_path / "profile")], check=False, timeout=120
    )

    def load(path: Path, *, name: str, sha256: str, notes: list[str], **_: object) -> FakeEngine:
        engine = FakeEngine(name=name, sha256=sha256)
        engine._info = dataclasses.replace(engine.info, notes=tuple(notes))
        return engine

    monkeypatch.setattr(loading, "resolve_model", lambda spec, _profile: files[spec])
    monkeypatch.setattr(loading, "probe", lambda *_, context: {"context": context})
    monkeypatch.setattr(loader, "load_engine", load)
    return files["bad"].path


def test_a_model_that_ended_the_program_gives_way_to_the_embedded_one_until_it_is_chosen(
    ended: Path, tmp_path: Path
) -> None:
    profile = Profile.at(tmp_path / "profile")
    session = Session(profile, Settings(model="bad"))
    try:
        (ready,) = [event for event in session.warm() if isinstance(event, ModelReady)]
        assert ready.model.name == "embedded"
        assert "Bad ended the program" in ready.note
        assert "jokejudge models use bad" in ready.note
        (ready,) = [event for event in session.load("bad") if isinstance(event, ModelReady)]
        assert (ready.model.name, ready.note) == ("Bad", "")
    finally:
        session.close()
    again = Session(profile, Settings(model="bad"))
    try:
        (ready,) = [event for event in again.warm() if isinstance(event, ModelReady)]
        assert ready.model.name == "Bad"
    finally:
        again.close()
