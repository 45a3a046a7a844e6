"""Rows of the program's own stages: it judges texts that have readings, and what it finds is held against them. The
pack ``stages`` judges the rows."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..batch.build import made_by
from ..batch.lines import Line, Row, RowsFile, counted, each_row
from ..core.errors import InputError
from ..core.events import Event, Failed, Last, last_event
from ..core.files import parse_json
from ..core.paths import models_dir
from ..core.tables import read_bytes
from ..core.texts import clean_text
from ..engine.base import CancelToken
from ..judge.rating.kind import RATING
from ..judge.rating.record import RatingResult
from ..rubric.xml_parser import Criteria
from ..session.session import Session

MOST = 2_000
_HALF = 0.5
_MOST_FACTORS = 5
"""Number of factors with the highest scores, as many as readings name: heads score all factors of every joke."""
_CHECKS = {"intent": "joke", "completeness": "complete"}
"""Checks with a label in readings, and its name there; the other checks have their own names."""


def shipped_readings() -> Path:
    """Return the file of the readings that come with the program."""
    return models_dir() / "readings" / "readings.jsonl"


def read_stage_readings(path: Path, limit: int | None) -> list[dict[str, Any]]:
    """Return readings from JSON lines (models/readings/README.md), each text once, spread evenly over the file where
    only ``limit`` are wanted. Raises ``InputError`` ``E_READINGS``."""
    of_text: dict[str, dict[str, Any]] = {}
    try:
        text = read_bytes(str(path)).decode("utf-8")
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                value = parse_json(line)
                if not isinstance(value, dict) or not isinstance(value.get("text"), str):
                    raise ValueError(f"line {number} has no text")
                of_text.setdefault(clean_text(value["text"]), value)
    except (OSError, ValueError) as error:
        raise InputError(
            "E_READINGS", f"{path} can't be read as readings: {error}.", "See models/readings/README.md."
        ) from error
    readings = list(of_text.values())
    if limit is None or limit >= len(readings):
        return readings[:MOST]
    return [readings[at * len(readings) // limit] for at in range(min(limit, MOST))]


@last_event
def stage_rows(
    session: Session,
    readings: Sequence[dict[str, Any]],
    out: Path,
    *,
    record: bool = True,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """Rate each text and write its rows as one line of ``out``; yields ``RowBegun`` before each, and one last event.
    The same call continues where an earlier one stopped."""
    judge = yield from session.ready(cancel)
    made = made_by(session)

    def ask(row: StageRow) -> Iterator[Event]:
        return session.ask(RATING, (row.reading["text"],), record=record, cancel=cancel, forced=True)

    def line(row: StageRow, last: Last) -> Line:
        error = last.error.model_dump() if isinstance(last, Failed) else None
        result = last.result if error is None else None
        lines = _rows(result, row.reading, row.id, judge.criteria) if isinstance(result, RatingResult) else ()
        return {"id": row.id, "rows": list(lines), "made_by": made, "error": error}

    with closing(RowsFile(out, "stages")) as file:
        file.check(made)
        rows = [_row(reading) for reading in readings]
        yield from each_row(rows, ask, line, file, counted(rows, file))


@dataclass(frozen=True)
class StageRow(Row):
    """A text with its ``reading``."""

    reading: dict[str, Any] = field(default_factory=dict)


def _row(reading: dict[str, Any]) -> StageRow:
    id = hashlib.sha256(reading["text"].encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return StageRow(line=0, id=id, texts=(), reading=reading)


def _rows(
    result: RatingResult, reading: dict[str, Any], id: str | None, criteria: Criteria
) -> Iterator[dict[str, Any]]:
    def row(module: str, output: Any, expected: Any, **more: Any) -> dict[str, Any]:
        return {
            "id": f"{id}-{module}", "module": module, "input": result.text, "output": output,
            "expected": expected, **more,
        }  # fmt: skip

    for check in result.admissibility:
        expected = reading.get(_CHECKS.get(check.check, check.check))
        if isinstance(expected, int | float):
            sure = check.p_admit if check.passed else 1.0 - check.p_admit
            yield row(check.check, check.passed, expected >= _HALF, confidence=sure)
    names = {category.id: f"{category.group}/{category.name}" for category in criteria.categories}
    kinds = [names[kind] for kind in reading.get("kinds", ()) if kind in names]
    if kinds and result.categories:
        top = max(result.categories, key=lambda category: (category.chosen, category.p))
        reasoning = result.note.works if result.note else ""
        yield row("kinds", names.get(top.id, top.name), kinds, reasoning=reasoning, confidence=top.p)
    scored = [factor for factor in result.factors if factor.origin == "shared" and factor.expected is not None]
    factors = [factor.id for factor in sorted(scored, key=lambda factor: -(factor.expected or 0.0))[:_MOST_FACTORS]]
    if factors and reading.get("matter"):
        yield row("factors", factors, list(reading["matter"]))
    references = getattr(result, "references", None)
    if references is not None and isinstance(reading.get("references"), list):
        yield row("references", [reference.text for reference in references], reading["references"])
