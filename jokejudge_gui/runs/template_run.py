"""Many rows judged by their modules' templates, a line for each; and what comes of it, module by module."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from ..engine.base import CancelToken
from ..errors import InputError, JokeJudgeError, info
from ..events import Event, Failed
from ..files import parse_json
from ..judging.templates.kind import TEMPLATE
from ..judging.templates.power import Power, power_of
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
    rows: Sequence[TemplateRow],
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
            request = row.request()
        except JokeJudgeError as error:
            yield Failed(error=info(error))
            return
        yield from session.run(TEMPLATE, request, record=record, cancel=cancel)

    return batch(session, TEMPLATE.name, rows, file, tally, ask=ask, record=record, cancel=cancel)


def measure_powers(session: Session, pack: Pack, cancel: CancelToken | None = None) -> Iterator[Event]:
    """What the loaded model can tell of each module of a pack: events, and ``PowerFound`` for each. The model must be
    loaded; raises what ``power_of`` raises."""
    judge = session.judge
    assert judge is not None
    for module in pack.modules:
        power = yield from power_of(judge, pack, module, cancel)
        yield PowerFound(module=module.id, power=power)


def read_results(path: Path) -> list[dict[str, Any]]:
    """The whole lines that a run wrote, but for its first one. Raises ``InputError`` ``E_TEMPLATE_OUT``."""
    found: list[dict[str, Any]] = []
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(stream, start=1):
                if not raw.endswith(b"\n"):
                    break
                value = parse_json(raw)
                if not isinstance(value, dict) or not ("run" in value or "evaluation" in value):
                    raise ValueError(f"line {number} isn't one of a run")
                if "run" not in value:
                    found.append(value)
    except (OSError, ValueError) as error:
        raise InputError(
            "E_TEMPLATE_OUT", f"{path} can't be read: {error}.", "Give a file that `jokejudge template run` wrote."
        ) from error
    return found


def summarise(pack: Pack, lines: Sequence[dict[str, Any]]) -> list[ModuleSummary]:
    """Modules that have rows, in the pack's order; rows of none (errors that no module is known of) under ""."""
    found = []
    for module in (*(each.id for each in pack.modules), ""):
        rows = [line for line in lines if (line.get("module") or "") == module]
        if not rows:
            continue
        judged = [row for row in rows if row.get("error") is None and row.get("evaluation")]
        broken: dict[str, int] = {}
        for row in judged:
            for rule in row["evaluation"]["rule_compliance"]["rules"]:
                if rule["compliant"] is False:
                    broken[rule["name"]] = broken.get(rule["name"], 0) + 1
        found.append(
            ModuleSummary(
                module=module,
                rows=len(rows),
                passed=sum(row["verdict"] == "PASS" for row in judged),
                failed=sum(row["verdict"] == "FAIL" for row in judged),
                untold=sum(row["verdict"] is None for row in judged),
                wrong=sum(row["evaluation"]["correctness"]["score"] == 0 for row in judged),
                errors=len(rows) - len(judged),
                least=_mean([row["total_range"]["least"] for row in judged]),
                most=_mean([row["total_range"]["most"] for row in judged]),
                broken=broken,
            )
        )
    return found


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
