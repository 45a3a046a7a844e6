"""What ``jokejudge evaluate`` reads: wrong forms are refused before anything is loaded, bad rows counted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.measure.labelled import read_pairs

from .conftest import PAIRS

if TYPE_CHECKING:
    from .conftest import Stage


@pytest.mark.parametrize(
    "more",
    [["--limit", "0"], ["--limit", "-3"], ["--limit", "x"], ["--seed", "-1"], ["--out", "-"], ["--html", "-"], ["text"],
     ["--html", "."]],
)  # fmt: skip
def test_a_wrong_option_is_a_usage_error_before_anything_is_loaded(
    evaluate: Any, stage: Stage, more: list[str]
) -> None:
    assert evaluate(*more).status == 2
    assert stage.opened == 0


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "E_EVALUATE_COLUMN"),
        ("text_a,text_b\na,b\n", "E_EVALUATE_COLUMN"),
        ("text_a,winner\na,A\n", "E_EVALUATE_COLUMN"),
        ("text_a,text_b,votes_a\na,b,3\n", "E_EVALUATE_COLUMN"),
        ("text_a,text_b,winner,winner\na,b,A,A\n", "E_EVALUATE_COLUMN"),
        ("text_a,text_b,winner\n", "E_EVALUATE_EMPTY"),
        ("text_a,text_b,winner\na,b,tie\n", "E_EVALUATE_EMPTY"),
        ("text_a,text_b,winner\na,b,C\n", "E_EVALUATE_EMPTY"),
    ],
)
def test_a_file_of_pairs_that_cannot_be_used_is_a_usage_error(
    evaluate: Any, pairs_file: Path, stage: Stage, text: str, code: str
) -> None:
    pairs_file.write_text(text, encoding="utf-8")
    outcome = evaluate("--json")
    assert (outcome.status, outcome.object["error"]["code"], stage.opened) == (2, code, 0)
    assert "text_a,text_b and winner" in outcome.err


def test_rows_that_cannot_be_used_are_counted_and_the_first_is_named(evaluate: Any, pairs_file: Path) -> None:
    pairs_file.write_text(PAIRS + "5,,b,A\n6,a,b,maybe\n7,a,b\n", encoding="utf-8")
    outcome = evaluate("--json")
    assert outcome.object["pairs"][0]["bad"] == 3
    assert "3 rows left out; the row on line 6 lacks a text." in outcome.err


@pytest.mark.parametrize(
    ("row", "winner", "ties"),
    [("3,1,", "A", 0), ("1,3,A", "B", 0), ("2,2,A", None, 1), (",,b", "B", 0), ("0,0,A", "A", 0), ("0,0,tie", None, 1)],
)
def test_votes_come_before_the_winner_where_they_are_there(
    tmp_path: Path, row: str, winner: str | None, ties: int
) -> None:
    file = tmp_path / "v.csv"
    file.write_text(f"text_a,text_b,votes_a,votes_b,winner\nl,r,{row}\nx,y,9,0,\n", encoding="utf-8")
    found = read_pairs(str(file))
    assert found.ties == ties
    assert found.rows[0].winner == (winner or "A")
    assert len(found.rows) == (2 if winner else 1)
