"""Answers of the program without what differs from run to run, and how two of them differ."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FROZEN = Path(__file__).with_name("frozen")
DIGITS = 6
LAST_DIGIT = 2e-6
"""Rounded numbers may fall to either side; more than that is a difference. All else is compared exactly."""

_LONGEST = 4000
"""A longer text is kept by its beginning and a digest."""
_VOLATILE = {
    "build", "created", "created_at", "date", "day", "free_bytes", "judged_at", "program", "tokens", "tokens_evaluated",
    "stage_seconds", "tokens_reused", "usage", "used_seconds", "when", "written",
}  # fmt: skip
_ID = re.compile(r"(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])")
_DATE = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?(\.\d+)?(Z|[+-]\d\d:\d\d)?")
_DAY = re.compile(r"(?<=ours of )\d+ [A-Z][a-z]+ \d{4}\.?( +\(?[0-9a-f]{8}\)?)?")
_TOOK = re.compile(r"\b\d+([.,]\d+)? (s|ms|seconds?|minutes?)\b")
_PROGRAM = re.compile(r"\d+\.\d+\.\d+(\S*)")


def settled(answer: Any, folder: Path) -> Any:
    """Return an answer without times, usage, builds and versions of the program; ids, dates and the ``folder`` of this
    run get names, and numbers six digits. An id that comes twice gets one name."""
    ids: dict[str, str] = {}

    def text(value: str) -> str:
        value = value.replace(str(folder), "<folder>")
        value = _ID.sub(lambda found: ids.setdefault(found.group(), f"<id {len(ids) + 1}>"), value)
        value = _DAY.sub("<day>", _DATE.sub("<date>", value))
        return value if len(value) <= _LONGEST else f"{value[:80]}… {len(value)} characters, {_digest(value)}"

    def rest(value: Any, under: str = "") -> Any:
        if isinstance(value, dict):
            return {text(name): rest(each, name) for name, each in value.items() if not volatile(name, each, under)}
        if isinstance(value, list | tuple):
            return [rest(each, under) for each in value]
        if isinstance(value, float):
            return round(value, DIGITS) + 0.0 if math.isfinite(value) else str(value)
        return text(value) if isinstance(value, str) else value

    return rest(answer)


def _digest(value: str) -> str:
    return hashlib.sha256(value.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def volatile(name: str, value: Any, under: str) -> bool:
    """Whether a field differs from run to run. Seconds are measured, but for those that a text takes to read aloud, and
    a version is the program's, but for those that are made of contents."""
    if name == "seconds":
        return under != "facts"
    if name == "version":
        return isinstance(value, str) and _PROGRAM.fullmatch(value) is not None
    return name.split(".")[0] in _VOLATILE  # a table's columns have names such as usage.seconds


def rows(table: str) -> list[dict[str, Any]]:
    """Return the rows of a CSV table; cells of JSON are read."""
    found = csv.DictReader(io.StringIO(table.removeprefix("\ufeff"), newline=""))
    return [{name: _cell(cell) for name, cell in row.items()} for row in found]


def _cell(text: str) -> Any:
    try:
        return json.loads(text) if text.startswith(("[", "{")) else text
    except ValueError:
        return text


def shown(said: str) -> list[str]:
    """Return what a person reads, line by line, without how long it took."""
    return [_TOOK.sub("<time>", line).rstrip() for line in said.splitlines()]


def differences(then: Any, now: Any, place: str = "") -> Iterator[str]:
    """Where two answers differ: the key, the old value and the new one."""
    if isinstance(then, dict) and isinstance(now, dict) and now.get("error") and "error" in then and not then["error"]:
        yield f"{place}: an answer → {_short(now['error'])}"
    elif isinstance(then, dict) and isinstance(now, dict):
        for name in [*then, *(name for name in now if name not in then)]:
            inside = f"{place}.{name}" if place else name
            if name not in now or name not in then:
                old, new = (_short(each[name]) if name in each else "nothing" for each in (then, now))
                yield f"{inside}: {old} → {new}"
            else:
                yield from differences(then[name], now[name], inside)
    elif isinstance(then, list) and isinstance(now, list):
        for number, (one, other) in enumerate(zip(then, now, strict=False)):
            yield from differences(one, other, f"{place}[{number}]")
        if len(then) != len(now):
            yield f"{place}: {len(then)} items → {len(now)} items"
    elif _number(then) and _number(now) and (isinstance(then, float) or isinstance(now, float)):
        if abs(then - now) > LAST_DIGIT:
            yield f"{place}: {then} → {now}"
    elif then != now or type(then) is not type(now):
        yield f"{place}: {_short(then)} → {_short(now)}"


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _short(value: Any) -> str:
    found = json.dumps(value, ensure_ascii=False)
    return found if len(found) <= 160 else found[:159] + "…"


def file_of(name: str) -> Path:
    return FROZEN / f"{name}.jsonl"


def store(name: str, answers: dict[str, Any]) -> None:
    lines = (json.dumps({"case": case, "answer": answer}, ensure_ascii=False) for case, answer in answers.items())
    file_of(name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def stored(name: str) -> dict[str, Any]:
    if not file_of(name).exists():
        return {}
    rows = map(json.loads, file_of(name).read_text(encoding="utf-8").split("\n")[:-1])
    return {row["case"]: row["answer"] for row in rows}


def report(name: str, now: dict[str, Any], most: int = 12) -> list[str]:
    """Say how the answers of a file differ from the frozen ones; empty if they don't."""
    then = stored(name)
    found = list(differences(then, now))
    if not found:
        return []
    cases = [case for case in {**then, **now} if then.get(case) != now.get(case)]
    head = f"{file_of(name).name}: {len(cases)} of {len(then)} answers differ, in {len(found)} places (old → new):"
    tail = [f"  … and {len(found) - most} more"] if len(found) > most else []
    return [head, *(f"  {line}" for line in found[:most]), *tail]
