"""What a text shows of surprise and usual phrases: numbers for any text, and those that they are said to be."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.heads.editor import TextRow, measure, row_traits
from jokejudge_gui.heads.editor_file import TRAITS
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
    return row_traits(row, scores)


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
