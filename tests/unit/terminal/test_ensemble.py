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


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rate", JOKE, "--model", "alpha", "--model", "alpha"], "named twice"),
        (["workshop", JOKE, "--model", "alpha", "--model", "beta"], "give ratings and duels together"),
        (["models", "calibrate", "--model", "alpha", "--model", "beta"], "give ratings and duels together"),
    ],
)
def test_what_makes_no_sense_is_said(judged: Run, arguments: list[str], said: str) -> None:
    status, told = judged(*arguments)
    assert status in (1, 2)
    assert said in " ".join(told.split())


def test_a_text_of_the_judges_own_family_is_cautioned_about(judged: Run) -> None:
    alone = judged("rate", JOKE, "--model", "qwen", "--generator", "Qwen 3")[1]
    assert "of the same family" in " ".join(alone.split())
    mixed = judged("rate", JOKE, "--model", "qwen", "--model", "llama", "--generator", "Qwen 3")[1]
    assert "of the same family" not in " ".join(mixed.split())


LIST = "First joke of mine.\nSecond joke of mine.\nThird joke of mine.\n"
PAIRS = "id,text_a,text_b,winner\n1,One joke.,Another joke.,A\n2,A third joke.,A fourth joke.,B\n"


@pytest.mark.parametrize(
    "command",
    [
        "contest {list} --out {out}.csv", "contest {list}", "screen {list} --out {out}", "screen {list}",
        "audit", "audit --pairs {pairs} --no-history",
        "models fit", "models fit --remove",
    ],
)  # fmt: skip
def test_what_a_panel_can_not_do_is_said(judged: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "list.txt").write_text(LIST)
    (tmp_path / "pairs.csv").write_text(PAIRS)
    places = {name: tmp_path / each for name, each in (("list", "list.txt"), ("pairs", "pairs.csv"), ("out", "o"))}
    judges = ["--model", "alpha", "--model", "beta"]
    status, said = judged(*command.format(**places).split(), *judges)
    assert status in (1, 2)
    assert "Several models give ratings and duels together" in " ".join(said.split())


def test_a_batch_of_a_panel_does_not_go_on_by_other_criteria(judged: Run, tmp_path: Path) -> None:
    source, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    source.write_text(f"id,text\n1,{JOKE}\n")
    given = ("rate", "--batch", str(source), "--out", str(out), "--model", "alpha", "--model", "beta")
    assert judged(*given)[0] == 0
    source.write_text(f"id,text\n1,{JOKE}\n2,Another one.\n")
    assert judged("criteria", "weights", "surprise=1")[0] == 0
    status, said = judged(*given)
    assert status != 0
    assert "of another criteria or prompts" in " ".join(said.split())
    turned = ("rate", "--batch", str(source), "--out", str(out), "--model", "beta", "--model", "alpha")
    assert judged("criteria", "weights", "--clear")[0] == 0
    assert judged(*turned)[0] == 0
