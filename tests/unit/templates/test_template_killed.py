"""Runs over judge templates that are killed in the middle of a line go on as if nothing had been."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.template_engine import ROWS, row

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system can't kill so")


def program(folder: Path, *arguments: str, kill: int | None = None) -> int:
    """The exit status of the program over a fake engine, killed in the ``kill``th line that it writes."""
    wanted = {"JOKEJUDGE_TESTS_MODELS": "template"} | ({} if kill is None else {"JOKEJUDGE_TESTS_KILL": str(kill)})
    done = subprocess.run(
        [sys.executable, "-m", "tests.cluster_program", "--data-dir", str(folder), *arguments, "--quiet"],
        env={**os.environ, **wanted},
        capture_output=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == (0 if kill is None else -signal.SIGKILL), done.stderr.decode()
    return done.returncode


def rows(tmp_path: Path) -> str:
    path = tmp_path / "data.jsonl"
    made = [row(module, id=f"r{number}") for number, module in enumerate([*ROWS, "M01"])]
    path.write_text("".join(json.dumps(each) + "\n" for each in made), encoding="utf-8")
    return str(path)


def essence(path: Path) -> list[dict[str, Any]]:
    """All that lines say but for what each cost."""
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    for line in lines:
        line.pop("usage", None)
    return lines


def test_rows_that_are_killed_twice_end_as_if_undisturbed(tmp_path: Path) -> None:
    whole, out, profile = tmp_path / "whole.jsonl", tmp_path / "out.jsonl", tmp_path / "profile"
    source = rows(tmp_path)
    program(profile, "template", "run", "seeds", source, "--out", str(whole))
    command = ("template", "run", "seeds", source, "--out", str(out))
    program(profile, *command, kill=4)
    first = out.read_bytes()
    assert not first.endswith(b"\n")
    program(profile, *command, kill=3)
    second = out.read_bytes()
    kept = first[: first.rindex(b"\n") + 1]
    assert second.startswith(kept)
    assert kept.count(b"\n") == 3
    program(profile, *command)
    assert out.read_bytes().startswith(second[: second.rindex(b"\n") + 1])
    assert essence(out) == essence(whole)
    assert [line["verdict"] for line in essence(out)[1:]] == ["PASS"] * 8
