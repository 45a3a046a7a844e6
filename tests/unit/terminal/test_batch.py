"""Many verdicts at once: nothing lost, nothing twice, whatever happens in between."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.core.errors import EngineError, HistoryError

from .conftest import fail_at, ids, interrupt_at, lines

if TYPE_CHECKING:
    from .conftest import Run, Stage


def test_each_row_becomes_one_line_with_its_own_id(batch: Any, out: Path) -> None:
    outcome = batch()
    assert outcome.status == 0
    assert outcome.out == ""
    assert [(line["id"], line["text"], line["error"]) for line in lines(out)] == [
        ("a", "first", None), ("b", "second", None), ("c", "third", None)
    ]  # fmt: skip
    assert outcome.err == "3 rows: 3 judged.\n"


def test_a_second_run_judges_nothing_again(batch: Any, out: Path, stage: Stage) -> None:
    batch()
    before = out.read_bytes()
    outcome = batch()
    assert outcome.status == 0
    assert out.read_bytes() == before
    assert len(stage.asked) == 3
    assert "3 skipped" in outcome.err
    assert len(stage.loaded) == 2  # to compare the model


def test_a_batch_interrupted_half_way_goes_on_without_loss_or_repeats(batch: Any, out: Path, stage: Stage) -> None:
    stage.hook = interrupt_at("second")
    outcome = batch("--json")
    assert outcome.status == 130
    assert outcome.object["error"]["code"] == "E_INTERRUPTED"
    assert (outcome.object["judged"], outcome.object["rows"]) == (1, 3)
    assert "same command" in outcome.err
    assert ids(out) == ["a"]
    stage.hook = None
    assert batch().status == 0
    assert ids(out) == ["a", "b", "c"]
    assert stage.texts == [("first",), ("second",), ("second",), ("third",)]


def test_error_lines_are_tried_again_only_when_asked(batch: Any, out: Path, stage: Stage) -> None:
    stage.hook = fail_at("second", EngineError("E_CONTEXT", "Too long."))
    batch()
    stage.hook = None
    batch()
    assert [bool(line["error"]) for line in lines(out)] == [False, True, False]
    outcome = batch("--retry-errors")
    assert outcome.status == 0
    assert sorted(ids(out), key=str) == ["a", "b", "c"]
    assert all(line["error"] is None for line in lines(out))
    assert len(stage.asked) == 4


def test_a_fault_that_all_rows_share_stops_the_run_and_loses_nothing(batch: Any, out: Path, stage: Stage) -> None:
    stage.hook = fail_at("second", HistoryError("E_HISTORY_FULL", "The disk is full.", "Free some space."))
    outcome = batch("--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_HISTORY_FULL"
    assert "The disk is full." in outcome.err
    assert ids(out) == ["a"]
    stage.hook = None
    assert batch().status == 0
    assert ids(out) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("setting", "options", "kept"),
    [(False, [], 0), (False, ["--history"], 3), (True, [], 3), (True, ["--no-history"], 0)],
)
def test_a_batch_is_in_the_history_only_if_that_is_wanted(
    batch: Any, run: Run, out: Path, tmp_path: Path, setting: bool, options: list[str], kept: int
) -> None:
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "settings.json").write_text(json.dumps({"batch_history": setting}), encoding="utf-8")
    batch(*options)
    assert len(run("history", "list", "--json").object["rows"]) == kept
    assert len(lines(out)) == 3
