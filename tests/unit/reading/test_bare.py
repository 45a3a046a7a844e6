"""What is read of a text for its score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.heads.bare import bare, is_unmarked, parts
from tests.hacks import HACKS

DOCTOR = "I told my doctor I broke my arm in two places. He told me to stop going to those places."
UNDONE = [
    *("haha", "laughter", "emoji", "emoji in front", "stage directions", "rubric words", "praise", "order", "get it"),
    *("template tokens", "drum", "explained", "announced", "end again", "whole again", "capitals", "quotation marks"),
    *("famous speaker", "hashtags", "title case"),
]
FRESH = Path(__file__).resolve().parents[2] / "bench" / "fresh" / "texts.jsonl"


@pytest.mark.parametrize("hack", UNDONE)
def test_what_is_no_part_of_a_joke_is_not_read(hack: str) -> None:
    assert bare(HACKS[hack](DOCTOR)) == DOCTOR


def test_honest_texts_are_read_as_they_are() -> None:
    texts = [json.loads(line)["text"] for line in FRESH.read_text("utf-8").splitlines()]
    assert [text for text in texts if bare(text) != text] == []


@pytest.mark.parametrize("text", ["Haha!", "😂", "“Ha ha.”", "Oops. -- Richard Nixon", "10/10", "#blessed"])
def test_a_text_of_nothing_else_stays(text: str) -> None:
    assert bare(text)


def test_a_long_text_without_a_mark_is_told() -> None:
    assert [is_unmarked(text) for text in (DOCTOR, HACKS["no marks"](DOCTOR), "No mark")] == [False, True, False]


def test_the_parts_of_a_text_are_what_may_be_a_joke_by_itself() -> None:
    assert parts("One sentence is all of it.") == ("",)
    assert parts("It rained on my parade, and that was Monday.") == ("", "It rained on my parade.")
    assert parts("The whole of it stands here. Not there.")[0] == "", (
        "a short end is no text without its first sentence"
    )
    assert parts(DOCTOR) == (
        "He told me to stop going to those places.",
        "I told my doctor I broke my arm in two places.",
    )
