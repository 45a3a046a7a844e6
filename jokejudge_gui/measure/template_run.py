"""Many rows judged by their modules' templates, a line for each; and a summary by module."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Container, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..batch.batch import DUPLICATE, OutFile, Row, Tally, batch
from ..batch.lines import NameSet, Shard, name_hash
from ..core.errors import InputError, JokeJudgeError, UsageError, info
from ..core.events import Event, Failed
from ..core.files import parse_json, whole_lines
from ..core.tables import TextSource
from ..core.verdicts import Frozen
from ..engine.base import CancelToken
from ..judge.templates.kind import OBJECT, TEMPLATE, unknown_module
from ..judge.templates.power import Power, power_of
from ..judge.templates.types import Finding
from ..rubric.templates import Pack
from ..session.session import Session

# -- rows of a judge's outputs, read from JSON lines one by one --------------------------------------------------------

_FIELDS = ("input", "output", "expected", "reasoning", "confidence")
_NEEDED = ("module", "output", "expected")
_FORM = "Each line is one object with id, module, input, output, expected and reasoning."


@dataclass(frozen=True)
class TemplateRow(Row):
    """A row of DATA. ``given``: the fields of its request."""

    given: dict[str, Any] = field(default_factory=dict)


class TemplateRows:
    """The rows of a file of JSON lines (``-``: standard input) for a pack; with a ``shard`` only that part's rows.

    A row that can't be judged has an error. The rows can be iterated over repeatedly; only 8 bytes of each id are kept.
    ``names``: their ids. Opening iterates over them once. Raises ``InputError`` for a file that can't be read."""

    def __init__(self, source: str, pack: Pack, shard: Shard | None = None) -> None:
        self._pack = pack
        self._shard = shard
        self.names = NameSet()
        self._doubles: frozenset[int] = frozenset()
        self._count = 0
        with ExitStack() as stack:
            self._text = stack.enter_context(TextSource(source))
            every = NameSet()
            for number, line in self._lines():
                id = _id(_value(line, number))
                if id is not None:
                    every.add(id)
                if self._mine(id):
                    self._count += 1
                    if id is not None:
                        self.names.add(id)
            self._doubles = every.doubles()
            self._stack = stack.pop_all()

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[TemplateRow]:
        first: dict[str, int] = {}  # the first line of each duplicate id
        for number, line in self._lines():
            value = _value(line, number)
            id = _id(value)
            double = None
            if id is not None and self._doubles and name_hash(id) in self._doubles:
                double = first.setdefault(id, number)
            if self._mine(id):
                yield _row(value, number, self._pack, double)

    def __enter__(self) -> TemplateRows:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._stack.close()

    def _mine(self, id: str | None) -> bool:
        return self._shard is None or self._shard.holds(id)

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Yield the lines with a row, with their numbers; the first line of a file from `template stages` has none.
        Only line feeds end a line: a text may contain other separators."""
        for number, line in enumerate(self._text.lines(newline="\n"), start=1):
            if line.strip() and not (number == 1 and _names_a_run(line)):
                yield number, line


def _names_a_run(line: str) -> bool:
    try:
        value = parse_json(line)
    except ValueError:
        return False
    return isinstance(value, dict) and "run" in value and "module" not in value


def _value(line: str, number: int) -> dict[str, Any] | InputError:
    """Return a line's object, or the error that keeps it from being a row."""
    try:
        value = parse_json(line)
    except ValueError as error:
        return InputError("E_TEMPLATE_ROW", f"Line {number} isn't sound JSON: {error}.", _FORM)
    return value if isinstance(value, dict) else InputError("E_TEMPLATE_ROW", f"Line {number} isn't an object.", _FORM)


def _id(value: object) -> str | None:
    id = value.get("id") if isinstance(value, dict) else None
    return str(id).strip() or None if isinstance(id, str | int) and not isinstance(id, bool) else None


def _row(value: dict[str, Any] | InputError, number: int, pack: Pack, first: int | None) -> TemplateRow:
    """Return a row. ``first``: the first line with the row's id, where several have it."""
    try:
        return TemplateRow(line=number, id=_id(value), texts=(), given=_given(value, number, pack, first))
    except JokeJudgeError as error:
        return TemplateRow(line=number, id=_id(value), texts=(), problem=info(error))


def _given(value: dict[str, Any] | InputError, number: int, pack: Pack, first: int | None) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise value
    name = _id(value)
    if name is None:
        raise InputError("E_BATCH_ID", f"The row on line {number} has no id.", _FORM)
    if first is not None and first != number:
        raise InputError(
            DUPLICATE,
            f"The row on line {number} has the id {name!r} of the row on line {first}.",
            "Give every row an id of its own.",
        )
    for each in _NEEDED:
        if value.get(each) is None:
            raise InputError("E_TEMPLATE_ROW", f"The row on line {number} has no {each}.", _FORM)
    if pack.module(str(value["module"])) is None:
        known = tuple(module.id for module in pack.modules)
        raise unknown_module(pack.source, str(value["module"]), known)
    if not isinstance(value.get("reasoning", ""), str | None):
        raise InputError("E_TEMPLATE_ROW", f"The reasoning on line {number} isn't a text.", _FORM)
    confidence = value.get("confidence")
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, int | float)):
        raise InputError("E_TEMPLATE_ROW", f"The confidence on line {number} isn't a number.", _FORM)
    given = {each: value[each] for each in _FIELDS if value.get(each) is not None}
    return {"pack": pack.source, "module": str(value["module"]), **given}


class TemplateFile(OutFile):
    """The output file of a run over judge templates. Raises ``UsageError`` ``E_TEMPLATE_MIXED`` where it holds lines of
    another pack, or of the same one with other words."""

    def __init__(self, path: Path, pack: Pack, *, retry_errors: bool = False, ids: Container[str] = ()) -> None:
        self._version = pack.version
        super().__init__(path, "template", retry_errors=retry_errors, ids=ids)

    def _check(self, value: dict[str, Any]) -> None:
        version = value.get("pack_version")
        if version and version != self._version:
            raise UsageError(
                "E_TEMPLATE_MIXED",
                f"{self.path} holds lines of another pack, or of this one before it was changed.",
                "Give --out a new name.",
            )


Group = Literal["failed", "untold", "passed", "errors"]
_OUTCOMES: dict[str | None, Group] = {"FAIL": "failed", None: "untold", "PASS": "passed"}


class ModuleSummary(Frozen):
    """The results of a module's rows. ``untold``: number of rows without a verdict, because the model can't check
    enough rules; ``least``, ``most``: mean of the least and the greatest possible points; ``broken``: number of rows by
    the name of the rule that they break."""

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
    """The loaded model's power on a module."""

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
    """Run ``batch`` over rows of outputs. A run that was stopped continues with the same call."""

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
    """Measure the model's power on each module of a pack: yields events, and ``PowerFound`` for each. Raises what
    ``Session.ready`` and ``power_of`` raise."""
    judge = yield from session.ready(cancel)
    for module in pack.modules:
        power = yield from power_of(judge, pack, module, cancel)
        yield PowerFound(module=module.id, power=power)


def read_results(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the whole lines of a run's file except its first one, each with the offset of its first byte. Raises
    ``InputError`` ``E_TEMPLATE_OUT``."""
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
    """Return the line at an offset of a run's file, from ``read_results``. Raises ``InputError`` ``E_TEMPLATE_OUT``."""
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
    try:
        if value.get("evaluation") is not None:
            Finding.model_validate({"reason": "", **{name: value.get(name) for name in OBJECT}})
        elif "run" not in value and value.get("error") is None:
            raise ValueError("it holds nothing")
    except ValueError as error:
        raise ValueError(f"line {number} was changed") from error
    return value


def _unreadable(path: Path, error: Exception) -> InputError:
    return InputError(
        "E_TEMPLATE_OUT", f"{path} can't be read: {error}.", "Give a file that `jokejudge template run` wrote."
    )


def summarise(pack: Pack, lines: Iterable[dict[str, Any]]) -> list[ModuleSummary]:
    """Return summaries of the modules that have rows, in the pack's order; rows without a module (errors) under ""."""
    counts = {module: Counter[str]() for module in (*(each.id for each in pack.modules), "")}
    points = {module: [0.0, 0.0] for module in counts}
    broken = {module: Counter[str]() for module in counts}
    for line in lines:
        module = line.get("module") or ""
        module = module if module in counts else ""
        count = counts[module]
        count["rows"] += 1
        if line.get("error") is not None or not line.get("evaluation"):
            count["errors"] += 1
            continue
        found = line["evaluation"]
        count[_OUTCOMES[line["verdict"]]] += 1
        count["wrong"] += found["correctness"]["score"] == 0
        for place, end in enumerate(("least", "most")):
            points[module][place] += line["total_range"][end]
        broken[module].update(rule["name"] for rule in found["rule_compliance"]["rules"] if rule["compliant"] is False)
    summaries = []
    for module, count in counts.items():
        judged = count["rows"] - count["errors"]
        least, most = (total / judged if judged else None for total in points[module])
        if count["rows"]:
            names = ("rows", "passed", "failed", "untold", "wrong", "errors")
            summaries.append(
                ModuleSummary(
                    module=module,
                    **{name: count[name] for name in names},
                    least=least,
                    most=most,
                    broken=dict(broken[module]),
                )
            )
    return summaries


# -- the results of a run over judge templates, for viewing a row at a time --------------------------------------------


class TemplateResults:
    """The rows that a run over ``pack`` wrote to ``path``, by their result, and its modules; only the offset of each
    row is kept in memory. Opening reads them once. Raises ``InputError`` ``E_TEMPLATE_OUT``."""

    def __init__(self, pack: Pack, path: Path) -> None:
        self.pack = pack
        self._path = path
        self._places: dict[Group, array[int]] = {name: array("Q") for name in ("failed", "untold", "passed", "errors")}
        self.modules: tuple[ModuleSummary, ...] = tuple(summarise(pack, self._all()))

    def count(self, group: Group) -> int:
        """Return the number of rows with this result."""
        return len(self._places[group])

    def __len__(self) -> int:
        return sum(map(len, self._places.values()))

    def row(self, group: Group, number: int) -> dict[str, Any]:
        """Return the ``number``th row (from 0) with this result. Raises ``InputError`` ``E_TEMPLATE_OUT``."""
        return result_at(self._path, self._places[group][number])

    def _all(self) -> Iterator[dict[str, Any]]:
        for begins, line in read_results(self._path):
            group = "errors" if line.get("error") is not None else _OUTCOMES[line["verdict"]]
            self._places[group].append(begins)
            yield line
