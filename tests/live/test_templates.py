"""Rows of another judge's outputs, judged by their templates with the embedded model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.cli.main import main

from .conftest import NewProfile


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


def test_rows_go_through_the_pack_of_the_stages(run: Callable[..., Any], tmp_path: Path) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    joke = "I used to be a banker, but I lost interest."
    given = [
        {
            "id": "1",
            "module": "intent",
            "input": joke,
            "output": True,
            "expected": True,
            "reasoning": "It plays on interest.",
        },
        {"id": "2", "module": "completeness", "input": joke, "output": False, "expected": True, "reasoning": ""},
        {"id": "3", "module": "kinds", "input": joke, "output": "wordplay/Pun", "expected": ["wordplay/Pun"]},
    ]
    rows.write_text("".join(json.dumps(row) + "\n" for row in given), encoding="utf-8")
    told = run("template", "run", "stages", str(rows), "--out", str(out))
    assert (told["judged"], told["errors"]) == (3, 0)
    before = out.read_bytes()
    lines = [json.loads(line) for line in before.splitlines()[1:]]
    for line in lines:
        score = line["evaluation"]["correctness"]["score"]
        assert 0 <= line["total_range"]["least"] <= line["total_range"]["most"] <= (100 if score else 60)
        for rule in line["evaluation"]["rule_compliance"]["rules"]:
            assert (rule["score"] is None) == (rule["compliant"] is None)
    assert run("template", "run", "stages", str(rows), "--out", str(out))["skipped"] == 3
    assert out.read_bytes() == before
