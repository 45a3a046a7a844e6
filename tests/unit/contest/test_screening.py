"""Screening: what is rejected, shown and promoted, and what the thresholds cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jokejudge_gui.core.errors import InputError
from jokejudge_gui.core.verdicts import Heard
from jokejudge_gui.heads.audience import believed, normal_of
from jokejudge_gui.judge.contest.kind import CONTEST
from jokejudge_gui.judge.contest.record import (
    Ballot,
    ContestRequest,
    ContestResult,
    RankedEntry,
    Reading,
    Screening,
    Thresholds,
    digest_of,
)
from jokejudge_gui.judge.contest.screening import proposed, screen
from jokejudge_gui.judge.contest.words import decision_on, screening_sentences
from tests.ranked_entries import ranked_entry

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def entry(id: str, percentile: float, rank: int, **more: object) -> RankedEntry:
    """A joke that the head puts at ``percentile`` by itself."""
    agreement = more.pop("agreement", 0.9)
    assert agreement is None or isinstance(agreement, float)
    shown = percentile if agreement is None else believed(normal_of(percentile), agreement).percentile
    reading = Reading(value=0.0, percentile=shown, agreement=agreement)
    return ranked_entry(**{"id": id, "text": f"Joke {id}.", "rank": rank, "reading": reading} | more)


def screened(*entries: RankedEntry, **options: object) -> Screening:
    return screen(ContestResult(id="c", entries=entries), **options)  # type: ignore[arg-type]


def decisions(found: Screening) -> dict[str, str]:
    return {row.id: row.decision for row in found.entries}


def test_a_single_clear_best_needs_no_vote() -> None:
    found = screened(entry("a", 97.0, 1), entry("b", 60.0, 2), entry("c", 40.0, 3))
    assert found.promoted == "a"
    assert decisions(found) == {"a": "promote", "b": "wait", "c": "reject"}
    assert found.shown == ()


def test_several_high_ones_are_chosen_between_three_at_a_time() -> None:
    found = screened(*(entry(str(n), 99.0 - n, n) for n in range(1, 6)))
    assert found.promoted is None
    assert [row.id for row in found.shown] == ["1", "2", "3"]
    assert decisions(found)["5"] == "wait"


def test_where_none_passes_the_best_is_shown_and_said_to_be_no_better() -> None:
    found = screened(entry("a", 40.0, 1), entry("b", 20.0, 2))
    assert found.fallback
    assert decisions(found) == {"a": "show", "b": "reject"}
    assert "None of those that are left passes" in screening_sentences(found)[0]


def test_one_that_passes_and_one_rejected_are_said_in_the_singular() -> None:
    sentences = screening_sentences(screened(entry("a", 97.0, 1), entry("b", 40.0, 2)))
    assert sentences[-2:] == [
        "The one rejected would probably not be funnier than a typical joke.",
        "The one that passes would probably be better than a typical joke.",
    ]


def test_versions_and_what_is_widely_told_are_set_aside_first() -> None:
    many, once = (Heard(where=f"{n} of 9 collections", likeness=0.9, collections=n, of=9) for n in (4, 1))
    found = screened(
        entry("a", 90.0, 1, like=("b",)),
        entry("b", 89.0, 2, like=("a",)),
        entry("c", 95.0, 3, heard=many),
        entry("d", 96.0, 4, heard=once),
    )
    assert {row.id: row.reason for row in found.entries} == {"a": "", "b": "version", "c": "stock", "d": ""}
    assert decisions(found)["c"] == "reject"


def test_where_nothing_is_known_nothing_is_rejected() -> None:
    with pytest.raises(InputError, match="it isn't known how people"):
        screened(entry("a", 99.0, 1, agreement=None))
    mixed = screened(entry("a", 99.0, 1, agreement=None), entry("b", 10.0, 2))
    assert decisions(mixed)["a"] == "show"


def cast(among: str, *choices: str, days: float = 0.0, voter: str = "") -> list[Ballot]:
    texts = digest_of([f"Joke {id}." for id in among])
    when = NOW - timedelta(days=days)
    return [Ballot(choice=c, among=tuple(among), when=when, voter=voter, texts=texts) for c in choices]


def test_a_vote_that_has_begun_stays_on_its_jokes_whatever_the_limits_become() -> None:
    entries = [entry(id, 99.0 - n, n) for n, id in enumerate("abcde", start=1)]
    found = screened(
        *entries, ballots=cast("abc", "b", "a", "b"), thresholds=Thresholds(reject=0.9, high=0.95, promote=1)
    )
    assert [row.id for row in found.shown] == ["a", "b", "c"]
    assert (found.votes, found.ahead, found.decided) == (3, "b", False)


def test_who_wins_the_vote_is_promoted_and_the_next_in_line_are_shown_on_request() -> None:
    entries = [entry(id, 99.0 - n, n) for n, id in enumerate("abcde", start=1)]
    ballots = cast("abc", *"b" * 9, *"a" * 6)
    found = screened(*entries, ballots=ballots)
    assert found.promoted == "b"
    assert decisions(found) == {"b": "promote", "a": "reject", "c": "reject", "d": "wait", "e": "wait"}
    assert {row.id for row in found.entries if row.reason == "vote"} == {"a", "b", "c"}
    assert "People have chosen, after 15 votes." in screening_sentences(found)
    more = screened(*entries, ballots=ballots, more=True)
    assert [row.id for row in more.shown] == ["d", "e"]
    assert more.votes == 0
    second = screened(*entries, ballots=[*ballots, *cast("de", "e")])
    assert decisions(second) == {"b": "promote", "a": "reject", "c": "reject", "d": "show", "e": "show"}


def test_votes_on_other_jokes_with_the_same_ids_count_for_nothing() -> None:
    entries = [entry(id, 99.0 - n, n, text=f"Another {id}.") for n, id in enumerate("abc", start=1)]
    assert screened(*entries, ballots=cast("abc", *"b" * 15)).votes == 0


def test_limits_that_the_list_justifies_miss_about_as_many_as_they_pass_in_vain() -> None:
    entries = [entry(str(n), 4.0 * n, 26 - n, agreement=0.64) for n in range(1, 25)]
    assert screened(*entries).fallback or len([r for r in screened(*entries).entries if r.decision != "reject"]) < 5
    limits = proposed(ContestResult(id="c", entries=tuple(entries)))
    assert limits is not None
    found = screened(*entries, thresholds=limits)
    assert abs(found.missed - found.wasted) <= 1.0
    assert len(found.shown) == 3
    assert found.promoted is None
    assert proposed(ContestResult(id="c", entries=(entry("a", 50.0, 1, agreement=None),))) is None


def test_what_is_kept_of_a_screening_opens_again_whole() -> None:
    entries = tuple(entry(id, 99.0 - n, n) for n, id in enumerate("abc", start=1))
    ballots = cast("abc", *"b" * 15, voter="Ann")
    result = ContestResult(id="c", entries=entries)
    found = screen(result, Thresholds(reject=0.5), ballots=ballots)
    kept = result.replaced(screening=found)
    again = ContestResult.model_validate_json(kept.model_dump_json())
    assert again.screening.model_dump() == found.model_dump()
    (lines,) = CONTEST.words(again).rows
    assert lines.text == screening_sentences(found)[0]
    assert lines.rows[-1].text == "Promoted: Joke b."
    assert CONTEST.contract(again)["screening"]["ballots"][0]["voter"] == "Ann"
    assert ContestRequest.going_on(again).screening == again.screening
    assert CONTEST.request_of(again).screening == again.screening
    assert CONTEST.columns(again)["promoted"] == "Joke b."


def test_what_the_desk_leaves_out_is_set_aside_and_what_was_put_back_is_not() -> None:
    found = screened(
        entry("a", 99.0, 1, joke=False), entry("b", 98.0, 2, joke=False, back=True), entry("c", 97.0, 3, joke=True)
    )
    assert [decisions(found)[id] for id in "abc"] == ["reject", "show", "show"]
    assert "1 set aside as no joke." in screening_sentences(found)
    assert "Set aside" in [decision_on(row, found) for row in found.entries]
