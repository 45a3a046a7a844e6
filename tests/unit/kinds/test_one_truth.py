"""One verdict reads the same in the terminal, a history row, HTML, Markdown, plain text, notebooks and for agents."""

from __future__ import annotations

import html
import io
import json
import re
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui import api
from jokejudge_gui.cli.main import main
from jokejudge_gui.core.pages import Page, Row, as_lines
from jokejudge_gui.core.paths import Profile
from jokejudge_gui.core.verdicts import Status, VerdictResult
from jokejudge_gui.history.store import HistoryStore
from jokejudge_gui.judge.kinds import KINDS, kind_of
from tests.records import RECORDS

PYTHON = {"rate": api.Rating, "duel": api.Duel, "contest": api.Contest, "workshop": api.Workshop,
          "set": api.StageSet}  # fmt: skip
WITHHELD = {
    "rating, doubtful": ("3.9", "Pun", "stronger than"),
    "rating, not English": ("3.0 of 5", "stronger than", "55"),
    "rating, no turn": ("upper half", "stronger than"),
    "duel, 59 in 100": ("59 in 100)", "A, probably", '"A","1.'),
    "duel, nothing turns in one": ("A, clearly", "9.00", '"A","9.'),
}
"""What no surface may say of a verdict."""


def sentences(page: Page) -> Iterator[str]:
    """Everything that a page says, sentence by sentence."""
    yield from (page.headline, *page.lead, *page.notes)

    def rows(some: tuple[Row, ...]) -> Iterator[str]:
        for row in some:
            yield from filter(None, (row.name, row.text))
            yield from rows(row.rows)

    yield from rows(page.rows)


def plain(text: str) -> str:
    """A surface's words alone: without markup, escapes, line breaks and the marks of words."""
    text = html.unescape(re.sub(r"<style.*?</style>|</?[a-z][^<>]*>|<!--.*?-->|<!DOCTYPE[^>]*>", " ", text, flags=re.S))
    text = re.sub(r"\\(?=[^\w\s])|\{\+|\+\}|[«»*_|>#│┃]", "", text)
    return re.sub(r"\s+", "", text.replace("\xa0", " "))


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, str]]:
    """What each surface says of each record, by the record's id."""
    folder: Path = tmp_path_factory.mktemp("one_truth")
    store = HistoryStore(Profile.at(folder).database, KINDS)
    for record in RECORDS.values():
        kind = kind_of(record)
        subjects = kind.subjects(kind.request_of(record)) if record.error is None or kind.fields else ()
        store.begin(
            id=record.id, kind=kind.name, subjects=subjects, mode=record.mode, model=record.model,
            prompt_version="p", criteria_version="c", seed=1,
        )  # fmt: skip
        store.end(record.id, Status.FAILED if record.error else Status.FINISHED, record, record.error)
        store.set_tags(record.id, [record.id])
    store.close()

    def called(*words: str) -> str:
        out = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", write_through=True)
        with redirect_stdout(out):
            status = main([*words, "--data-dir", str(folder)])
        assert status == 0, words
        return out.buffer.getvalue().decode()  # type: ignore[attr-defined]

    listed = json.loads(called("history", "list", "--limit", "100", "--json"))
    heads = {row["id"]: row["headline"] for row in listed["rows"]}
    surfaces: dict[str, dict[str, str]] = {}
    for record in RECORDS.values():
        page = {"terminal": called("history", "show", record.id)}
        for ending in ("html", "md", "csv"):
            path = folder / f"{record.id}.{ending}"
            called("history", "export", str(path), "--tag", record.id)
            page[ending] = path.read_text(encoding="utf-8")
        surfaces[record.id] = page | {"row": (heads[record.id] or {}).get("sentence", "")}
    return surfaces


def notebook(record: VerdictResult) -> str:
    shown: Any = PYTHON[kind_of(record).name].model_validate(record.model_dump())
    return str(shown._repr_html_())


@pytest.mark.parametrize("name", RECORDS)
def test_every_surface_says_what_the_page_says(name: str, said: dict[str, dict[str, str]]) -> None:
    record = RECORDS[name]
    page = kind_of(record).words(record)
    texts = {surface: text for surface, text in said[record.id].items() if surface != "csv"}
    assert texts.pop("row") == page.headline == KINDS[kind_of(record).name].glance(record).headline
    texts["plain"] = "\n".join(as_lines(page))
    if kind_of(record).name in PYTHON:
        texts["notebook"] = notebook(record)
    for surface, text in texts.items():
        for sentence in sentences(page):
            # The terminal wraps a long label beside its text.
            parts = sentence.split() if surface == "terminal" else [sentence]
            assert all(plain(part) in plain(text) for part in parts), f"{surface}: {sentence}"


@pytest.mark.parametrize("name", WITHHELD)
def test_what_the_page_withholds_no_surface_says(name: str, said: dict[str, dict[str, str]]) -> None:
    record = RECORDS[name]
    for surface, text in (said[record.id] | {"notebook": notebook(record)}).items():
        for words in WITHHELD[name]:
            undated = re.sub(r"\d{4}-\d\d-\d\d.[\d:.+]+", "", text)  # the time may hold any number
            assert plain(words) not in plain(undated.split("tiny_model")[0]), f"{surface}: {words}"
