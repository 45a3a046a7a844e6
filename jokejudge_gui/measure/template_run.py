"""Many rows of another judge's outputs, judged by their modules' templates: a batch, and a table of its modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..batch.batch import batch
from ..batch.lines import DUPLICATE, Row, RowList, RowsFile, Shard, Tally
from ..core.errors import InputError, JokeJudgeError, info
from ..core.events import Event
from ..core.files import parse_json, whole_lines
from ..core.pages import Table
from ..core.tables import MOST_TABLE, TextSource
from ..judge.templates.words import TEMPLATE
from ..rubric.templates import Pack
from ..session.session import Session

_FIELDS = ("input", "output", "expected", "reasoning", "confidence")
_NEEDED = ("module", "output", "expected")
_FORM = "Each line is one object with id, module, input, output, expected and reasoning."
_TALLIES = ("rows", "passed", "failed", "untold", "wrong", "errors")
_OUTCOMES = {"FAIL": "failed", None: "untold", "PASS": "passed"}


class TemplateRows(RowList):
    """The rows of a file of JSON lines (``-``: standard input) for a pack; with a ``shard`` only that part's rows. A
    row that can't be judged has an error. ``given``: the fields of each row's request, by its id. Raises ``InputError``
    for a file that can't be read, or is larger than 32 MB."""

    def __init__(self, source: str, pack: Pack, shard: Shard | None = None) -> None:
        super().__init__()
        self.given: dict[str, dict[str, Any]] = {}
        # Only line feeds end a line: a text may contain other separators.
        for number, line in enumerate(TextSource(source, MOST_TABLE).lines(newline="\n"), start=1):
            if not line.strip():
                continue
            id, given, problem = None, {}, None
            try:
                value = parse_json(line, endless=True)
                if not isinstance(value, dict):
                    raise InputError("E_TEMPLATE_ROW", f"Line {number} isn't an object.", _FORM)
                if "run" in value and "module" not in value:
                    continue  # the first line of a run's file
                if isinstance(value.get("id"), str | int) and not isinstance(value["id"], bool):
                    id = str(value["id"]).strip() or None
                given = _given(value, number, pack, id, self.ids)
            except ValueError as error:
                problem = info(InputError("E_TEMPLATE_ROW", f"Line {number} isn't sound JSON: {error}.", _FORM))
            except JokeJudgeError as error:
                problem = info(error)
            if shard is None or shard.holds(id):
                if problem is None:
                    self.given[id or ""] = given
                self.append(Row(line=number, id=id, texts=(), problem=problem))
            if id is not None:
                self.ids.setdefault(id, number)


def _given(value: dict[str, Any], number: int, pack: Pack, id: str | None, ids: Mapping[str, int]) -> dict[str, Any]:
    """Return the fields of a row's request. ``ids``: those of the lines before it. Raises ``InputError`` and
    ``UsageError``."""
    row = f"The row on line {number}"
    if id is None:
        raise InputError("E_BATCH_ID", f"{row} has no id.", _FORM)
    if id in ids:
        same = f"{row} has the id {id!r} of the row on line {ids[id]}."
        raise InputError(DUPLICATE, same, "Give every row an id of its own.")
    if lacks := next((name for name in _NEEDED if value.get(name) is None), ""):
        raise InputError("E_TEMPLATE_ROW", f"{row} has no {lacks}.", _FORM)
    module = pack.module(str(value["module"])).id
    given = {name: value[name] for name in _FIELDS if value.get(name) is not None}
    return {"pack": pack.source, "module": module, **given}


def judge_rows(
    session: Session, rows: TemplateRows, file: RowsFile, tally: Tally, pack: Pack, **how: Any
) -> Iterator[Event]:
    """Run ``batch`` over rows of outputs; ``how``: its ``record`` and ``cancel``. A run that was stopped continues with
    the same call."""

    def ask(row: Row) -> Iterator[Event]:
        return session.ask(TEMPLATE, (), **how, **rows.given[row.id or ""])

    return batch(session, TEMPLATE.name, rows, file, tally, ask=ask, mark={"pack": pack.version}, **how)


def summaries(pack: Pack, path: Path) -> list[dict[str, Any]]:
    """Return for each module that has rows in a run's file, in the pack's order, the number of ``rows``, of those that
    ``passed``, ``failed``, are ``untold`` (without a verdict), ``wrong`` (0 points for the answer) or ``errors``; the
    means of their ``least`` and ``most`` points; and how many broke which rule (``broken``). Rows without a module
    (errors) are under "". Raises ``InputError`` ``E_TEMPLATE_OUT``."""
    modules: dict[str, dict[str, Any]] = {
        id: {"module": id, **dict.fromkeys(_TALLIES, 0), "least": None, "most": None, "broken": Counter()}
        for id in (*(module.id for module in pack.modules), "")
    }
    try:
        with path.open("rb") as stream:
            lines = (parse_json(line) for line in whole_lines(stream) if line.endswith(b"\n"))
            for line in (line for line in lines if "run" not in line):
                one, evaluation = modules.get(line.get("module") or "", modules[""]), line.get("evaluation")
                one["rows"] += 1
                if line.get("error") is not None or not evaluation:
                    one["errors"] += 1
                    continue
                one[_OUTCOMES[line["verdict"]]] += 1
                one["wrong"] += evaluation["correctness"]["score"] == 0
                for end in ("least", "most"):
                    one[end] = (one[end] or 0.0) + line["total_range"][end]
                rules = evaluation["rule_compliance"]["rules"]
                one["broken"].update(rule["name"] for rule in rules if rule["compliant"] is False)
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise InputError(
            "E_TEMPLATE_OUT", f"{path} can't be read: {error}.", "Give a file that `jokejudge template run` wrote."
        ) from error
    for one in modules.values():
        for end in ("least", "most"):
            one[end] = one[end] / (one["rows"] - one["errors"]) if one[end] is not None else None
        one["broken"] = dict(one["broken"])
    return [one for one in modules.values() if one["rows"]]


def modules_table(modules: Iterable[dict[str, Any]]) -> Table:
    """Return a table of ``summaries``."""
    rows = []
    for one in modules:
        points = "" if one["least"] is None else f"{one['least']:.0f}–{one['most']:.0f}"
        most = "".join(f"{rule} ({times})" for rule, times in Counter(one["broken"]).most_common(1))
        counts = (str(one[name]) for name in _TALLIES)
        rows.append((one["module"] or "(unknown)", *counts, points, most))
    head = ("module", "rows", "pass", "fail", "not told", "wrong", "errors", "points", "broken most")
    return Table("", head, tuple(rows))
