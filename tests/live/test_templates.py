"""The program's own stages over reference readings, judged by their templates with the embedded model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main
from jokejudge_gui.judge.templates import power

from .conftest import NewProfile

CASES = 6
"""Of those whose reasoning is asked about: one of each module, and no fewer than what can be told anything from."""


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], embedded_model: Path, new_profile: NewProfile) -> Callable[..., Any]:
    """Runs a command with the embedded model, in one profile; what it prints with ``--json``."""
    profile = new_profile("templates").data

    def call(*arguments: str) -> Any:
        settings = ("--data-dir", str(profile), "--model", str(embedded_model), "--threads", "1")
        status = main([*arguments, *settings, "--json"])
        told = capsys.readouterr()
        assert status == 0, told.err
        return json.loads(told.out)

    return call


def test_readings_go_through_the_pack_of_the_stages(
    run: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert power._LEAST_CASES <= CASES < power._MOST_CASES
    monkeypatch.setattr(power, "_MOST_CASES", CASES)
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    made = run("template", "stages", "--limit", "2", "--out", str(rows))
    assert made["texts"] == 2
    assert made["rows"] >= 6
    first, *each = rows.read_text(encoding="utf-8").splitlines(keepends=True)
    # What the model can tell is measured module by module; tests/unit/templates judges the rows of all of them.
    mine = [row for row in each if json.loads(row)["module"] == "factors"]
    rows.write_text("".join([first, *mine]), encoding="utf-8")
    told = run("template", "run", "stages", str(rows), "--out", str(out))
    assert (told["judged"], told["errors"]) == (len(mine), 0)
    assert {module["module"] for module in told["modules"]} == {"factors"}
    before = out.read_bytes()
    lines = [json.loads(line) for line in before.splitlines()[1:]]
    for line in lines:
        score = line["evaluation"]["correctness"]["score"]
        assert 0 <= line["total_range"]["least"] <= line["total_range"]["most"] <= (100 if score else 60)
        for rule in line["evaluation"]["rule_compliance"]["rules"]:
            assert (rule["score"] is None) == (rule["compliant"] is None)
    assert run("template", "run", "stages", str(rows), "--out", str(out))["skipped"] == len(mine)
    assert out.read_bytes() == before
