"""What is left of a text anywhere in the profile once it was deleted and purged: nothing."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.paths import Profile
from tests.planted_judges import cases

Run = Callable[..., Any]
SECRET = "zebrafinch"


@pytest.fixture
def pairs(tmp_path: Path) -> str:
    path = tmp_path / "pairs.csv"
    rows = [f'"{SECRET} {case.text_a}","{SECRET} {case.text_b}",{case.winner}' for case in cases(4)]
    path.write_text("\n".join(["text_a,text_b,winner", *rows]) + "\n", encoding="utf-8")
    return str(path)


def holding(profile: Profile) -> list[str]:
    return [str(path) for path in profile.data.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]


def purged(run: Run) -> None:
    rows = run("history", "list", "--json").object["rows"]
    if rows:
        assert run("history", "delete", *(row["id"] for row in rows)).status == 0
    assert run("history", "purge").status == 0


def test_measurements_that_hold_a_purged_text_keep_their_figures_alone(
    run: Run, stage: Any, pairs: str, profile: Profile, tmp_path: Path
) -> None:
    lines = Path(pairs).read_text(encoding="utf-8").splitlines()
    text = lines[1].split('"')[1]
    other = tmp_path / "others.csv"
    other.write_text("text_a,text_b,winner\nA horse walks in.,A cow asks for the bill.,A\n", encoding="utf-8")
    profile.evaluations.mkdir(parents=True)
    for number, table in enumerate((pairs, str(other))):
        stem = profile.evaluations / f"{number:016}-{number:016}"
        assert run("evaluate", "--pairs", table, "--out", f"{stem}.jsonl").status == 0
        stem.with_suffix(".json").write_text("{}", encoding="utf-8")
    files = sorted(path.name for path in profile.evaluations.iterdir())
    assert len([name for name in files if name.endswith(".jsonl")]) == 2
    assert run("rate", text).status == 0
    purged(run)
    assert holding(profile) == []
    left = sorted(path.name for path in profile.evaluations.iterdir())
    assert [name for name in left if name.endswith(".json")] == [name for name in files if name.endswith(".json")]
    assert len([name for name in left if name.endswith(".jsonl")]) == 1
