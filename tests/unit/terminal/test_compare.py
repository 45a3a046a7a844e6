"""``jokejudge evaluate --compare``: two saved runs."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .conftest import Run, Stage


@pytest.fixture
def runs(evaluate: Any, tmp_path: Path, stage: Stage) -> tuple[Path, Path]:
    """A run that names A in every pair, and one that names B."""
    first, second = tmp_path / "first.jsonl", tmp_path / "second.jsonl"
    evaluate("--out", str(first))
    stage.winner = "B"
    evaluate("--out", str(second))
    stage.asked.clear()
    return first, second


def test_what_is_no_run_is_refused_with_a_sentence(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    other = tmp_path / "notes.jsonl"
    for content in (b"my notes\n", b"[]\n", b'{"id": "a"}\n', b"", b'{"id": null, "run": "rate", "error": null}\n'):
        other.write_bytes(content)
        outcome = run("evaluate", "--compare", str(runs[0]), str(other))
        assert outcome.status == 1
        assert "notes.jsonl" in outcome.err
    assert run("evaluate", "--compare", str(runs[0]), str(tmp_path / "gone.jsonl")).status == 1
    assert run("evaluate", "--compare", *map(str, runs), "--out", str(tmp_path / "x.jsonl")).status == 2
    assert run("evaluate", "--compare", *map(str, runs), "--html", str(runs[0])).status == 2


def test_a_comparison_is_printed_and_written_as_a_page(run: Run, runs: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "beside.html"
    whole = run("evaluate", "--compare", *map(str, runs), "--html", str(page), "--json").object
    assert [whole["duels"][side]["share"] for side in ("first", "second")] == pytest.approx([2 / 3, 1 / 3])
    gap = whole["duels"]["difference"]
    assert gap["value"] == pytest.approx(1 / 3)
    assert gap["low"] < gap["value"] < gap["high"]
    assert "Two judges on the same rows" in page.read_text(encoding="utf-8")
    shown = run("evaluate", "--compare", *map(str, runs))
    assert (shown.status, "Pairs, people's winner" in shown.out) == (0, True), shown.err
    limited = run("evaluate", "--compare", *map(str, runs), "--limit", "2", "--json").object
    assert limited["duels"]["first"]["n"] == 2
