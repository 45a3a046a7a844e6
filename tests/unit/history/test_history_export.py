"""Exported files: what stands in them, and what can't break them."""

from __future__ import annotations

import csv
import io
import json
import re
from functools import partial
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import ErrorInfo, HistoryError
from jokejudge_gui.core.pages import as_html, as_markdown
from jokejudge_gui.core.verdict_kinds import Subject
from jokejudge_gui.core.verdicts import Status
from jokejudge_gui.history.export import SUFFIXES, csv_columns, page_of
from jokejudge_gui.history.export import export as export_with
from jokejudge_gui.history.query import HistoryEntry, HistoryQuery, HistoryRow
from jokejudge_gui.judge.duel.record import DuelResult
from jokejudge_gui.judge.kinds import KINDS
from jokejudge_gui.judge.rating.record import CategoryScore, RatingResult

NASTY = [
    "=HYPERLINK(1)", "+1", "-1", "@SUM", "\t=1", "\r=1", "  =1", 'a "b", c', "two\nlines", "win\r\nlines",
    "<script>alert(1)</script>", "</blockquote>", "&amp;", "# heading", "1. list", "- item", "> quote", "`code` **b**",
    "[x](y)", "| a | b |", "\u202eabc", "🦆👩‍👩‍👧", "nul\x00l", "\x1b[31m", "\u2028", "\x85", "café", "",
    "\x1b[2J\x07\x9b5n", "https://evil.example/x, www.evil.example or me@evil.example",
]  # fmt: skip
FORMULA = re.compile(r"[\s]*[=+@-]")


export = partial(export_with, kinds=KINDS)


def entry(text: str, result: bool = True, **more: object) -> HistoryEntry:
    row = HistoryRow.model_validate(
        {
            "id": "x", "kind": "rate", "created": "2025-05-01T12:00:00Z", "status": Status.FINISHED,
            "subjects": (Subject(text=text),), **more,
        }
    )  # fmt: skip
    return HistoryEntry(
        row=row, result=RatingResult(id="x", text=text, explanation=text) if result else None, mode="quick", seed=1,
        prompt_version="1", criteria_version="1", model=None,
    )  # fmt: skip


def records(path: Path) -> list[dict[str, str]]:
    text = path.read_bytes().decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text, newline="")))


@pytest.fixture
def filled(book):
    book.begin("r", "The café")
    rating = book.rating("r", "The café", mean=3.25, explanation="Works. Fine.", timing=3.25).model_copy(
        update={
            "pathway": "standard",
            "max_score": 4.0,
            "categories": (
                CategoryScore(id="pun", name="Pun", p=0.9, z=2, chosen=True),
                CategoryScore(id="dark", name="Dark", p=0.1, z=0, chosen=False),
            ),
        }
    )
    book.store.end("r", Status.FINISHED, rating)
    book.store.set_tags("r", ["one", "two"])
    book.store.set_note("r", "=a note")
    book.store.star("r", True)
    book.duel("d", "First", "Second")
    book.begin("f", "Broken")
    book.store.end("f", Status.FAILED, None, ErrorInfo(code="E_CONTEXT", sentence="It is too long.", hint="Cut it."))
    return book.store


def test_csv_has_a_header_and_a_row_for_each_verdict(filled, tmp_path):
    assert export(filled.entries(), "csv", tmp_path / "out.csv") == 3
    assert (tmp_path / "out.csv").read_bytes().startswith(b'\xef\xbb\xbf"created","kind",')
    failed, duel, rating = records(tmp_path / "out.csv")
    assert tuple(rating) == csv_columns(KINDS)
    assert rating["text_a"] == "The café"
    assert (rating["mean_score"], rating["max_score"], rating["categories"]) == ("3.25", "4.0", "Pun")
    assert (rating["starred"], rating["tags"], rating["note"]) == ("yes", "one; two", "'=a note")
    assert (duel["winner"], duel["confidence_factor"], duel["text_b"], duel["band"]) == ("B", "2.0", "Second", "clear")
    assert (failed["status"], failed["error"]) == ("failed", "It is too long.")
    assert rating["created"] == "2025-05-01T12:00:01+00:00"


def test_jsonl_has_the_terminal_s_object_and_what_the_history_knows(filled, tmp_path):
    assert export(filled.entries(HistoryQuery(sort="oldest")), "jsonl", tmp_path / "out.jsonl") == 3
    lines = (tmp_path / "out.jsonl").read_text(encoding="utf-8").splitlines()
    rating, duel, failed = map(json.loads, lines)
    stored = filled.get("r").result
    assert isinstance(stored, RatingResult)
    extra = {"kind", "created", "status", "starred", "tags", "note"}
    assert {key: value for key, value in rating.items() if key not in extra} == {
        "editors_note" if key == "note" else key: value for key, value in KINDS["rate"].contract(stored).items()
    }
    assert (rating["tags"], rating["note"], rating["starred"]) == (["one", "two"], "=a note", True)
    assert set(duel) == set(KINDS["duel"].contract(DuelResult(id="", text_a="", text_b=""))) | extra
    assert set(failed) == set(rating)
    assert failed["error"] == {"code": "E_CONTEXT", "sentence": "It is too long.", "hint": "Cut it."}
    assert "café" in lines[0]


def test_markdown_and_html_show_the_pages_of_the_verdicts(filled, tmp_path):
    pages = [page_of(entry, KINDS) for entry in filled.entries()]
    for format, name, draw in (("markdown", "out.md", as_markdown), ("html", "out.html", as_html)):
        assert export(filled.entries(), format, tmp_path / name) == 3
        text = (tmp_path / name).read_text(encoding="utf-8")
        assert text == draw(pages, "JokeJudge: verdicts")
        for part in ("The café", "=a note", "one, two", "starred", "It is too long."):
            assert part in text
    failed, _, rating = pages
    assert failed.headline.endswith("(failed)")
    assert rating.headline.startswith("Rating: ")
    rows = KINDS["rate"].words(filled.get("r").result).rows
    assert rating.rows[: len(rows)] == rows


@pytest.mark.parametrize("format", SUFFIXES)
@pytest.mark.parametrize("result", [True, False])
def test_odd_texts_break_no_format(tmp_path, format, result):
    out = tmp_path / "out"
    entries = [entry(text, result, note=text, tags=("a", "b")) for text in NASTY]
    assert export(entries, format, out) == len(NASTY)
    text = out.read_bytes().decode("utf-8-sig")
    if format == "csv":
        cells = [row["text_a"] for row in records(out)]
        assert len(cells) == len(NASTY)
        assert all(cell[0] == "'" for cell, raw in zip(cells, NASTY, strict=True) if FORMULA.match(raw))
        assert not set("\x1b\x07\x9b\u202e") & set(text)
    elif format == "jsonl":
        assert [json.loads(line)["text"] for line in text.split("\n")[:-1]] == NASTY
    elif format == "html":
        assert "\u202e" not in text
        assert "<script" not in text
        assert text.count("<section") == text.count("<blockquote") == len(NASTY)
    else:
        body = [line for line in text.splitlines() if line.startswith("> ")]
        assert text.count("## Rating") == len(NASTY)
        assert not any(line.startswith(("> #", "> -", "> 1.", "> <", "> |", "> >")) for line in body)
        assert not set("\x1b\x07\x9b\u202e") & set(text)
        assert "https\\://evil.example/x, www\\.evil.example or me\\@evil.example" in text


def test_a_broken_off_export_leaves_the_old_file(tmp_path):
    out = tmp_path / "out.csv"
    out.write_text("old")

    def entries():
        yield entry("t")
        raise HistoryError("E_HISTORY_DAMAGED", "It is damaged.")

    with pytest.raises(HistoryError):
        export(entries(), "csv", out, replace=True)
    assert out.read_text() == "old"
    assert [file.name for file in tmp_path.iterdir()] == ["out.csv"]


def test_verdicts_are_taken_one_at_a_time(tmp_path):
    alive = 0
    most = 0

    def entries():
        nonlocal alive, most
        for _ in range(1000):
            alive += 1
            most = max(most, alive)
            yield entry("t")
            alive -= 1

    assert export(entries(), "jsonl", tmp_path / "out") == 1000
    assert most == 1
