"""Many verdicts at once: nothing lost, nothing twice, whatever happens in between."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from jokejudge_gui.errors import InputError, UsageError
from jokejudge_gui.runs.batch_files import OutFile, read_rows
from jokejudge_gui.verdicts import ErrorInfo

from .conftest import interrupt_at, lines

if TYPE_CHECKING:
    from .conftest import Outcome, Run, Stage_

THREE = "id,text\na,first\nb,second\nc,third\n"


@pytest.fixture
def csv_file(tmp_path: Path) -> Path:
    file = tmp_path / "in.csv"
    file.write_text(THREE, encoding="utf-8")
    return file


@pytest.fixture
def batch(run: Run, csv_file: Path, out: Path) -> Any:
    def call(*more: str, kind: str = "rate", **options: Any) -> Outcome:
        return run(kind, "--batch", str(csv_file), "--out", str(out), *more, **options)

    return call


def ids(out: Path) -> list[str | None]:
    return [line["id"] for line in lines(out)]


def test_each_row_becomes_one_line_with_its_own_id(batch: Any, out: Path) -> None:
    outcome = batch()
    assert outcome.status == 0
    assert outcome.out == ""
    assert [(line["id"], line["text"], line["error"]) for line in lines(out)] == [
        ("a", "first", None), ("b", "second", None), ("c", "third", None)
    ]  # fmt: skip
    assert outcome.err == "3 rows: 3 judged.\n"


def test_a_duel_batch_has_two_texts_in_each_row(batch: Any, csv_file: Path, out: Path) -> None:
    csv_file.write_text("text_b,note,id,text_a\nright,x,1,left\n", encoding="utf-8")
    assert batch(kind="duel").status == 0
    assert [(line["id"], line["text_a"], line["text_b"], line["winner"]) for line in lines(out)] == [
        ("1", "left", "right", "A")
    ]


def test_a_batch_as_json_ends_with_one_object(batch: Any, out: Path) -> None:
    assert batch("--json").object == {
        "rows": 3, "judged": 3, "skipped": 0, "errors": 0, "out": str(out), "error": None
    }  # fmt: skip


def test_quiet_says_nothing(batch: Any) -> None:
    outcome = batch("--quiet")
    assert (outcome.out, outcome.err) == ("", "")


def test_a_second_run_judges_nothing_again(batch: Any, out: Path, stage: Stage_) -> None:
    batch()
    before = out.read_bytes()
    outcome = batch()
    assert outcome.status == 0
    assert out.read_bytes() == before
    assert len(stage.asked) == 3
    assert "3 skipped" in outcome.err
    assert len(stage.loaded) == 1


def test_new_rows_are_added_to_what_is_there(batch: Any, csv_file: Path, out: Path, stage: Stage_) -> None:
    batch()
    csv_file.write_text(THREE + "d,fourth\n", encoding="utf-8")
    batch()
    assert ids(out) == ["a", "b", "c", "d"]
    assert len(stage.asked) == 4


def test_a_batch_interrupted_half_way_goes_on_without_loss_or_repeats(batch: Any, out: Path, stage: Stage_) -> None:
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


def test_an_interrupted_row_is_in_the_history_as_cancelled(batch: Any, run: Run, stage: Stage_) -> None:
    stage.hook = interrupt_at("second")
    batch()
    rows = run("history", "list", "--json", "--sort", "oldest").object["rows"]
    assert [row["status"] for row in rows] == ["finished", "cancelled"]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_cut_at_any_byte_is_gone_on_with(batch: Any, out: Path, data: st.DataObject) -> None:
    out.unlink(missing_ok=True)
    batch("--no-history")
    whole = lines(out)
    size = out.stat().st_size
    os.truncate(out, data.draw(st.one_of(st.just(0), st.integers(len('{"id": null, "run": "') + 1, size))))
    assert batch("--no-history").status == 0
    assert ids(out) == ["a", "b", "c"]
    assert [line["text"] for line in lines(out)] == [line["text"] for line in whole]


def test_zeros_that_a_lost_power_left_are_cut_off(batch: Any, out: Path) -> None:
    batch()
    with out.open("ab") as stream:
        stream.write(b"\0" * 100)
    assert batch().status == 0
    assert ids(out) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("b", "E_BATCH_TEXT"),
        ("b,", "E_BATCH_TEXT"),
        ('b,"   "', "E_BATCH_TEXT"),
        (",no id", "E_BATCH_ID"),
        ("a,again", "E_BATCH_DUPLICATE_ID"),
    ],
)
def test_a_bad_row_becomes_an_error_line_and_the_run_goes_on(
    batch: Any, csv_file: Path, out: Path, stage: Stage_, row: str, code: str
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


def test_a_row_that_the_judge_refuses_becomes_an_error_line(batch: Any, out: Path, stage: Stage_) -> None:
    refused = ErrorInfo(code="E_INPUT_NUL", sentence="The text holds a NUL.", hint="Take it out.", kind="InputError")
    stage.hook = lambda text, _cancel: refused if text == "second" else None
    assert batch().status == 0
    assert [line["error"] for line in lines(out)] == [None, refused.model_dump(), None]
    assert lines(out)[1]["text"] == "second"


def test_error_lines_are_tried_again_only_when_asked(batch: Any, out: Path, stage: Stage_) -> None:
    refused = ErrorInfo(code="E_CONTEXT", sentence="Too long.", hint="", kind="EngineError")
    stage.hook = lambda text, _cancel: refused if text == "second" else None
    batch()
    stage.hook = None
    batch()
    assert [bool(line["error"]) for line in lines(out)] == [False, True, False]
    outcome = batch("--retry-errors")
    assert outcome.status == 0
    assert sorted(ids(out), key=str) == ["a", "b", "c"]
    assert all(line["error"] is None for line in lines(out))
    assert len(stage.asked) == 4


def test_error_lines_of_other_rows_stay_when_errors_are_tried_again(
    batch: Any, csv_file: Path, out: Path, stage: Stage_
) -> None:
    refused = ErrorInfo(code="E_CONTEXT", sentence="Too long.", hint="", kind="EngineError")
    stage.hook = lambda _text, _cancel: refused
    batch()
    csv_file.write_text("id,text\nb,second\n", encoding="utf-8")
    stage.hook = None
    batch("--retry-errors")
    assert sorted((line["id"], line["error"] is None) for line in lines(out)) == [
        ("a", False), ("b", True), ("c", False)
    ]  # fmt: skip


def test_a_fault_that_all_rows_share_stops_the_run_and_loses_nothing(batch: Any, out: Path, stage: Stage_) -> None:
    full = ErrorInfo(code="E_HISTORY_FULL", sentence="The disk is full.", hint="Free some space.")
    stage.hook = lambda text, _cancel: full if text == "second" else None
    outcome = batch("--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_HISTORY_FULL"
    assert "The disk is full." in outcome.err
    assert ids(out) == ["a"]
    stage.hook = None
    assert batch().status == 0
    assert ids(out) == ["a", "b", "c"]


def test_a_model_that_does_not_load_stops_the_run_before_the_first_row(batch: Any, out: Path, stage: Stage_) -> None:
    stage.load_error = ErrorInfo(code="E_MODEL_MISSING", sentence="There's no model.", hint="Get one.")
    outcome = batch()
    assert outcome.status == 1
    assert "There's no model." in outcome.err
    assert out.read_bytes() == b""


def test_no_history_leaves_no_rows(batch: Any, run: Run, stage: Stage_) -> None:
    batch("--no-history")
    assert [asked["record"] for asked in stage.asked] == [False, False, False]


def test_the_setting_for_batches_leaves_no_rows_either(batch: Any, tmp_path: Path, stage: Stage_) -> None:
    (tmp_path / "profile").mkdir()
    (tmp_path / "profile" / "settings.json").write_text('{"batch_no_history": true}', encoding="utf-8")
    batch()
    assert not any(asked["record"] for asked in stage.asked)


@pytest.mark.parametrize(
    "text",
    ["", "id,joke\na,b\n", "text\nb\n", "id;text\na;b\n", "id,text,text\na,b,c\n", "\n\n", "a,first\nb,second\n"],
)
def test_a_missing_or_doubled_column_is_a_usage_error_before_anything_is_loaded(
    batch: Any, csv_file: Path, out: Path, stage: Stage_, text: str
) -> None:
    csv_file.write_text(text, encoding="utf-8")
    outcome = batch("--json")
    assert outcome.status == 2
    assert outcome.object["error"]["code"] == "E_BATCH_COLUMN"
    assert "id,text" in outcome.err
    assert stage.opened == 0
    assert not out.exists()


def test_no_rows_is_a_sentence_and_an_empty_file(batch: Any, csv_file: Path, out: Path, stage: Stage_) -> None:
    csv_file.write_text("id,text\n", encoding="utf-8")
    outcome = batch()
    assert outcome.status == 0
    assert "no rows" in outcome.err
    assert out.read_bytes() == b""
    assert stage.opened == 0


def test_a_csv_from_a_spreadsheet_is_read_whole(batch: Any, csv_file: Path, stage: Stage_) -> None:
    csv_file.write_bytes(
        b'\xef\xbb\xbf ID ,extra,Text\r\na,x,"two\r\nlines, a ""quote"" and \xc3\xa9"\r\n\r\nb,y,half "quoted"\r\n'
    )
    assert batch().status == 0
    assert stage.texts == [('two\r\nlines, a "quote" and é',), ('half "quoted"',)]


def test_a_long_text_in_a_csv_is_for_the_judge_to_refuse(batch: Any, csv_file: Path, stage: Stage_) -> None:
    csv_file.write_text("id,text\na," + "x" * 300_000 + "\n", encoding="utf-8")
    assert batch().status == 0
    assert len(stage.texts[0][0]) == 300_000


def test_a_quote_that_is_never_closed_is_refused_with_its_line(batch: Any, csv_file: Path, stage: Stage_) -> None:
    csv_file.write_text('id,text\na,fine\nb,"open\nc,swallowed\n', encoding="utf-8")
    outcome = batch()
    assert outcome.status == 1
    assert "line 3" in outcome.err
    assert "can't be read" in outcome.err
    assert stage.opened == 0


def test_a_csv_that_is_not_utf8_is_refused_by_name(batch: Any, csv_file: Path, out: Path) -> None:
    csv_file.write_bytes(b"id,text\na,caf\xe9\n")
    outcome = batch()
    assert outcome.status == 1
    assert str(csv_file) in outcome.err
    assert "line 2" in outcome.err
    assert not out.exists()


def test_a_batch_is_read_from_standard_input(run: Run, out: Path) -> None:
    assert run("rate", "--batch", "-", "--out", str(out), stdin=THREE.encode()).status == 0
    assert ids(out) == ["a", "b", "c"]


@pytest.mark.parametrize(
    "more",
    [["--batch", "in.csv"], ["--batch", "in.csv", "--out", "-"], ["--batch", "in.csv", "--out", "o.jsonl", "text"],
     ["--batch", "in.csv", "--out", "o.jsonl", "--file", "f"]],
)  # fmt: skip
def test_a_batch_asked_for_in_a_wrong_form_is_a_usage_error(run: Run, more: list[str]) -> None:
    assert run("rate", *more).status == 2


def test_in_and_out_must_differ(run: Run, csv_file: Path, tmp_path: Path) -> None:
    before = csv_file.read_bytes()
    link = tmp_path / "link.jsonl"
    link.symlink_to(csv_file)
    for name in (csv_file, link, tmp_path / "." / "in.csv"):
        outcome = run("rate", "--batch", str(csv_file), "--out", str(name))
        assert (outcome.status, csv_file.read_bytes()) == (2, before)
        assert "same file" in outcome.err


@pytest.mark.parametrize(
    "content",
    [b"my notes", b"my notes\n", b'{"a": 1}\n', b"[]\n", b'{"id": "a", "error": null}\n', b"\xff\xfe\n", b"id,text\n"],
)
def test_a_file_that_is_no_batch_output_is_never_written_to(batch: Any, out: Path, content: bytes) -> None:
    out.write_bytes(content)
    outcome = batch()
    assert outcome.status == 2
    assert "Line 1" in outcome.err
    assert out.read_bytes() == content


def test_the_output_of_a_rating_batch_is_refused_by_a_duel_batch(batch: Any, csv_file: Path, out: Path) -> None:
    batch()
    before = out.read_bytes()
    csv_file.write_text("id,text_a,text_b\na,b,c\n", encoding="utf-8")
    assert batch(kind="duel").status == 2
    assert out.read_bytes() == before


@pytest.mark.parametrize("name", ["missing/out.jsonl", "."])
def test_an_output_that_cannot_be_written_is_told_before_anything_is_loaded(
    run: Run, csv_file: Path, tmp_path: Path, stage: Stage_, name: str
) -> None:
    outcome = run("rate", "--batch", str(csv_file), "--out", str(tmp_path / name))
    assert outcome.status == 1
    assert "can't be written" in outcome.err
    assert stage.opened == 0


def test_two_batches_do_not_write_one_file(batch: Any, out: Path) -> None:
    first = OutFile(out, "rate")
    try:
        outcome = batch()
    finally:
        first.close()
    assert outcome.status == 1
    assert "Another batch" in outcome.err
    assert batch().status == 0


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
    batch: Any, csv_file: Path, stage: Stage_, text: str
) -> None:
    csv_file.write_text(text, encoding="utf-8")
    outcome = batch("--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_BATCH_CSV"
    assert f"line {3 if 'fine' in text else 2}" in outcome.err
    assert stage.opened == 0


def test_a_joke_of_several_lines_is_one_row(batch: Any, csv_file: Path, stage: Stage_) -> None:
    csv_file.write_text('id,text\n1,"A: knock, knock\nB: who, me?\n5 more, please"\n', encoding="utf-8")
    assert batch().status == 0
    assert len(stage.texts) == 1


def test_plain_lines_are_jokes_of_their_own(run: Run, tmp_path: Path, out: Path, stage: Stage_) -> None:
    file = tmp_path / "jokes.txt"
    file.write_bytes(b'\xef\xbb\xbffirst, with a "quote\r\n\r\nsecond\nthird')
    assert run("rate", "--batch", str(file), "--out", str(out)).status == 0
    assert stage.texts == [('first, with a "quote',), ("second",), ("third",)]
    assert ids(out) == ["1", "3", "4"]
    assert run("duel", "--batch", str(file), "--out", str(tmp_path / "duels")).status == 2


def test_plain_lines_come_from_standard_input_too(run: Run, out: Path, stage: Stage_) -> None:
    assert run("rate", "--batch", "-", "--out", str(out), stdin=b"first\nsecond\n").status == 0
    assert stage.texts == [("first",), ("second",)]
    outcome = run("rate", "--batch", "-", "--out", str(out), "--json", stdin=b"id,joke\na,first\n")
    assert outcome.object["error"]["code"] == "E_BATCH_COLUMN"


def test_json_lines_are_rows(run: Run, tmp_path: Path, out: Path, stage: Stage_) -> None:
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
        assert outcome.object["error"]["code"] == "E_BATCH_JSON"


@pytest.mark.parametrize("content", [b'{"id": ', b'{"id": 1, "mine": true}', b"{", b"\0" * 50, b'{"id": null, "run'])
@pytest.mark.parametrize("command", ["rate", "evaluate"])
def test_a_file_without_one_whole_line_of_ours_is_never_cut(
    run: Run, csv_file: Path, pairs_file: Path, out: Path, content: bytes, command: str
) -> None:
    out.write_bytes(content)
    asked = ["--batch", str(csv_file)] if command == "rate" else ["--pairs", str(pairs_file)]
    assert run(command, *asked, "--out", str(out)).status == 2
    assert out.read_bytes() == content


def test_an_output_of_an_earlier_version_is_gone_on_with(batch: Any, out: Path, stage: Stage_) -> None:
    batch()
    whole = out.read_bytes()
    old = whole.split(b"\n", 1)[1]
    out.write_bytes(old[:-9])
    assert batch().status == 0
    assert out.read_bytes().count(b"\n") == 3
    assert len(stage.asked) == 4


def test_an_output_keeps_its_mode_and_a_new_one_is_private(batch: Any, out: Path, stage: Stage_) -> None:
    before = os.umask(0)
    try:
        stage.hook = lambda text, _cancel: ErrorInfo(code="E_CONTEXT", sentence="Too long.", kind="EngineError")
        batch()
        assert out.stat().st_mode & 0o777 == 0o600
        batch("--retry-errors")
        assert out.stat().st_mode & 0o777 == 0o600
        out.chmod(0o640)
        batch("--retry-errors")
        assert out.stat().st_mode & 0o777 == 0o640
    finally:
        os.umask(before)


@pytest.mark.parametrize("name", ["/dev/full", "/dev/null", "n" * 300])
def test_an_output_that_is_no_plain_file_is_a_sentence(run: Run, csv_file: Path, stage: Stage_, name: str) -> None:
    outcome = run("rate", "--batch", str(csv_file), "--out", name, "--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_BATCH_OUT"
    assert stage.opened == 0


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

    monkeypatch.setattr("jokejudge_gui.runs.lines.os.write", short)
    outcome = batch("--json")
    assert outcome.status == 1
    assert outcome.object["error"]["code"] == "E_BATCH_OUT"
    assert "No space left" in outcome.err
    assert ids(out) == ["a"]
    monkeypatch.undo()


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_known_error(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    file = tmp_path_factory.getbasetemp() / "any.csv"
    file.write_bytes(b"id,text\n" + data)
    with contextlib.suppress(InputError, UsageError):
        found = [row.id for row in read_rows(str(file), "rate") if row.problem is None]
        assert len(set(found)) == len(found)


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_what_python_writes_as_csv_is_read_back(
    tmp_path_factory: pytest.TempPathFactory, cells: list[tuple[str, str]]
) -> None:
    import csv

    file = tmp_path_factory.getbasetemp() / "written.csv"
    with file.open("w", encoding="utf-8", errors="replace", newline="") as stream:
        csv.writer(stream, quoting=csv.QUOTE_ALL).writerows([("id", "text"), *cells])
    with file.open(encoding="utf-8", newline="") as stream:
        expected = list(csv.reader(stream))[1:]
    rows = read_rows(str(file), "rate")
    assert [row.texts[0] for row in rows] == [text for _, text in expected]
