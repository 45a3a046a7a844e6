"""Set phrases that a joke takes word by word."""

from __future__ import annotations

import pytest

from jokejudge_gui.heads.editor import EditorReading
from jokejudge_gui.heads.set_phrases import literal_phrase, phrases_in


def read_as(pun: float, literalism: float, joke: float = 0.98) -> EditorReading:
    kinds = {"pun": pun, "literalism": literalism}
    return EditorReading(factors={}, kinds=kinds, faults={}, turn=None, cuts=(), joke=joke, complete=1.0)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("The farmer kicked the bucket, and the cow kicked him.", ["kicked the bucket"]),
        ("She’s a boxer, so she threw in her towel.", ["threw in her towel"]),
        ("Turning over a new leaf is a gardener's job.", ["Turning over a new leaf"]),
        ("A second-hand horizon. He kicked. The bucket was full.", []),
        ("", []),
        ("the", []),
    ],
)
def test_phrases_are_recognised_in_any_form_but_not_across_sentences(text: str, phrases: list[str]) -> None:
    assert [text[start:end] for start, end in phrases_in(text)] == phrases


def test_a_phrase_is_said_only_where_the_heads_hear_a_pun_in_a_joke() -> None:
    text = "The farmer kicked the bucket, and the cow kicked him."
    play = literal_phrase(text, read_as(pun=0.6, literalism=0.5))
    assert (play.text, play.link, play.second) == ("kicked the bucket", "literal", "")
    assert text[play.start : play.end] == play.text
    assert literal_phrase(text, read_as(pun=0.03, literalism=0.02)) is None
    assert literal_phrase(text, read_as(pun=0.6, literalism=0.5, joke=0.6)) is None
    assert literal_phrase("The farmer sat down.", read_as(pun=0.9, literalism=0.9)) is None
