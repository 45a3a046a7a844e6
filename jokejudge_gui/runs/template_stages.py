"""Rows of the program's own stages: it judges texts that were read with the rubric in hand, and what it found is held
against the reading. The pack ``stages`` judges them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..engine.base import CancelToken
from ..errors import InputError
from ..events import Event, Failed, Finished
from ..files import parse_json
from ..judging.rating.kind import RATING
from ..paths import models_dir
from ..rubric.types import Criteria
from ..session import Session
from ..texts import clean_text
from ..verdicts import CheckResult, RatingResult

MOST = 2_000
_HALF = 0.5
_MOST_FACTORS = 5
"""Factors with the highest scores, as many as readings name: a judge that reads scores all of them on every joke."""
_CHECKS = {"intent": "joke", "completeness": "complete"}
"""Checks that readings speak of, and what they call them; of the others a reading may speak by their own names."""


class StageRows(Event):
    """The rows made of one reading: ``done`` of ``total`` readings are judged."""

    rows: tuple[dict[str, Any], ...]
    done: int
    total: int


def shipped_readings() -> Path:
    """The reference readings that come with the program."""
    return models_dir() / "readings" / "readings.jsonl"


def read_stage_readings(path: Path, limit: int | None) -> list[dict[str, Any]]:
    """Readings from JSON lines (models/readings/README.md), each text once, spread evenly over the file where only
    ``limit`` are wanted. Raises ``InputError`` ``E_READINGS``."""
    found: dict[str, dict[str, Any]] = {}
    try:
        for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
            if line.strip():
                value = parse_json(line)
                if not isinstance(value, dict) or not isinstance(value.get("text"), str):
                    raise ValueError(f"line {number} has no text")
                found.setdefault(clean_text(value["text"]), value)
    except (OSError, ValueError) as error:
        raise InputError(
            "E_READINGS", f"{path} can't be read as readings: {error}.", "See models/readings/README.md."
        ) from error
    readings = list(found.values())
    if limit is None or limit >= len(readings):
        return readings[:MOST]
    return [readings[at * len(readings) // limit] for at in range(min(limit, MOST))]


def stage_rows(
    session: Session, readings: Sequence[dict[str, Any]], *, record: bool, cancel: CancelToken | None
) -> Iterator[Event]:
    """Rate each text and yield ``StageRows``; ends with what ended the last rating."""
    for done, reading in enumerate(readings, start=1):
        last: Event | None = None
        for event in session.ask(RATING, (reading["text"],), record=record, cancel=cancel, forced=True):
            last = event
            if not isinstance(event, Finished | Failed):
                yield event
        if isinstance(last, Failed) and not last.error.ends_the_run:
            yield StageRows(rows=(), done=done, total=len(readings))
            continue
        if not isinstance(last, Finished):
            assert last is not None
            yield last
            return
        result, judge = last.result, session.judge
        assert isinstance(result, RatingResult)
        assert judge is not None
        yield StageRows(rows=tuple(_rows(result, reading, done, judge.criteria)), done=done, total=len(readings))
    yield Finished()


def line_of(row: dict[str, Any]) -> str:
    """A row as a line of DATA."""
    return json.dumps(row, ensure_ascii=False) + "\n"


def _rows(result: RatingResult, reading: dict[str, Any], number: int, criteria: Criteria) -> Iterator[dict[str, Any]]:
    def row(module: str, output: Any, expected: Any, **more: Any) -> dict[str, Any]:
        return {
            "id": f"{number}-{module}", "module": module, "input": result.text, "output": output,
            "expected": expected, **more,
        }  # fmt: skip

    for check in result.admissibility:
        expected = reading.get(_CHECKS.get(check.check, check.check))
        if isinstance(expected, int | float):
            yield row(check.check, check.passed, expected >= _HALF, confidence=_confidence(check))
    names = {each.id: f"{each.group}/{each.name}" for each in criteria.categories}
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
        yield row("references", [each.text for each in references], reading["references"])


def _confidence(check: CheckResult) -> float:
    return check.p_admit if check.passed else 1.0 - check.p_admit
