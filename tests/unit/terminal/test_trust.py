"""``jokejudge models trust``: the card in words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from jokejudge_gui.library.embedded import EMBEDDED_SHA256

if TYPE_CHECKING:
    from .conftest import Run, Stage


@pytest.mark.parametrize("name", [[], ["embedded"], ["SmolLM2 135M Instruct Q8_0"], [EMBEDDED_SHA256[:12]]])
def test_the_card_of_the_model_in_use_or_named_is_printed_in_words(run: Run, stage: Stage, name: list[str]) -> None:
    outcome = run("models", "trust", *name)
    assert outcome.status == 0
    flat = " ".join(outcome.out.split())
    assert "On one-liners it agrees with most people in 66 of 100 pairs (61 to 71)." in flat
    assert "A kind of joke it never saw" in outcome.out
    assert "What it can't tell" in outcome.out
    assert "real jokes 66 (61 to 71)" in flat
    assert "clear pairs 85 (79 to 90)" in flat
    assert "CC BY 4.0" in flat
    assert stage.opened == 0


def test_a_model_without_a_card_says_so_and_how_to_measure_it(run: Run) -> None:
    outcome = run("models", "trust", "qwen3-4b-instruct")
    assert outcome.status == 0
    assert "hasn't been measured" in outcome.out
    assert "jokejudge evaluate --pairs" in outcome.out
    assert run("models", "trust", "qwen3-4b-instruct", "--json").object["card"] is None


def test_a_damaged_card_is_a_sentence(run: Run, tmp_path: Path) -> None:
    for folder, suffix in (("heads", "npz"), ("cards", "json")):
        place = tmp_path / "profile" / folder
        place.mkdir(parents=True)
        (place / f"{EMBEDDED_SHA256[:16]}.{suffix}").write_text("\x1b[2J", encoding="utf-8")
    outcome = run("models", "trust")
    assert outcome.status == 0
    assert "is damaged" in outcome.out
    assert "\x1b[2J" not in outcome.out
    assert run("models", "trust", "--json").object["error"]["code"] == "E_FILE_DAMAGED"
