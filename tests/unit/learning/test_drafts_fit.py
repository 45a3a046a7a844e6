"""Heads learned from drafts: what is planted is found, on jokes that were held out."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from jokejudge_gui.core.errors import ModelError
from jokejudge_gui.engine.base import CancelToken, Scan
from jokejudge_gui.heads.drafts import DraftHeads, DraftReading, reading
from jokejudge_gui.learning.drafts_fit import DraftJoke, Fitted, fit_draft_heads, load_drafts

MODEL = "ab" * 32
NOUNS = [
    "duck",
    "plumber",
    "piano",
    "ghost",
    "cactus",
    "lawyer",
    "robot",
    "goose",
    "priest",
    "toaster",
    "wizard",
    "mayor",
]
PLACES = ["bar", "library", "bakery", "lift", "museum", "tent", "garage"]
SIZE = 8


def invented(text: str) -> DraftReading:
    """A model to which a filling word is expected and a wrong one is a surprise; its states know nothing."""
    words = text.split(" ")
    ends = np.cumsum([len(word) + 1 for word in words])
    spans = tuple((int(end) - len(word) - 1, min(int(end), len(text))) for end, word in zip(ends, words, strict=True))
    chance = np.random.default_rng(list(text.encode()))
    scores = [-14.0 if word == "teh" else -1.0 if word in ("really", "very") else -5.0 for word in words]
    return reading(text, Scan(chance.normal(size=(len(words), SIZE)).astype(np.float32), np.array(scores), spans))


def jokes(count: int) -> list[DraftJoke]:
    found = []
    for place in range(count):
        noun, other, where = NOUNS[place % 12], NOUNS[(place * 5 + 3) % 12], PLACES[place % 7]
        best = f"A {noun} enters the {where} and asks the {other} number {place} for change"
        worse = (
            (best.replace("asks", "really very really asks"), "padding"),
            (best.replace(" the ", " teh "), "language"),
        )
        found.append(
            DraftJoke(f"j{place}", best, f"The {other} {place} of the {where} gave a {noun} some coins", worse)
        )
    return found


def fitted(count: int, cancel: CancelToken | None = None) -> Fitted:
    some = jokes(count)
    read = {text: invented(text) for joke in some for text in joke.texts}
    return fit_draft_heads(some, read, MODEL, cancel)


@pytest.fixture(scope="module")
def found() -> Fitted:
    return fitted(60)


def test_a_planted_fault_is_heard_in_jokes_that_were_held_out(found: Fitted) -> None:
    assert found[2]["edited"]["share"] > 0.9
    assert found[2]["jokes"] == 60


def test_heads_from_a_file_judge_a_new_joke_as_they_learned(found: Fitted, tmp_path: Path) -> None:
    stream = io.BytesIO()
    DraftHeads.write(stream, *found[:2])
    path = tmp_path / "heads.npz"
    path.write_bytes(stream.getvalue())
    heads = DraftHeads.load(path)
    best = "A dentist enters the cinema and asks the usher for a seat near the teeth"
    padded, misspelt = best.replace("asks", "really very really asks"), best.replace(" the ", " teh ")
    assert heads.compare(invented(best), invented(padded)).p_a > 0.5
    found_fault = heads.compare(invented(misspelt), invented(best))
    assert found_fault.p_a < 0.5
    assert max(found_fault.faults, key=lambda name: found_fault.faults[name]) == "language"


def test_a_joke_whose_drafts_were_not_all_read_is_left_out() -> None:
    some = jokes(12)
    known = {text: invented(text) for joke in some[1:] for text in joke.texts}
    assert fit_draft_heads(some, known, MODEL)[2]["jokes"] == 11


@pytest.mark.parametrize(
    "line", ["", "{", "[]", '"a"', '{"id": "x"}', json.dumps({"id": "x", "best": 1, "equal": "b", "worse": []})]
)
def test_a_file_of_drafts_that_cannot_be_read_is_an_error(tmp_path: Path, line: str) -> None:
    path = tmp_path / "drafts.jsonl"
    path.write_text(line)
    with pytest.raises(ModelError) as caught:
        load_drafts(path)
    assert caught.value.code == "E_FILE_DAMAGED"
