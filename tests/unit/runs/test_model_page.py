"""A model's card: what it says, in every form, and that the shipped ones are up to date with the data."""

from __future__ import annotations

import importlib.util
import json
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType

import pytest

from jokejudge_gui.core.pages import as_html, as_markdown
from jokejudge_gui.core.paths import Profile, models_dir
from jokejudge_gui.core.verdicts import ModelRef
from jokejudge_gui.judge.asking.measured import MeasuredFiles
from jokejudge_gui.measure.model.figures import ModelPage, model_page, write_page

ROOT = Path(__file__).resolve().parents[3]
EMBEDDED = ModelRef(
    name="SmolLM2 135M Instruct Q8_0", sha256="7b46609d11703c058397e5cfe4cc6e4b2508cb1eb4c80ddc472a5d421fbdb508"
)


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("cards", ROOT / "models" / "training" / "cards.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="module")
def pages(maker: ModuleType) -> list[ModelPage]:
    found: list[ModelPage] = maker.shipped_pages()
    return found


@pytest.fixture(scope="module")
def embedded(pages: list[ModelPage]) -> ModelPage:
    return next(page for page in pages if page.model.sha256 == EMBEDDED.sha256)


def test_the_cards_that_ship_are_those_of_the_data(pages: list[ModelPage]) -> None:
    assert len(pages) == 3
    for page in pages:
        file = models_dir() / "cards" / f"{page.model.sha256[:16]}.md"
        assert file.read_text(encoding="utf-8") == as_markdown(page.pages, page.model.name), (
            "run python models/training/cards.py"
        )


def test_the_figures_of_the_readme_are_those_of_the_cards(maker: ModuleType, pages: list[ModelPage]) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert maker.with_figures(readme, pages) == readme, "run python models/training/cards.py"


def test_a_card_says_agreement_worth_audit_and_what_it_is_not_for(embedded: ModelPage) -> None:
    headings = [page.headline for page in embedded.pages]
    assert headings[:3] == ["In short", "Four questions", "Agreement with people"]
    assert {"What each part of a verdict is worth", "What moves it though it shouldn't"} <= set(headings)
    assert "What it is not for" in headings
    assert embedded.pages[0].rows[0].text == embedded.fields["sense"]
    assert "without its end in 93 of 100" in embedded.fields["sense"]
    assert embedded.fields["effects"]["audience"]
    strong = {name for found in embedded.fields["effects"].values() for name, told in found.items() if told == "strong"}
    (said,) = (text for text in embedded.fields["not_for"] if "moves it strongly" in text)
    assert all(name in said for name in strong)
    assert any("harmful" in text for text in embedded.fields["not_for"])


def test_a_model_of_which_nothing_is_known_has_a_card_that_says_so(tmp_path: Path) -> None:
    page = model_page(ModelRef(name="new <b>| model", sha256="ef" * 32), Profile.at(tmp_path))
    assert [page.fields[name] for name in ("agreement", "items", "editor", "effects")] == [None, [], None, {}]
    text = as_markdown(page.pages, page.model.name)
    assert "hasn't been measured" in text
    assert "hasn't been audited" in text
    assert any("isn't known" in line for line in page.fields["not_for"])
    assert "<b>" not in as_html(page.pages, page.model.name)
    assert "# new \\<b\\>" in text or "&lt;b" in text


def test_an_audit_of_the_users_own_goes_before_the_shipped_one(tmp_path: Path, embedded: ModelPage) -> None:
    profile = Profile.at(tmp_path)
    shipped, own = MeasuredFiles(Path("nowhere"), models_dir()), MeasuredFiles(models_dir(), profile.models)
    audit = shipped.own(EMBEDDED.sha256, "audit")["audit"]
    own.update(EMBEDDED.sha256, {"audit": audit | {"source": "my jokes"}})
    page = model_page(EMBEDDED, profile)
    assert page.fields["effects"] == embedded.fields["effects"]
    assert "my jokes" in as_markdown(page.pages, page.model.name)


def test_every_form_holds_the_same_figures(embedded: ModelPage, tmp_path: Path) -> None:
    for ending, form in ((".md", "markdown"), (".html", "html"), (".json", "json")):
        write_page(embedded, tmp_path / f"card{ending}", form)  # type: ignore[arg-type]
    html = (tmp_path / "card.html").read_text(encoding="utf-8")
    HTMLParser().feed(html)
    assert "http" not in html.split("<body>")[1]
    for page in embedded.pages:
        for row in (row for table in page.tables for row in table.rows):
            assert row[1] in html
    fields = json.loads((tmp_path / "card.json").read_text(encoding="utf-8"))
    assert fields == json.loads(json.dumps(embedded.fields))
