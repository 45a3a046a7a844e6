"""Jokes that the user's history knows already are told."""

from __future__ import annotations

import pytest

from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import ContestRequest, EntryNote, Notes
from jokejudge_gui.session.session import Session
from tests.ends import finished

JOKE = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
OTHER = "Parallel lines have so much in common. It's a shame they'll never meet."


@pytest.fixture(autouse=True)
def rated(session: Session) -> None:
    list(session.rate(JOKE, force=True, explain=False))


def test_a_joke_that_was_judged_is_known(session: Session) -> None:
    (row,) = session.store.search(HistoryQuery())
    assert session.store.seen([JOKE, OTHER]) == {JOKE: row.id}


def test_a_joke_of_an_earlier_list_is_known(session: Session) -> None:
    last = finished(session.run(CONTEST, ContestRequest.of_texts([OTHER, "A horse walks into a bar."], budget=0)))
    assert session.store.seen([OTHER]) == {OTHER: last.id}


def test_an_earlier_run_of_the_same_list_doesn_t_count(session: Session) -> None:
    list(session.run(CONTEST, ContestRequest.of_texts([JOKE, OTHER], budget=0)))
    assert session.store.seen([JOKE, OTHER]).keys() == {JOKE}  # which was rated by itself, too


def test_the_ranking_says_what_was_seen_and_keeps_it_with_the_users_marks(session: Session) -> None:
    seen = session.store.seen([JOKE])
    last = finished(session.run(CONTEST, ContestRequest.of_texts([JOKE, OTHER], budget=0, seen=seen)))
    result = Notes({"1": EntryNote("keep", starred=True)}).on(last)
    session.store.save_partial(result.id, result)
    stored = session.store.get(result.id)
    assert stored.row.status == "finished"
    assert stored.result == result
    (entry,) = [entry for entry in result.entries if entry.id == "1"]
    assert (entry.seen, entry.user.mark, entry.user.starred) == (seen[JOKE], "keep", True)
    assert ContestRequest.going_on(result).seen == seen
