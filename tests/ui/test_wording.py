"""Words and numbers of the window."""

from __future__ import annotations

from datetime import date

import pytest

from jokejudge_gui.ui.look import wording

JOKE = "Parallel lines have so much in common. It’s a shame they’ll never meet."


@pytest.mark.parametrize(
    ("size", "text"), [(145_000_000, "145 MB"), (1_100_000_000, "1.1 GB"), (12, "1 MB"), (999_000_000, "999 MB")]
)
def test_sizes_have_decimal_units(size: int, text: str) -> None:
    assert wording.file_size(size) == text


@pytest.mark.parametrize(("value", "text"), [(14.24, "14.2 s"), (59.9, "59.9 s"), (125.0, "2 min 05 s")])
def test_times_read_as_people_say_them(value: float, text: str) -> None:
    assert wording.seconds(value) == text


def test_days_have_names() -> None:
    today = date(2025, 11, 20)
    names = [wording.day_name(day, today) for day in (today, date(2025, 11, 19), date(2025, 11, 18), date(2024, 1, 2))]
    assert names == ["Today", "Yesterday", "Tuesday 18 November", "Tuesday 2 January 2024"]


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("Short one", 16, "Short one"),
        ("Parallel lines have so much", 16, "Parallel lines…"),
        ("Donaudampfschifffahrtsgesellschaft", 10, "Donaudampf…"),
        ("two\n\nlines  here", 40, "two lines here"),
    ],
)
def test_beginnings_end_at_a_word(text: str, limit: int, short: str) -> None:
    assert wording.beginning(text, limit) == short


def test_labels_are_strong_and_passages_of_the_joke_are_marked() -> None:
    text = "Works. The line turns on “have so much in common” and never meet: nice.\nTry. Cut “something else” out."
    first, second = wording.explanation_runs(text, [JOKE])
    assert first[0] == ("Works. ", "strong")
    assert [run[0] for run in first if run[1] == "quote"] == ["have so much in common", "never meet"]
    assert [run[0] for run in second if run[1] == "quote"] == []
    assert "“something else”" in "".join(run[0] for run in second)


@pytest.mark.parametrize(
    "text", ["", "\n\n", "Works.", "No label here", "“", "”“", "<b>bold</b> & {x}", "a b a b a b", "Works. “”"]
)
def test_odd_explanations_lose_nothing_but_quotes_and_blanks(text: str) -> None:
    shown = "".join(run[0] for runs in wording.explanation_runs(text, ["a b <b>bold</b>"]) for run in runs)
    assert shown.replace(" ", "") == "".join(text.split())


def test_short_common_words_are_not_marked() -> None:
    (runs,) = wording.explanation_runs("It is a bit of a set-up in a way.", ["It is a day in a life of a dog."])
    assert all(style != "quote" for _, style in runs)


def test_typed_and_typographic_apostrophes_are_the_same() -> None:
    (runs,) = wording.explanation_runs("They say they'll never meet again.", [JOKE])
    assert [text for text, style in runs if style == "quote"] == ["they'll never meet"]
