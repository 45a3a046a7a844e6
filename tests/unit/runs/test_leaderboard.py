"""Groups of a list against one another."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.judging.contest.types import ContestResult, RankedEntry, Reading
from jokejudge_gui.runs.leaderboard import leaderboard
from jokejudge_gui.verdicts import ModelRef


def contest(groups: dict[str, list[float]], model: str = "SmolLM2 135M") -> tuple[ContestResult, dict[str, str]]:
    entries, names = [], {}
    for group, percentiles in groups.items():
        for percentile in percentiles:
            id = str(len(entries))
            reading = Reading(value=percentile / 50 - 1, percentile=percentile, agreement=0.8)
            entries.append(RankedEntry(id=id, text=f"Joke {id}.", rank=1, percentile=percentile, reading=reading))
            names[id] = group
    return ContestResult(id="c", entries=tuple(entries), model=ModelRef(name=model, sha256="0" * 64)), names


def test_the_group_with_the_better_jokes_stands_first_with_an_interval() -> None:
    board = leaderboard(*contest({"ann": [90, 80, 85, 70, 95] * 4, "bob": [20, 30, 10, 40, 5] * 4}))
    assert [each.name for each in board] == ["ann", "bob"]
    assert board[0].low > 0.5 > board[1].high
    assert board[0].win_rate + board[1].win_rate == pytest.approx(1.0)
    assert board[0].jokes == 20
    assert (board[0].rank_low, board[0].rank_high) == (1, 1)


def test_few_jokes_tell_little() -> None:
    few, many = leaderboard(*contest({"a": [60], "b": [40]})), leaderboard(*contest({"a": [60] * 30, "b": [40] * 30}))
    assert few[0].high - few[0].low > many[0].high - many[0].low
    assert (few[0].rank_low, few[0].rank_high) == (1, 2)


def test_equal_groups_are_seldom_told_apart() -> None:
    wrong = 0
    for seed in range(20):
        drawn = np.random.default_rng(seed).uniform(5, 95, 60)
        board = leaderboard(*contest({"a": list(drawn[:30]), "b": list(drawn[30:])}))
        wrong += not board[0].low <= 0.5 <= board[0].high
    assert wrong <= 3


def test_a_group_of_the_judges_own_family_is_marked() -> None:
    board = leaderboard(*contest({"smollm2-1.7b": [60, 50], "qwen3": [40, 50]}))
    assert {each.name: each.same_family for each in board} == {"smollm2-1.7b": True, "qwen3": False}


@pytest.mark.parametrize("groups", [{}, {"a": [50.0]}, {"a": [50.0], " ": [60.0]}])
def test_fewer_than_two_groups_are_no_leaderboard(groups: dict[str, list[float]]) -> None:
    assert leaderboard(*contest(groups)) == ()
