"""``jokejudge evaluate --reference``: verdicts held against readings of one's own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from .conftest import interrupt_at, lines

if TYPE_CHECKING:
    from .conftest import Run, Stage


@pytest.fixture
def readings(tmp_path: Path) -> Path:
    file = tmp_path / "mine.jsonl"
    rows = [
        {"id": f"r{place}", "text": f"a horse walks into bar {place}", "joke": 1, "kinds": ["pun"],
         "core": [place] * 16, "turn": "bar", "faults": []}
        for place in range(4)
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return file


def test_a_run_over_readings_is_measured_stopped_and_gone_on_with(
    run: Run, readings: Path, out: Path, stage: Stage, tmp_path: Path
) -> None:
    page = tmp_path / "report.html"
    whole = run("evaluate", "--reference", str(readings), "--json").object
    (report,) = whole["reference"]
    assert (report["name"], report["judged"], report["errors"], report["learned"]) == ("mine.jsonl", 4, 0, 0)
    assert {item["section"] for item in report["items"]} >= {"check", "kind", "factor"}
    assert {item["n"] for item in report["items"] if item["section"] == "check"} == {4}
    last = stage.texts[-1][0]
    stage.asked.clear()
    stage.hook = interrupt_at(last)
    assert run("evaluate", "--reference", str(readings), "--out", str(out)).status == 130
    stage.hook = None
    again = run("evaluate", "--reference", str(readings), "--out", str(out), "--html", str(page), "--json").object
    assert again == whole
    assert len(lines(out)) == 4
    assert len(stage.asked) == 5
    assert "Factors, correlation" in page.read_text(encoding="utf-8")
    said = run("evaluate", "--reference", str(readings), "--out", str(out))
    assert "the words on which a joke turns" in " ".join(said.out.split())
    assert "Validation table" not in said.out


def test_readings_are_refused_before_anything_is_loaded(run: Run, stage: Stage, tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text("not readings\n", encoding="utf-8")
    assert run("evaluate", "--reference", str(file)).status == 2
    assert stage.opened == 0
