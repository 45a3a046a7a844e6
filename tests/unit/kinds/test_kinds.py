"""What the kinds of verdict tell: requests clean, headlines, standings, contracts, columns."""

from __future__ import annotations

import math

from jokejudge_gui.core.errors import ErrorInfo
from jokejudge_gui.core.verdicts import Audience, ModelRef
from jokejudge_gui.judge.duel.kind import DUEL
from jokejudge_gui.judge.duel.record import DuelResult, ProbabilityA
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import RatingResult

MODEL = ModelRef(name="small", sha256="ab" * 32)


def rating(**known: object) -> RatingResult:
    return RatingResult.model_validate({"id": "r", "text": "A joke.", "model": MODEL, **known})


def duel(**known: object) -> DuelResult:
    return DuelResult.model_validate({"id": "d", "text_a": "One.", "text_b": "Two.", "model": MODEL, **known})


def test_every_kind_stands_under_its_own_name() -> None:
    for name, kind in KINDS.items():
        assert kind.name == name == kind.result.kind
        assert set(kind.fields) <= set(kind.request.model_fields) & set(kind.result.model_fields)


def test_a_rating_that_asked_its_whole_pipeline_asks_it_again() -> None:
    assert RATING.request_of(rating(everything_asked=True)).ask == "all"
    assert RATING.request_of(rating()).ask == "plan"


def test_standings_of_another_head_prompt_or_criteria_have_a_scale_of_their_own() -> None:
    audience = Audience(percentile=50.0, score=0.3)
    plain = rating(audience=audience, head_version="1", prompt_version="p", criteria_version="c")
    found = RATING.vote_score(plain)
    assert found is not None
    assert found.value == 0.3
    for other in (
        rating(audience=audience, head_version="2", prompt_version="p", criteria_version="c"),
        rating(audience=audience, head_version="1", prompt_version="q", criteria_version="c"),
        rating(audience=audience, head_version="1", prompt_version="p", criteria_version="d"),
        rating(mean_score=2.0, head_version="1", prompt_version="p", criteria_version="c"),
    ):
        vote_score = RATING.vote_score(other)
        assert vote_score is not None
        assert vote_score.scale != found.scale


def test_a_duel_stands_by_its_log_odds_for_a() -> None:
    found = DUEL.vote_score(duel(winner="B", confidence_factor=2.0, audience=ProbabilityA(p_a=0.3)))
    assert found is not None
    assert found.centred
    assert found.value == -math.log(2.0)
    assert DUEL.vote_score(duel()) is None


def test_a_verdict_that_was_never_read_is_an_object_with_its_error() -> None:
    error = ErrorInfo(code="E_INPUT_EMPTY", sentence="There is no text to judge.")
    found = DUEL.unread((None, "Two."), error)
    assert (found["id"], found["text_a"], found["text_b"], found["winner"]) == (None, None, "Two.", None)
    assert found["error"] == error.model_dump()
    assert set(RATING.unread((None,), error)) == set(RATING.contract(rating()))
