"""Many verdicts at once: nothing lost, nothing twice, nothing in anyone else's file."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jokejudge_gui.batch.lines import Shard
from jokejudge_gui.core.errors import HistoryError

from .conftest import Run, Stage, fail_at, ids, interrupt_at, lines


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
    assert "2 rows: 2 judged." in outcome.err
    source.with_suffix(".csv").write_text("text\nA cow walks into a bar.\n", encoding="utf-8")
    alone = run("rate", "--batch", str(source.with_suffix(".csv")), "--out", str(out.with_suffix(".3")))
    assert "1 row: 1 judged." in alone.err
    entries = run("contest", str(source), "--duels", "0", "--json").object["entries"]
    assert sorted(entry["text"] for entry in entries) == [text for _, text in rows]
    run("rate", "--batch", str(source), "--as-it-stands", "--separator", "lines", "--out", str(out.with_suffix(".2")))
    assert [line["text"] for line in lines(out.with_suffix(".2"))] == [
        "Sure! Here are 2 jokes:", '1. "A cow walks into a bar."', '2. "A goat walks out."'
    ]  # fmt: skip


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_cut_at_any_byte_is_gone_on_with(batch: Any, out: Path, data: st.DataObject) -> None:
    kept = out.with_suffix(".whole")
    if not kept.exists():  # one run serves all examples
        batch("--no-history")
        kept.write_bytes(out.read_bytes())
    whole = kept.read_bytes()
    out.write_bytes(whole)
    texts, size = [line["text"] for line in lines(out)], len(whole)
    os.truncate(out, data.draw(st.one_of(st.just(0), st.integers(len('{"id": null, "run": "') + 1, size))))
    assert batch("--no-history").status == 0
    assert ids(out) == ["a", "b", "c"]
    assert [line["text"] for line in lines(out)] == texts


def test_the_lines_of_another_list_are_kept(batch: Any, csv_file: Path, out: Path) -> None:
    batch()
    before = out.read_bytes()
    csv_file.write_text("id,text\na,A horse.\nb,A cow.\n", encoding="utf-8")
    outcome = batch()
    assert (outcome.status, out.read_bytes()) == (2, before)
    assert "another list" in outcome.err
    csv_file.write_text("id,text\na,first\nb,second one\nc,third\n", encoding="utf-8")
    assert batch().status == 0
    assert sorted((line["id"], line["text"]) for line in lines(out)) == [
        ("a", "first"),
        ("b", "second one"),
        ("c", "third"),
    ]


def test_in_and_out_must_differ(run: Run, csv_file: Path, tmp_path: Path) -> None:
    before = csv_file.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(csv_file)
    for name in (csv_file, link, tmp_path / "." / "in.csv"):
        outcome = run("rate", "--batch", str(csv_file), "--out", str(name))
        assert (outcome.status, csv_file.read_bytes()) == (2, before)
        assert "is named twice" in outcome.err


def test_a_disk_that_fills_up_stops_the_run_with_whole_lines(
    batch: Any, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.write
    written = 0

    def short(descriptor: int, data: bytes) -> int:
        nonlocal written
        if b'"second"' in data:
            written += 1
            if written > 1:
                raise OSError(28, "No space left on device")
            return real(descriptor, data[:10])
        return real(descriptor, data)

    monkeypatch.setattr("jokejudge_gui.batch.lines.os.write", short)
    outcome = batch("--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_BATCH_OUT"
    assert "No space left" in outcome.err
    assert ids(out) == ["a"]
    monkeypatch.undo()


def test_lines_say_what_made_them_and_another_making_is_not_mixed_in(
    batch: Any, csv_file: Path, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch()
    made = lines(out)[0]["made_by"]
    assert set(made) == {"build", "model", "heads", "plan", "criteria", "asked", "mode", "listeners"}
    assert all(line["made_by"] == made for line in lines(out))
    csv_file.write_text(csv_file.read_text(encoding="utf-8") + "d,fourth\n", encoding="utf-8")
    before = out.read_bytes()
    outcome = batch("--ask", "all", "--json")
    assert outcome.status == 2
    assert outcome.object["error"]["code"] == "E_BATCH_MIXED"
    assert "another choice of questions" in outcome.err
    monkeypatch.setattr("jokejudge_gui.batch.batch.build_id", lambda: "0" * 12)
    assert "another build" in batch().err
    assert out.read_bytes() == before
