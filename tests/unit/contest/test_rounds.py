"""Shuffled rounds: who stands where, and how a score is read."""

from __future__ import annotations

import pytest

from jokejudge_gui.engine.base import Engine, Question
from jokejudge_gui.judge.asking.questions import expected
from jokejudge_gui.judge.contest.rounds import CHUNK, TEN, schedule
from tests.fake_engine import FakeEngine

TEXTS = [f"Joke {number}." for number in range(30)]


def test_every_round_holds_every_text_once_in_another_order() -> None:
    rounds = schedule(TEXTS, 3, seed=1)
    assert [sorted(text for chunk in chunks for text in chunk) for chunks in rounds] == [sorted(TEXTS)] * 3
    assert all(CHUNK - 1 <= len(chunk) <= CHUNK for chunks in rounds for chunk in chunks)
    assert len({tuple(chunks) for chunks in rounds}) == 3
    assert schedule(TEXTS[::-1], 3, seed=1) == rounds != schedule(TEXTS, 3, seed=2)


@pytest.mark.parametrize("count", [0, 1, 2, 8, 9, 17])
def test_lists_of_any_length_are_cut_whole(count: int) -> None:
    (chunks,) = schedule(TEXTS[:count], 1, seed=1)
    assert sorted(text for chunk in chunks for text in chunk) == sorted(TEXTS[:count])
    assert all(chunks)


def test_ten_is_no_one_that_goes_on() -> None:
    wanted = {"1)": 0.0, "10)": 5.0}
    engine: Engine = FakeEngine(lambda _prompt, _question, label: wanted.get(label, 0.0))
    (choice,) = engine.choose((), [Question((), TEN)])
    found = expected(choice, least=1)
    assert found > 9.0
