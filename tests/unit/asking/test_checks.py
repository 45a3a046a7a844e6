"""The admissibility formula at its edges, and its limit: no check may reject jokes that people liked."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.events import StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.judge.asking.calibration import RATED, CheckCalibration, contrast, liked_jokes
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.asking.questions import LogOdds
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.admissibility_checker import caught, check_result, has_power
from tests.fake_engine import FakeEngine
from tests.known_calibration import MakeSession, known
from tests.rating_helpers import JOKE, admit, rate, result_of

SHARP = CheckCalibration(centre=0.0, half=1.5, sd=1.0)


@pytest.mark.parametrize(
    ("least", "value", "passed"),
    [
        (None, 3.0, True), (None, 0.0, True), (None, -0.7, True), (None, -0.74, False), (None, -30.0, False),
        (0.0, -0.8, False), (-1.0, -0.8, True), (-1.0, -1.01, False), (-1.6, -1.5, True),
    ],
)  # fmt: skip
def test_only_a_clear_failure_under_the_limit_rejects(least: float | None, value: float, passed: bool) -> None:
    result = check_result("intent", LogOdds(value, 0.9), SHARP.replaced(least=least))
    assert result.reliable
    assert result.passed is passed is (result.p_admit >= 0.1)


@pytest.mark.parametrize(
    ("calibration", "mass"),
    [
        (None, 0.9),
        (CheckCalibration(centre=0.0, half=0.4, sd=1.0), 0.9),
        (CheckCalibration(centre=0.0, half=1.5, sd=1.0), 0.3),
    ],
    ids=["not measured", "no power", "no answer"],
)
def test_a_check_that_cannot_be_trusted_admits_and_says_so(calibration: CheckCalibration | None, mass: float) -> None:
    result = check_result("intent", LogOdds(-9.0, mass), calibration)
    assert result.passed
    assert not result.reliable


def test_contrast_gives_d_prime_and_none_to_a_check_that_points_the_wrong_way() -> None:
    good, bad = [2.0, 3.0, 4.0], [-2.0, -3.0, -4.0]
    assert contrast(good, bad).d_prime == pytest.approx(6.0)
    assert contrast(bad, good).d_prime == 0.0


def test_a_check_that_catches_hardly_anything_over_its_limit_has_no_power() -> None:
    assert caught(SHARP) == pytest.approx(0.78, abs=0.01)
    assert caught(SHARP.model_copy(update={"least": -1.5})) == 0.5
    blunt = SHARP.model_copy(update={"least": -3.5})
    assert caught(blunt) == pytest.approx(0.023, abs=0.001)
    assert has_power(SHARP)
    assert not has_power(blunt)
    result = check_result("intent", LogOdds(-30.0, 0.9), blunt)
    assert (result.passed, result.reliable) == (True, False)
    assert caught(CheckCalibration(centre=0.0, half=0.0, sd=1.0)) == 0.0


def harsh(prompt: str, question: str, label: str) -> float:
    """Finds every text unfinished."""
    if "break off" in question or "finished" in question:
        return 4.0 if ("no" in label.lower()) == ("finished" in question) else 0.0
    return admit(prompt, question, label)


def test_a_check_that_would_reject_jokes_that_people_liked_is_not_relied_on(
    make_session: MakeSession, profile: Profile
) -> None:
    files = MeasuredFiles(Path("nowhere"), profile.models)
    whole = known(MainJudge(FakeEngine(), files))
    files.save_calibration(whole)
    assert result_of(rate(make_session(harsh))).admissible is False
    session = make_session(harsh)  # it comes with a whole calibration
    files.path(whole.model_sha256).unlink()
    files.save_calibration(whole.replaced(checks={k: v for k, v in whole.checks.items() if k != "completeness"}))
    events = rate(session)
    result = result_of(events)
    assert result.admissible
    check = next(check for check in result.admissibility if check.check == "completeness")
    assert not check.reliable
    notes = {event.note for event in events if isinstance(event, StageProgress) and event.note}
    assert [note for note in notes if "this model" in note] == ["measuring this model's habits, once (checks)"]
    after = files.calibration(whole.model_sha256, whole.keys)
    assert after.rates
    assert {name: one for name, one in after.checks.items() if name != "completeness"} == {
        name: one for name, one in whole.checks.items() if name != "completeness"
    }
    notes = {event.note for event in rate(session) if isinstance(event, StageProgress) and event.note}
    assert not [note for note in notes if "this model" in note]


def test_the_funniest_of_the_rated_texts_are_among_the_jokes_that_people_liked() -> None:
    assert len(set(liked_jokes(["one", "two"]))) == 2 + RATED
    assert JOKE not in liked_jokes(["one"])
