"""What a text shows of surprise and usual phrases: numbers for any text, and those that they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.heads.editor import TextRow, measure, row_traits
from jokejudge_gui.heads.editor_file import SURPRISE, TRAITS
from tests.editor_engine import EditorEngine

JOKE = "The owl rows home. Nobody asked the owl about an oar too many."
BUCKETS = 64


def row_of(text: str, *surprise: float) -> TextRow:
    """``surprise``: of its tokens, which are words; those of the fake engine if none is given."""
    scan = EditorEngine().scan(text)
    logprobs = -np.array(surprise, np.float32) if surprise else scan.logprobs
    return measure(scan.states, text, scan.spans, BUCKETS, logprobs)


def traits_of(text: str, *surprise: float, turn: int | None = None) -> np.ndarray:
    row = row_of(text, *surprise)
    scores = np.zeros(len(row.words))
    if turn is not None:
        scores[turn] = 1.0
    found = row_traits(row, scores)
    assert found is not None
    return found


@pytest.mark.parametrize(
    "text",
    [
        "Owl",
        "Owl!",
        "?!",
        "…",
        "😀",
        "an owl",
        "owl owl owl owl owl",
        "One. Two.",
        "a\nb",
        "x" * 3000,
        "word " * 900,
        JOKE,
    ],
)
def test_every_text_has_all_its_traits_and_each_is_finite(text: str) -> None:
    found = traits_of(text)
    assert found.shape == (TRAITS,)
    assert np.isfinite(found).all()
    assert np.abs(found).max() < 1e4
    assert (traits_of(text) == found).all()


def test_a_text_without_words_shows_its_phrases_alone() -> None:
    assert not traits_of("?!")[:SURPRISE].any()


def test_without_likelihoods_nothing_is_shown() -> None:
    scan = EditorEngine().scan(JOKE)
    row = measure(scan.states, JOKE, scan.spans, BUCKETS)
    assert row.usual is None
    assert row_traits(row, np.zeros(len(row.words))) is None
    unphrased = measure(scan.states, JOKE, scan.spans, BUCKETS, scan.logprobs, phrased=False)
    assert unphrased.likely is not None
    assert unphrased.usual is None


def test_surprise_is_of_all_words_of_the_halves_and_of_the_last_ones() -> None:
    found = traits_of("An owl rows one flat note.", 0.0, 1.0, 1.0, 2.0, 4.0, 10.0)
    mean, whole, most, three, last, two, six, first, second = found[:9]
    assert (mean, whole, most) == pytest.approx((3.0, 18.0 / 50, 10.0))
    assert (three, last, two, six) == pytest.approx((16.0 / 3, 10.0, 7.0, 3.0))
    assert (first, second) == pytest.approx((2.0 / 3, 16.0 / 3))


def test_the_last_sentence_and_words_said_again_are_told_apart() -> None:
    told = traits_of("Owls row home. Nobody rows home.", 0.0, 1.0, 1.0, 6.0, 6.0, 3.0)
    assert told[16] == pytest.approx(5.0)  # mean of the last sentence
    assert (told[19], told[20]) == pytest.approx((3.0, 1.0))  # "home" again, once
    assert traits_of("Owls row. Nobody knows.", 0.0, 1.0, 6.0, 6.0)[20] == 0.0


def test_the_turn_is_weighed_by_its_scores() -> None:
    surprise = (0.0, 1.0, 1.0, 9.0, 2.0, 2.0)
    early, late = (traits_of("An owl rows one flat note.", *surprise, turn=turn) for turn in (1, 3))
    assert (early[:SURPRISE] == late[:SURPRISE]).all()
    assert early[SURPRISE] < 1.1
    assert late[SURPRISE] > 8.9
    assert (early[SURPRISE + 5], late[SURPRISE + 5]) == (4.0, 2.0)  # words behind it
