"""Shuffled rounds on the embedded model: it answers the questions, and the same list gives the same scores."""

from __future__ import annotations

from pathlib import Path

from jokejudge_gui.core.config import Settings
from jokejudge_gui.core.events import Finished
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import ContestRequest, ContestResult
from jokejudge_gui.session.session import Session

from .conftest import NewProfile

LIST = (
    "I bought running shoes; they are resting well.",
    "Parallel lines have so much in common. It's a shame they'll never meet.",
    "The exception proves the rule.",
    "The meeting could decide nothing, and took minutes.",
)


def ranked(session: Session, texts: tuple[str, ...]) -> ContestResult:
    *_, last = session.run(CONTEST, ContestRequest.of_texts(texts, context="sport", budget=0, shuffled=2))
    assert isinstance(last, Finished), last
    assert isinstance(last.result, ContestResult)
    return last.result


def test_every_joke_is_scored_and_the_same_list_gives_the_same_scores(
    embedded_model: Path, new_profile: NewProfile
) -> None:
    session = Session(new_profile("rounds"), Settings(model=str(embedded_model), threads=1))
    try:
        one, other = ranked(session, LIST), ranked(session, LIST[::-1])
    finally:
        session.close()
    assert all(len(entry.rounds) == 3 and entry.relevance is not None for entry in one.entries)
    assert all(entry.originality is not None for entry in one.entries)
    assert [(e.text, e.rounds) for e in one.entries] == [(e.text, e.rounds) for e in other.entries]
