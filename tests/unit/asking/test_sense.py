"""Sense, where the model itself is asked: which questions are worth it, and what verdicts make of the answers."""

from __future__ import annotations

from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.errors import Cancelled
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.judge.asking.worth import ItemWorth, Plan, Worth
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.learning.plan_job import SENSE_FAMILIES, sense_items
from jokejudge_gui.measure.worths import TrustFiles
from jokejudge_gui.session.session import Session
from tests.learning_engine import LearningEngine, families, learn_from

WORKING = {family["best"] for family in families()}
NO_JOKE, JOKE = "My neighbour painted the fence green.", "My neighbour painted the fence blue."
KEYS = ("Is it a joke that works?", "Does its end belong", "Is it finished?")


def knows_sense(*about: str, of: frozenset[str] = frozenset({*WORKING, JOKE})) -> LearningEngine:
    """A model that answers the questions that hold these words, and guesses at all else."""
    engine = LearningEngine()

    def answer(prompt: str, question: str, label: str) -> float:
        if not any(words in question for words in about):
            return 0.0
        text = prompt.rpartition("Text: ")[2].partition("<|")[0].strip()
        return 6.0 if (label.strip().lower() == "yes") == (text in of) else 0.0

    engine._bias = answer
    return engine


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    learn_from(tmp_path / "models", monkeypatch)
    return tmp_path


def opened(folder: Path, engine: LearningEngine) -> Session:
    session = Session(Profile.at(folder / "profile"), Settings(), loader=lambda _file, _settings, _cancel: engine)
    list(session.load())
    return session


def measured(folder: Path, engine: LearningEngine, read: Worth | None = None) -> dict[str, ItemWorth]:
    session = opened(folder, engine)
    assert session.judge is not None
    steps = sense_items(session.judge, folder / "models" / "contrasts" / "families.jsonl", read, folder / "cache")
    while True:
        try:
            next(steps)
        except StopIteration as end:
            session.close()
            return {item.id: item for item in end.value}


def rated(session: Session, text: str, **options: object) -> RatingResult:
    *_, last = session.rate(text, **options)  # type: ignore[arg-type]
    assert isinstance(last, Finished)
    assert isinstance(last.result, RatingResult)
    return last.result


def test_each_question_is_asked_for_its_own_worth(folder: Path) -> None:
    items = measured(folder, knows_sense(KEYS[0]))
    assert {id: item.ask for id, item in items.items()} == {"joke": True, "end": False, "whole": False}
    worth = items["joke"].asked
    assert worth is not None
    assert worth.value > 0.95
    assert worth.n >= SENSE_FAMILIES


def test_a_model_that_guesses_is_not_asked(folder: Path) -> None:
    assert not any(item.ask for item in measured(folder, LearningEngine()).values())


def test_where_no_answer_tells_anything_half_of_the_texts_are_enough(folder: Path) -> None:
    knows, wrong = knows_sense(*KEYS), knows_sense(*KEYS)
    answer = wrong._bias
    wrong._bias = lambda prompt, question, label: -answer(prompt, question, label)
    measured(folder, knows)
    (folder / "cache").rename(folder / "before")
    assert not any(item.ask for item in measured(folder, wrong).values())
    assert wrong.asked <= knows.asked // 2 + 1


def test_answers_must_tell_more_than_heads_that_learned_it(folder: Path) -> None:
    sure = Worth(value=0.99, low=0.99, high=0.99, n=0)
    items = measured(folder, knows_sense(*KEYS), sure)
    assert not any(item.ask for item in items.values())


def test_what_was_asked_is_not_asked_again(folder: Path) -> None:
    first = measured(folder, knows_sense(KEYS[0]))
    again = knows_sense(KEYS[0])
    assert measured(folder, again)["joke"].asked == first["joke"].asked
    assert again.asked == 0


def test_a_stopped_measurement_goes_on_where_it_was(folder: Path) -> None:
    token, engine = CancelToken(), knows_sense(KEYS[0])
    session = opened(folder, engine)
    assert session.judge is not None
    path = folder / "models" / "contrasts" / "families.jsonl"
    steps = sense_items(session.judge, path, None, folder / "cache", token)
    for _ in range(11):
        next(steps)
    token.cancel()
    with pytest.raises(Cancelled):
        list(steps)
    session.close()
    before = engine.asked
    rest = knows_sense(KEYS[0])
    measured(folder, rest)
    whole = knows_sense(KEYS[0])
    (folder / "cache").rename(folder / "before")
    measured(folder, whole)
    assert before > 0
    assert rest.asked == whole.asked - before


def test_a_planned_model_says_what_is_no_joke_without_heads(folder: Path) -> None:
    session = opened(folder, knows_sense(*KEYS))
    assert isinstance(list(session.measure_plan())[-1], Finished)
    none, joke = rated(session, NO_JOKE), rated(session, JOKE)
    assert none.sense is not None
    assert joke.sense is not None
    assert (none.sense.said, none.sense.source, none.sense.whole) == ("no turn", "asked", None)
    assert (joke.sense.said, joke.sense.source) == ("joke", "asked")
    assert none.explanation == "Nothing turns here that I can find."
    assert none.factors == ()
    anyway = rated(session, NO_JOKE, force=True)
    assert anyway.sense == none.sense
    assert anyway.explanation != none.explanation
    assert rated(session, JOKE, context="A fence").sense is None
    assert "Asked what isn't a joke" in TrustFiles(session.profile).sense(none.model.sha256)
    session.close()


def test_a_question_that_was_reworded_is_asked_no_more(folder: Path) -> None:
    session = opened(folder, knows_sense(*KEYS))
    list(session.measure_plan())
    judge = session.judge
    assert judge is not None
    items = [item.replaced(question="sense:old") if item.kind == "sense" else item for item in judge.plan.items]
    judge.plan = Plan.model_validate({**dict(judge.plan), "items": tuple(items)})
    assert judge.plan.asked("sense")
    assert rated(session, NO_JOKE).sense is None
    session.close()


def test_a_text_that_is_no_joke_by_its_form_stays_one_whatever_the_model_says(folder: Path) -> None:
    line = "Sure! Here are ten jokes about fences:"
    session = opened(folder, knows_sense(*KEYS, of=frozenset({*WORKING, line})))
    list(session.measure_plan())
    found = rated(session, line, force=True).sense
    assert found is not None
    assert found.said == "no turn"
    session.close()
