"""Listeners and what stands beside a verdict, from the terminal."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING

from jokejudge_gui.judge.plan.listeners import LISTENERS_UNMEASURED as UNMEASURED
from jokejudge_gui.rubric.audiences import parse_audiences

if TYPE_CHECKING:
    from pathlib import Path

    from .conftest import Run

JOKE = "I asked Bob for the time, and he quoted Shrek for an hour and a half."


def test_a_listener_that_cannot_be_told_apart_has_the_reason(run: Run) -> None:
    found = run("rate", JOKE, "--listener", "family", "--listener", "people who keep bees", "--json").object
    assert [(voice["name"], voice["p"], voice["reason"]) for voice in found["listeners"]] == [
        ("Family", None, UNMEASURED),
        ("people who keep bees", None, UNMEASURED),
    ]
    assert found["error"] is None
    assert "Family: not asked." in run("rate", JOKE, "--listener", "family").out


def test_nobody_else_is_asked_unless_it_is_wanted(run: Run) -> None:
    assert run("rate", JOKE, "--json").object["listeners"] == []


def test_references_are_printed_with_the_verdict(run: Run) -> None:
    assert "It names Shrek." in run("rate", JOKE).out
    (reference,) = run("rate", JOKE, "--json").object["references"]
    assert (reference["text"], reference["why"]) == ("Shrek", "name")


def test_what_was_measured_of_listeners_is_listed_by_name(run: Run) -> None:
    outcome = run("models", "listeners", "--measure")
    assert outcome.status == 0, outcome.err
    found = run("models", "listeners", "--json").object
    assert [row["name"] for row in found["listeners"]] == [each.name for each in parse_audiences().listeners]
    assert found["error"] is None


def test_only_the_named_listener_is_measured(run: Run) -> None:
    add = ("criteria", "add", "listener", "vienna", "--name", "Viennese", "--description", "people who know Vienna")
    assert run(*add, "--likes", "A waiter, contemptuous.", "--likes", "A tram, late.").status == 0
    outcome = run("models", "listeners", "--measure", "--listener", "Viennese", "--json")
    assert outcome.status == 0, outcome.err
    rows = {row["name"]: row for row in outcome.object["listeners"]}
    assert rows["Viennese"]["worth"]["ratio"] > 0
    assert rows["Viennese"]["own"] is True
    assert rows["Family"]["worth"] is None
    assert "Viennese" in run("models", "listeners", "--measure", "--listener", "Viennese").out
    assert "--measure" in run("models", "listeners", "--listener", "x").err


def test_a_batch_asks_for_listeners_in_each_row_and_goes_on_only_with_the_same(run: Run, tmp_path: Path) -> None:
    rows, out = tmp_path / "in.csv", tmp_path / "out.jsonl"
    rows.write_text("id,text\na,A first joke about a duck.\nb,A second joke about a goose.\n", encoding="utf-8")
    batch = ("rate", "--batch", str(rows), "--out", str(out), "--history")
    assert run(*batch, "--listener", "family", "--listener", "people who keep bees").status == 0
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    heard = [[voice["name"] for voice in line["listeners"]] for line in lines[1:]]
    assert heard == [["Family", "people who keep bees"]] * 2
    rows.write_text(rows.read_text() + "c,A third joke about a swan.\n", encoding="utf-8")
    other = run(*batch, "--listener", "students")
    assert other.status == 1
    assert "choice of listeners" in other.err
    assert run(*batch, "--listener", "family", "--listener", "people who keep bees").status == 0
    table = tmp_path / "history.csv"
    assert run("history", "export", str(table)).status == 0
    with table.open(encoding="utf-8-sig", newline="") as stream:
        found = [row["listeners"] for row in csv.DictReader(stream)]
    assert found == ["Family not asked; people who keep bees not asked"] * 3
