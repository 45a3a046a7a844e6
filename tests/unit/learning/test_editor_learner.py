"""What is learned for a model on the user's machine: heads, drafts, what asking it adds; and verdicts after that."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Cancelled, Event, Finished, StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import DuelResult, RatingResult
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.learning.drafts_job import DraftsFitted
from jokejudge_gui.learning.editor_job import EditorFitted
from jokejudge_gui.learning.plan_job import PlanMeasured
from jokejudge_gui.session.session import Session
from tests.editor_engine import knack, texts
from tests.learning_engine import TEXT, LearningEngine, learn_from, level_of

NEW = texts(700)[600:606]
Open = Callable[..., Session]


@pytest.fixture
def open_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    learn_from(tmp_path / "models", monkeypatch)

    def opened(engine: LearningEngine) -> Session:
        return Session(Profile.at(tmp_path / "profile"), Settings(), loader=lambda _file, _settings, _cancel: engine)

    return opened


def rated(session: Session, text: str) -> RatingResult:
    *_, last = session.rate(text)
    assert isinstance(last, Finished)
    assert isinstance(last.result, RatingResult)
    return last.result


def kinds_of(events: list[Event]) -> list[type[Event]]:
    return [type(event) for event in events if isinstance(event, EditorFitted | DraftsFitted | PlanMeasured)]


def test_a_model_that_answers_well_is_asked_and_its_answers_are_shown(open_session: Open) -> None:
    engine = LearningEngine(knows=0.4, answers=True)
    session = open_session(engine)
    before = rated(session, NEW[0])
    assert before.everything_asked
    assert any("wasn't measured" in warning for warning in before.warnings)
    events = list(session.fit_editor())
    assert isinstance(events[-1], Finished)
    assert kinds_of(events) == [EditorFitted, DraftsFitted, PlanMeasured]
    judge = session.judge
    assert judge is not None
    assert len(judge.plan.asked("factor")) == 16
    assert not judge.reads_alone
    for text in NEW:
        engine.asked = 0
        found = rated(session, text)
        assert engine.asked == 2  # the kinds, and the scores
        assert not found.everything_asked
        assert {factor.source for factor in found.factors} <= {"both", "asked"}
        assert len(found.factors) == 16
        assert all(abs((factor.expected or 0.0) - level_of(text)) < 1.0 for factor in found.factors)
    session.close()


def test_a_model_whose_answers_are_noise_is_read_alone(open_session: Open) -> None:
    engine = LearningEngine(knows=0.4)
    session = open_session(engine)
    list(session.fit_editor())
    judge = session.judge
    assert judge is not None
    assert judge.plan.planned
    assert [item.id for item in judge.plan.items if item.ask] == []
    engine.asked = 0
    found = rated(session, NEW[0])
    assert engine.asked == 0
    assert {factor.source for factor in found.factors} == {"read"}
    session.close()


def test_a_model_without_heads_can_be_planned_by_its_answers_alone(open_session: Open) -> None:
    session = open_session(LearningEngine(answers=True))
    assert isinstance(list(session.measure_plan())[-1], Finished)
    found = rated(session, NEW[0])
    assert {factor.source for factor in found.factors} == {"asked"}
    assert not found.everything_asked
    session.close()


def test_a_model_without_heads_whose_answers_are_noise_shows_nothing(open_session: Open) -> None:
    session = open_session(LearningEngine())
    list(session.measure_plan())
    found = rated(session, NEW[0])
    assert found.factors == ()
    assert any("measured to be worth showing" in warning for warning in found.warnings)
    session.close()


def test_what_was_stopped_goes_on_where_it_was(open_session: Open, tmp_path: Path) -> None:
    token = CancelToken()

    def stop(count: int) -> None:
        if count == 150:
            token.cancel()

    first = open_session(LearningEngine(reading=stop))
    assert isinstance(list(first.fit_editor(cancel=token))[-1], Cancelled)
    assert first.judge is not None
    assert first.learner.begun(first.judge.model.sha256)
    first.close()
    engine = LearningEngine()
    second = open_session(engine)
    events = list(second.fit_editor())
    assert kinds_of(events) == [EditorFitted, DraftsFitted, PlanMeasured]
    read_before = texts(140)
    assert not set(read_before[:100]) & set(engine.read[: engine.read.index(texts(160)[155])])
    assert second.judge is not None
    assert not second.learner.begun(second.judge.model.sha256)
    assert not second.learner.missing(second.judge)
    assert kinds_of(list(second.fit_editor())) == []
    second.close()


def test_answers_that_were_given_are_not_asked_for_again(open_session: Open) -> None:
    engine = LearningEngine(knows=0.4, answers=True)
    session = open_session(engine)
    token = CancelToken()
    for event in session.measure_plan(cancel=token):
        if isinstance(event, StageProgress) and event.note.startswith("asking about texts") and event.done == 30:
            token.cancel()
    engine.asked = 0
    events = list(session.measure_plan())
    asked = [event for event in events if isinstance(event, StageProgress) and event.note.startswith("asking about")]
    assert engine.asked == 2 * (len(asked) - 30)
    session.close()


def test_a_plan_measured_beside_other_heads_doesnt_count(open_session: Open) -> None:
    session = open_session(LearningEngine(knows=0.4, answers=True))
    list(session.measure_plan())
    judge = session.judge
    assert judge is not None
    assert judge.plan.planned
    events = list(session.fit_editor())
    assert kinds_of(events) == [EditorFitted, DraftsFitted, PlanMeasured]
    assert all(item.source == "both" for item in judge.plan.items if item.kind == "factor")
    session.close()


def test_answers_in_duels_that_people_bear_out_decide_duels(open_session: Open) -> None:
    def knows(prompt: str, question: str, label: str) -> float:
        found = TEXT.findall(prompt)[-2:]
        if label.strip() in ("1", "2") and len(found) == 2:
            return 4.0 if (label.strip() == "1") == (knack(found[0]) > knack(found[1])) else 0.0
        return 0.0

    engine = LearningEngine()
    engine._bias = knows
    session = open_session(engine)
    list(session.measure_plan())
    judge = session.judge
    assert judge is not None
    assert judge.plan.asked("duel") == ("pair", "alone")
    high, low = max(NEW, key=knack), min(NEW, key=knack)
    *_, last = session.duel(high, low)
    assert isinstance(last, Finished)
    assert isinstance(last.result, DuelResult)
    assert last.result.winner == "A"
    assert not last.result.everything_asked
    assert {order.first for order in last.result.orders} == {"A", "B"}
    session.close()


def test_duels_of_a_model_that_can_only_guess_say_so(open_session: Open) -> None:
    session = open_session(LearningEngine())
    list(session.measure_plan())
    *_, last = session.duel("One joke.", "Another joke.")
    assert isinstance(last, Finished)
    assert last.result is not None
    assert any("no better than a coin" in warning for warning in last.result.warnings)
    session.close()
