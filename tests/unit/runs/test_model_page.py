"""A model's card: what it says, in every form, and that the shipped ones are up to date with the data."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from jokejudge_gui.core.pages import as_markdown
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.measure.model.figures import ModelTrust
from jokejudge_gui.measure.model.words import fields, report

ROOT = Path(__file__).resolve().parents[3]
EMBEDDED = ModelRef(
    name="SmolLM2 135M Instruct Q8_0", sha256="7b46609d11703c058397e5cfe4cc6e4b2508cb1eb4c80ddc472a5d421fbdb508"
)


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cards", ROOT / "models" / "training" / "cards.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(maker: ModuleType) -> list[ModelTrust]:
    found: list[ModelTrust] = maker.shipped_pages()
    return found


@pytest.fixture(scope="module")
def embedded(pages: list[ModelTrust]) -> ModelTrust:
    return next(page for page in pages if page.model.sha256 == EMBEDDED.sha256)


def test_the_cards_that_ship_are_those_of_the_data(pages: list[ModelTrust]) -> None:
    assert len(pages) == 3
    for page in pages:
        file = models_dir() / "cards" / f"{page.model.sha256[:16]}.md"
        assert file.read_text(encoding="utf-8") == as_markdown(report(page), page.model.name), (
            "run python models/training/cards.py"
        )


def test_the_figures_of_the_readme_are_those_of_the_cards(maker: ModuleType, pages: list[ModelTrust]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert maker.with_figures(readme, pages) == readme, "run python models/training/cards.py"


def test_a_card_says_agreement_worth_audit_and_what_it_is_not_for(embedded: ModelTrust) -> None:
    pages, told = list(report(embedded)), fields(embedded)
    headings = [page.headline for page in pages]
    assert headings[:3] == ["In short", "Four questions", "Agreement with people"]
    assert "What each part of a verdict is worth" in headings
    assert "What it is not for" in headings
    assert pages[0].rows[0].text == told["sense"]
    assert "without its end in 93 of 100" in told["sense"]
    assert embedded.effects["audience"]
    strong = {name for found in embedded.effects.values() for name, told in found.items() if told == "strong"}
    (said,) = (text for text in told["not_for"] if "moves it strongly" in text)
    assert all(name in said for name in strong)
    assert any("harmful" in text for text in told["not_for"])
