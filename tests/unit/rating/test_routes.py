"""What a model is asked about a joke: nothing, what is worth its tokens, or everything."""

from __future__ import annotations

from pathlib import Path

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.asking.worth import ItemWorth, Plan, Worth
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


def test_only_what_is_worth_its_tokens_is_asked(make_session: MakeSession, profile: Profile) -> None:
    plan_of(profile, kind=GOOD, factor=GOOD)
    result = result_of(rate(make_session(pun), ask="plan"))
    assert not result.everything_asked
    assert next(iter(result.stage_seconds)) == "reading"
    assert [(factor.id, factor.source, factor.trust) for factor in result.factors] == [("wit", "asked", 0.8)]
    assert [(kind.id, kind.source) for kind in result.categories if kind.chosen] == [("pun", "asked")]
    assert not any(check.reliable for check in result.admissibility)
    assert result.pathway == "standard"


def test_a_check_that_is_worth_asking_decides(make_session: MakeSession, profile: Profile) -> None:
    plan_of(profile, check=GOOD)
    result = result_of(rate(make_session(pun), ask="plan"))
    assert all(check.reliable for check in result.admissibility)
    assert (result.admissible, result.factors, result.categories) == (True, (), ())


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
