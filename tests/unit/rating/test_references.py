"""What a reader must know: named where capitals tell it, and never more than the text says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.judge.rating.kind import RATING
from jokejudge_gui.judge.rating.record import FaultScore
from jokejudge_gui.judge.rating.references import find_references
from jokejudge_gui.judge.rating.words import page
from jokejudge_gui.rubric.audiences import parse_common_names
from tests.known_calibration import MakeSession
from tests.rating_helpers import pun, rate, result_of

COMMON = parse_common_names()


def names(text: str) -> list[str]:
    return [reference.text for reference in find_references(text, COMMON)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("What do Jimmy Fallon and the donkey from Shrek have in common? Both laugh first.", ["Jimmy Fallon", "Shrek"]),
        ("Jennifer Aniston drowned today. If only Lisa Kudrow.", ["Jennifer Aniston", "Lisa Kudrow"]),
        ("He plays chess as Zukertort did after 1886, if you follow me.", ["Zukertort"]),
        ("My neighbour's hair is from the 1980s and his car from 1974.", ["1980s", "1974"]),
        ("I finally saw the Lord of the Rings, and it's Tolkien's best.", ["Lord of the Rings", "Tolkien"]),
    ],
)
def test_names_and_years_are_found(text: str, expected: list[str]) -> None:
    assert names(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "Waiter! There's a fly in my soup. Quiet, or everyone will want one.",
        "My wife Susan and Uncle Bob went to Paris on Christmas with a German priest.",
        "I told Tom that I'M NOT SHOUTING.",
        "Local Man Finds Wallet Full Of Other Wallets In Quiet Suburban Garden",
        "It weighs 1950 grams and costs $1999, with 2000 pieces.",
        "Whiskers my cat sleeps; the cat's whiskers don't.",
        "i wrote it all in small letters, even shrek",
    ],
)
def test_what_everybody_understands_is_not_named(text: str) -> None:
    assert names(text) == []


@given(st.text(max_size=300))
def test_every_reference_is_a_part_of_the_text(text: str) -> None:
    found = find_references(text, COMMON)
    assert all(text[each.start : each.end] == each.text for each in found)
    assert len({each.text.lower() for each in found}) == len(found) <= 5


def test_a_long_text_of_names_takes_no_longer_than_its_length() -> None:
    assert len(find_references("and Zog met Zig " * 20_000, COMMON)) == 2


def test_a_verdict_names_them_in_every_form(make_session: MakeSession) -> None:
    result = result_of(
        rate(make_session(pun), "I asked Bob for the time, and he quoted Shrek from 2001. In 2001 I laughed.")
    )
    start = result.text.index("Shrek")
    fixed = ("text", "start", "end", "why")
    assert [{name: each[name] for name in fixed} for each in RATING.contract(result)["references"]] == [
        {"text": "Shrek", "start": start, "end": start + 5, "why": "name"},
        {"text": "2001", "start": start + 11, "end": start + 15, "why": "time"},
    ]
    assert "References" not in {row.name for row in page(result).rows}
    needing = result.replaced(faults=(FaultScore(id="insider", name="Insider", p=0.7),))
    assert "Needs knowing: Shrek." in {row.text for row in page(needing).rows if row.name == "References"}
    assert RATING.columns(result)["references"] == "Shrek; 2001"
