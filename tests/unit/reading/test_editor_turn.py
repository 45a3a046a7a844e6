"""Which words a joke turns on: chances of spans, and the words that are likeliest to be right by all of them."""

from __future__ import annotations

import re

import numpy as np
import pytest

from jokejudge_gui.heads.features import places, words_of
from jokejudge_gui.heads.punchline import (
    BUCKETS,
    BY_STATES,
    FEATURES,
    LONGEST,
    MEASURES,
    SHAPE,
    TEXT_AXES,
    WEIGHTS,
    of_one_sentence,
    span_chances,
    word_groups,
)

JOKE = "The owl rows home. Nobody asked: it had an oar too many, and one flat note."


def chances(text: str, spans: np.ndarray, **weights: float) -> np.ndarray:
    """Shares of spans by the words that they are."""
    words = words_of(text)
    found = np.full(len(spans), 1e-9)
    for place, (first, after) in enumerate(spans):
        found[place] += weights.get(text[words[first][0] : words[after - 1][1]].replace(" ", "_"), 0.0)
    return found / found.sum()


def arrays(**changes: np.ndarray) -> dict[str, np.ndarray]:
    plain = {
        "centre": np.zeros(FEATURES), "scale": np.ones(FEATURES), "weights": np.zeros((WEIGHTS, 3)),
        "span_centre": np.zeros(MEASURES), "span_scale": np.ones(MEASURES), "span_weights": np.zeros(MEASURES),
        "text_centre": np.zeros(3), "text_scale": np.ones(3), "text_axes": np.eye(3, TEXT_AXES),
        "text_weights": np.zeros((len(SHAPE), TEXT_AXES)), "words": np.zeros((BUCKETS, 2)),
    }  # fmt: skip
    return {f"turn_{name}": values for name, values in (plain | changes).items()}


def test_what_is_found_in_a_text_says_how_long_its_turn_is() -> None:
    words = words_of(JOKE)
    given = np.full((len(words), BY_STATES), 0.1), places(JOKE, words), np.zeros((len(words), 4))
    weights = np.zeros((len(SHAPE), TEXT_AXES))
    weights[0, 0], weights[4, 0] = 3.0, -3.0
    longer = arrays(text_weights=weights)
    groups = word_groups(JOKE, words)
    means = []
    for found in (3.0, 0.0, -3.0, -1e9):
        chance, spans = span_chances(longer, *given, groups, np.array([found, 0.0, 0.0]))
        means.append(float(chance @ (spans[:, 1] - spans[:, 0])))
    assert means[0] < means[1] < means[2] < means[3] < LONGEST


@pytest.mark.parametrize(
    ("text", "words", "shown"),
    [
        ("“I do,” he said. “Then leave.” She left.", "leave.” She", "She"),
        ("He asked why.\nShe left him", "why.\nShe left", "She left"),
        ("My doctor is Dr. Strange now.", "is Dr. Strange", "is Dr. Strange"),
        ("It costs 2.5 dollars.", "2.5 dollars", "2.5 dollars"),
        ("I said no, and she left.", "no, and she", "no, and she"),
        ("I told my wife about the", "about the", None),
        ("My wife looked up to the", "looked up", "looked up"),
        ("I couldn't stand it", "stand it", "stand it"),
    ],
)
def test_a_turn_is_in_one_sentence_that_is_finished(text: str, words: str, shown: str | None) -> None:
    spans = [word.span() for word in re.finditer(r"\w+(?:['’.]\w+)*", text)]
    start = text.index(words)
    first = next(n for n, span in enumerate(spans) if span[0] >= start)
    after = max(n for n, span in enumerate(spans) if span[1] <= start + len(words)) + 1
    whole = of_one_sentence(text, spans, (first, after))
    assert (text[spans[whole[0]][0] : spans[whole[1] - 1][1]] if whole is not None else None) == shown
