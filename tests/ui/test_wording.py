"""Words and numbers of the window."""

from __future__ import annotations

from datetime import date

import pytest

from jokejudge_gui.ui.look import wording


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
