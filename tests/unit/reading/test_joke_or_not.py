"""The audience head answers whether a text is meant as a joke where the model can't."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import CHECKS, CheckResult
from jokejudge_gui.judge.asking.calibration import Calibration, CheckCalibration
from jokejudge_gui.judge.asking.measured import MeasuredFiles, Plan
from jokejudge_gui.judge.asking.questions import LogOdds
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.admissibility_checker import AdmissibilityChecker
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.judge.reader import Predictions
from jokejudge_gui.rubric.xml_parser import load_criteria
from tests.fake_engine import FakeEngine
from tests.head_builder import SIZE, meta, parts, save
from tests.known_calibration import MakeSession, known
from tests.rating_helpers import rate, result_of


def calibrated(d_prime: float) -> Calibration:
    check = CheckCalibration(centre=0.0, half=d_prime / 2, sd=1.0)
    return Calibration(model_sha256="a" * 64, checks=dict.fromkeys(CHECKS, check))


def admits(checks: tuple[CheckResult, ...]) -> bool:
    return all(check.passed for check in checks)


def evaluate(calibration: Calibration, odds: dict[str, LogOdds], joke: float | None = None) -> tuple[CheckResult, ...]:
    predicted = Predictions("A joke.", None, None, joke=joke)
    judge = SimpleNamespace(
        calibration=calibration, criteria=load_criteria(), plan=Plan(model_sha256="a" * 64), cancel=None,
        reader=SimpleNamespace(read=lambda *_, **__: predicted),
        measure=SimpleNamespace(reading=lambda _: (odds, {})),
    )  # fmt: skip
    draft = RatingResult(id="1", text="A joke about the sea.", everything_asked=True)
    AdmissibilityChecker(judge).evaluate_admissibility(draft)  # type: ignore[arg-type]
    return draft.admissibility


ODDS = dict.fromkeys(CHECKS, LogOdds(3.0, 0.9))


@pytest.mark.parametrize(("joke", "passed"), [(8.0, True), (0.0, True), (-2.1, True), (-2.3, False), (-900.0, False)])
def test_the_head_answers_where_the_model_has_no_power(joke: float, passed: bool) -> None:
    found = evaluate(calibrated(0.4), ODDS, joke)
    intent = next(check for check in found if check.check == "intent")
    assert intent.reliable
    assert intent.passed is admits(found) is passed
    assert intent.passed is (intent.p_admit >= 0.1)
    assert not any(check.reliable for check in found if check.check != "intent")


def put_head(profile: Profile, odds: float) -> None:
    """A head that gives every text these log-odds of being meant as a joke."""
    sha256 = FakeEngine().info.sha256
    joke = np.append(np.zeros(SIZE), odds)
    save(profile.heads, parts() | {"meta": meta(model_sha256=sha256), "joke": joke}, f"{sha256[:16]}.npz")


def without_power(profile: Profile) -> None:
    """A calibration by which the model can't tell anything about admissibility."""
    files = MeasuredFiles(Path("nowhere"), profile.models)
    found = known(MainJudge(FakeEngine(), files))
    weak = CheckCalibration(centre=0.0, half=0.2, sd=1.0)
    files.save_calibration(found.model_copy(update={"checks": dict.fromkeys(found.checks, weak)}))


def test_a_rating_rejects_what_is_not_meant_as_a_joke_and_rates_it_when_told_to(
    make_session: MakeSession, profile: Profile
) -> None:
    put_head(profile, -5.0)
    session = make_session()
    without_power(profile)
    rejected = result_of(rate(session))
    assert rejected.admissible is False
    assert rejected.rejection.startswith("Not clearly a joke: ")
    assert rejected.audience is None
    forced = result_of(rate(session, force=True))
    assert forced.admissible is False
    assert forced.mean_score is not None
    assert forced.audience is not None
