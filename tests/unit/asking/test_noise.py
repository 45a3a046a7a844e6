"""The numerical noise: none where answers don't depend on company, measured once, and nothing finer is ever claimed."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.events import Stage, StageStarted
from jokejudge_gui.engine.base import CancelToken, Choice, Prompt, Question
from jokejudge_gui.judge.asking.calibration import measure_noise
from jokejudge_gui.judge.asking.measured import DuelCalibration, Noise
from jokejudge_gui.judge.duel.confidence_scorer import PRIOR, ConfidenceScorer, Measurements
from jokejudge_gui.judge.judged_kind import without_events
from tests.fake_engine import FakeEngine
from tests.known_calibration import MakeSession

NARROW = DuelCalibration(mean_bias=0.0, sd_pair=0.05, sd_alone=0.05, gamma=0.0, length_sd=30.0)


class Uneasy(FakeEngine):
    """Answers differ by ``shift`` nats of log-odds between small companies and crowds."""

    shift = 0.6

    def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> list[Choice]:
        answers = super().choose(prompt, questions, cancel)
        if len(questions) <= 12:
            return answers
        return [Choice((a.logprobs[0] + self.shift, *a.logprobs[1:]), a.mass) for a in answers]


def noise_of(engine: FakeEngine) -> Noise:
    return without_events(measure_noise(engine))


def test_answers_that_do_not_depend_on_company_have_no_noise() -> None:
    class Constant(FakeEngine):
        def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> Any:
            return super().choose(prompt[:0], questions, cancel)

    assert noise_of(Constant()) == Noise(label=0.0, odds=0.0)


def test_the_noise_is_the_deviation_over_the_companies() -> None:
    class OneShift(Uneasy):
        def count(self, prompt: Prompt) -> int:
            return 7  # however it is cut

        def choose(self, prompt: Prompt, questions: Sequence[Question], cancel: CancelToken | None = None) -> Any:
            return super().choose(prompt[:0], questions, cancel)

    found = noise_of(OneShift())
    # Three small companies at 0 and two crowds at .6: variance .6²·(3/5)(2/5)·5/4.
    assert found.odds == pytest.approx(0.6 * math.sqrt(0.3))
    # Only one of the two labels moved.
    assert found.label == pytest.approx(found.odds / math.sqrt(2))


def test_it_is_measured_once_on_request_and_stored(make_session: MakeSession) -> None:
    session = make_session()
    stages = [event.stage for event in session.calibrate() if isinstance(event, StageStarted)]
    assert Stage.CALIBRATION in stages
    assert session.judge is not None
    known = session.judge.calibration.noise
    assert known is not None
    (file,) = session.profile.models.glob("*/measured.json")
    assert json.loads(file.read_text())["calibration"]["noise"] == known.model_dump()
    assert [event.stage for event in session.calibrate() if isinstance(event, StageStarted)] == [Stage.LOADING]


odds = st.floats(min_value=-3, max_value=3)


@given(odds, odds, odds, st.floats(min_value=0, max_value=2))
def test_nothing_finer_than_the_noise_is_claimed(first: float, second: float, alone: float, noise: float) -> None:
    scorer = ConfidenceScorer(NARROW, PRIOR, noise)
    result = scorer.score(Measurements(first, second, alone), consistent=True)
    mirror = scorer.score(Measurements(-second, -first, -alone), consistent=True)
    assert (result.p_a, result.within_noise) == (1.0 - mirror.p_a, mirror.within_noise)
    if result.within_noise:
        assert result.band == "nearly identical"
        assert result.winner == "tie"
        assert result.measured_factor >= result.factor > 1.0 or abs(result.log_odds) < 1e-12
    floor = noise * PRIOR.alone / max(0.2, noise) * math.sqrt(2)
    assert result.within_noise or result.winner == "tie" or math.log(result.measured_factor) >= floor - 1e-9
