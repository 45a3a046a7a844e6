"""Writes the cards of the models that heads ship for (models/cards/*.md), and the README's table of their figures.

python models/training/cards.py
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from jokejudge_gui.core.files import atomic_write
from jokejudge_gui.core.pages import Page, Table, as_markdown
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.words import of_100
from jokejudge_gui.learning.trust_cards import read_cards, title
from jokejudge_gui.measure.model import words as words
from jokejudge_gui.measure.model.figures import ModelTrust

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- figures of the models' cards, made by models/training/cards.py -->\n"
END = "<!-- end of the figures -->\n"
_README_KINDS = ("ukp", "headlines", "hahackathon")


def shipped_pages() -> list[ModelTrust]:
    """The cards of the shipped models, the smallest model first, as in a profile without files of its own."""
    cards = read_cards(ROOT / "models" / "cards", own=False)
    sizes = {card.model.sha256: (not card.model.name.startswith("SmolLM2"), card.model.name) for card in cards}
    with tempfile.TemporaryDirectory() as folder:
        nobody = Profile.at(folder)
        pages = [ModelTrust(card.model, nobody) for card in cards]
    return sorted(pages, key=lambda page: sizes[page.model.sha256])


def readme_table(pages: Sequence[ModelTrust]) -> str:
    """The models' figures for the README, as a Markdown table."""
    rows = []
    for page in pages:
        assert page.card is not None
        card, read = page.card, page.editor.figures if page.editor is not None else None
        kinds = {kind.name: kind.stated for kind in card.kinds}
        people = [words.between(kinds.get(name)) for name in _README_KINDS]
        unseen = words.span(card) if card.across else "–"
        editor = ["–"] * 3
        if read is not None:
            editor = [f"{read.factors:.2f}", of_100(read.kinds_precision), of_100(read.faults_precision)]
        drafts = next((of_100(item["worth"]) for item in page.plan["items"] if item["section"] == "drafts"), "–")
        sense = " / ".join(map(of_100, page.sense_shares)) if page.sense_shares is not None else "–"
        rows.append((page.model.name, sense, *people, unseen, *editor, drafts))
    head = (
        "Model", "A joke above the same without its end / a plain text", *(title(name) for name in _README_KINDS),
        "Kinds it never saw", "Factors, mean correlation", "Kinds that are right", "Faults that are right",
        "Better draft named",
    )  # fmt: skip
    return as_markdown((Page("", tables=(Table("", head, tuple(rows)),)),)).strip() + "\n"


def with_figures(readme: str, pages: list[ModelTrust]) -> str:
    """Return the README with a new table. Raises ``ValueError`` where the table's place isn't marked."""
    before, after = readme.index(BEGIN) + len(BEGIN), readme.index(END)
    return readme[:before] + "\n" + readme_table(pages) + "\n" + readme[after:]


def main() -> None:
    pages = shipped_pages()
    for page in pages:
        atomic_write(
            ROOT / "models" / "cards" / f"{page.model.sha256[:16]}.md", as_markdown(words.report(page), page.model.name)
        )
    readme = ROOT / "README.md"
    atomic_write(readme, with_figures(readme.read_text(encoding="utf-8"), pages))


if __name__ == "__main__":
    main()
