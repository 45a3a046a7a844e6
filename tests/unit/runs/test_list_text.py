"""A list that is written down again is read as the same list."""

from __future__ import annotations

import pytest

from jokejudge_gui.batch.lists import read_list, texts_text


@pytest.mark.parametrize(
    "texts",
    [
        ["1. Numbered.", "2. Again."],
        ["- A dash.", "- Another."],
        ['"Quoted."', '"Both."'],
        ["With a\n\nblank line.", "Plain."],
        ["text, joke", "a, b"],
        ['{"text": "looks like JSON"}', "Plain."],
        ["Q: Why?\nA: Because.", "Plain."],
        ["Q: Why?", "A: Because."],
    ],
)
def test_whatever_the_jokes_look_like_they_are_read_as_they_are(texts: list[str]) -> None:
    assert [item.text for item in read_list(texts_text(texts)).items] == texts
