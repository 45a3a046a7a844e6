"""What stands behind a text, and the ends in which two texts differ."""

from __future__ import annotations

import numpy as np
import pytest

from jokejudge_gui.core.verdicts import Sense
from jokejudge_gui.engine.base import Scan
from jokejudge_gui.heads.endings import by_itself, ends_of, gain, judged_ends, judged_tail, tail_of
from jokejudge_gui.heads.sense import SenseReading
from jokejudge_gui.heads.sense_features import SenseRow

JOKE = "The baker gave up on his class. Nobody rose to the occasion."
NOTHING = np.empty(0)


def read(text: str, joke: float, whole: float) -> SenseReading:
    row = SenseRow(text, NOTHING, NOTHING, len(text.split()))
    return SenseReading(row, np.zeros(3), Sense(joke=joke, whole=whole, said="joke"))


@pytest.mark.parametrize(
    ("shorter", "longer", "tail"),
    [
        (JOKE, f"{JOKE} Bread rises, too.", " Bread rises, too."),
        (JOKE, JOKE.replace(".", ",", 1)[:-1] + ", as dough does.", ", as dough does."),
        ("He told her that it rained.", "When he told her that it rained, she left.", ", she left."),
        (JOKE, f"{JOKE} Ha!", None),
        ("He lost interest.", "He lost interest in it.", None),
        (JOKE, f"So there we were, one fine day. {JOKE}", None),
        (JOKE, JOKE.replace("baker", "butcher") + " Bread rises, too.", None),
        (JOKE, JOKE, None),
    ],
)
def test_a_tail_is_what_stands_behind_all_of_a_text(shorter: str, longer: str, tail: str | None) -> None:
    assert tail_of(shorter, longer) == (tail and f".{tail}" if tail and tail.startswith(" ") else tail)
    assert tail_of(longer, shorter) is None


def test_ends_are_what_follows_the_common_beginning_where_the_last_words_differ() -> None:
    assert ends_of("It's a joke, he said.", "It's a joke: she left!") == ("he said.", "she left!")
    assert ends_of("A red bus stops.", "A blue bus stops.") is None  # a word in the middle
    assert ends_of("He left.", "He left early.") is None  # nothing in place of the end
    assert ends_of("Up.", "Down.") is None


def test_an_explanation_behind_a_whole_joke_loses_and_a_punchline_behind_a_beginning_wins() -> None:
    joke, tail = read(JOKE, 0.8, 0.9), ". The joke is that dough rises, too, you see."
    edit, odds = judged_tail(joke, read(JOKE[:-1] + tail, 0.8, 0.9), tail)
    assert edit == "explained"
    assert odds > 2.0
    begun = read("The baker gave up on his class.", 0.1, 0.05)
    edit, odds = judged_tail(begun, joke, ". Nobody rose to the occasion.")
    assert edit == "cut"
    assert odds < -1.0


def test_the_gain_of_an_end_is_what_its_beginning_adds_to_its_likelihood() -> None:
    text, end = "Up and down.", "down."
    whole = Scan(np.zeros((3, 1)), np.array([0.0, -1.0, -2.0]), ((0, 2), (2, 6), (6, 12)))
    alone = Scan(np.zeros((2, 1)), np.array([0.0, -5.0]), ((0, 1), (1, 7)))
    assert by_itself(end) == ", down."
    assert gain(whole, text, alone, end) == 3.0


def test_two_ends_are_judged_alike_from_both_sides_and_gains_count_up_to_a_limit() -> None:
    assert judged_ends(0.3, 0.5, (2.0, -7.0)) == -judged_ends(-0.3, -0.5, (-7.0, 2.0))
    assert judged_ends(0.3, 0.5, None) == -judged_ends(-0.3, -0.5, None) > 0.0
    assert judged_ends(0.0, 0.0, (40.0, 50.0)) == 0.0
    assert judged_ends(0.0, 0.0, (9.0, -3.0)) > 1.0
