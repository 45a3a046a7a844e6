"""Facts of a text, and where two texts differ."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.core.words import changed_words, differing, fact_lines

RUMOR = "A gossip is someone with a great sense of rumor."


def turn(text: str, words: str) -> Span:
    start = text.index(words)
    return Span(start=start, end=start + len(words), text=words, p=0.9)


def test_facts_are_words_seconds_the_turn_and_what_follows() -> None:
    lines = fact_lines(RUMOR, turn(RUMOR, "sense of rumor"))
    assert lines == ("10 words", "4 s spoken", "turn at word 8")


@given(st.text(max_size=60), st.text(max_size=60))
def test_changed_words_give_both_texts_back(before: str, after: str) -> None:
    woven = changed_words(before, after)
    assert "".join(words for words, mark in woven if mark != "new") == before
    assert "".join(words for words, mark in woven if mark != "gone") == after


def test_where_two_texts_differ() -> None:
    a, b = "Out of paper and out of spite.", "Out of paper and out of ink."
    (first,), (second,) = differing(a, b)
    assert (a[slice(*first)], b[slice(*second)]) == ("spite", "ink")


@given(st.text(max_size=40), st.text(max_size=40))
def test_exchanged_texts_exchange_what_differs(a: str, b: str) -> None:
    assert differing(a, b) == differing(b, a)[::-1]
