"""Fitted weights hold for the very model, prompts and head that they were fitted with; else the prior serves."""

from __future__ import annotations

import json
from types import SimpleNamespace

import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.judge.asking.calibration import question_keys
from jokejudge_gui.judge.asking.measured import DuelWeights, Plan
from jokejudge_gui.judge.duel.confidence_scorer import WITH_HEAD, Weights, weights_for
from jokejudge_gui.rubric.prompts import parse_prompts
from jokejudge_gui.rubric.xml_parser import load_criteria

FITTED = DuelWeights(question="p1", head_version="1", pair=0.1, alone=0.0, audience=0.9)


@pytest.mark.parametrize(("question", "head", "used"), [("p1", "1", True), ("p2", "1", False), ("p1", "own", False)])
def test_weights_are_used_for_their_question_and_head(question: str, head: str, used: bool) -> None:
    judge = SimpleNamespace(
        head=SimpleNamespace(version=head), duel_weights=FITTED,
        questions={"duel": {"duel": question}}, plan=Plan(model_sha256="0" * 64),
    )  # fmt: skip
    weights = Weights(pair=0.1, alone=0.0, audience=0.9) if used else WITH_HEAD
    assert weights_for(judge, everything=False) == weights  # type: ignore[arg-type]


def test_weights_that_ship_are_of_the_questions_that_are_asked() -> None:
    asked = question_keys(parse_prompts(), load_criteria())["duel"]["duel"]
    shipped = [json.loads(path.read_text(encoding="utf-8")) for path in models_dir().glob("*/measured.json")]
    assert [measured["duel"]["question"] for measured in shipped] == [asked] * 3
