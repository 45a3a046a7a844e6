"""What an audit finds is on the card of the model."""

from __future__ import annotations

from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.audit.record import AuditRequest, AuditResult
from jokejudge_gui.judge.audit.words import page
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.measure.audit import audit
from jokejudge_gui.measure.model.figures import ModelTrust
from jokejudge_gui.measure.model.words import limits
from jokejudge_gui.session.session import Session
from tests.head_builder import SHA256, save
from tests.known_calibration import known
from tests.planted_judges import PlantedEngine, cases, emoji_lover, head_arrays


def test_a_strong_bias_is_said_on_the_card(profile: Profile) -> None:
    engine = PlantedEngine(emoji_lover)
    files = MeasuredFiles(Path("nowhere"), profile.models)
    files.save_calibration(known(MainJudge(engine, files)))
    save(profile.heads, head_arrays())
    session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
    last = list(audit(session, AuditRequest(cases=cases(30), source="planted", ask="all")))[-1]
    session.close()
    assert isinstance(last, Finished), last
    trust = ModelTrust(ModelRef(name="fake-model", sha256=SHA256), profile)
    assert trust.effects["asked"] == {"Sentiment": "strong"}
    assert any("Sentiment" in point for point in limits(trust))


def test_an_audit_of_few_pairs_claims_nothing_and_is_no_part_of_the_card(profile: Profile) -> None:
    engine = PlantedEngine(emoji_lover)
    save(profile.heads, head_arrays())
    session = Session(profile, Settings(), loader=lambda _file, _settings, _cancel: engine)
    last = list(audit(session, AuditRequest(cases=cases(3), source="planted")))[-1]
    session.close()
    assert isinstance(last, Finished), last
    assert isinstance(last.result, AuditResult)
    assert page(last.result).headline == "Too few pairs to see a bias"
    assert not ModelTrust(ModelRef(name="fake-model", sha256=SHA256), profile).effects
