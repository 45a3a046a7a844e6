"""Where a joke is told: by the shipped index, whatever is changed about its words that doesn't make another joke."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.heads import told as module
from jokejudge_gui.heads.told import LONGEST, heard, shared_words, told

SCARECROW = "Why did the scarecrow win an award? Because he was outstanding in his field."
NEW = "My neighbour's sourdough starter has its own calendar invite now, and it declined mine."


@pytest.mark.parametrize(
    "change",
    [
        SCARECROW,
        SCARECROW.upper(),
        SCARECROW.replace("?", "??? 😂😂").replace(".", "!!! haha"),
        f"Here's one that my uncle told me at the wedding. {SCARECROW}",
        f"{SCARECROW} That one always gets them at the office, trust me!",
        "Q: Why did 7 scarecrows win 2 awards? A: They were outstanding in their fields",
        "Why did Geoffrey the scarecrow win an award in Wichita? Because he was outstanding in his field.",
        "Because he was outstanding in his field, the scarecrow won an award.",
        "The scarecrow won a prize for being outstanding in his field",
        "Why did the scarecrow get an award?\n\nHe was out standing in the field!",
    ],
)
def test_what_leaves_the_joke_a_joke_leaves_it_told(change: str) -> None:
    found = heard(change)
    assert found.widely
    assert found.where == f"{found.collections} of {found.of} collections"
    assert found.times >= found.collections


@pytest.mark.parametrize(
    "text",
    [
        NEW,
        "How many notaries does it take to change a light bulb? Two, and a third to certify that it was dark.",
        "Why did the chicken cross the road? Its sat nav had been set by the fox.",
        "Knock knock. Who's there? The parish council. We'd like to minute that you were in.",
        "Roses are red, violets are blue, the lease is expired and the landlord is too.",
        "Roses are red. Violets are blue. My landlord has mould and now I do too.",
        "Roses are red, violets are blue, my sourdough has risen and wants to meet you.",
        "My therapist told me I should write letters to the people I hate and burn them. The postman is off sick.",
        "A priest, a rabbi and an imam walk into a bar. The barman asks who is paying the VAT.",
        "A man walks into a bar. The bartender says: your sourdough starter called, it's doing fine without you.",
        "My wife told me to stop impersonating a flamingo. I asked the zoo for a transfer.",
        "Knock knock. Who's there? Quinoa. Quinoa who? Quinoa salad isn't a dinner, Linda.",
        "How many psychologists does it take to change a light bulb? Four, and the bulb pays for each.",
        "Yo mama so fat she has her own postcode and it voted to leave.",
        "Yo mama is so fat that her smartwatch asked for a transfer.",
        "",
        "?!",
        "haha 42",
        "Der Igel geht zum Arzt und sagt, dass er sich heute gar nicht so richtig wohl fühlt.",
    ],
)
def test_a_known_form_or_a_known_word_doesn_t_make_a_new_joke_a_told_one(text: str) -> None:
    assert heard(text) is None


def test_a_long_text_is_not_looked_up() -> None:
    assert heard(f"{SCARECROW} {'And so on and on. ' * LONGEST}") is None


def test_an_index_that_is_missing_or_damaged_leaves_verdicts_without_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "models_dir", lambda: tmp_path)
    for content in (None, b"", (models_dir() / "told.npz").read_bytes()[:5000]):
        told.cache_clear()
        heard.cache_clear()
        if content is not None:
            (tmp_path / "told.npz").write_bytes(content)
        assert heard(SCARECROW) is None
    told.cache_clear()
    heard.cache_clear()


def test_the_index_is_small_holds_no_text_and_is_read_when_it_is_first_needed() -> None:
    content = (models_dir() / "told.npz").read_bytes()
    assert len(content) <= 8 * 10**6
    assert b"scarecrow" not in content
    lines = "import jokejudge_gui.judge.kinds, jokejudge_gui.heads.told as t; print(t.told.cache_info().currsize)"
    assert subprocess.run([sys.executable, "-c", lines], capture_output=True, text=True).stdout.strip() == "0"


def test_the_words_that_two_texts_share_are_found_whatever_their_endings() -> None:
    text = "Our kettle always sighs before the tea."
    spans = shared_words(text, "Sighing, the kettles made teas.")
    assert [text[start:end] for start, end in spans] == ["kettle", "sighs", "tea"]
