"""What an audit finds is used: from the plan to the verdict to the card."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.asking.worth import ItemWorth, JoinWeights, Plan, Worth
from jokejudge_gui.judge.audit.record import AuditRequest
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.measure.audit import audit
from jokejudge_gui.measure.model_page import model_page
from jokejudge_gui.measure.worths import plan_of
from jokejudge_gui.session.session import Session
from tests.head_builder import SHA256, save
from tests.known_calibration import known
from tests.planted_judges import PlantedEngine, cases, emoji_lover, head_arrays, joke

MODEL = ModelRef(name="fake-model", sha256=SHA256)


def worth(value: float) -> Worth:
    return Worth(value=value, low=value - 0.03, high=value + 0.03, n=500)


@pytest.fixture
def sessions(profile: Profile) -> Iterator[list[Session]]:
    """Sessions over a judge that loves smileys, whose answers in duels were measured to add just enough."""
    engine = PlantedEngine(emoji_lover)
    files = MeasuredFiles(Path("nowhere"), profile.models)
    files.save_calibration(known(MainJudge(engine, files)))
    save(profile.heads, head_arrays())
    duel = ItemWorth(
        kind="duel", id="pair", measured="share", asked=worth(0.62), read=worth(0.60), both=worth(0.635),
        added=Worth(value=0.031, low=0.01, high=0.05, n=500), weights=JoinWeights(asked=0.5, read=0.5),
    )  # fmt: skip
    MeasuredFiles(Path("nowhere"), profile.models).save_plan(Plan(model_sha256=SHA256, texts=80, items=(duel,)))
    made = [Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine) for _ in range(2)]
    yield made
    for session in made:
        session.close()


def duelled(session: Session) -> DuelResult:
    last = list(session.duel(joke(1), joke(2), explain=False, record=False))[-1]
    assert isinstance(last, Finished), last
    assert isinstance(last.result, DuelResult)
    return last.result


def test_a_strong_bias_ends_the_asking_and_is_said_on_the_card(sessions: list[Session], profile: Profile) -> None:
    session, later = sessions
    list(session.load())
    assert duelled(session).orders  # the model was asked, in both orders
    (row,) = (row for row in plan_of(MODEL, profile).rows if row.section == "duel")
    assert row.source == "both"
    assert not any("over chance counts only" in line for line in model_page(MODEL, profile).audit)
    last = list(audit(session, AuditRequest(cases=cases(30), source="planted")))[-1]
    assert isinstance(last, Finished), last
    # At once, and for whoever loads the model from now on.
    assert duelled(session).orders == ()
    list(later.load())
    assert duelled(later).orders == ()
    (row,) = (row for row in plan_of(MODEL, profile).rows if row.section == "duel")
    assert row.source == "read"
    assert row.added is not None
    assert row.added.value < 0.03
    page = model_page(MODEL, profile)
    assert any("answers in duels over chance counts only" in line for line in page.audit)
    assert page.effects["asked"] == {"Sentiment": "strong"}
    assert any("Sentiment" in point for point in page.not_for)
