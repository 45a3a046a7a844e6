"""What is learned for a model on the user's machine: heads, drafts, what asking it adds; and verdicts after that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Cancelled, Event, Finished, StageProgress
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.learning.teacher import Learned
from jokejudge_gui.session.session import Session
from tests.editor_engine import knack, texts
from tests.ends import finished
from tests.learning_engine import TEXT, LearningEngine, learn_from

NEW = texts(700)[600:606]
ASKING = "asking about"
Open = Callable[..., Session]


@pytest.fixture
def open_session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Open:
    learn_from(tmp_path / "models", monkeypatch)

    def opened(engine: LearningEngine) -> Session:
        return Session(Profile.at(tmp_path / "profile"), Settings(), loader=lambda _file, _settings, _cancel: engine)

    return opened


def rated(session: Session, text: str) -> RatingResult:
    return finished(session.rate(text))


def dueled(session: Session, a: str, b: str) -> DuelResult:
    return finished(session.duel(a, b))


def parts_of(events: list[Event]) -> list[str]:
    return [event.part for event in events if isinstance(event, Learned) and event.kept]


@dataclass
class Taught:
    """A session, and what was told on the way."""

    session: Session
    engine: LearningEngine
    events: list[Event]

    @property
    def judge(self) -> MainJudge:
        assert self.session.judge is not None
        return self.session.judge


@pytest.fixture(scope="module", params=[True, False], ids=["knowing", "noise"])
def taught(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Taught]:
    """A model whose answers tell what an editor would say, and one whose answers are noise: its plan is measured, with
    a stop after 30 texts, and then its heads are fitted, and the plan measured anew."""
    folder, engine = tmp_path_factory.mktemp("taught"), LearningEngine(knows=0.4, answers=request.param)
    with pytest.MonkeyPatch.context() as patch:
        learn_from(folder / "models", patch)
        session = Session(Profile.at(folder / "profile"), Settings(), loader=lambda _file, _settings, _cancel: engine)
        token = CancelToken()
        for event in session.measure_plan(cancel=token):
            if isinstance(event, StageProgress) and event.note.startswith(ASKING) and event.done == 30:
                token.cancel()
        finished(session.measure_plan())
        assert session.judge.plan.planned
        yield Taught(session, engine, list(session.fit_editor()))
        session.close()


def test_a_plan_measured_beside_other_heads_doesnt_count(taught: Taught) -> None:
    assert isinstance(taught.events[-1], Finished)
    assert parts_of(taught.events) == ["editor", "drafts", "plan"]
    assert taught.judge.plan.planned


KNOWING = pytest.mark.parametrize("taught", [True], indirect=True, ids=["knowing"])
NOISE = pytest.mark.parametrize("taught", [False], indirect=True, ids=["noise"])


@KNOWING
def test_the_answers_of_a_model_that_answers_well_are_found_to_have_worth(taught: Taught) -> None:
    judge = taught.judge
    print([(i.id, i.read) for i in judge.plan.items if i.kind == "factor"])
    assert len(judge.plan.asked("factor")) == 16
    for text in NEW:
        found = rated(taught.session, text)
        assert not found.everything_asked
        assert {factor.source for factor in found.factors} == {"read"}


@NOISE
def test_a_model_whose_answers_are_noise_is_read_alone(taught: Taught) -> None:
    assert [item.id for item in taught.judge.plan.items if item.ask] == []
    taught.engine.asked = 0
    found = rated(taught.session, NEW[0])
    assert taught.engine.asked == 0
    assert {factor.source for factor in found.factors} == {"read"}


def test_what_was_stopped_goes_on_where_it_was(open_session: Open, tmp_path: Path) -> None:
    token = CancelToken()

    def stop(count: int) -> None:
        if count == 150:
            token.cancel()

    first = open_session(LearningEngine(reading=stop))
    assert isinstance(list(first.fit_editor(cancel=token))[-1], Cancelled)
    assert first.learner.begun(first.judge.model.sha256)
    first.close()
    engine = LearningEngine()
    second = open_session(engine)
    events = list(second.fit_editor())
    assert parts_of(events) == ["editor", "drafts", "plan"]
    read_before = texts(140)
    assert not set(read_before[:100]) & set(engine.read[: engine.read.index(texts(160)[155])])
    assert not second.learner.begun(second.judge.model.sha256)
    assert not second.learner.missing(second.judge)
    assert parts_of(list(second.fit_editor())) == []
    second.close()


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
    assert judge.plan.asked("duel") == ("pair", "alone")
    high, low = max(NEW, key=knack), min(NEW, key=knack)
    found = dueled(session, high, low)
    assert found.winner == "A"
    assert not found.everything_asked
    assert {order.first for order in found.orders} == {"A", "B"}
    session.close()
