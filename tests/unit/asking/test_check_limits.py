"""No check may reject jokes that people liked: how low they lie is measured, and where that is all, nothing is."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.events import StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking import calibration as check_limits
from jokejudge_gui.judge.asking.measured import Calibration, CheckCalibration, MeasuredFiles
from jokejudge_gui.judge.asking.questions import LogOdds
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.admissibility_checker import caught, check_result, has_power
from tests.fake_engine import FakeEngine
from tests.known_calibration import MakeSession, known
from tests.rating_helpers import JOKE, admit, rate, result_of


@pytest.mark.parametrize(
    ("least", "value", "passed"),
    [(None, -0.8, False), (0.0, -0.8, False), (-1.0, -0.8, True), (-1.0, -1.01, False), (-1.6, -1.5, True)],
)
def test_nothing_is_rejected_over_the_limit(least: float | None, value: float, passed: bool) -> None:
    power = CheckCalibration(centre=0.0, half=1.5, sd=1.0, least=least)
    result = check_result("intent", LogOdds(value, 0.9), power)
    assert result.reliable
    assert result.passed is passed is (result.p_admit >= 0.1)


def test_a_check_that_catches_hardly_anything_over_its_limit_has_no_power() -> None:
    sharp = CheckCalibration(centre=0.0, half=1.5, sd=1.0)
    assert caught(sharp) == pytest.approx(0.78, abs=0.01)
    assert caught(sharp.model_copy(update={"least": -1.5})) == 0.5
    blunt = sharp.model_copy(update={"least": -3.5})
    assert caught(blunt) == pytest.approx(0.023, abs=0.001)
    assert has_power(sharp)
    assert not has_power(blunt)
    result = check_result("intent", LogOdds(-30.0, 0.9), blunt)
    assert (result.passed, result.reliable) == (True, False)
    assert caught(CheckCalibration(centre=0.0, half=0.0, sd=1.0)) == 0.0


def calibrated(profile: Profile, **least: float | None) -> MeasuredFiles:
    """A calibration in which some checks have another limit, or none yet."""
    files = MeasuredFiles(Path("nowhere"), profile.models)
    found = known(MainJudge(FakeEngine(), files))
    checks = {**found.checks, **{k: found.checks[k].model_copy(update={"least": v}) for k, v in least.items()}}
    files.save_calibration(found.model_copy(update={"checks": checks}))
    return files


def measured(files: MeasuredFiles) -> Calibration:
    found = known(MainJudge(FakeEngine(), files))
    return files.calibration(found.model_sha256, found.keys)


def harsh(prompt: str, question: str, label: str) -> float:
    """Finds every text unfinished."""
    if "break off" in question or "finished" in question:
        return 4.0 if ("no" in label.lower()) == ("finished" in question) else 0.0
    return admit(prompt, question, label)


def test_what_a_calibration_of_before_lacks_is_measured_once_and_the_jokes_that_people_liked_pass(
    make_session: MakeSession, profile: Profile
) -> None:
    session = make_session(harsh)
    calibrated(profile)
    assert result_of(rate(session)).admissible is False

    session = make_session(harsh)
    files = calibrated(profile, completeness=None)
    assert not measured(files).rates
    events = rate(session)
    result = result_of(events)
    assert result.admissible
    check = next(check for check in result.admissibility if check.check == "completeness")
    assert not check.reliable
    notes = {event.note for event in events if isinstance(event, StageProgress) and event.note}
    assert [note for note in notes if "this model" in note] == ["measuring this model's habits, once (checks on jokes)"]
    after = measured(files)
    assert after.rates
    limit = after.checks["completeness"].least
    assert limit is not None
    assert limit < -3
    assert {name: found.least for name, found in after.checks.items() if name != "completeness"} == dict.fromkeys(
        set(after.checks) - {"completeness"}, 0.0
    )
    notes = {event.note for event in rate(session) if isinstance(event, StageProgress) and event.note}
    assert not [note for note in notes if "this model" in note]


def test_without_the_rated_texts_the_varied_jokes_serve(monkeypatch: pytest.MonkeyPatch) -> None:
    assert len(check_limits.liked_jokes(["one", "two"])) == 2 + check_limits.RATED
    assert JOKE not in check_limits.liked_jokes(["one"])

    def damaged() -> None:
        raise ModelError("E_FILE_DAMAGED", "The votes are damaged.")

    monkeypatch.setattr(check_limits, "shipped_votes", damaged)
    assert check_limits.liked_jokes(["one", "two"]) == ("one", "two")
