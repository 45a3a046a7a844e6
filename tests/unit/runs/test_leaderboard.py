"""Groups of a list against one another."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.batch.leaderboard import MOST_GROUPS, columns_of, leaderboard
from jokejudge_gui.core.errors import UsageError
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.contest.types import ContestResult, RankedEntry, Reading
from jokejudge_gui.library.catalogue import are_kin, family_of


def entry(id: str, group: str, percentile: float, *, length: int = 20, moved: float = 0.0) -> RankedEntry:
    value = percentile / 50 - 1
    reading = Reading(value=value, percentile=percentile, agreement=0.8)
    text = f"Joke {id} ".ljust(length, "x")
    columns = {"Writer": group, "id2": id}
    return RankedEntry(
        id=id, text=text, rank=1, score=value + moved, percentile=percentile, reading=reading, columns=columns
    )


def contest(groups: dict[str, list[float]], model: str = "SmolLM2 135M", **given: float) -> ContestResult:
    each = [(group, percentile) for group, found in groups.items() for percentile in found]
    entries = [entry(str(at), group, percentile) for at, (group, percentile) in enumerate(each)]
    return ContestResult(id="c", entries=tuple(entries), model=ModelRef(name=model, sha256="0" * 64))


def test_the_group_with_the_better_jokes_stands_first_with_an_interval() -> None:
    board = leaderboard(contest({"ann": [90, 80, 85, 70, 95] * 4, "bob": [20, 30, 10, 40, 5] * 4}), "writer")
    assert [each.name for each in board] == ["ann", "bob"]
    assert board[0].low > 0.5 > board[1].high
    assert board[0].win_rate + board[1].win_rate == pytest.approx(1.0)
    assert board[0].jokes == 20
    assert (board[0].rank_low, board[0].rank_high) == (1, 1)
    assert board[0].strength == pytest.approx(-board[1].strength)
    assert board[0].strength_low > 0.0 > board[1].strength_high


def test_few_jokes_tell_little() -> None:
    few = leaderboard(contest({"a": [60], "b": [40]}), "writer")
    many = leaderboard(contest({"a": [60] * 30, "b": [40] * 30}), "writer")
    assert few[0].high - few[0].low > many[0].high - many[0].low
    assert few[0].strength_high - few[0].strength_low > many[0].strength_high - many[0].strength_low
    assert (few[0].rank_low, few[0].rank_high) == (1, 2)
    assert few[0].length_controlled is None


def test_equal_groups_are_seldom_told_apart() -> None:
    wrong = 0
    for seed in range(10):
        drawn = np.random.default_rng(seed).uniform(5, 95, 30)
        board = leaderboard(contest({"a": list(drawn[:15]), "b": list(drawn[15:])}), "writer")
        wrong += not board[0].low <= 0.5 <= board[0].high
    assert wrong <= 2


def test_what_is_only_longer_doesnt_win_once_length_is_taken_out() -> None:
    """Within and across groups percentile follows length alone; one group happens to have longer texts."""
    random = np.random.default_rng(3)
    lengths = {"short": random.integers(20, 160, 60), "long": random.integers(80, 220, 60)}
    entries = [
        entry(f"{group}{at}", group, float(np.clip(length / 2.4, 2, 98)), length=int(length))
        for group, found in lengths.items()
        for at, length in enumerate(found)
    ]
    board = {each.name: each for each in leaderboard(ContestResult(id="c", entries=tuple(entries)), "writer")}
    raw, controlled = board["long"].win_rate, board["long"].length_controlled
    assert controlled is not None
    assert 0.5 <= controlled.win_rate < raw - 0.05
    assert controlled.low <= controlled.win_rate <= controlled.high


def test_what_duels_found_counts_as_well() -> None:
    read = [entry(str(at), "ab"[at % 2], 50.0) for at in range(20)]
    moved = [entry(str(at), "ab"[at % 2], 50.0, moved=0.8 if at % 2 else -0.8) for at in range(20)]
    before = leaderboard(ContestResult(id="c", entries=tuple(read)), "writer")
    after = leaderboard(ContestResult(id="c", entries=tuple(moved)), "writer")
    assert after[0].name == "b"
    assert after[0].win_rate > before[0].win_rate + 0.1


def test_a_group_of_the_judges_own_family_is_marked() -> None:
    board = leaderboard(contest({"smollm2-1.7b": [60, 50], "qwen3": [40, 50]}), "writer")
    assert {each.name: each.same_family for each in board} == {"smollm2-1.7b": True, "qwen3": False}


@pytest.mark.parametrize(
    ("writer", "judge", "architecture", "kin"),
    [
        ("Qwen/Qwen3-8B", "Qwen2.5 Coder 1.5B Instruct", "qwen2", True),
        ("google/gemma-3-4b-it", "Gemma 3 270M", "gemma3", True),
        ("meta-llama/Llama-3.1-8B", "SmolLM2 135M Instruct", "llama", False),  # built alike, but another family
        ("TheBloke/Mixtral-8x7B", "Mistral 7B", "llama", True),
        ("llama3.2", "ggml-model-q4", "llama", True),  # the name says nothing
        ("delphi", "Phi-3 mini", "phi3", False),
        ("ann", "Phi-3 mini", "phi3", False),
    ],
)
def test_families_are_told_by_name_and_otherwise_by_architecture(
    writer: str, judge: str, architecture: str, kin: bool
) -> None:
    assert are_kin(writer, judge, architecture) is kin


def test_no_family_is_none() -> None:
    assert family_of("my own jokes") is None


@pytest.mark.parametrize("groups", [{"a": [50.0]}, {"a": [50.0], " ": [60.0]}])
def test_fewer_than_two_groups_are_no_leaderboard(groups: dict[str, list[float]]) -> None:
    assert leaderboard(contest(groups), "writer") == ()


def test_a_column_that_isnt_there_or_makes_too_many_groups_is_a_sentence() -> None:
    with pytest.raises(UsageError, match="'Writer'"):
        leaderboard(contest({"a": [50.0], "b": [40.0]}), "model")
    with pytest.raises(UsageError, match="nor any other column"):
        leaderboard(ContestResult(id="c"), "model")
    with pytest.raises(UsageError, match="at most 100"):
        leaderboard(contest({str(n): [50.0] for n in range(MOST_GROUPS + 1)}), "writer")


def test_the_columns_that_can_make_groups_are_known() -> None:
    assert columns_of(contest({"a": [50.0, 40.0], "b": [40.0]})) == ("Writer",)
    assert columns_of(contest({"a": [50.0, 40.0]})) == ()
