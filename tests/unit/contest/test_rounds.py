"""Shuffled rounds: who stands where, and what places add to scores."""

from __future__ import annotations

import random

import pytest

from jokejudge_gui.engine.base import Engine, Question
from jokejudge_gui.judge.contest.record import ScaleMean, ScoredChunk, Texts
from jokejudge_gui.judge.contest.rounds import CHUNK, TEN, Score, expected, means_of, place_effects, schedule
from tests.fake_engine import FakeEngine

TEXTS = [f"Joke {number}." for number in range(30)]
EFFECTS = (1.5, 0.5, 0.0, -0.5, 0.0, 0.0, -0.5, -1.0)


def worth(text: str) -> float:
    return random.Random(text).uniform(3.0, 7.0)


def scores(rounds: list[list[Texts]]) -> list[Score]:
    return [
        (text, place, worth(text) + EFFECTS[place])
        for chunks in rounds
        for chunk in chunks
        for place, text in enumerate(chunk)
    ]


def means(rounds: list[list[Texts]]) -> dict[str, ScaleMean]:
    chunks = {}
    for number, shown in enumerate(rounds, start=1):
        for chunk in shown:
            humor = tuple(worth(text) + EFFECTS[place] for place, text in enumerate(chunk))
            chunks[chunk] = ScoredChunk(round=number, ids=(), scores={"humor": humor})
    return {text: of[0] for text, of in means_of(chunks)[0].items()}


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


def test_effects_of_place_are_found_and_taken_out() -> None:
    rounds = schedule(TEXTS, 10, seed=1)
    assert place_effects(scores(rounds)) == pytest.approx(EFFECTS, abs=0.15)
    of = means(rounds)
    assert max(abs(of[text].mean - worth(text)) for text in TEXTS) < 0.15
    assert all(of[text].times == 10 and (of[text].sd or 0.0) < 0.2 for text in TEXTS)


def test_ten_is_no_one_that_goes_on() -> None:
    wanted = {"1)": 0.0, "10)": 5.0}
    engine: Engine = FakeEngine(lambda _prompt, _question, label: wanted.get(label, 0.0))
    (choice,) = engine.choose((), [Question((), TEN)])
    found = expected(choice)
    assert found > 9.0
