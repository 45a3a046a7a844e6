"""The order of a ranking is that of the number beside each joke, whatever duels between versions said."""

from __future__ import annotations

from itertools import pairwise

import pytest

from jokejudge_gui.core.verdicts import Heard
from jokejudge_gui.judge.contest.ranking_state import RankingState, originality, relevance
from jokejudge_gui.judge.contest.record import ContestRequest, ContestResult, HeldDuel, RankedEntry, Reading
from jokejudge_gui.judge.contest.words import by_place
from tests.ranked_entries import ranked_entry


def ranked(*, by_judge: bool = False) -> tuple[RankedEntry, ...]:
    """A hundred jokes as close together as an audience head puts them; two of them are versions that had a duel."""
    texts = [f"Joke {number:03}" for number in range(100)]
    request = ContestRequest.of_texts(texts)
    draft = ContestResult(id="c", entries=())
    state = RankingState(draft, request, by_judge)
    for number, text in enumerate(texts):
        place = 90.0 - 0.8 * number
        state.readings[text] = Reading(value=(place - 50) / 100, percentile=place, unit=0.3, agreement=0.65)
    state.mark_alike([(10, 11, 0.9)])
    state.rank()
    state.duels[state.pair(11, 10)] = HeldDuel(p_a=0.02, drafts=not by_judge)
    state.rank()
    return draft.entries


def test_a_duel_of_two_versions_leaves_the_order_to_the_audience() -> None:
    entries = ranked()
    assert [entry.id for entry in entries] == [str(number) for number in range(1, 101)]
    assert by_place(entries)
    assert entries[10].duels == 1


def test_where_duels_decide_the_number_is_the_score() -> None:
    entries = ranked(by_judge=True)
    assert not by_place(entries)
    for one, other in pairwise(entries):
        assert one.score >= other.score


@pytest.mark.parametrize(("places", "told"), [((80.0, 60.0), True), ((60.0, 80.0), False), ((None, None), False)])
def test_the_places_are_shown_only_in_their_own_order(places: tuple[float | None, ...], told: bool) -> None:
    entries = [ranked_entry(id=str(n), text=str(n), rank=n, percentile=at) for n, at in enumerate(places, start=1)]
    assert by_place(entries) is told


@pytest.mark.parametrize(
    ("fresh", "told", "versions", "expected"),
    [
        (0.8, 0.1, 0, 0.8),
        (0.8, 0.7, 0, 0.3),  # told already, whatever else is read
        (0.8, None, 0, 0.8),
        (None, 0.4, 0, 0.6),
        (0.8, 0.1, 1, 0.4),  # two of a kind share it
        (None, None, 2, 1 / 3),
    ],
)
def test_originality(fresh: float | None, told: float | None, versions: int, expected: float) -> None:
    heard = Heard(where="1 of 9 collections", likeness=told) if told is not None else None
    reading = Reading(value=0.0, fresh=fresh, heard=heard)
    assert originality(reading, versions, any_versions=True) == pytest.approx(expected)


@pytest.mark.parametrize(("mean", "expected"), [(1.0, 0.0), (5.5, 0.5), (10.0, 1.0), (10.4, 1.0), (0.7, 0.0)])
def test_relevance_is_a_share(mean: float, expected: float) -> None:
    assert relevance(({"scale": "relevance", "mean": mean},)) == pytest.approx(expected)
