"""Fitted weights hold for the very model, prompts and head that they were fitted with; else the prior serves."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.verdicts import Audience
from jokejudge_gui.judge.asking.measured import DuelWeights, MeasuredFiles
from jokejudge_gui.judge.asking.question_keys import question_keys
from jokejudge_gui.judge.duel.confidence_scorer import Weights, rounds_weight, weights_for
from jokejudge_gui.judge.duel.duel_judge import DuelJudge
from jokejudge_gui.judge.duel.record import DuelResult, Share
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.reader import Reader
from jokejudge_gui.rubric.prompts import parse_prompts
from jokejudge_gui.rubric.xml_parser import load_criteria
from tests.fake_engine import FakeEngine

FITTED = DuelWeights(question="p1", head_version="1", pair=0.1, alone=0.0, audience=0.9)


@pytest.mark.parametrize(("question", "head", "used"), [("p1", "1", True), ("p2", "1", False), ("p1", "own", False)])
def test_weights_are_used_for_their_question_and_head(question: str, head: str, used: bool) -> None:
    judge = SimpleNamespace(
        head=SimpleNamespace(version=head), duel_weights=FITTED,
        calibration=SimpleNamespace(keys=SimpleNamespace(duel=question)),
    )  # fmt: skip
    weights = Weights(pair=0.1, alone=0.0, audience=0.9) if used else None
    assert weights_for(judge) == weights  # type: ignore[arg-type]


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
    draft = DuelResult(id="d", text_a="A long joke about a horse.", text_b="A short one.")
    list(DuelJudge(judge, weights_for(judge), asks=True, explain=False).compare(draft))
    return draft.freeze().shares


def judge_with(folder: Path) -> MainJudge:
    return MainJudge(FakeEngine(), MeasuredFiles(folder, folder), Reader(FakeEngine(), Head("1")))  # type: ignore[arg-type]


def test_a_duel_uses_the_weights_that_were_fitted_with_its_head(tmp_path: Path) -> None:
    judge = judge_with(tmp_path)
    question = judge.calibration.keys.duel
    judge.duel_weights = FITTED.model_copy(update={"question": question, "audience": 0.0})
    assert shares(judge)[-1].share == 0
    judge.head = Head("own")  # type: ignore[assignment]
    assert shares(judge)[-1].share > 0.5
    judge.head = None
    assert [share.name for share in shares(judge)] == ["pair", "alone"]


def test_rounds_weigh_what_was_measured_with_their_questions_and_nothing_otherwise(tmp_path: Path) -> None:
    judge = judge_with(tmp_path)
    fitted = FITTED.model_copy(update={"question": judge.calibration.keys.duel})
    judge.duel_weights = fitted.model_copy(update={"rounds": 0.3, "rounds_question": "r1"})
    assert rounds_weight(judge, "r1") == 0.3
    assert rounds_weight(judge, "r2") == 0.0
    judge.duel_weights = fitted
    assert rounds_weight(judge, "r1") == 0.0
    judge.head = None
    assert rounds_weight(judge, "r1") == 0.0


def test_weights_that_ship_are_of_the_questions_that_are_asked() -> None:
    asked = question_keys(parse_prompts(), load_criteria()).duel
    shipped = [json.loads(path.read_text(encoding="utf-8")) for path in models_dir().glob("*/measured.json")]
    assert [measured["duel"]["question"] for measured in shipped] == [asked] * 3
