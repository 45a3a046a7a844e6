"""A strong bias lowers what a model's answers in duels are worth, and with it what is asked."""

from __future__ import annotations

import pytest

from jokejudge_gui.judging.audit.answers_left import answers_left, left_line
from jokejudge_gui.judging.audit.statistics import Pull, Strength
from jokejudge_gui.judging.audit.types import AuditResult, Finding, Order, Voice, VoiceAudit
from jokejudge_gui.judging.plan.worth import ItemWorth, Plan, Worth
from jokejudge_gui.statistics import fraction

PULL = Pull(n=10, value=1.0, low=0.5, high=1.5, p=0.001)


def finding(kept: list[float], strength: Strength) -> Finding:
    return Finding(
        probe="sentiment", form="emoji", role="bias", kept=fraction(kept), control=0.8, pull=PULL, beyond=PULL,
        floor=0.1, strength=strength,
    )  # fmt: skip


def audited(*findings: Finding, voice: Voice = "asked") -> AuditResult:
    order = Order(same=fraction([0.0, 0.0]), pull=PULL, strength="strong")
    return AuditResult(id="a", voices=(VoiceAudit(voice=voice, n=10, spread=1.0, findings=findings, order=order),))


def test_the_strongest_bias_counts_beside_the_neutral_change() -> None:
    found = audited(finding([1, 0], "strong"), finding([1, 1, 1, 0], "strong"), finding([0, 0], "some"))
    assert answers_left(found) == pytest.approx(0.5 / 0.8)
    assert "62 %" in left_line(answers_left(found))


def test_what_is_read_and_what_isnt_strong_costs_nothing() -> None:
    assert answers_left(audited(finding([0, 0], "some"))) == 1.0
    assert answers_left(audited(finding([0, 0], "strong"), voice="audience")) == 1.0
    assert answers_left(None) == 1.0
    assert left_line(1.0) == ""


def test_a_duel_whose_answers_are_worth_too_little_then_isnt_asked() -> None:
    duel = ItemWorth(
        kind="duel",
        id="pair",
        measured="share",
        read=Worth(value=0.60, low=0.57, high=0.63, n=500),
        both=Worth(value=0.65, low=0.62, high=0.68, n=500),
        added=Worth(value=0.05, low=0.02, high=0.08, n=500),
    )
    plan = Plan(model_sha256="a" * 64, items=(duel,))
    assert plan.asks("duel", "pair")
    lowered = plan.lowered("duel", 0.5)
    (item,) = lowered.items
    assert item.both is not None
    assert item.added is not None
    assert (item.both.value, item.added.value) == pytest.approx((0.625, 0.025))
    assert not lowered.asks("duel", "pair")
    assert plan.lowered("factor", 0.5) == plan
    assert plan.lowered("duel", 1.0) == plan
