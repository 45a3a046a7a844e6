"""What ``jokejudge evaluate`` reads: wrong forms are refused before anything is loaded, bad rows counted."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.core.errors import InputError, UsageError
from jokejudge_gui.measure.labelled import RATINGS as COLUMNS
from jokejudge_gui.measure.labelled import read_pairs, read_ratings

from .conftest import PAIRS

if TYPE_CHECKING:
    from .conftest import Run, Stage


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


def test_files_read_and_written_must_differ(evaluate: Any, pairs_file: Path, tmp_path: Path) -> None:
    before = pairs_file.read_bytes()
    same = str(tmp_path / "same")
    for more in (["--out", str(pairs_file)], ["--html", str(pairs_file)], ["--out", same, "--html", same]):
        outcome = evaluate(*more)
        assert (outcome.status, pairs_file.read_bytes()) == (2, before)
        assert "named twice" in outcome.err


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


@pytest.mark.parametrize(
    "text", ["text\nfoo\n", "rating\n3\n", "text,rating\n", "text,rating\nfoo,many\n", "text,rating\nfoo,nan\n"]
)
def test_a_file_of_ratings_that_cannot_be_used_is_a_usage_error(run: Run, ratings_file: Path, text: str) -> None:
    ratings_file.write_text(text, encoding="utf-8")
    assert run("evaluate", "--ratings", str(ratings_file)).status == 2


def test_rows_that_cannot_be_used_are_counted_and_the_first_is_named(evaluate: Any, pairs_file: Path) -> None:
    pairs_file.write_text(PAIRS + "5,,b,A\n6,a,b,maybe\n7,a,b\n", encoding="utf-8")
    outcome = evaluate("--json")
    assert outcome.object["pairs"][0]["bad"] == 3
    assert "3 rows left out; the row on line 6 lacks a text." in outcome.err


def test_a_missing_file_and_one_that_is_not_utf8_are_told_as_in_a_batch(
    evaluate: Any, run: Run, pairs_file: Path
) -> None:
    assert "can't be read" in run("evaluate", "--pairs", "missing.csv").err
    pairs_file.write_bytes("text_a,text_b,winner,é\n".encode() + b"caf\xe9,b,A\n")
    outcome = evaluate()
    assert outcome.status == 1
    assert "line 2" in outcome.err


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


@pytest.mark.parametrize("name", COLUMNS)
def test_every_known_column_of_ratings_is_found(tmp_path: Path, name: str) -> None:
    file = tmp_path / "r.csv"
    file.write_text(f"other,{name.upper()},text\n1,-0.5,joke\n", encoding="utf-8")
    found = read_ratings(str(file))
    assert (found.column, found.rows[0].rating, found.rows[0].is_humor) == (name, -0.5, None)


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_known_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any-labelled.csv"
    file.write_bytes(b"text_a,text_b,votes_a,votes_b,winner\n" + data)
    with contextlib.suppress(InputError, UsageError):
        found = read_pairs(str(file))
        assert len(found.rows) == len(found.ids) > 0
    file.write_bytes(b"text,rating,is_humor\n" + data)
    with contextlib.suppress(InputError, UsageError):
        assert read_ratings(str(file)).rows
