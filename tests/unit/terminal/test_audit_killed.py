"""An audit whose process dies in the middle, as by ``kill -9``: nothing that was read is lost."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.planted_judges import cases

DEADLY = "The owl told us to kill one process, and so the mole went home without it."


def run(folder: Path, name: str, pairs: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "tests.cluster_program", "audit", "--pairs", str(pairs), "--probe", "authority"]
    command += ["--no-history", "--json", "--data-dir", str(folder / name)]
    return subprocess.run(
        command, capture_output=True, text=True, check=False, env=os.environ | {"PYTHONPATH": "."}, timeout=120
    )


def found(done: subprocess.CompletedProcess[str]) -> dict[str, Any]:
    assert done.returncode == 0, done.stderr
    value = json.loads(done.stdout)
    return {name: value[name] for name in ("voices", "pairs", "readings", "unread")}


def test_an_audit_that_was_killed_goes_on_and_finds_the_same_to_the_last_bit(tmp_path: Path) -> None:
    pairs = tmp_path / "pairs.csv"
    rows = [f'"{case.text_a}","{case.text_b}",{case.winner}' for case in cases(9)]
    rows.append(f'"{DEADLY}","A heron that nobody knew ordered soup.",A')
    pairs.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    killed = run(tmp_path, "killed", pairs)
    assert (killed.returncode, killed.stdout, killed.stderr) == (1, "", "")  # it died without a word
    (kept,) = (tmp_path / "killed" / "cache" / "audits").glob("*.jsonl")
    lines = kept.read_bytes()
    assert lines.endswith(b"\n")
    assert lines.count(b"\n") > 5
    # A power cut besides: half a line is left, which is read again.
    kept.write_bytes(lines[: -len(lines.splitlines()[-1]) // 2])
    again = found(run(tmp_path, "killed", pairs))
    whole = tmp_path / "whole"
    whole.mkdir()
    (whole / "killed").touch()
    assert again == found(run(tmp_path, "whole", pairs))
    assert not list((tmp_path / "killed" / "cache" / "audits").glob("*.jsonl"))
