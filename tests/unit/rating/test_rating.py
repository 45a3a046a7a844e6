"""A rating from text to verdict over the fake engine: every path and every event."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.events import (
    Finished,
    Interim,
    Stage,
    StageStarted,
    Started,
)
from jokejudge_gui.judge.rating.kind import RATING
from tests.known_calibration import MakeSession
from tests.rating_helpers import admit, pun, rate, result_of


def test_events_come_in_the_order_of_the_stages(make_session: MakeSession) -> None:
    events = rate(make_session(pun))
    stages = [event.stage for event in events if isinstance(event, StageStarted)]
    assert stages == [
        Stage.LOADING,
        Stage.ADMISSIBILITY,
        Stage.CATEGORIES,
        Stage.FACTORS,
        Stage.SCORES,
        Stage.EXPLANATION,
    ]
    assert sum(isinstance(event, Started) for event in events) == 1
    assert isinstance(events[-1], Finished)


def test_independent_path_chooses_among_all_factors(make_session: MakeSession) -> None:
    def only_irony(prompt: str, question: str, label: str) -> float:
        if "irony:" in question:
            return 9.0 if "yes" in label.lower() else 0.0
        return admit(prompt, question, label)

    events = rate(make_session(only_irony))
    result = result_of(events)
    assert result.pathway == "independent"
    assert result.factors[0].id == "irony"
    assert RATING.contract(result)["categories"] == []


@pytest.mark.parametrize(
    ("text", "reason"), [("?", "single character"), ("!!!!", "one character"), ("...,,;", "words")]
)
def test_what_is_plainly_no_text_is_rejected_without_asking(make_session: MakeSession, text: str, reason: str) -> None:
    asked: list[str] = []
    session = make_session(gate=asked.append)
    result = result_of(rate(session, text))
    assert result.admissible is False
    assert result.rejection is not None
    assert reason in result.rejection
    assert asked == []


def test_an_answer_with_little_label_mass_is_no_answer(make_session: MakeSession) -> None:
    result = result_of(rate(make_session(pun, mass=0.2)))
    assert all(factor.score is None and factor.expected is None for factor in result.factors)
    assert (result.max_score, result.mean_score) == (None, None)
    assert not any(check.reliable for check in result.admissibility)
    assert result.admissible is True
    assert any("gave no answer" in warning for warning in result.warnings)


def test_explanation_is_written_after_the_scores_and_cannot_change_them(make_session: MakeSession) -> None:
    session = make_session(pun)
    plain = result_of(rate(session, explain=False))
    events = rate(session)
    told = result_of(events)
    assert plain.explanation is None
    assert told.explanation.startswith("Works.")
    assert plain.factors == told.factors
    (scored,) = [event.result for event in events if isinstance(event, Interim)]
    assert scored.explanation is None
