"""A strong bias lowers what a model's answers in duels are worth, and with it what is asked."""

from __future__ import annotations

from typing import Any

import pytest

from jokejudge_gui.core.statistics import fraction
from jokejudge_gui.judge.asking.worth import AnswersLeft, ItemWorth, Kind, Plan, Worth
from jokejudge_gui.judge.audit.findings import answers_left
from jokejudge_gui.judge.audit.record import AuditResult, Voice, VoiceAudit
from jokejudge_gui.judge.audit.statistics import Strength
from jokejudge_gui.judge.audit.words import left_lines


def finding(kept: list[float], strength: Strength) -> dict[str, Any]:
    return {"role": "bias", "kept": fraction(kept).model_dump(), "control": 0.8, "strength": strength}


def audited(*findings: dict[str, Any], voice: Voice = "asked") -> AuditResult:
    order = {"strength": "strong"}
    return AuditResult(id="a", voices=(VoiceAudit(voice=voice, n=10, spread=1.0, findings=findings, order=order),))


def test_the_strongest_bias_counts_beside_the_neutral_change() -> None:
    found = audited(finding([1, 0], "strong"), finding([1, 1, 1, 0], "strong"), finding([0, 0], "some"))
    left = answers_left(found)
    assert (left.duel, left.factor, left.check) == (pytest.approx(0.5 / 0.8), 1.0, 1.0)
    (line,) = left_lines(left)
    assert "answers in duels over chance counts only 62 %" in line


def test_a_bias_of_its_scores_and_checks_costs_those() -> None:
    assert answers_left(audited(finding([1, 0], "strong"), voice="rated")).factor == pytest.approx(0.5 / 0.8)
    left = answers_left(audited(finding([1, 0], "strong"), voice="checks"))
    assert (left.duel, left.factor, left.check) == (1.0, 1.0, pytest.approx(0.5 / 0.8))
    assert "answers on admission" in left_lines(left)[0]


def test_what_is_read_and_what_isnt_strong_costs_nothing() -> None:
    assert answers_left(audited(finding([0, 0], "some"))) == AnswersLeft()
    for voice in ("audience", "editor", "admission"):
        assert answers_left(audited(finding([0, 0], "strong"), voice=voice)) == AnswersLeft()
    assert answers_left(None) == AnswersLeft()
    assert left_lines(AnswersLeft()) == ()


@pytest.mark.parametrize(("kind", "id"), [("duel", "pair"), ("factor", "wit"), ("check", "intent")])
def test_what_is_then_worth_too_little_isnt_asked(kind: Kind, id: str) -> None:
    item = ItemWorth(
        kind=kind,
        id=id,
        measured="share",
        read=Worth(value=0.60, low=0.57, high=0.63, n=500),
        both=Worth(value=0.65, low=0.62, high=0.68, n=500),
        added=Worth(value=0.05, low=0.02, high=0.08, n=500),
    )
    plan = Plan(model_sha256="a" * 64, items=(item,))
    assert id in plan.asked(kind)
    lowered = AnswersLeft.model_validate({kind: 0.5}).lowered(plan)
    (found,) = lowered.items
    assert found.both is not None
    assert found.added is not None
    assert (found.both.value, found.added.value) == pytest.approx((0.625, 0.025))
    assert id not in lowered.asked(kind)
    assert AnswersLeft().lowered(plan) == plan
    other = "factor" if kind != "factor" else "duel"
    assert AnswersLeft.model_validate({other: 0.5}).lowered(plan) == plan
