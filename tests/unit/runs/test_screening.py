"""Screening: what is rejected, shown and promoted, and what the thresholds cost."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jokejudge_gui.errors import InputError, UsageError
from jokejudge_gui.judging.contest.types import ContestResult, RankedEntry, Reading
from jokejudge_gui.runs.screening import Ballot, Screening, Thresholds, chance, leader, screen

NOW = datetime(2026, 5, 1, 12, tzinfo=UTC)


def entry(id: str, percentile: float, rank: int, **more: object) -> RankedEntry:
    reading = Reading(value=0.0, percentile=percentile, agreement=more.pop("agreement", 0.9))  # type: ignore[arg-type]
    return RankedEntry.model_validate(
        {"id": id, "text": f"Joke {id}.", "rank": rank, "percentile": percentile, "reading": reading, **more}
    )


def screened(*entries: RankedEntry, **options: object) -> Screening:
    return screen(ContestResult(id="c", entries=entries), **options)  # type: ignore[arg-type]


def decisions(found: Screening) -> dict[str, str]:
    return {row.id: row.decision for row in found.entries}


def test_the_chance_is_even_in_the_middle_and_nearer_to_it_the_less_the_estimate_is_right() -> None:
    assert chance(entry("a", 50.0, 1)) == pytest.approx(0.5)
    sure, unsure = chance(entry("a", 95.0, 1)), chance(entry("a", 95.0, 1, agreement=0.6))
    assert sure is not None
    assert unsure is not None
    assert 0.5 < unsure < sure < 1.0
    assert chance(entry("a", 95.0, 1, agreement=None)) is None


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
    assert "None is good enough" in found.sentences()[0]


def test_versions_and_old_jokes_are_set_aside_first() -> None:
    found = screened(entry("a", 90.0, 1, like=("b",)), entry("b", 89.0, 2, like=("a",)), entry("c", 95.0, 3, stock=0.9))
    assert decisions(found) == {"a": "show", "b": "reject", "c": "reject"} | {"a": decisions(found)["a"]}
    assert {row.id: row.reason for row in found.entries} == {"a": "", "b": "version", "c": "stock"}


def test_both_errors_follow_the_threshold() -> None:
    entries = [entry(str(n), 5.0 * n, 20 - n) for n in range(1, 20)]
    low = screened(*entries, thresholds=Thresholds(reject=0.3))
    high = screened(*entries, thresholds=Thresholds(reject=0.85))
    assert low.missed < high.missed
    assert low.wasted > high.wasted


def test_long_texts_lose_something_only_if_asked_for() -> None:
    long = entry("a", 85.0, 1, text="word " * 80)
    assert decisions(screened(long, entry("b", 86.0, 2)))["a"] != "reject"
    found = screened(long, entry("b", 86.0, 2), length_penalty=True)
    assert {row.id: row.reason for row in found.entries}["a"] == "length"


def test_where_nothing_is_known_nothing_is_rejected() -> None:
    with pytest.raises(InputError, match="Nothing is known"):
        screened(entry("a", 99.0, 1, agreement=None))
    mixed = screened(entry("a", 99.0, 1, agreement=None), entry("b", 10.0, 2))
    assert decisions(mixed)["a"] == "show"


@pytest.mark.parametrize("wrong", [{"reject": 0.9, "high": 0.8}, {"promote": 1.2}, {"reject": -0.1}])
def test_thresholds_must_be_in_order(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError, match="thresholds"):
        Thresholds(**wrong)


def votes(*choices: str, days: float = 0.0) -> list[Ballot]:
    return [Ballot(choice=choice, among=("a", "b"), when=NOW - timedelta(days=days)) for choice in choices]


def test_the_leader_is_promoted_after_fifteen_votes_or_five_days() -> None:
    assert leader([], NOW) == (None, False)
    assert leader(votes("a", "b"), NOW) == (None, False)
    assert leader(votes("a", "a", "b"), NOW) == ("a", False)
    assert leader(votes(*"a" * 9, *"b" * 6), NOW) == ("a", True)
    assert leader(votes("a", "a", "b", days=5), NOW) == ("a", True)
