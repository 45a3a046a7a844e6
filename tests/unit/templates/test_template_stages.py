"""Rows of the program's own stages: made once, gone on with, and never mixed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from jokejudge_gui.core.errors import UsageError
from jokejudge_gui.core.events import Failed, Finished
from jokejudge_gui.measure.template_run import TemplateRows
from jokejudge_gui.measure.template_stages import (
    StageRows,
    StagesFile,
    read_stage_readings,
    shipped_readings,
    stage_rows,
)
from jokejudge_gui.rubric.templates import find_pack
from tests.known_calibration import MakeSession

MADE = {"model": "a"}


def row(id: str) -> dict[str, object]:
    return {"id": id, "module": "intent", "input": "x", "output": True, "expected": True}


def file(path: Path, readings: str = "r", made: dict[str, str] | None = None) -> StagesFile:
    return StagesFile(path, readings, made or MADE)


def test_the_rows_of_a_text_that_is_not_whole_are_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    first = file(path)
    first.add(1, [row("1-intent")])
    first.add(2, [row("2-intent"), row("2-kinds")])
    first.close()
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    again = file(path)
    assert (again.done, again.rows) == (1, 1)
    again.add(2, [row("2-intent"), row("2-kinds")])
    again.close()
    assert path.read_bytes() == b"".join(lines)


@pytest.mark.parametrize(
    ("readings", "made", "what"), [("others", MADE, "choice of readings"), ("r", {"model": "b"}, "model")]
)
def test_rows_of_other_readings_or_another_model_are_not_mixed(
    tmp_path: Path, readings: str, made: dict[str, str], what: str
) -> None:
    path = tmp_path / "rows.jsonl"
    first = file(path)
    first.add(1, [row("1-intent")])
    first.close()
    before = path.read_bytes()
    with pytest.raises(UsageError, match=f"another {what}") as caught:
        file(path, readings, made)
    assert caught.value.code == "E_STAGES_MIXED"
    assert caught.value.hint
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", ["a letter to somebody\n", '{"id": "1"}\n', '{"id": null, "run": "rate"}\n'])
def test_a_file_of_somebody_elses_is_not_written_to(tmp_path: Path, content: str) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text(content)
    with pytest.raises(UsageError, match="nothing was written") as caught:
        file(path)
    assert caught.value.code == "E_STAGES_OUT"
    assert path.read_text() == content


def test_each_text_is_rated_once_and_its_rows_can_be_judged(tmp_path: Path, make_session: MakeSession) -> None:
    session, out = make_session(), tmp_path / "rows.jsonl"
    readings = read_stage_readings(shipped_readings(), 3)
    events = list(stage_rows(session, readings, out, record=True))
    assert isinstance(events[-1], Finished)
    told = [event for event in events if isinstance(event, StageRows)]
    assert [event.done for event in told] == [0, 1, 2, 3]
    with TemplateRows(str(out), find_pack("stages")) as rows:
        assert len(rows) == told[-1].rows > 3
        assert [each.problem for each in rows if each.problem] == []
    before = out.read_bytes()
    again = list(stage_rows(session, readings, out))
    assert [type(event) for event in again] == [StageRows, Finished]  # nothing is rated again
    assert out.read_bytes() == before


def test_another_choice_of_readings_ends_with_a_sentence(tmp_path: Path, make_session: MakeSession) -> None:
    session, out = make_session(), tmp_path / "rows.jsonl"
    assert isinstance(list(stage_rows(session, read_stage_readings(shipped_readings(), 1), out))[-1], Finished)
    last = list(stage_rows(session, read_stage_readings(shipped_readings(), 2), out))[-1]
    assert isinstance(last, Failed)
    assert last.error.code == "E_STAGES_MIXED"


def test_the_first_line_says_of_what_the_rows_are_made(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    made = file(path)
    made.add(1, [row("1-intent")])
    made.close()
    first = json.loads(path.read_text().splitlines()[0])
    assert first == {"id": None, "run": "stages", "readings": "r", "made_by": MADE, "error": None}
