"""The program's own stages over reference readings, judged by their templates with the embedded model."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from .conftest import NewProfile


def run(folder: Path, *arguments: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "jokejudge_gui", *arguments, "--data-dir", str(folder), "--threads", "1", "--json"],
        capture_output=True,
        timeout=900,
        env=os.environ,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_readings_go_through_the_pack_of_the_stages(
    tmp_path: Path, embedded_model: Path, new_profile: NewProfile
) -> None:
    rows, out = tmp_path / "rows.jsonl", tmp_path / "out.jsonl"
    model, profile = ("--model", str(embedded_model)), new_profile("templates").data
    made = run(profile, "template", "stages", "--limit", "2", "--out", str(rows), *model)
    assert made["texts"] == 2
    assert made["rows"] >= 6
    first, *each = rows.read_text(encoding="utf-8").splitlines(keepends=True)
    # What the model can tell is measured module by module; tests/unit/templates judges the rows of all of them.
    mine = [row for row in each if json.loads(row)["module"] == "factors"]
    rows.write_text("".join([first, *mine]), encoding="utf-8")
    told = run(profile, "template", "run", "stages", str(rows), "--out", str(out), *model)
    assert (told["judged"], told["errors"]) == (len(mine), 0)
    assert {module["module"] for module in told["modules"]} == {"factors"}
    before = out.read_bytes()
    lines = [json.loads(line) for line in before.splitlines()[1:]]
    for line in lines:
        score = line["evaluation"]["correctness"]["score"]
        assert 0 <= line["total_range"]["least"] <= line["total_range"]["most"] <= (100 if score else 60)
        for rule in line["evaluation"]["rule_compliance"]["rules"]:
            assert (rule["score"] is None) == (rule["compliant"] is None)
    assert run(profile, "template", "run", "stages", str(rows), "--out", str(out), *model)["skipped"] == len(mine)
    assert out.read_bytes() == before
