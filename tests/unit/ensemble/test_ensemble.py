"""Several models as one judge, over fake engines."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import EngineError, ModelError
from jokejudge_gui.core.events import Event, Failed, Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelRequest, DuelResult
from jokejudge_gui.judge.ensemble_words import kin_caution
from jokejudge_gui.judge.main_judge import MainJudge
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingRequest, RatingResult
from jokejudge_gui.session.session import Session
from tests.ends import finished
from tests.fake_engine import Bias, FakeEngine
from tests.known_calibration import known
from tests.rating_helpers import pun

A = "I bought shoes from a drug dealer. I was tripping all day."
B = "My cat is a good listener. It never listens."


def loud(better: str, by: float) -> Bias:
    """A model that finds one text the funnier by so much."""

    def bias(prompt: str, question: str, label: str) -> float:
        if "Funnier" in question:
            named = "1" if f"Joke 1: {better}" in prompt else "2"
            return by if named in label else 0.0
        return pun(prompt, question, label)

    return bias


Make = Callable[..., Session]


@pytest.fixture
def make(profile: Profile) -> Iterator[Make]:
    sessions: list[Session] = []

    def make(*, model: str | None = None, **members: Any) -> Session:
        def load(_file: object, settings: Settings, _cancel: object) -> FakeEngine:
            name = settings.model or "single"
            engine = members.get(name)
            if isinstance(engine, Exception):
                raise engine
            fake = FakeEngine(engine or pun, name=name, sha256=hashlib.sha256(name.encode()).hexdigest())
            files = MeasuredFiles(Path("nowhere"), profile.models)
            files.save_calibration(known(MainJudge(fake, files)))
            return fake

        session = Session(profile, Settings(model=model or " + ".join(members)), loader=load)
        sessions.append(session)
        return session

    yield make
    for session in sessions:
        session.close()


def last(events: Iterator[Event]) -> Any:
    return finished(events)


def test_the_models_answer_one_by_one_and_their_verdicts_are_children_of_theirs_together(make: Make) -> None:
    session = make(one=pun, other=pun)
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert [member.model.name for member in result.panel.members] == ["one", "other"]
    assert result.model.name == "one + other"
    rows = session.store.search(HistoryQuery())
    assert [(row.id, row.kind) for row in rows] == [(result.id, "rate")]
    children = session.store.search(HistoryQuery(parent=result.id))
    assert {row.id for row in children} == {member.verdict for member in result.panel.members}
    kept = session.store.get(result.id).result
    assert kept == result


def test_models_that_disagree_in_a_duel_are_told_apart_and_a_swapped_duel_mirrors(make: Make) -> None:
    session = make(one=loud(A, 9.0), other=loud(A, 6.0), third=loud(B, 1.0))
    found: DuelResult = last(session.run(DUEL, DuelRequest(text_a=A, text_b=B)))
    swapped: DuelResult = last(session.run(DUEL, DuelRequest(text_a=B, text_b=A)))
    assert (found.winner, swapped.winner) == ("A", "B")
    assert swapped.p_a == 1.0 - found.p_a
    assert found.confidence_factor == swapped.confidence_factor
    (dissent,) = found.panel.dissent
    assert (dissent["finding"], dissent["agree"], dissent["of"]) == ("A, probably (71 in 100)", 2, 3)
    assert [row.text for row in DUEL.words(found).rows if row.name == "By model"] == [
        "Two of three models say the same as all together."
    ]


def test_a_model_that_can_not_be_loaded_fails_the_panel_and_the_next_verdict_may_go_on(make: Make) -> None:
    session = make(one=pun, other=ModelError("E_MODEL_MISSING", "It is gone.", "Choose another."))
    end = list(session.run(RATING, RatingRequest(text=A)))[-1]
    assert isinstance(end, Failed)
    assert end.error.code == "E_MODEL_MISSING"


def test_a_text_that_one_model_can_not_read_is_judged_by_the_others(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make(one=pun, other=pun)
    assert list(session.load())[-1] == Finished()
    plain = FakeEngine.choose

    def choose(self: FakeEngine, *args: Any, **options: Any) -> Any:
        if self.info.name == "other":
            raise EngineError("E_CONTEXT", "The text is too long for this model.", "Shorten it.")
        return plain(self, *args, **options)

    monkeypatch.setattr(FakeEngine, "choose", choose)
    result: RatingResult = last(session.run(RATING, RatingRequest(text=A)))
    assert [member.error is None for member in result.panel.members] == [True, False]
    assert any("other has no verdict" in warning for warning in result.warnings)


def test_only_the_writers_own_kin_is_cautioned_about(make: Make) -> None:
    text = RatingRequest(text=A, generator="Qwen 2.5 7B")
    kin: RatingResult = last(make(qwen=pun, qwen_coder=pun).run(RATING, text))
    mixed: RatingResult = last(make(qwen=pun, llama=pun).run(RATING, text))
    alone: RatingResult = last(make(model="qwen").run(RATING, text))
    assert any("all the judges' own family" in warning for warning in kin.warnings)
    assert any("the judge's own family" in warning for warning in alone.warnings)
    assert not any("own family" in warning for warning in mixed.warnings)
    assert RATING.request_of(kin).generator == "Qwen 2.5 7B"


def test_one_joke_of_a_list_by_a_kin_is_one_of_the_jokes() -> None:
    judges: list[Any] = [SimpleNamespace(name="Qwen 2.5 7B", architecture="qwen2")]
    assert kin_caution(["", "Qwen 2.5 7B", ""], judges).startswith("1 of the jokes was written")
    assert "may favour them" in kin_caution(["Qwen 2.5 7B"] * 2, judges)
    assert kin_caution(["Qwen 2.5 7B"], judges).startswith("The text was written")
    assert kin_caution(["", ""], judges) == ""
