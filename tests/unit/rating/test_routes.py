"""What a model is asked about a joke: nothing, or everything."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import ItemWorth, MeasuredFiles, Plan, Worth
from tests.known_calibration import MakeSession
from tests.rating_helpers import pun, rate, result_of

SHA256 = "f" * 64
GOOD = Worth(value=0.8, low=0.7, high=0.9, n=80)
CHANCE = Worth(value=0.51, low=0.4, high=0.6, n=80)
NONE = Worth(value=0.02, low=-0.1, high=0.1, n=80)


def plan_of(profile: Profile, **asked: Worth) -> None:
    """A plan measured without heads: the worth of the model's answers on one check, one kind and one factor."""
    items = {
        "check": ItemWorth(kind="check", id="intent", measured="auc", asked=asked.get("check", CHANCE)),
        "kind": ItemWorth(kind="kind", id="pun", measured="auc", asked=asked.get("kind", CHANCE)),
        "factor": ItemWorth(kind="factor", id="wit", measured="r", asked=asked.get("factor", NONE)),
    }
    files = MeasuredFiles(Path("nowhere"), profile.models)
    files.save_plan(Plan(model_sha256=SHA256, texts=80, items=tuple(items.values())))


@pytest.mark.parametrize("kind", ["check", "kind", "factor"])
def test_a_model_without_heads_is_asked_everything_if_some_answers_have_worth(
    kind: str, make_session: MakeSession, profile: Profile
) -> None:
    plan_of(profile, **{kind: GOOD})
    result = result_of(rate(make_session(pun), ask="plan"))
    assert result.everything_asked
    assert {one.id: one.trust for one in result.categories if one.chosen} == {"pun": 0.8 if kind == "kind" else 0.51}
    assert {factor.source for factor in result.factors} == {"asked"}
    assert not any("take it as a guess" in warning for warning in result.warnings)


def test_where_no_answer_has_worth_nothing_is_asked(make_session: MakeSession, profile: Profile) -> None:
    plan_of(profile)
    calls: list[str] = []
    result = result_of(rate(make_session(pun, gate=calls.append), ask="plan"))
    assert "choose" not in calls
    assert (result.factors, result.everything_asked) == ((), False)
    assert any("good enough to show" in warning for warning in result.warnings)


def test_without_a_plan_everything_is_asked_and_said_to_be_a_guess(make_session: MakeSession) -> None:
    result = result_of(rate(make_session(pun), ask="plan"))
    assert result.everything_asked
    assert any("take it as a guess" in warning for warning in result.warnings)
