"""What a batch reads: tables, plain lines and JSON lines; a bad row costs its own line alone."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from jokejudge_gui.batch.lines import Shard
from jokejudge_gui.batch.rows import Rows
from jokejudge_gui.core.errors import InputError, UsageError

from .conftest import THREE, ids, lines

if TYPE_CHECKING:
    from .conftest import Run, Stage


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("b", "E_BATCH_TEXT"),
        ("b,", "E_BATCH_TEXT"),
        ('b,"   "', "E_BATCH_TEXT"),
        ("a,again", "E_BATCH_DUPLICATE_ID"),
    ],
)
def test_a_bad_row_becomes_an_error_line_and_the_run_goes_on(
    batch: Any, csv_file: Path, out: Path, stage: Stage, row: str, code: str
) -> None:
    csv_file.write_text(f"id,text\na,first\n{row}\nc,third\n", encoding="utf-8")
    outcome = batch()
    assert outcome.status == 0
    assert "1 with an error" in outcome.err
    first, bad, third = lines(out)
    assert bad["error"]["code"] == code
    assert "line 3" in bad["error"]["sentence"]
    assert list(bad) == list(first)
    assert (first["error"], third["error"], third["id"]) == (None, None, "c")
    before = out.read_bytes()
    assert batch().status == 0
    assert out.read_bytes() == before
    assert len(stage.asked) == 2


@pytest.mark.parametrize(
    "text",
    ["", "id,author\na,b\n", "id,text,text\na,b,c\n", "\n\n", "a,first\nb,second\n", "1,first\n2,second\n"],
)
def test_a_missing_or_doubled_column_is_a_usage_error_before_anything_is_loaded(
    batch: Any, csv_file: Path, out: Path, stage: Stage, text: str
) -> None:
    csv_file.write_text(text, encoding="utf-8")
    outcome = batch("--json")
    assert outcome.status == 2
    assert outcome.object["error"]["code"] == "E_BATCH_COLUMN"
    assert "column" in outcome.err
    assert stage.opened == 0
    assert not out.exists()


def test_no_rows_is_a_sentence_and_an_empty_file(batch: Any, csv_file: Path, out: Path, stage: Stage) -> None:
    csv_file.write_text("id,text\n", encoding="utf-8")
    outcome = batch()
    assert outcome.status == 0
    assert "no rows" in outcome.err
    assert out.read_bytes() == b""
    assert stage.opened == 0


def test_a_csv_from_a_spreadsheet_is_read_whole(batch: Any, csv_file: Path, stage: Stage) -> None:
    csv_file.write_bytes(
        b'\xef\xbb\xbf ID ,extra,Text\r\na,x,"two\r\nlines, a ""quote"" and \xc3\xa9"\r\n\r\nb,y,half "quoted"\r\n'
    )
    assert batch().status == 0
    assert stage.texts == [('two\nlines, a "quote" and é',), ('half "quoted"',)]


@pytest.mark.parametrize("source", [["-"], []])
def test_a_batch_is_read_from_standard_input(run: Run, out: Path, source: list[str]) -> None:
    assert run("rate", "--batch", *source, "--out", str(out), stdin=THREE.encode()).status == 0
    assert ids(out) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "more",
    [["--batch", "in.csv"], ["--batch", "in.csv", "--out", "-", "--json"],
     ["--batch", "in.csv", "--out", "o.jsonl", "text"], ["--batch", "in.csv", "--out", "o.jsonl", "--file", "f"]],
)  # fmt: skip
def test_a_batch_asked_for_in_a_wrong_form_is_a_usage_error(run: Run, more: list[str]) -> None:
    assert run("rate", *more).status == 2


@pytest.mark.parametrize(
    "text",
    [
        'id,text\n1,fine\n2,"open\n3,swallowed\n4,shut"\n',
        'id,text\nj1,"open\nj2,"quoted"\n',
        'id,text\n1,"he said "hi", ok"\n',
        'id,text\n1,"open\n',
    ],
)
def test_quotes_that_would_join_rows_are_refused_with_their_line(
    batch: Any, csv_file: Path, stage: Stage, text: str
) -> None:
    csv_file.write_text(text, encoding="utf-8")
    outcome = batch("--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_BATCH_CSV"
    assert f"line {3 if 'fine' in text else 2}" in outcome.err
    assert stage.opened == 0


def test_json_lines_are_rows(run: Run, tmp_path: Path, out: Path, stage: Stage) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"id": 7, "text_a": "x", "text_b": "y"}\n\n{"id": "b", "text_a": "z"}\n', encoding="utf-8")
    assert run("duel", "--batch", str(file), "--out", str(out)).status == 0
    assert stage.texts == [("x", "y")]
    assert [(line["id"], (line["error"] or {}).get("code")) for line in lines(out)] == [
        ("7", None), ("b", "E_BATCH_TEXT")
    ]  # fmt: skip
    for bad in ("[" * 100_000, "not json", "[1]"):
        file.write_text(bad, encoding="utf-8")
        outcome = run("duel", "--batch", str(file), "--out", str(out), "--json")
        assert outcome.object["error"]["code"] == "E_LIST_JSON"


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_known_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.csv"
    file.write_bytes(b"id,text\n" + data)
    with contextlib.suppress(InputError, UsageError), contextlib.closing(Rows(str(file), "rate")) as rows:
        found = [row.id for row in rows if row.problem is None]
        assert len(rows) == len(list(rows))
        assert len(set(found)) == len(found)


def test_rows_come_from_a_pipe_and_a_part_of_them_alone(run: Run, tmp_path: Path, out: Path) -> None:
    """What can be read only once, such as a shell's <(…), is as good as a file."""
    read, write = os.pipe()
    os.write(write, b"id,text\n" + b"".join(b"%d,joke %d\n" % (n, n) for n in range(40)))
    os.close(write)
    try:
        assert run("rate", "--batch", f"/proc/self/fd/{read}", "--shard", "1/4", "--out", str(out)).status == 0
    finally:
        os.close(read)
    found = ids(out)
    assert 0 < len(found) < 40
    assert all(Shard(1, 4).holds(id) for id in found)


def test_plain_text_is_read_as_a_contest_reads_it(run: Run, tmp_path: Path, out: Path) -> None:
    source = tmp_path / "jokes.txt"
    source.write_text('Sure! Here are 2 jokes:\n\n1. "A cow walks into a bar."\n2. "A goat walks out."\n')
    outcome = run("rate", "--batch", str(source), "--out", str(out))
    rows = [(line["id"], line["text"]) for line in lines(out)]
    assert rows == [("3", "A cow walks into a bar."), ("4", "A goat walks out.")]
    assert "Line 1 is left out as a preamble" in outcome.err
    entries = run("contest", str(source), "--duels", "0", "--json").object["entries"]
    assert sorted(entry["text"] for entry in entries) == [text for _, text in rows]
    run("rate", "--batch", str(source), "--as-it-stands", "--separator", "lines", "--out", str(out.with_suffix(".2")))
    assert [line["text"] for line in lines(out.with_suffix(".2"))] == [
        "Sure! Here are 2 jokes:", '1. "A cow walks into a bar."', '2. "A goat walks out."'
    ]  # fmt: skip
