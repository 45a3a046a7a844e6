"""Panels of models as they are typed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.rating_helpers import pun

Run = Callable[..., Any]
JOKE = "I bought shoes from a drug dealer. I was tripping all day."


def objects_of(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines() if line.startswith("{")]


@pytest.fixture
def judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Run:
    """The program with a model of its own behind every name."""
    profile = Profile.at(tmp_path / "profile")

    def load(_file: object, settings: Settings, _cancel: object) -> FakeEngine:
        name = settings.model or "single"
        fake = FakeEngine(pun, name=name, sha256=hashlib.sha256(name.encode()).hexdigest())
        files = MeasuredFiles(Path("nowhere"), profile.models)
        files.save_calibration(known(MainJudge(fake, files)))
        return fake

    def call(*arguments: str) -> tuple[int, str]:
        capsys.readouterr()
        status = main(
            ["--data-dir", str(tmp_path / "profile"), *arguments],
            open_session=lambda profile, settings: Session(profile, settings, loader=load),
        )
        captured = capsys.readouterr()
        return status, captured.out + captured.err

    return call


def test_a_model_given_twice_judges_as_a_panel(judged: Run) -> None:
    status, said = judged("rate", JOKE, "--model", "alpha", "--model", "beta")
    assert status == 0, said
    assert "By model" in said
    assert "alpha + beta" in said
    status, said = judged("duel", JOKE, "Another.", "--model", "alpha", "--model", "beta", "--model", "gamma", "--json")
    assert status == 0, said
    panel = objects_of(said)[-1]["panel"]
    assert [member["model"]["name"] for member in panel["members"]] == ["alpha", "beta", "gamma"]


def test_a_batch_is_judged_by_a_panel_and_goes_on(judged: Run, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text(f"id,text\n1,{JOKE}\n2,Another one.\n")
    arguments = ("rate", "--batch", str(tmp_path / "in.csv"), "--out", str(tmp_path / "out.jsonl"))
    status, said = judged(*arguments, "--model", "alpha", "--model", "beta")
    assert (status, "2 judged" in said) == (0, True), said
    lines = objects_of((tmp_path / "out.jsonl").read_text())
    assert sum(line.get("panel") is not None for line in lines) == 2
