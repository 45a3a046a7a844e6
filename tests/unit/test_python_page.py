"""The manual's page about Python: made from the docstrings, its script runs, and goes on after an interruption."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import jokejudge_gui
from jokejudge_gui import JokeJudge
from tests.fake_engine import FakeEngine

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "resources" / "manual" / "python.md"
VERDICTS = PAGE.read_text(encoding="utf-8").partition("## Verdicts")[2]  # tests/live runs the examples above
EXAMPLES = re.findall(r"^```python\n(.*?)^```$", VERDICTS, re.MULTILINE | re.DOTALL)


def test_the_page_is_what_the_docstrings_say() -> None:
    found = subprocess.run(
        [sys.executable, str(ROOT / "packaging" / "python_page.py"), "--check"],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr


def test_the_script_of_the_page_goes_on_after_an_interruption(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lines, stop_at = tmp_path / "verdicts.jsonl", [44]

    def gate(_method: str) -> None:
        if lines.exists() and lines.read_bytes().count(b"\n") == stop_at[0]:
            raise KeyboardInterrupt

    judge = partial(
        JokeJudge, data_dir=tmp_path / "data", loader=lambda _file, _settings, _cancel: FakeEngine(gate=gate)
    )
    monkeypatch.setattr(jokejudge_gui, "JokeJudge", judge, raising=False)
    monkeypatch.chdir(tmp_path)
    jokes = [f"Joke number {number} walks into a bar." for number in range(100)]
    (tmp_path / "jokes.csv").write_text("text\n" + "\n".join(jokes) + "\n", encoding="utf-8")
    found: dict[str, Any] = {}
    with pytest.raises(KeyboardInterrupt):
        exec(EXAMPLES[0], found)
    done = lines.read_bytes().count(b"\n") - 1  # the first line names the run
    assert done == 43
    stop_at[0] = 0
    for example in EXAMPLES:
        exec(example, found)
    assert [line["text"] for line in found["lines"]] == jokes
    assert len(found["rows"]) == 100
    told = capsys.readouterr()
    assert f"{done} of 100" in told.err
    assert "12 of 100" in told.err
    assert len(found["duels"]) == 1
    assert found["rating"].context == "A moose in a lift."
