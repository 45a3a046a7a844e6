"""``jokejudge evaluate``: the table of rows, agreement beyond chance, and two saved runs compared."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.errors import EngineError

from .conftest import fail_at

if TYPE_CHECKING:
    from .conftest import Run, Stage


def table(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_row_asked_is_a_line_of_the_table(
    evaluate: Any, ratings_file: Path, tmp_path: Path, stage: Stage
) -> None:
    stage.hook = fail_at("the goat laughs", EngineError("E_CONTEXT", "Too long."))
    items = tmp_path / "items.csv"
    assert evaluate("--ratings", str(ratings_file), "--items", str(items)).status == 0
    rows = table(items)
    assert [(row["file"], row["row"], row["kind"]) for row in rows] == [
        ("pairs.csv", "1", "pair"), ("pairs.csv", "2", "pair"), ("pairs.csv", "4", "pair"),
        ("ratings.csv", "1", "text"), ("ratings.csv", "2", "text"), ("ratings.csv", "3", "text"),
        ("ratings.csv", "4", "text"),
    ]  # fmt: skip
    failed = next(row for row in rows if row["error"])
    assert (failed["error"], failed["p_a"], failed["right"], failed["winner"]) == ("E_CONTEXT", "", "", "B")
    answered = [row for row in rows[:3] if not row["error"]]
    assert {row["judge"] for row in answered} == {"A"}
    assert [float(row["right"]) for row in answered] == [float(row["winner"] == "A") for row in answered]
    plain = rows[5]
    assert (plain["is_humor"], plain["admissible"], plain["rating"], plain["right"]) == ("0", "1", "", "0.0")


def test_a_text_that_a_spreadsheet_would_run_is_made_safe(run: Run, tmp_path: Path) -> None:
    votes, items = tmp_path / "votes.csv", tmp_path / "items.csv"
    votes.write_text("text_a,text_b,winner\n=1+1,plain,A\n", encoding="utf-8")
    run("evaluate", "--pairs", str(votes), "--items", str(items))
    assert table(items)[0]["text_a"] == "'=1+1"


@pytest.fixture
def runs(evaluate: Any, tmp_path: Path, stage: Stage) -> tuple[Path, Path]:
    """A run that names A in every pair, and one that names B."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    evaluate("--out", str(first))
    stage.winner = "B"
    evaluate("--out", str(second))
    stage.asked.clear()
    return first, second


def test_what_is_no_run_is_refused_with_a_sentence(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "notes.jsonl"
    for content in (b"my notes\n", b"[]\n", b'{"id": "a"}\n', b"", b'{"id": null, "run": "rate", "error": null}\n'):
        other.write_bytes(content)
        outcome = run("evaluate", "--compare", str(runs[0]), str(other))
        assert outcome.status == 1
        assert "notes.jsonl" in outcome.err
    assert run("evaluate", "--compare", str(runs[0]), str(tmp_path / "gone.jsonl")).status == 1
    assert run("evaluate", "--compare", *map(str, runs), "--out", str(tmp_path / "x.jsonl")).status == 2
    assert run("evaluate", "--compare", *map(str, runs), "--items", str(runs[0])).status == 2


def test_a_comparison_is_written_as_a_page_and_as_a_table_of_rows(
    run: Run, runs: tuple[Path, Path], tmp_path: Path
) -> None:
    page, items = tmp_path / "beside.html", tmp_path / "items.csv"
    found = run("evaluate", "--compare", *map(str, runs), "--html", str(page), "--items", str(items))
    assert found.status == 0, found.err
    text = page.read_text(encoding="utf-8")
    assert "Two judges on the same rows" in text
    assert "The first is right in 67 of 100, the second in 33, on the same 3." in text
    rows = table(items)
    assert len(rows) == 3
    for row in rows:
        rights = [str(float(row["people"] == side)) for side in "AB"]
        assert [row[name] for name in ("first", "second", "first_right", "second_right")] == ["A", "B", *rights]
    limited = run("evaluate", "--compare", *map(str, runs), "--limit", "2", "--json").object
    assert limited["duels"]["first"]["n"] == 2


def test_two_runs_on_readings_are_compared_by_kind_and_turn(run: Run, tmp_path: Path) -> None:
    reading = {"text": "The owl bakes a bun.", "joke": 1, "kinds": ["puns"], "turn": "a bun", "faults": []}
    source = tmp_path / "readings.jsonl"
    source.write_text(json.dumps(reading) + "\n", encoding="utf-8")
    paths = []
    for name, (start, kind) in {"first": (14, "puns"), "second": (0, "irony")}.items():
        path, items = tmp_path / f"{name}.jsonl", tmp_path / f"{name}.csv"
        assert run("evaluate", "--reference", str(source), "--out", str(path), "--items", str(items)).status == 0
        (row,) = table(items)
        assert (row["kind"], row["kinds"], row["turn"], row["is_humor"]) == ("reading", "puns", "a bun", "1")
        opening, answer = path.read_text(encoding="utf-8").splitlines()
        saved = json.loads(answer)
        turn = {"start": start, "end": start + 5, "text": "", "p": 0.5}
        saved["found"] |= {"kinds": {kind: 0.9}, "chosen": [kind], "turn": turn}
        path.write_text(f"{opening}\n{json.dumps(saved)}\n", encoding="utf-8")
        paths.append(str(path))
    found = run("evaluate", "--compare", *paths, "--json").object
    for part in ("kinds", "turns"):
        assert (found[part]["first"]["right"], found[part]["second"]["right"]) == (1.0, 0.0)
