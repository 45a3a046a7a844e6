"""What a batch writes: whole lines in a file of its own, and nothing in anyone else's."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jokejudge_gui.batch.lines import RowsFile

from .conftest import ids, lines

if TYPE_CHECKING:
    from .conftest import Run


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
        assert "same file" in outcome.err


def test_two_batches_do_not_write_one_file(batch: Any, out: Path) -> None:
    first = RowsFile(out, "rate")
    try:
        outcome = batch()
    finally:
        first.close()
    assert outcome.status == 1
    assert "Another batch" in outcome.err
    assert batch().status == 0


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
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_BATCH_MIXED"
    assert "another choice of questions" in outcome.err
    monkeypatch.setattr("jokejudge_gui.batch.build.build_id", lambda: "0" * 12)
    assert "another build" in batch().err
    assert out.read_bytes() == before
