"""Rows of the program's own stages: it judges texts that have readings, and its results are compared with them. The
pack ``stages`` judges the rows.

Rows are written as they are made, so that an interrupted run continues after the last text whose rows are complete."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..batch.build import difference, made_by
from ..batch.lines import LinesFile
from ..core.errors import Cancelled as Stopped
from ..core.errors import InputError, JokeJudgeError, UsageError, info
from ..core.events import Cancelled, Event, Failed, Finished, last_of
from ..core.files import parse_json
from ..core.paths import models_dir
from ..core.tables import read_bytes
from ..core.texts import clean_text
from ..core.verdicts import RatingResult
from ..engine.base import CancelToken
from ..judge.rating.kind import RATING
from ..rubric.xml_parser import Criteria
from ..session.session import Session

MOST = 2_000
_HALF = 0.5
_MOST_FACTORS = 5
"""Number of factors with the highest scores, as many as readings name: heads score all factors of every joke."""
_CHECKS = {"intent": "joke", "completeness": "complete"}
"""Checks with a label in readings, and its name there; the other checks have their own names."""


class StageRows(Event):
    """``done`` of ``total`` readings are judged, which gave ``rows`` rows."""

    rows: int
    done: int
    total: int


class StagesFile(LinesFile):
    """The rows so far: a line for each, after a first one that identifies their origin. The last row of each text is
    marked. Raises ``UsageError`` ``E_STAGES_MIXED`` where the file was made from other readings or by another model,
    and ``E_STAGES_OUT`` for any other file."""

    run = "stages"
    foreign = ("E_STAGES_OUT", "one that `template stages` wrote", "Give --out a new name.")

    def __init__(self, path: Path, readings: str, made: dict[str, str]) -> None:
        """``readings``: a digest of the texts and their readings; ``made``: everything that the verdicts depend on."""
        self._readings, self._made = readings, made
        self.done = self.rows = 0
        self._open_rows = 0
        super().__init__(path)

    def add(self, number: int, rows: Sequence[dict[str, Any]]) -> None:
        """Write the rows of text ``number``."""
        for at, row in enumerate(rows, start=1):
            self.append({**row, "text": number, "last": at == len(rows)})
        self.rows += len(rows)
        self.done = number

    def _recover(self) -> None:
        super()._recover()
        if self._open_rows:
            self._drop_last(self._open_rows)

    def _drop_last(self, lines: int) -> None:
        """Remove the rows of an incomplete text, which is judged again."""
        self._stream.seek(0)
        sizes = [len(line) for line in self._stream]
        self._size = sum(sizes[: len(sizes) - lines])
        self._stream.truncate(self._size)
        self._stream.seek(0, os.SEEK_END)

    def _take(self, line: bytes, number: int) -> None:
        try:
            value = parse_json(line)
            text, last = value["text"], value["last"]
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        if not isinstance(text, int) or not isinstance(last, bool) or text <= self.done:
            raise self._foreign(number)
        self._open_rows += 1
        if last:
            self.done = text
            self.rows += self._open_rows
            self._open_rows = 0

    def _first_line(self) -> bytes:
        value = {"id": None, "run": self.run, "readings": self._readings, "made_by": self._made, "error": None}
        return json.dumps(value).encode() + b"\n"

    def _is_first_line(self, line: bytes, number: int) -> bool:
        if not super()._is_first_line(line, number):
            if number == 1:
                raise self._foreign(number)
            return False
        value = parse_json(line)
        made = value.get("made_by")
        what = difference(made, self._made) if isinstance(made, dict) else "program"
        if value.get("readings") != self._readings:
            what = "choice of readings"
        if what is not None:
            raise UsageError(
                "E_STAGES_MIXED",
                f"{self.path} holds rows of another {what}, which can't be mixed with these.",
                "Give --out a new name, or go on with what made it.",
            )
        return True


def shipped_readings() -> Path:
    """Return the file of the readings that come with the program."""
    return models_dir() / "readings" / "readings.jsonl"


def read_stage_readings(path: Path, limit: int | None) -> list[dict[str, Any]]:
    """Return readings from JSON lines (models/readings/README.md), each text once, spread evenly over the file where
    only ``limit`` are wanted. Raises ``InputError`` ``E_READINGS``."""
    found: dict[str, dict[str, Any]] = {}
    try:
        text = read_bytes(str(path)).decode("utf-8")
        for number, line in enumerate(text.split("\n"), start=1):
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
    session: Session,
    readings: Sequence[dict[str, Any]],
    out: Path,
    *,
    record: bool = True,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """Rate each text and write its rows to ``out``; yields ``StageRows`` after each, and one last event. The same call
    continues where an earlier one stopped."""
    try:
        judge = yield from session.ready(cancel)
        file = StagesFile(out, _name(readings), made_by(session))
        try:
            yield StageRows(rows=file.rows, done=file.done, total=len(readings))
            for number, reading in enumerate(readings, start=1):
                if number <= file.done:
                    continue
                events = session.ask(RATING, (reading["text"],), record=record, cancel=cancel, forced=True)
                ended = yield from last_of(events)
                if isinstance(ended, Finished) and isinstance(ended.result, RatingResult):
                    file.add(number, tuple(_rows(ended.result, reading, number, judge.criteria)))
                elif not isinstance(ended, Failed) or ended.error.ends_the_run:
                    yield ended
                    return
                yield StageRows(rows=file.rows, done=number, total=len(readings))
        finally:
            file.close()
    except Stopped:
        yield Cancelled()
        return
    except JokeJudgeError as error:
        yield Failed(error=info(error))
        return
    yield Finished()


def _name(readings: Sequence[dict[str, Any]]) -> str:
    digest = hashlib.sha256()
    for reading in readings:
        digest.update(json.dumps(reading, sort_keys=True).encode() + b"\n")
    return digest.hexdigest()[:12]


def _rows(result: RatingResult, reading: dict[str, Any], number: int, criteria: Criteria) -> Iterator[dict[str, Any]]:
    def row(module: str, output: Any, expected: Any, **more: Any) -> dict[str, Any]:
        return {
            "id": f"{number}-{module}", "module": module, "input": result.text, "output": output,
            "expected": expected, **more,
        }  # fmt: skip

    for check in result.admissibility:
        expected = reading.get(_CHECKS.get(check.check, check.check))
        if isinstance(expected, int | float):
            sure = check.p_admit if check.passed else 1.0 - check.p_admit
            yield row(check.check, check.passed, expected >= _HALF, confidence=sure)
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
