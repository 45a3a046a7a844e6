"""A model's card as Markdown, HTML or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Literal

from ..evaluation.report_html import document, table
from ..files import atomic_write
from ..texts import escaped_json
from ..trust import words
from .leaderboard_export import markdown_cell
from .model_page import ModelPage

Form = Literal["markdown", "html", "json"]
ENDINGS: dict[str, Form] = {".md": "markdown", ".html": "html", ".json": "json"}
_README_KINDS = ("ukp", "headlines", "hahackathon")


def as_markdown(page: ModelPage) -> str:
    """One Markdown page; names are escaped."""
    lines = [f"# {markdown_cell(page.model.name)}", "", f"SHA-256 `{page.model.sha256}`", ""]
    for sheet in page.sheets:
        lines += [f"## {markdown_cell(sheet.heading)}", ""]
        for text in sheet.paragraphs:
            lines += [markdown_cell(text), ""]
        if sheet.head:
            lines += [*_table(sheet.head, sheet.rows), ""]
        if sheet.points:
            lines += [*(f"- {markdown_cell(text)}" for text in sheet.points), ""]
    return "\n".join(lines)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    lines = ["| " + " | ".join(map(markdown_cell, head)) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(map(markdown_cell, row)) + " |" for row in rows]


def as_html(page: ModelPage) -> str:
    """One HTML document that needs nothing else; everything is escaped."""
    body = [f'<h1>{escape(page.model.name)}</h1><p class="small">SHA-256 {escape(page.model.sha256)}</p>']
    for sheet in page.sheets:
        parts = [f"<section><h2>{escape(sheet.heading)}</h2>"]
        parts += [f"<p>{escape(text)}</p>" for text in sheet.paragraphs]
        if sheet.head:
            parts.append(table([*map(escape, sheet.head)], [[*map(escape, row)] for row in sheet.rows]))
        if sheet.points:
            parts.append("<ul>" + "".join(f"<li>{escape(text)}</li>" for text in sheet.points) + "</ul>")
        body.append("".join(parts) + "</section>")
    return document(f"JokeJudge: {page.model.name}", body)


def write_page(page: ModelPage, path: Path, form: Form) -> None:
    """Write the card to a file in one step. Raises ``SettingsError`` and ``OutputError``."""
    if form == "markdown":
        text = as_markdown(page)
    elif form == "html":
        text = as_html(page)
    else:
        text = escaped_json(json.dumps(page.fields(), ensure_ascii=False, allow_nan=False, indent=1)) + "\n"
    atomic_write(path, text)


def readme_table(pages: Sequence[ModelPage]) -> str:
    """What the README says of the models that heads ship for, as a Markdown table of their cards' figures."""
    rows = []
    for page in pages:
        kinds = {kind.name: kind for kind in page.agreement.kinds} if page.agreement is not None else {}
        people = [words.between(kinds[name].head["all"]) if name in kinds else "–" for name in _README_KINDS]
        across = [kind.head_across["all"].value for kind in kinds.values() if "all" in kind.head_across]
        unseen = f"{words.hundred(min(across))} to {words.hundred(max(across))}" if across else "–"
        read = page.editor
        editor = (
            (f"{read.factors:.2f}", words.hundred(read.kinds_precision), words.hundred(read.faults_precision))
            if read is not None
            else ("–",) * 3
        )
        drafts = next((words.hundred(row.worth) for row in page.items if row.section == "drafts"), "–")
        rows.append((page.model.name, *people, unseen, *editor, drafts))
    head = ("Model", *(words.title(name) for name in _README_KINDS), "Kinds it never saw", "Factors, mean correlation",
            "Kinds that are right", "Faults that are right", "Better draft named")  # fmt: skip
    return "\n".join(_table(head, rows)) + "\n"
