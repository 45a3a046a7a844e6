"""Trust cards: what they say in words, and that a damaged or hostile one is a sentence."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.learning.trust_cards import card_for, parse_card, read_card
from jokejudge_gui.library.embedded import EMBEDDED_SHA256
from jokejudge_gui.measure.model import words as trust

SHA = "c" * 64
CARD: dict[str, Any] = {
    "model": {"name": "Tiny", "sha256": SHA},
    "agreement": 0.714,
    "one_person": 0.652,
    "figures": {
        "ukp": {
            "training_texts": 1981,
            "test_pairs": {"all": 1564, "strong": 571},
            "agreement": {
                "head": {"all": [0.714, 0.673, 0.753], "strong": [0.848, 0.789, 0.896], "jokes": [0.656, 0.606, 0.704]},
                "longer": {"all": [0.646, 0.607, 0.687], "jokes": [0.579, 0.525, 0.63]},
                "n-grams and length": {"all": [0.677, 0.636, 0.719]},
                "head without this set": {"all": [0.56, 0.515, 0.598]},
                "n-grams without this set": {"all": [0.551, 0.509, 0.592]},
            },
            "ece": 0.03,
            "log_loss": 0.565,
            "stated_5_to_1": {"pairs": 355, "right": 0.885},
        }
    },
    "data": {"ukp": "CC BY 4.0"},
    "command": "make.py",
}


def changed(path: str, value: Any) -> dict[str, Any]:
    """The card with one thing replaced; ``path`` with slashes."""
    card = copy.deepcopy(CARD)
    *way, last = path.split("/")
    here = card
    for step in way:
        here = here[step]
    here[last] = value
    return card


# -- words -----------------------------------------------------------------------------------------------------------


def test_the_main_number_is_said_beside_one_person_and_what_needs_no_judge() -> None:
    agreement = {name: {"all": slices["all"]} for name, slices in CARD["figures"]["ukp"]["agreement"].items()}
    card = parse_card(changed("figures/ukp/agreement", agreement))
    assert trust.headline(card) == (
        "On one-liners it agrees with most people in 71 of 100 pairs (67 to 75); one person does in 65. Choosing the "
        "longer joke is right in 65, counting words in 68 and a coin in 50."
    )
    assert trust.line(card) == "agrees with most people in 71 of 100 pairs of one-liners; one person in 65"


def test_the_shipped_card_is_read_whole_and_says_what_the_readme_says() -> None:
    card = card_for(EMBEDDED_SHA256, models_dir() / "cards", own=False)
    assert [one.name for one in card.kinds] == ["ukp", "headlines", "hahackathon", "mechanics", "rjokes"]
    assert "in 51 to 61 of 100 pairs" in trust.across_summary(card)
    assert card.command.startswith("python models/training/make.py")


# -- damaged and hostile files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("agreement", 1.5),
        ("agreement", True),
        ("figures/ukp/agreement", {}),
        ("figures/ukp/agreement/head", {"all": [0.9, 0.1, 0.2]}),
        ("figures/ukp/agreement/longer", {"all": [float("nan")] * 3}),
        ("figures/ukp/test_pairs", {"all": 10**400}),
        ("figures/ukp/stated_5_to_1", {"pairs": 3}),
        ("data", "x"),
    ],
)
def test_a_card_that_makes_no_sense_is_an_error_with_a_next_step(tmp_path: Path, path: str, value: Any) -> None:
    file = tmp_path / "card.json"
    file.write_text(json.dumps(changed(path, value)), encoding="utf-8")
    with pytest.raises(ModelError, match=r"card\.json is damaged") as caught:
        read_card(file)
    assert caught.value.code == "E_FILE_DAMAGED"
    assert caught.value.hint


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"[" * 100_000, b"null"])
def test_bytes_that_are_no_card_are_an_error(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "card.json"
    file.write_bytes(content)
    with pytest.raises(ModelError):
        read_card(file)


_JSON = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.sampled_from(["model", "figures", "figures/ukp", "figures/ukp/agreement", "data", "one_person"]), _JSON)
def test_whatever_stands_in_a_card_it_is_words_or_a_known_error(path: str, value: Any) -> None:
    try:
        card = parse_card(changed(path, value))
    except (ValueError, KeyError, TypeError, AttributeError):
        return
    assert trust.headline(card)
    assert trust.across_summary(card) or not card.across


def test_a_card_of_another_model_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / f"{'d' * 16}.json").write_text(json.dumps(CARD), encoding="utf-8")
    assert card_for("d" * 64, tmp_path, own=True) is None
    assert card_for(SHA, tmp_path, own=True) is None
