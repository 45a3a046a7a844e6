"""Many rows judged by their modules' templates, a line for each; and what comes of it, module by module."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ..engine.base import CancelToken
from ..errors import InputError, JokeJudgeError, info
from ..events import Event, Failed
from ..files import parse_json, whole_lines
from ..judging.templates.kind import OBJECT, TEMPLATE
from ..judging.templates.power import Power, power_of
from ..judging.templates.types import Finding
from ..rubric.template_types import Pack
from ..session import Session
from ..verdicts import Frozen
from .batch import Tally, batch
from .batch_rows import Row
from .template_rows import TemplateFile, TemplateRow


class ModuleSummary(Frozen):
    """What became of a module's rows. ``untold``: rows that the model can't tell enough of for a verdict; ``least``,
    ``most``: mean points, as far as they can be told; ``broken``: rows by the name of the rule they break."""

    module: str
    rows: int
    passed: int
    failed: int
    untold: int
    wrong: int
    errors: int
    least: float | None
    most: float | None
    broken: dict[str, int]


class PowerFound(Event):
    """What the loaded model can tell of a module."""

    module: str
    power: Power


def judge_rows(
    session: Session,
    rows: Iterable[TemplateRow],
    file: TemplateFile,
    tally: Tally,
    *,
    record: bool = True,
    cancel: CancelToken | None = None,
) -> Iterator[Event]:
    """``batch`` over rows of outputs: events, and one last one. What was stopped goes on with the same call."""

    def ask(row: Row) -> Iterator[Event]:
        assert isinstance(row, TemplateRow)
        try:
            request = session.request(TEMPLATE, **row.given)
        except JokeJudgeError as error:
            yield Failed(error=info(error))
            return
        yield from session.run(TEMPLATE, request, record=record, cancel=cancel)

    return batch(session, TEMPLATE.name, rows, file, tally, ask=ask, record=record, cancel=cancel)


def measure_powers(session: Session, pack: Pack, cancel: CancelToken | None = None) -> Iterator[Event]:
    """What the model can tell of each module of a pack: events, and ``PowerFound`` for each. Raises what
    ``Session.ready`` and ``power_of`` raise."""
    judge = yield from session.ready(cancel)
    for module in pack.modules:
        power = yield from power_of(judge, pack, module, cancel)
        yield PowerFound(module=module.id, power=power)


def read_results(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """The whole lines that a run wrote but for its first one, one after another, each with the byte that it begins at.
    Raises ``InputError`` ``E_TEMPLATE_OUT``."""
    begins = 0
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(whole_lines(stream), start=1):
                if not raw.endswith(b"\n"):
                    break
                line = _line(raw, number)
                if "run" not in line:
                    yield begins, line
                begins += len(raw)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def result_at(path: Path, begins: int) -> dict[str, Any]:
    """The line that begins at a byte of a run's file, as ``read_results`` told. Raises ``InputError``
    ``E_TEMPLATE_OUT``."""
    try:
        with path.open("rb") as stream:
            stream.seek(begins)
            return _line(stream.readline(), 0)
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _line(raw: bytes, number: int) -> dict[str, Any]:
    value = parse_json(raw)
    if not isinstance(value, dict) or not ("run" in value or "evaluation" in value):
        raise ValueError(f"line {number} isn't one of a run")
    if value.get("evaluation") is not None:
        try:
            Finding.model_validate({"reason": "", **{name: value.get(name) for name in OBJECT}})
        except ValidationError as error:
            raise ValueError(f"line {number} was changed") from error
    elif "run" not in value and value.get("error") is None:
        raise ValueError(f"line {number} was changed")
    return value


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(
        "E_TEMPLATE_OUT", f"{path} can't be read: {error}.", "Give a file that `jokejudge template run` wrote."
    )


class _Count:
    """What a module's rows come to, line by line."""

    def __init__(self) -> None:
        self.rows = self.passed = self.failed = self.untold = self.wrong = 0
        self.least = self.most = 0.0
        self.broken: dict[str, int] = {}

    @property
    def judged(self) -> int:
        return self.passed + self.failed + self.untold

    def add(self, line: dict[str, Any]) -> None:
        self.rows += 1
        if line.get("error") is not None or not line.get("evaluation"):
            return
        self.passed += line["verdict"] == "PASS"
        self.failed += line["verdict"] == "FAIL"
        self.untold += line["verdict"] is None
        self.wrong += line["evaluation"]["correctness"]["score"] == 0
        self.least += line["total_range"]["least"]
        self.most += line["total_range"]["most"]
        for rule in line["evaluation"]["rule_compliance"]["rules"]:
            if rule["compliant"] is False:
                self.broken[rule["name"]] = self.broken.get(rule["name"], 0) + 1

    def summary(self, module: str) -> ModuleSummary:
        judged = self.judged
        return ModuleSummary(
            module=module,
            rows=self.rows,
            passed=self.passed,
            failed=self.failed,
            untold=self.untold,
            wrong=self.wrong,
            errors=self.rows - judged,
            least=self.least / judged if judged else None,
            most=self.most / judged if judged else None,
            broken=self.broken,
        )


def summarise(pack: Pack, lines: Iterable[dict[str, Any]]) -> list[ModuleSummary]:
    """Modules that have rows, in the pack's order; rows of none (errors that no module is known of) under ""."""
    known = [*(each.id for each in pack.modules), ""]
    counts = {module: _Count() for module in known}
    for line in lines:
        module = line.get("module") or ""
        counts[module if module in counts else ""].add(line)
    return [count.summary(module) for module, count in counts.items() if count.rows]
