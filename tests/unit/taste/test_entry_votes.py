"""Votes on the jokes of a contest: thumbs, and blind choices between two."""

from __future__ import annotations

import pytest

from jokejudge_gui.core.errors import InputError, UsageError
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import ContestRequest, ContestResult
from jokejudge_gui.learning.taste import cast_vote, taste_of, thumbs, vote_on_entry, vote_on_pair
from jokejudge_gui.session.session import Session
from tests.ends import finished

LIST = ("I bought running shoes; they are resting well.", "I used to be indecisive. Now I'm not so sure.", "One. Two.")


@pytest.fixture
def result(session: Session) -> ContestResult:
    return finished(session.run(CONTEST, ContestRequest.of_texts(LIST, budget=0)))


def test_a_thumb_for_a_joke_of_a_contest_is_a_vote_on_a_rating(session: Session, result: ContestResult) -> None:
    vote = vote_on_entry(session.store, result, "2", "up")
    assert (vote.kind, vote.choice, vote.text_a, vote.blind) == ("rate", "up", LIST[1], False)
    assert thumbs(session.store, LIST) == {LIST[1]: vote}
    assert taste_of(session.store, result.model.sha256).thumbs == 1


def test_another_thumb_for_the_same_text_takes_the_place_of_the_first(session: Session, result: ContestResult) -> None:
    vote_on_entry(session.store, result, "2", "up")
    rated = finished(session.rate(LIST[0]))
    cast_vote(session.store, rated.id, "up")
    again = result.replaced(id="another")
    vote_on_entry(session.store, again, "1", "down")
    vote_on_entry(session.store, again, "2", "down")
    assert [vote.choice for vote in session.store.votes.find()] == ["down", "down"]
    kept = session.store.votes.get(rated.id)
    assert kept.choice == "down"


def test_a_blind_choice_is_a_vote_on_a_duel_whichever_stood_first(session: Session, result: ContestResult) -> None:
    vote_on_pair(session.store, result, ("1", "2"), "A", blind=True)
    vote = vote_on_pair(session.store, result, ("2", "1"), "A", blind=True)
    assert session.store.votes.find() == [vote]
    assert (vote.kind, vote.choice, vote.text_a, vote.text_b) == ("duel", "B", LIST[0], LIST[1])
    assert (vote.blind, vote.centred) == (True, True)
    scores = {entry.id: entry.score or 0.0 for entry in result.entries}
    assert vote.value == pytest.approx(scores["1"] - scores["2"])


@pytest.mark.parametrize(
    ("ids", "choice", "error"),
    [(("1", "9"), "A", UsageError), (("1", "2"), "up", UsageError), (("1", "1"), "A", InputError)],
)
def test_what_cannot_be_voted_on_is_refused(
    session: Session, result: ContestResult, ids: tuple[str, str], choice: str, error: type[Exception]
) -> None:
    with pytest.raises(error):
        vote_on_pair(session.store, result, ids, choice, blind=True)
    assert session.store.votes.count() == 0


def test_a_joke_that_was_not_read_cannot_be_voted_on(session: Session, result: ContestResult) -> None:
    unread = result.replaced(entries=tuple(one.replaced(reading=None, score=None) for one in result.entries))
    with pytest.raises(InputError, match="no score yet"):
        vote_on_entry(session.store, unread, "1", "up")
    with pytest.raises(InputError, match="no score yet"):
        vote_on_pair(session.store, unread, ("1", "2"), "A", blind=True)
