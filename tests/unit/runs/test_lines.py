"""One file of lines and one runner over rows, for every long run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.batch.contest import ContestFile
from jokejudge_gui.batch.lines import Line, LinesFile, Out, Row, RowDone, RowsFile, counted, each_row
from jokejudge_gui.core.errors import EngineError, InputError, ModelError, UsageError, info
from jokejudge_gui.core.events import Cancelled, Event, Failed, Finished, Last, RowBegun

ROWS = [Row(line=n, id=f"r{n}", texts=(f"Joke {n}.",)) for n in range(4)]
ENDS: dict[str | None, Event] = {
    "r1": Failed(error=info(InputError("E_INPUT_EMPTY", "There is no text."))),
    "r2": Failed(error=info(ModelError("E_MODEL_MISSING", "There is no model."))),
}


def run(out: Out, ends: dict[str | None, Event], **options: Any) -> list[Event]:
    def ask(row: Row) -> Iterator[Event]:
        yield ends.get(row.id, Finished())

    def line(row: Row, last: Last) -> Line:
        error = last.error.model_dump() if isinstance(last, Failed) else None
        return {"id": row.id, "text": row.texts[0], "error": error, "made_by": {"model": "m"}}

    with closing(out):
        return list(each_row(ROWS, ask, line, out, counted(ROWS, out), **options))


def test_a_run_writes_a_line_for_each_row_and_goes_on_after_a_stop(tmp_path: Path) -> None:
    def file() -> RowsFile:
        return RowsFile(tmp_path / "out.jsonl", "rate", ("text",))

    stopped = run(file(), ENDS)
    assert [event.line["id"] for event in stopped if isinstance(event, RowDone)] == ["r0", "r1"]
    assert isinstance(stopped[-1], Failed)
    assert stopped[-1].error.code == "E_MODEL_MISSING"
    assert isinstance(run(file(), {"r3": Cancelled()})[-1], Cancelled)
    whole = run(file(), {}, again=True)
    assert [event.line["id"] for event in whole if isinstance(event, RowDone)] == ["r0", "r1", "r2", "r3"]
    assert [event.id for event in whole if isinstance(event, RowBegun)] == ["r3"]
    with closing(file()) as again, pytest.raises(UsageError, match="another model"):
        again.check({"model": "n"})


def test_without_a_file_the_lines_go_with_the_events() -> None:
    events = run(Out(), {})
    assert [event.line["id"] for event in events if isinstance(event, RowDone)] == ["r0", "r1", "r2", "r3"]


def test_the_file_of_another_run_is_refused_and_stays(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    with closing(LinesFile(path, "audit")) as file:
        file.append({"id": "a"})
    before = path.read_bytes()
    with pytest.raises(UsageError, match="Line 1"):
        RowsFile(path, "rate")
    with pytest.raises(UsageError, match="isn't a line of a contest"):
        ContestFile(path, "")
    assert path.read_bytes() == before


def test_a_row_with_a_problem_is_not_asked_about(tmp_path: Path) -> None:
    bad = Row(line=1, id=None, texts=("",), problem=info(EngineError("E_BATCH_ID", "It has no id.")))
    out, asked = Out(), []
    list(
        each_row(
            [bad], lambda row: iter([asked.append(row)]), lambda row, last: {"error": last}, out, counted([bad], out)
        )
    )
    assert asked == []
