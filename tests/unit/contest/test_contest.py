"""A contest from its list to its ranking, over the fake engine."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

import pytest

from jokejudge_gui.core.events import Cancelled, Event, Failed, Finished, Interim, Stage, StageProgress
from jokejudge_gui.engine.base import CancelToken
from jokejudge_gui.history.query import HistoryQuery
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import ContestMadeBy, ContestRequest, ContestResult, EntryNote, Notes
from jokejudge_gui.judge.contest.words import summary
from jokejudge_gui.session.session import Session
from tests.ends import finished

LIST = (
    "I bought running shoes; they are resting well.",
    "I used to be indecisive. Now I'm not so sure.",
    "Parallel lines have so much in common.",
    "The meeting could decide nothing, and took minutes.",
    "My therapist says I can't accept endings, so I booked her every week.",
)


def events_of(session: Session, request: ContestRequest, cancel: CancelToken | None = None) -> Iterator[Event]:
    yield from session.run(CONTEST, request, cancel=cancel)


def ranked(session: Session, request: ContestRequest) -> ContestResult:
    return finished(events_of(session, request))


def judged(events: Iterable[Event], stage: Stage = Stage.READING) -> int:
    """How many jokes were read, or duels held."""
    done = [event.done for event in events if isinstance(event, StageProgress) and event.stage is stage]
    return done[-1] - done[0] if done else 0


def essence(result: ContestResult) -> list[tuple[object, ...]]:
    return [(e.id, e.text, e.score, e.low, e.high, e.rank, e.rank_low, e.rank_high, e.group) for e in result.entries]


def test_duels_are_verdicts_that_belong_to_the_contest(session: Session) -> None:
    found = ranked(session, ContestRequest.of_texts(LIST, budget=3))
    assert len(found.held) == 3
    (row,) = session.store.search(HistoryQuery())
    assert (row.id, row.kind) == (found.id, "contest")
    children = session.store.search(HistoryQuery(parent=found.id))
    assert {child.id for child in children} == {duel.verdict for duel in found.held}


def test_the_order_of_the_list_does_not_matter(session: Session) -> None:
    mixed = list(LIST)
    random.Random(3).shuffle(mixed)
    one = ranked(session, ContestRequest.of_texts(LIST))
    other = ranked(session, ContestRequest.of_texts(mixed))
    assert [row[1:] for row in essence(one)] == [row[1:] for row in essence(other)]


def test_the_same_text_is_read_once_and_shares_its_place(session: Session) -> None:
    events = list(events_of(session, ContestRequest.of_texts([*LIST, f"  {LIST[0]} "])))
    assert judged(events) == 5
    last = finished(events)
    same = {entry.id: entry for entry in last.entries if entry.text == LIST[0]}
    assert set(same) == {"1", "6"}
    assert same["1"].rank == same["6"].rank
    assert same["6"].same_as == "1"
    assert "One repeats the text of another one." in summary(last)


def test_what_cannot_be_read_stands_last_and_says_why(session: Session) -> None:
    found = ranked(session, ContestRequest.of_texts([*LIST, "   ", "?!", "x" * 30_000]))
    wrong = {entry.id: entry.error for entry in found.entries[5:]}
    assert {id: error.code for id, error in wrong.items() if error} == {
        "6": "E_INPUT_EMPTY",
        "7": "E_CONTEST_NO_JOKE",
        "8": "E_INPUT_TOO_LONG",
    }
    assert [entry.rank for entry in found.entries[5:]] == [None, None, None]


@pytest.mark.parametrize("texts", [[], ["  ", ""]])
def test_a_list_without_jokes_fails_in_a_sentence(session: Session, texts: list[str]) -> None:
    last = list(events_of(session, ContestRequest.of_texts(texts)))[-1]
    assert isinstance(last, Failed)
    assert last.error.code == "E_CONTEST_EMPTY"


def test_a_contest_that_is_stopped_has_a_usable_ranking_and_goes_on_to_the_same_end(session: Session) -> None:
    whole = ranked(session, ContestRequest.of_texts(LIST))
    for stop_at in (Stage.READING, Stage.DUELS):
        cancel = CancelToken()
        for event in events_of(session, ContestRequest.of_texts(LIST), cancel):
            if isinstance(event, StageProgress) and (event.stage, event.done) == (stop_at, 3):
                cancel.cancel()
        assert isinstance(event, Cancelled)
        stopped = event.result
        assert isinstance(stopped, ContestResult)
        assert sum(entry.rank is not None for entry in stopped.entries) >= 3
        stored = session.store.get(stopped.id).result
        assert isinstance(stored, ContestResult)
        events = list(events_of(session, ContestRequest.going_on(stored)))
        assert judged(events) == (2 if stop_at is Stage.READING else 0)
        last = finished(events)
        assert essence(last) == essence(whole)


def test_jokes_can_be_added_without_reading_the_others_again(session: Session) -> None:
    first = ranked(session, ContestRequest.of_texts(LIST[:3]))
    events = list(events_of(session, ContestRequest.going_on(first, added=[(text, {}) for text in LIST[3:]])))
    assert judged(events) == 2
    last = finished(events)
    whole = ranked(session, ContestRequest.of_texts(LIST))
    assert [row[1:] for row in essence(last)] == [row[1:] for row in essence(whole)]


def test_what_another_model_found_is_not_taken_over(session: Session) -> None:
    first = ranked(session, ContestRequest.of_texts(LIST))
    request = ContestRequest.going_on(first)
    request.known.made_by = ContestMadeBy(model="0" * 64)
    events = list(events_of(session, request))
    assert judged(events) == 5
    assert isinstance(events[-1], Finished)
    assert "another model" in events[-1].result.warnings[0]


def test_what_the_user_says_while_it_runs_is_in_all_that_is_kept_of_it(session: Session) -> None:
    notes = Notes()
    steps = events_of(session, ContestRequest.of_texts([f"A joke about number {n}." for n in range(30)], notes=notes))
    identity, said = "", False
    for event in steps:
        identity = identity or getattr(event, "id", "")
        if isinstance(event, StageProgress) and not said:
            said = True
            notes["3"] = EntryNote("keep", tags=("opener",))
        elif isinstance(event, Interim) and said:
            break
    # As after a crash: what is on the disk by now.
    stored = session.store.get(identity).result
    assert isinstance(stored, ContestResult)
    entries = {entry.id: entry for entry in stored.entries}
    assert (entries["3"].user.mark, entries["3"].user.tags) == ("keep", ("opener",))
