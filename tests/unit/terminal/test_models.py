"""Models from the terminal. No model is loaded and nothing is fetched here."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.cli import models as model_commands
from jokejudge_gui.core.events import Stage, StageProgress
from jokejudge_gui.library.catalogue import load_catalogue
from jokejudge_gui.library.finder import ModelFile

if TYPE_CHECKING:
    from .conftest import Run, Stage

NAME = "qwen2.5-coder-0.5b"


def test_the_catalogue_is_listed_with_what_is_in_use(run: Run) -> None:
    outcome = run("models", "list")
    assert outcome.status == 0
    assert "In use: the embedded model" in outcome.out
    listed = run("models", "list", "--json").object
    assert [model["id"] for model in listed["models"]] == [entry.id for entry in load_catalogue().listed]
    assert NAME in [model["id"] for model in listed["models"]]
    assert listed["model"] is None


@pytest.fixture
def sound_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file that passes for a model."""
    file = tmp_path / "mine.gguf"
    file.write_bytes(b"GGUF")

    class Facts:
        quantisation = "Q8_0"
        size_bytes = 4

    monkeypatch.setattr(model_commands, "resolve_model", lambda _spec, _profile: ModelFile(file, "Mine"))
    monkeypatch.setattr(model_commands, "read_gguf", lambda _path: Facts())
    monkeypatch.setattr(model_commands, "probe", lambda _path, _profile, _cancel, context: None)
    return file


def test_a_model_in_use_stays_in_use(run: Run, sound_model: Path, tmp_path: Path, stage: Stage) -> None:
    outcome = run("models", "use", str(sound_model), "--threads", "2")
    assert outcome.status == 0
    assert "Mine" in outcome.err
    saved = json.loads((tmp_path / "profile" / "settings.json").read_text())
    assert saved == {"model": str(sound_model)}
    run("rate", "text")
    assert stage.asked[0].settings.model == str(sound_model)
    assert run("models", "use", "embedded").status == 0
    assert json.loads((tmp_path / "profile" / "settings.json").read_text())["model"] is None


def interrupted(entry: Any, _profile: Any, cancel: Any) -> Iterator[StageProgress]:
    yield StageProgress(stage=Stage.LOADING, done=1, total=entry.size, note="fetching")
    os.kill(os.getpid(), signal.SIGINT)
    while not cancel.cancelled:
        pass
    cancel.check()


def test_a_stopped_fetch_is_status_130_and_can_go_on(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("jokejudge_gui.library.fetch.get", interrupted)
    outcome = run("models", "get", NAME)
    assert outcome.status == 130
    assert "goes on from there" in outcome.err
