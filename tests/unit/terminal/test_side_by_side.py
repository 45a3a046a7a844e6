"""``jokejudge models compare``: two models on the same rows, one after another."""

from __future__ import annotations

import csv
import json
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.measure.kept import KeptEvaluations
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.known_calibration import known
from tests.planted_judges import answers, cases, sound, wit

SHA256 = {"good": "a" * 64, "bad": "b" * 64}


class Stage:
    """Two models: one goes by wit, the other by its opposite."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.calls = 0
        self.stop_at = -1

    def open(self, profile: Profile, settings: Settings) -> Session:
        def load(_file: object, given: Settings, _cancel: object) -> FakeEngine:
            name = "good" if given.model is None else "bad"
            bias = answers(sound if name == "good" else lambda text: -wit(text))
            engine = FakeEngine(bias, gate=self._called, name=name, sha256=SHA256[name])
            files = MeasuredFiles(Path("nowhere"), profile.models)
            files.save_calibration(known(MainJudge(engine, files)))
            return engine

        return Session(profile, settings, loader=load)

    def _called(self, _method: str) -> None:
        self.calls += 1
        if self.calls == self.stop_at:
            signal.raise_signal(signal.SIGINT)


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    return Stage(tmp_path)


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    rows = [f'"{case.text_a}","{case.text_b}",{case.winner}' for case in cases(12)]
    path.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def compared(stage: Stage, capfd: pytest.CaptureFixture[str]) -> Callable[..., tuple[int, str, str]]:
    def run(*arguments: str, models: tuple[str, ...] = ("embedded", "other")) -> tuple[int, str, str]:
        names = [str(stage.folder / "other.gguf") if name == "other" else name for name in models]
        profile = ["--data-dir", str(stage.folder / "profile")]
        status = main(["models", "compare", *names, *arguments, *profile], open_session=stage.open)
        found = capfd.readouterr()
        return status, found.out, found.err

    return run


def test_two_models_are_compared_on_the_rows_of_a_list(
    compared: Any, stage: Stage, votes: Path, tmp_path: Path
) -> None:
    page, items = tmp_path / "beside.html", tmp_path / "items.csv"
    status, out, err = compared("--list", str(votes), "--json", "--html", str(page), "--items", str(items))
    assert status == 0, err
    found = json.loads(out)
    assert found["error"] is None
    assert [found[name]["model"]["name"] for name in ("first", "second")] == ["good", "bad"]
    assert found["first"]["file"] == "votes.csv"
    duels = found["duels"]
    # Where two jokes are about as witty the fake engine's noise decides.
    assert (duels["first"]["right"], duels["second"]["right"], duels["first"]["n"]) == (10.0, 2.0, 12)
    assert (duels["only_first"], duels["only_second"]) == (8, 0)
    assert duels["p"] == pytest.approx(2 * 0.5**8)
    assert duels["difference"]["value"] == pytest.approx(8 / 12)
    assert "McNemar" in page.read_text(encoding="utf-8")
    with items.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream))
    assert len(rows) == 12
    rights = [(row["what"], row["first_right"], row["second_right"]) for row in rows]
    assert (rights.count(("pair", "1.0", "0.0")), rights.count(("pair", "1.0", "1.0"))) == (8, 2)
    # Each measurement lies where the Trust tab looks, and nothing is asked again.
    kept = KeptEvaluations(Profile.at(tmp_path / "profile").evaluations)
    assert [one.source for sha256 in SHA256.values() for one in kept.of(sha256)] == ["votes.csv"] * 2
    stage.calls = 0
    again = compared("--list", str(votes))
    assert stage.calls == 0
    assert "The first is right in 83 of 100, the second in 17, on the same 12." in " ".join(again[1].split())


def test_jokes_that_come_with_the_program_are_judged_where_no_list_is_named(compared: Any) -> None:
    status, out, err = compared("--limit", "5", "--json")
    assert status == 0, err
    found = json.loads(out)
    assert found["duels"]["first"]["n"] == 5
    assert found["first"]["file"] == "jokes that come with the program"


def test_a_comparison_that_is_stopped_goes_on_where_it_was(compared: Any, stage: Stage, votes: Path) -> None:
    stage.stop_at = 30
    status, _, err = compared("--list", str(votes))
    assert status == 130
    assert "Run the same command again" in err
    stage.calls, stage.stop_at = 0, -1
    status, _, _ = compared("--list", str(votes))
    rest = stage.calls
    assert status == 0
    stage.calls = 0
    compared("--list", str(votes), models=("other", "embedded"))
    assert (rest > 0, stage.calls) == (True, 0)


@pytest.mark.parametrize(
    ("arguments", "models", "code"),
    [
        ((), ("embedded", "embedded"), "E_COMPARE_SAME"),
        (("--list", "-"), ("embedded", "other"), "E_INPUT_FILE"),
        (("--list", "missing.csv"), ("embedded", "other"), "E_INPUT_FILE"),
    ],
)
def test_what_makes_no_sense_is_said(compared: Any, arguments: tuple[str, ...], models: Any, code: str) -> None:
    status, out, _ = compared(*arguments, "--json", models=models)
    assert status in (1, 2)
    assert json.loads(out)["error"]["code"] == code
