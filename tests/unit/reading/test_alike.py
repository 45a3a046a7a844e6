"""Which texts of a list are taken for versions of one joke."""

from __future__ import annotations

import hashlib

import pytest

from jokejudge_gui.heads.near_duplicates import THRESHOLD, alike, likeness, threshold_of

ONE = "I told my plumber a joke about pipes, but it went down the drain."
OTHER = "My plumber heard my pipe joke and let it go down the drain, as plumbers do."


def other_jokes(count: int) -> list[str]:
    digests = [hashlib.sha256(str(number).encode()).hexdigest() for number in range(count)]
    return [f"The {digest[:6]} and the {digest[6:12]} have a {digest[12:18]}." for digest in digests]


def test_versions_are_found_in_a_short_list() -> None:
    texts = [*other_jokes(20), ONE, OTHER]
    assert THRESHOLD <= likeness(ONE, OTHER) < threshold_of(1000)
    assert [pair[:2] for pair in alike(texts)] == [(20, 21)]


def test_in_a_long_list_they_must_be_more_alike() -> None:
    texts = [*other_jokes(1000), ONE, OTHER, ONE.replace("pipes", "old pipes")]
    assert [pair[:2] for pair in alike(texts)] == [(1000, 1002)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (
            "My computer went to therapy because it had too many bytes.",
            "My computer went to the doctor; it had a virus.",
        ),
        ("Why did the computer go to therapy? It had many bytes.", "Why did the computer go to the doctor? A virus."),
        ("Old dentists never die, they just lose their pull.", "Old pilots never die, they just lose their choppers."),
    ],
)
def test_jokes_that_share_their_beginning_and_not_their_end_are_no_versions(one: str, other: str) -> None:
    assert alike([one, other], 0.0) == []
