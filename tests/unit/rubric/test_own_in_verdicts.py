"""What the user added or changed in the criteria takes part in verdicts, or is left out of them, as it is said."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.judge.asking.measured import ItemWorth, MeasuredFiles, Plan, Worth
from jokejudge_gui.rubric.own_file import OwnFile
from jokejudge_gui.session.session import Session
from tests.known_calibration import MakeSession
from tests.rating_helpers import pun, rate, result_of

from .test_own_criteria import POLITE


@pytest.fixture
def own(profile: Profile) -> OwnFile:
    return OwnFile(profile.criteria)


def answers(prompt: str, question: str, label: str) -> float:
    """A pun; polite to the full, and otherwise middling."""
    if "Politeness" in question and "(" in question:
        return 9.0 if label.strip() == "5" else 0.0
    if "politeness" in question:
        return 5.0 if "yes" in label.lower() else 0.0
    return pun(prompt, question, label)


def planned(profile: Profile, session: Session) -> None:
    """The loaded model's plan: reading wit is worth it, and it has no other head."""
    item = ItemWorth(kind="factor", id="wit", measured="r", read=Worth(value=0.6, low=0.4, high=0.7, n=60))
    plan = Plan(model_sha256=session.judge.model.sha256, texts=60, items=(item,))
    MeasuredFiles(models_dir(), profile.models).save_plan(plan)
    session.judge.plan_again()


def test_under_a_plan_an_own_factor_takes_part_only_if_it_is_to_be_asked_about(
    make_session: MakeSession, own: OwnFile, profile: Profile
) -> None:
    session = make_session(answers)
    list(session.load())
    planned(profile, session)
    assert result_of(rate(session)).factors == ()
    own.set_item("factor", "politeness", POLITE, new=True)
    list(session.take_up_criteria())
    assert result_of(rate(session)).factors == ()
    own.set_item("factor", "politeness", {"always": "yes"})
    list(session.take_up_criteria())
    result = result_of(rate(session))
    (score,) = result.factors
    assert (score.id, score.score, score.trust, score.own, score.source) == ("politeness", 5, None, True, "asked")
    assert not result.everything_asked


def test_a_running_session_takes_up_what_changed_without_loading_anew(make_session: MakeSession, own: OwnFile) -> None:
    session = make_session(pun)
    list(session.load())
    engine, before = session.judge.engine, session.judge.criteria.version
    assert not session.criteria_changed
    own.set_item("factor", "wit", {}, off=True)
    assert session.criteria_changed
    assert isinstance(list(session.take_up_criteria())[-1], Finished)
    assert session.judge.engine is engine
    assert session.judge.criteria.version != before
    assert not session.criteria_changed
