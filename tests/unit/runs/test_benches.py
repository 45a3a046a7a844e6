"""The programs under tests/bench start and say how they are used."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

NAMES = ("attack", "frames", "fresh", "history", "speed", "window", "wordplay")


@pytest.mark.parametrize("name", NAMES)
def test_a_bench_says_how_it_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as ended:
        importlib.import_module(f"tests.bench.{name}").main()
    assert ended.value.code == 0
    assert "usage:" in capsys.readouterr().out


def test_every_bench_is_in_the_table() -> None:
    folder = Path(__file__).parents[2] / "bench"
    table = (folder / "README.md").read_text(encoding="utf-8")
    assert all(name in table for name in (*NAMES, "sense", "screenshot"))
