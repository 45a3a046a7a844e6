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
