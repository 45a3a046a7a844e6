"""Edits that are tried: whole sentences, never the turn cut away, never the same text again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.judge.rating.edits import MOST_EDITS, edits


def span(text: str, words: str) -> tuple[int, int]:
    start = text.index(words)
    return start, start + len(words)


@pytest.mark.parametrize(
    ("text", "turn"),
    [
        ("Mondays are the worst, am I right? Nobody likes Mondays at all.", "likes Mondays at"),
        ("We named the dog Deadline, because he comes closer while I do nothing.", "while I do"),
        ('I asked for a book on paranoia. She whispered, "It\'s right behind you."', "right behind"),
    ],
)
def test_a_sentence_is_never_torn_apart(text: str, turn: str) -> None:
    words = text.rstrip('".').rsplit(" ", 1)[1]
    assert edits(text, span(text, turn), [span(text, f" {words}")]) == ()


def test_an_announcement_is_dropped_and_a_set_up_is_not() -> None:
    text = "Here is a good joke about trains. The train was late. It apologised by letter."
    assert edits(text, span(text, "by letter"))[0].text == "The train was late. It apologised by letter."
    for lead in ("Here is a joke that I heard.", "This is a funny story which we've always loved!"):
        assert [edit.change for edit in edits(f"{lead} The train was late. It apologised.", None)] == [lead]
    assert edits("I know a funny story that I heard, and it ends badly. It apologised.", None) == ()
    assert edits("Here is a joke that I heard.", None) == ()
    told = "I have a complex, but it's not a very good one. That was last summer."
    assert "That was last summer." not in [edit.text for edit in edits(told, span(told, "last summer"))]
    text = "So, this is a really funny one: I bought shoes from a dealer. I was tripping all day."
    found = [edit.text for edit in edits(text, span(text, "tripping all day"))]
    assert "I bought shoes from a dealer. I was tripping all day." in found
    assert "I was tripping all day." not in found
    plain = "A ghost walks into a bar. The barman looks up. We don't serve spirits."
    assert edits(plain, span(plain, "spirits")) == ()


def test_a_clause_behind_the_turn_goes_before_it() -> None:
    text = "The barber cut it short when I told him my joke."
    versions = {edit.text for edit in edits(text, span(text, "cut it short"))}
    assert "When I told him my joke, the barber cut it short." in versions


def test_fillers_and_suggested_cuts_go() -> None:
    text = "My uncle is really very tall, so he basically lives upstairs from himself."
    versions = {
        edit.text: edit.change
        for edit in edits(text, span(text, "upstairs from himself"), [span(text, "really very ")])
    }
    assert "My uncle is tall, so he lives upstairs from himself." in versions
    assert versions["My uncle is tall, so he basically lives upstairs from himself."] == "really very"


@given(st.text(max_size=200), st.integers(0, 200), st.integers(0, 40), st.integers(0, 200))
def test_any_text_gives_few_versions_that_differ(text: str, start: int, length: int, cut: int) -> None:
    found = edits(text, (start, start + length), [(cut, cut + length)])
    assert len(found) <= MOST_EDITS
    assert len({edit.text for edit in found}) == len(found)
    assert all(edit.text != text and edit.text.strip() == edit.text for edit in found)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("We have had to hire another monk to pray for the copier.", "had to hire"),
        ("First the plane spoke, then only the co-pilot did.", "the plane spoke, then"),
        ("His widow says she hadn't known that he was winning.", "known that"),
        ("I grew the courgette in the garden by myself, and it sold me a key.", "the garden"),
        ("She keeps an old unicorn in her spare room.", "old unicorn"),
        ("Nobody likes Mondays at all.", "all"),
        ("My dog ate my homework. Then he asked for more.", "Then he"),
    ],
)
def test_no_cut_tears_a_sentence_apart(text: str, cut: str) -> None:
    assert not edits(text, None, [span(text, cut)])


@pytest.mark.parametrize(
    ("text", "cut", "expected"),
    [
        ("My dog ate my homework. It was sad. Then he asked for more.", "It was sad. ", "Then he asked for more."),
        ("My uncle, a man of few words, sells dictionaries.", ", a man of few words,", "My uncle sells dictionaries."),
        ("I sold my vacuum cleaner, because it was there.", ", because it was there", "I sold my vacuum cleaner."),
        ("He really also drives a hearse for a living.", "really also ", "He drives a hearse for a living."),
    ],
)
def test_what_leaves_a_sentence_may_go(text: str, cut: str, expected: str) -> None:
    assert any(edit.text.endswith(expected) for edit in edits(text, None, [span(text, cut)]))
