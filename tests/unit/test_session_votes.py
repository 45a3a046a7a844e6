"""Votes on stored verdicts, and the taste that the session reads out of them."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Audience, ModelRef, VerdictResult
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelResult, ProbabilityA
from jokejudge_gui.judge.rating.record import RatingResult
from jokejudge_gui.learning.taste import FEWEST, cast_vote, taste_of
from jokejudge_gui.session.session import Session
from tests.fake_engine import FakeEngine
from tests.records import record

MODEL = ModelRef(name="test-model", sha256="ab" * 32)


@pytest.fixture
def session(profile: Profile) -> Iterator[Session]:
    made = Session(profile, loader=lambda _file, _settings, _cancel: FakeEngine())
    yield made
    made.close()


def keep(session: Session, result: VerdictResult, model: ModelRef | None = MODEL) -> None:
    record(session.store, result, model=model)


def duel(id: str, factor: float = 2.0, winner: str = "A", **changes: object) -> DuelResult:
    p = factor / (1 + factor)
    values = {"id": id, "text_a": f"{id} one", "text_b": f"{id} two", "winner": winner, "confidence_factor": factor}
    values["p_a"] = p if winner == "A" else 1 - p
    return DuelResult.model_validate(values | {"model": MODEL} | changes)


def test_a_vote_holds_the_judges_own_number_and_the_texts(session: Session) -> None:
    keep(session, duel("d", 2.0, "B", audience=ProbabilityA(p_a=0.4)))
    keep(session, RatingResult(id="r", text="A joke.", mean_score=3.25))
    keep(session, RatingResult(id="s", text="Another.", mean_score=3.0, audience=Audience(percentile=80, score=0.9)))
    one = cast_vote(session.store, "d", "A", blind=True)
    assert (one.scale.split("/")[0].split(" ")[0], one.value, one.text_a, one.text_b) == (
        "odds_audience",
        pytest.approx(-math.log(2)),
        "d one",
        "d two",
    )
    assert (one.model, one.blind, one.prompt_version) == (MODEL, True, "p")
    two, three = cast_vote(session.store, "r", "up"), cast_vote(session.store, "s", "down")
    assert (two.scale.split("/")[0].split(" ")[0], two.value, two.text_a, two.text_b) == ("mean", 3.25, "A joke.", None)
    assert (three.scale.split("/")[0].split(" ")[0], three.value) == ("audience", 0.9)
    assert session.store.votes.find() == [one, two, three]
    assert session.store.votes.remove("d")
    assert not session.store.votes.remove("d")


@pytest.mark.parametrize(
    ("result", "code"),
    [
        (RatingResult(id="x", text="No joke.", admissible=False, model=MODEL), "E_VOTE_UNSCORED"),
        (DuelResult(id="x", text_a="One.", text_b="Two.", model=MODEL), "E_VOTE_UNSCORED"),
        (duel("x", 1.0, "tie", text_a="Same.", text_b="Same."), "E_VOTE_SAME"),
    ],
)
def test_a_verdict_that_a_vote_says_nothing_about_is_refused(
    session: Session, result: VerdictResult, code: str
) -> None:
    keep(session, result)
    with pytest.raises(InputError) as caught:
        cast_vote(session.store, "x", "A" if isinstance(result, DuelResult) else "up")
    assert caught.value.code == code
    assert session.store.votes.count() == 0


def test_a_taste_is_of_one_model_and_says_what_its_votes_do(session: Session) -> None:
    other = ModelRef(name="other", sha256="cd" * 32)
    for place in range(FEWEST):
        keep(session, duel(f"d{place}", 1.5 + place % 5, "A" if place % 2 else "B"))
        cast_vote(session.store, f"d{place}", "A" if place % 2 else "B")
    keep(session, duel("o", model=other), other)
    cast_vote(session.store, "o", "B")
    taste = taste_of(session.store, MODEL.sha256)
    assert (taste.votes, taste.agreement.right, taste.kept) == (FEWEST, FEWEST, True)
    expected = taste.estimate(DUEL.vote_score(duel("new", 3.0, "B")))
    assert expected[0] < 0
    assert (taste_of(session.store, other.sha256).votes, taste_of(session.store, other.sha256).fitted) == (1, False)
    assert taste_of(session.store, "ef" * 32).votes == 0
