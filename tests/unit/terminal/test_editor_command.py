"""``models fit --editor`` and ``models plan --measure`` over the real session; only the engine is a fake one."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.session.session import Session
from tests.learning_engine import LearningEngine, folder_to_learn_from

from .conftest import Outcome

if TYPE_CHECKING:
    from jokejudge_gui.core.config import Settings
    from jokejudge_gui.core.paths import Profile

Call = Callable[..., Outcome]


@pytest.fixture
def call(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Call:
    models = folder_to_learn_from(tmp_path / "models")
    monkeypatch.setattr("jokejudge_gui.session.session.models_dir", lambda: models)

    def run(*arguments: str, engine: LearningEngine | None = None) -> Outcome:
        def open_session(profile: Profile, settings: Settings) -> Session:
            return Session(profile, settings, loader=lambda _file, _settings, _cancel: engine or LearningEngine())

        capsys.readouterr()
        status = main(["--data-dir", str(tmp_path / "profile"), *arguments], open_session=open_session)
        captured = capsys.readouterr()
        return Outcome(status, captured.out, captured.err)

    return run


def test_a_model_is_taught_to_read_and_read_alone_after_that(call: Call, tmp_path: Path) -> None:
    outcome = call("models", "fit", "--editor")
    assert outcome.status == 0
    for words in (
        "It reads jokes now: learned from 240 texts",
        "It compares drafts now",
        "too near to chance",
        "nothing is asked",
    ):
        assert words in " ".join(outcome.out.split())
    profile = tmp_path / "profile"
    assert [path.name for path in sorted(profile.glob("*/ffffffffffffffff.npz"))] == ["ffffffffffffffff.npz"] * 2
    assert (profile / "models" / "ffffffffffffffff" / "measured.json").is_file()
    found = json.loads(call("rate", "My owl bakes with the wrong coat on day 900.", "--json").out)
    assert {factor["source"] for factor in found["factors"]} == {"read"}
    assert all(factor["trust"] >= 0.35 for factor in found["factors"])
    again = call("models", "fit", "--editor")
    assert "Nothing was left to learn" in again.out


def test_ctrl_c_keeps_what_was_read_and_the_same_command_goes_on(call: Call, tmp_path: Path) -> None:
    def interrupt(count: int) -> None:
        if count == 120:
            os.kill(os.getpid(), signal.SIGINT)

    outcome = call("models", "fit", "--editor", engine=LearningEngine(reading=interrupt))
    assert outcome.status == 130
    assert "goes on from there" in outcome.err
    assert not list((tmp_path / "profile").glob("editor/*"))
    engine = LearningEngine()
    found = json.loads(call("models", "fit", "--editor", "--json", engine=engine).out)
    assert [part["part"] for part in found["learned"]] == ["editor", "drafts", "sense", "plan"]
    assert found["error"] is None


def test_what_asking_adds_is_measured_alone_and_shown(call: Call) -> None:
    outcome = call("models", "plan", "--measure", engine=LearningEngine(answers=True))
    assert outcome.status == 0
    assert "are worth it for" in " ".join(outcome.out.split())
    assert "\nFactors" in outcome.out
    assert "asked" in outcome.out


@pytest.mark.parametrize("more", [["--editor", "--remove"], ["--editor", "--only-given"], ["--again"]])
def test_what_doesnt_go_together_is_refused(call: Call, more: list[str]) -> None:
    outcome = call("models", "fit", *more)
    assert outcome.status == 2
