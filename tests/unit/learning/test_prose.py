"""The prose test of a model as part of its plan: made once, gone on with after Stop, and what verdicts make of it."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.vote_sets import Rated, VoteSet
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.judge.rating.words import prose_mark
from jokejudge_gui.session.session import Session
from tests.editor_engine import knack, texts, turn_of
from tests.learning_engine import TEXT, LearningEngine, folder_to_learn_from

JOKE = texts(700)[600]
NOUNS = ["dinner", "winter", "weather", "neighbour", "village", "theatre", "kitchen", "railway", "uncle", "holiday"]


def wise(prompt: str, branch: str) -> str:
    """Names the turn of the joke, and says something else of each."""
    text = TEXT.findall(prompt)[-1]
    digest = hashlib.sha256(f"{text}{branch}".encode()).digest()
    pair = [NOUNS[byte % len(NOUNS)] for byte in digest[:3]]
    return f" “{turn_of(text)}” carries the {pair[0]} over from a {pair[1]} into any {pair[2]}."


def writing(engine: LearningEngine) -> LearningEngine:
    engine._write = wise
    return engine


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    models = folder_to_learn_from(tmp_path / "models", count=120)
    monkeypatch.setattr("jokejudge_gui.session.session.models_dir", lambda: models)
    votes = VoteSet("rated", ratings=tuple(Rated(text, knack(text)) for text in texts(1400)[1200:]))
    monkeypatch.setattr("jokejudge_gui.learning.learner.shipped_votes", lambda: votes)
    return tmp_path


def opened(folder: Path, engine: LearningEngine) -> Session:
    return Session(Profile.at(folder / "profile"), Settings(), loader=lambda _file, _settings, _cancel: engine)


def rated(session: Session, **more: str) -> RatingResult:
    *_, last = session.rate(JOKE, **more)  # type: ignore[arg-type]
    assert isinstance(last, Finished)
    assert isinstance(last.result, RatingResult)
    return last.result


def test_sentences_of_a_model_that_passed_stand_beside_the_verdict(models: Path) -> None:
    session = opened(models, writing(LearningEngine(answers=True)))
    assert isinstance(list(session.measure_plan())[-1], Finished)
    judge = session.judge
    assert judge is not None
    assert judge.plan.prose is not None
    assert judge.plan.prose.passed, judge.plan.prose.in_words
    found = rated(session)
    assert not found.everything_asked
    assert found.prose is not None
    assert turn_of(JOKE) in found.prose.text
    assert (found.prose.passed, found.prose.revised) == (True, False)
    assert "The model. The joke works because" in (found.explanation or "")
    assert RATING.contract(found)["prose"]["passed"] is True
    session.close()


def test_sentences_of_a_model_that_failed_are_only_written_when_everything_is_asked(models: Path) -> None:
    session = opened(models, LearningEngine(answers=True))
    list(session.measure_plan())
    assert session.judge is not None
    assert session.judge.plan.prose is not None
    assert not session.judge.plan.prose.passed
    assert rated(session).prose is None
    whole = rated(session, ask="all")
    assert whole.prose is not None
    assert whole.prose.passed is False
    assert "It failed the prose test" in prose_mark(whole.prose)
    session.close()


def test_deep_mode_criticises_what_was_written(models: Path) -> None:
    def write(prompt: str, branch: str) -> str:
        if "What is wrong with it" in branch:
            return " it would be true of any joke."
        return wise(prompt, branch) if "What was criticised" in prompt else " it is a joke that people like a lot."

    engine = LearningEngine(answers=True)
    engine._write = write
    session = opened(models, engine)
    quick, deep = rated(session, ask="all"), rated(session, ask="all", mode="deep")
    assert quick.prose is not None
    assert deep.prose is not None
    assert (quick.prose.revised, deep.prose.revised) == (False, True)
    assert turn_of(JOKE) in deep.prose.text
    assert deep.prose.passed is None
    session.close()
