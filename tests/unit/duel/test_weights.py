"""Fitted weights hold for the very model, prompts and head that they were fitted with; else the prior serves."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.verdicts import Audience, Share
from jokejudge_gui.judge.duel.confidence_scorer import Weights, rounds_weight, weights_for
from jokejudge_gui.judge.duel.duel_judge import DuelDraft, DuelJudge
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.plan.calibration import CalibrationFiles
from jokejudge_gui.judge.plan.question_keys import question_keys
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.rubric.prompts import parse_prompts
from jokejudge_gui.rubric.xml_parser import load_criteria
from tests.fake_engine import FakeEngine

SHA256 = "ab" * 32
CONTENT = {
    "model_sha256": SHA256,
    "question": "p1",
    "head_version": "1",
    "pair": 0.1,
    "alone": 0.0,
    "audience": 0.9,
    "votes": {"ukp": 200},
}


def write(folder: Path, **changes: object) -> Path:
    (folder / f"{SHA256[:16]}.json").write_text(json.dumps({**CONTENT, **changes}), encoding="utf-8")
    return folder


def found(folder: Path, sha256: str = SHA256, question: str = "p1", head: str = "1") -> Weights | None:
    """The weights for a judge of this model, with this question and head."""
    judge = SimpleNamespace(
        head=SimpleNamespace(version=head), weights_folder=folder, model=SimpleNamespace(sha256=sha256),
        calibration=SimpleNamespace(keys=SimpleNamespace(duel=question)),
    )  # fmt: skip
    return weights_for(judge)  # type: ignore[arg-type]


def test_weights_are_read_for_their_model_prompts_and_head(tmp_path: Path) -> None:
    assert found(write(tmp_path)) == Weights(pair=0.1, alone=0.0, audience=0.9)


@pytest.mark.parametrize("asked", [("cd" * 32, "p1", "1"), (SHA256, "p2", "1"), (SHA256, "p1", "own")])
def test_weights_for_something_else_are_not_used(tmp_path: Path, asked: tuple[str, str, str]) -> None:
    assert found(write(tmp_path), *asked) is None


@pytest.mark.parametrize("changes", [{"pair": -0.1}, {"audience": "much"}, {"alone": float("nan")}, {"pair": 1e9}])
def test_weights_that_make_no_sense_are_not_used(tmp_path: Path, changes: dict[str, object]) -> None:
    assert found(write(tmp_path, **changes)) is None


def test_a_damaged_file_is_not_used(tmp_path: Path) -> None:
    (tmp_path / f"{SHA256[:16]}.json").write_bytes(b"\xff{")
    assert found(tmp_path) is None


class Length(int):
    """The features of a text: how long it is."""

    kinds = (1.0,)


class Head:
    """An audience head that finds the longer joke funnier."""

    def __init__(self, version: str) -> None:
        self.version = version

    joined = None

    def of_states(self, _states: object, joke: str, _found: object = None) -> Length:
        return Length(len(joke))

    def joke_odds(self, _values: object) -> None:
        return None

    def audience(self, _features: object) -> Audience:
        return Audience(percentile=50.0, score=0.0)

    kinds = ("other",)

    def difference(self, one: int, other: int, length: float | None = None) -> float:
        return 0.1 * (one - other)


def shares(judge: MainJudge) -> tuple[Share, ...]:
    draft = DuelDraft(id="d", text_a="A long joke about a horse.", text_b="A short one.")
    list(DuelJudge(judge, weights_for(judge), asks=True, explain=False).compare(draft))
    return draft.freeze().shares


def test_a_duel_uses_the_weights_that_were_fitted_with_its_head(tmp_path: Path) -> None:
    engine = FakeEngine(sha256=SHA256)
    files = CalibrationFiles(tmp_path / "none", tmp_path / "calibrations")
    judge = MainJudge(engine, files, Reader(engine, Head("1")), weights_folder=tmp_path)  # type: ignore[arg-type]
    write(tmp_path, question=judge.calibration.keys.duel, audience=0.0)
    assert shares(judge)[-1].share == 0
    judge.head = Head("own")  # type: ignore[assignment]
    assert shares(judge)[-1].share > 0.5
    judge.head = None
    assert [share.name for share in shares(judge)] == ["pair", "alone"]


def test_rounds_weigh_what_was_measured_with_their_questions_and_nothing_otherwise(tmp_path: Path) -> None:
    files = CalibrationFiles(tmp_path / "none", tmp_path / "calibrations")
    engine = FakeEngine(sha256=SHA256)
    judge = MainJudge(engine, files, Reader(engine, Head("1")), weights_folder=tmp_path)  # type: ignore[arg-type]
    write(tmp_path, question=judge.calibration.keys.duel, rounds=0.3, rounds_question="r1")
    assert rounds_weight(judge, "r1") == 0.3
    assert rounds_weight(judge, "r2") == 0.0
    write(tmp_path, question=judge.calibration.keys.duel)
    assert rounds_weight(judge, "r1") == 0.0
    judge.head = None
    assert rounds_weight(judge, "r1") == 0.0


def test_weights_that_ship_are_of_the_questions_that_are_asked() -> None:
    asked = question_keys(parse_prompts(), load_criteria()).duel
    for path in (models_dir() / "weights").glob("*.json"):
        assert json.loads(path.read_text(encoding="utf-8"))["question"] == asked
