"""The second meaning of a pun: how words sound, which readings a text has, and what is said of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from jokejudge_gui.core.verdicts import Wordplay
from jokejudge_gui.engine.base import Choice, FloatArray, IntArray, Prompt, Question, Scan
from jokejudge_gui.heads.editor import EditorReading
from jokejudge_gui.heads.sounds import sounds
from jokejudge_gui.heads.wordplay import (
    BEHIND,
    CHOSEN,
    READ_BEHIND,
    WordplayHead,
    WordplayReading,
    likeliest,
    read_behind,
)
from jokejudge_gui.heads.wordplay_features import FEATURES, HINTS, Readings, readings_of
from jokejudge_gui.judge.duel.duel_judge import played_on
from jokejudge_gui.judge.reader import Predictions
from jokejudge_gui.rubric.overlay import Rubric
from tests.fake_engine import FakeEngine
from tests.head_builder import written

SHA = "ab" * 32
NOTES = Rubric.shipped().words.notes
PUN = "The gossip at the comedy club was a rumor of great humour in the morning."
SIZE = FakeEngine().info.embedding_size


def scanned(text: str) -> Scan:
    return FakeEngine().scan(text)


def rows(texts: list[str]) -> tuple[FloatArray, IntArray]:
    return FakeEngine().output_rows(texts)


def pun_readings() -> Readings:
    return readings_of(PUN, scanned(PUN), sounds(), rows, np.zeros(SIZE), np.zeros(SIZE))  # type: ignore[arg-type]


def read_as(**kinds: float) -> EditorReading:
    return EditorReading(factors={}, kinds=kinds, faults={}, turn=None, cuts=(), joke=0.9, complete=0.9)


def head_in(folder: Path) -> WordplayHead:
    """A head that likes another word that sounds the same, in any text."""
    first = len(FEATURES) + len(HINTS)
    count = first + len(BEHIND)
    weights = np.zeros(count)
    weights[FEATURES.index("sounds the same")], weights[FEATURES.index("common")] = 9.0, 0.5
    meta = {"format": 1, "model_sha256": SHA, "editor": "e1", "bias": -4.0, "first_bias": -4.0, "sound": 0.1}
    arrays = {name: np.zeros(SIZE) for name in ("usual", "mean_row")} | {
        "centre": np.zeros(count), "scale": np.ones(count), "first_weights": weights[:first], "weights": weights,
        "said": np.eye(1, len(CHOSEN) + 1)[0],
    }  # fmt: skip
    return written(WordplayHead, folder, meta, arrays)


@pytest.mark.parametrize(
    ("word", "other"),
    [("tiers", "tears"), ("throng", "wrong"), ("wurst", "worst"), ("descent", "decent"), ("mourning", "morning")],
)
def test_a_word_that_sounds_alike_is_near(word: str, other: str) -> None:
    table = sounds()
    phones = table.phones(word)
    near, _ = table.near(phones, 0.4 + 0.26 * len(phones))

    assert other in {table.words[place] for place in near.tolist()}


def test_a_word_inside_another_is_found_and_a_whole_one_is_not_inside_itself() -> None:
    table = sounds()
    inside, _ = table.inside(table.phones("sheepishly"), 0.3)

    words = {table.words[place] for place in inside.tolist()}
    assert "sheep" in words
    assert "sheepishly" not in words


def test_the_text_is_read_on_behind_the_likeliest_other_words_alone() -> None:
    readings = pun_readings()
    scores = np.array([5.0 * (second == "mourning") for second in readings.seconds])
    numbers = likeliest(readings, scores)
    asked: list[Question] = []

    def choose(_: Prompt, questions: Sequence[Question]) -> list[Choice]:
        asked.extend(questions)
        goes_on = "mourning."
        return [Choice(tuple(-1.0 - 9.0 * (goes_on not in each) for each in q.labels), 1.0) for q in questions]

    found = read_behind(PUN, scanned(PUN).spans, readings, numbers, choose)

    assert len(numbers) == READ_BEHIND
    assert likeliest(readings, scores - 99.0) == []
    assert "sense" not in {readings.links[number] for number in numbers}
    assert found.shape == (len(readings.seconds), len(BEHIND))
    assert np.flatnonzero(found[:, BEHIND.index("read behind")]).tolist() == sorted(numbers)
    named = [number for number in numbers if readings.seconds[number] == "mourning"]
    assert found[:, BEHIND.index("together")].argmax() in named
    for question in asked:
        before = "".join(segment.text for segment in question.suffix)
        assert before in PUN
        assert not any(segment.markup for segment in question.suffix)


def test_it_names_the_other_word_where_it_stands(tmp_path: Path) -> None:
    head = head_in(tmp_path)
    assert head.embedding_size == SIZE

    found = head.read(PUN, scanned(PUN), read_as(pun=0.9), rows, FakeEngine().choose)  # type: ignore[arg-type]

    assert PUN[found.said.start : found.said.end] == found.said.text
    assert found.said.link in ("sound", "phrase", "part")
    assert found.said.second not in ("", found.said.text.lower())
    assert found == head.read(PUN, scanned(PUN), read_as(pun=0.9), rows, FakeEngine().choose)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("link", "second", "said"),
    [
        ("phrase", "humor", "“rumor” stands where “humor” is expected"),
        ("sound", "humor", "“rumor” sounds like “humor”"),
        ("part", "rum", "“rumor” holds “rum”"),
        ("literal", "", "“rumor” is meant literally, too"),
    ],
)
def test_it_is_said_in_words(link: Any, second: str, said: str) -> None:
    play = Wordplay(start=0, end=5, text="rumor", second=second, link=link, p=0.9)
    assert NOTES.with_sentence(play).sentence == said


def test_of_two_drafts_the_one_that_lost_its_second_meaning_is_named() -> None:
    said = Wordplay(start=0, end=5, text="rumor", second="humor", link="phrase", p=0.9)
    kept = Predictions("a", None, None, wordplay=WordplayReading(4.0, said))
    lost = Predictions("b", None, None, wordplay=WordplayReading(-1.0, None))
    near = Predictions("c", None, None, wordplay=WordplayReading(3.5, None))
    none = Predictions("d", None, None)

    meaning = "“rumor” stands where “humor” is expected"

    def said_of(a: Predictions, b: Predictions) -> str:
        return played_on(a, b, NOTES)

    assert said_of(kept, lost) == f"A still has the second meaning ({meaning}), B has lost it."
    assert said_of(lost, kept) == f"B still has the second meaning ({meaning}), A has lost it."
    assert said_of(none, kept).startswith("B still")
    assert said_of(kept, near) == said_of(kept, kept) == said_of(lost, none) == ""
