"""What a batch reads: tables, plain lines and JSON lines; a bad row costs its own line alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from jokejudge_gui.batch.lines import Shard

from .conftest import ids, lines

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
