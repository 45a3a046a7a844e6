"""Verdicts held against readings, item by item."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from jokejudge_gui.core.errors import UsageError
from jokejudge_gui.core.paths import models_dir
from jokejudge_gui.core.verdicts import Span
from jokejudge_gui.heads.editor_file import CORE
from jokejudge_gui.measure.labelled import ReadText, read_reference
from jokejudge_gui.measure.reference import ReferenceAnswer, measure_reference


def read(place: int, **changes: Any) -> ReadText:
    values: dict[str, Any] = {
        "text": f"joke number {place} turns on this word",
        "joke": float(place % 4 != 3),
        "complete": 1.0,
        "kinds": frozenset({"pun"} if place % 2 else {"irony"}),
        "factors": {"wit": float(place % 6), "truth": float(place % 3)},
        "faults": frozenset({"tail"} if place % 5 == 0 else ()),
        "turns": ("this word",),
    }
    return ReadText(**(values | changes))


def item(report: dict[str, Any], section: str, id: str) -> dict[str, Any]:
    return next(item for item in report["items"] if (item["section"], item["id"]) == (section, id))


ROWS = [read(place) for place in range(40)]


def perfect(row: ReadText, **changes: Any) -> ReferenceAnswer:
    start = row.text.index("this")
    values: dict[str, Any] = {
        "checks": {"intent": row.joke, "coherence": 0.9},
        "kinds": {id: 0.9 if id in row.kinds else 0.1 for id in ("pun", "irony")},
        "chosen": tuple(row.kinds),
        "factors": {"wit": row.factors["wit"], "timing": 2.0},
        "faults": dict.fromkeys(row.faults, 0.8),
        "turn": Span(start=start, end=start + 4, text="this", p=0.7),
    }
    return ReferenceAnswer(**(values | changes))


def test_a_judge_that_reads_as_the_reader_is_found_to_do_so() -> None:
    report = measure_reference("r.jsonl", ROWS, {place: perfect(row) for place, row in enumerate(ROWS)})
    for section, id in (("check", "intent"), ("kind", "pun"), ("fault", "tail"), ("factor", "wit")):
        assert item(report, section, id)["worth"] == pytest.approx(1.0)
    assert item(report, "factor", "wit")["n"] == 30
    kinds = report["kinds"]
    assert (kinds["precision"]["share"], kinds["recall"]["share"]) == (1.0, 1.0)
    assert kinds["calibration_error"] == pytest.approx(0.1)
    assert (report["first_kind"]["share"], report["turn"]["share"], report["turn"]["n"]) == (1.0, 1.0, 30)
    # What readings don't speak of, or verdicts don't show, has no figure.
    assert {(item["section"], item["id"]) for item in report["items"]} == {
        ("check", "intent"), ("factor", "wit"), ("kind", "pun"), ("kind", "irony"), ("fault", "tail")
    }  # fmt: skip


def test_wrong_kinds_missed_faults_and_a_turn_that_is_the_whole_text_are_told() -> None:
    answers = {
        place: perfect(
            row, kinds={"pun": 0.9}, chosen=("pun",), faults={},
            turn=Span(start=0, end=len(row.text), text=row.text, p=0.9),
        )
        for place, row in enumerate(ROWS)
    }  # fmt: skip
    report = measure_reference("r.jsonl", ROWS, answers)
    kinds, faults, fault = report["kinds"], report["faults"], item(report, "fault", "tail")
    assert (kinds["precision"]["share"], kinds["recall"]["share"]) == (0.5, 0.5)
    assert kinds["calibration_error"] == pytest.approx(0.4)
    assert (faults["precision"]["share"], faults["recall"]["share"]) == (None, 0.0)
    assert (fault["worth"], fault["recall"]["right"], fault["recall"]["n"]) == (None, 0.0, 8)
    assert report["turn"]["share"] == 0.0


def test_an_interval_holds_its_figure() -> None:
    answers = {p: perfect(row, factors={"wit": float((p * 7) % 5)}) for p, row in enumerate(ROWS)}
    answers = {p: a.replaced(checks={"intent": ((p * 13) % 40) / 40}) for p, a in answers.items()}
    report = measure_reference("r.jsonl", ROWS, answers)
    for section, id in (("factor", "wit"), ("check", "intent")):
        figures = item(report, section, id)
        assert figures["low"] <= figures["worth"] <= figures["high"]


# -- the file --------------------------------------------------------------------------------------------------------


def test_readings_of_one_text_are_put_together_and_bad_lines_counted(tmp_path: Path) -> None:
    file = tmp_path / "mine.jsonl"
    one = {"id": "a", "text": "One joke.", "kinds": ["pun"], "core": [2] * 16, "turn": "joke", "more": {"irony": 4}}
    other = {"text": "One joke.", "joke": 0, "kinds": ["irony"], "core": [4] * 16, "faults": ["tail"], "turn": "One"}
    lines = [json.dumps(one), json.dumps(other), "no JSON", '{"text": 3}', '{"text": "x", "core": [1]}',
             '{"text": "x", "core": ' + str([9] * 16) + "}", '{"text": "x", "kinds": "pun"}', ""]  # fmt: skip
    file.write_text("\n".join(lines), encoding="utf-8")
    found = read_reference(str(file))
    (row,) = found.rows
    assert (row.joke, row.complete, row.kinds, row.faults) == (0.5, 1.0, {"pun", "irony"}, {"tail"})
    assert row.factors == dict.fromkeys(CORE, 3.0) | {"irony": 4.0}
    assert (row.turns, found.ids, len(found.bad)) == (("joke", "One"), ["a"], 5)


def test_the_shipped_readings_can_all_be_read() -> None:
    found = read_reference(str(models_dir() / "readings" / "readings.jsonl"))
    assert (len(found.rows) > 900, found.bad) == (True, [])


def test_a_file_without_a_reading_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "none.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    with pytest.raises(UsageError, match="has no reading"):
        read_reference(str(file))
