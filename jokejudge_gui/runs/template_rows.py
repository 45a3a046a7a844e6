"""Rows of a judge's outputs, read from JSON lines; a row that can't be judged becomes an error line, not an end."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ErrorInfo, InputError, JokeJudgeError, UsageError, info
from ..files import parse_json
from ..judging.templates.judge import unknown_module
from ..judging.templates.types import TemplateRequest
from ..rubric.template_types import Pack
from ..tables import read_whole
from .batch_files import OutFile
from .batch_rows import DUPLICATE, Row

FIELDS = ("input", "output", "expected", "reasoning", "confidence")
_NEEDED = ("module", "output", "expected")
_FORM = "Each line is one object with id, module, input, output, expected and reasoning."


@dataclass(frozen=True)
class TemplateRow(Row):
    """A row of DATA. ``given``: what its request is made of."""

    given: dict[str, Any] = field(default_factory=dict)

    def request(self) -> TemplateRequest:
        """Raises ``InputError`` for values that can't be judged."""
        return TemplateRequest.model_validate(self.given)


def read_template_rows(source: str, pack: Pack) -> list[TemplateRow]:
    """All rows of a file of JSON lines (``-``: standard input). Raises ``InputError`` for a file that can't be read."""
    seen: dict[str, int] = {}
    lines = enumerate(read_whole(source).split("\n"), start=1)
    return [_row(line, number, pack, seen) for number, line in lines if line.strip()]


def _row(line: str, number: int, pack: Pack, seen: dict[str, int]) -> TemplateRow:
    try:
        value = parse_json(line)
    except ValueError as error:
        return _bad(number, None, InputError("E_TEMPLATE_ROW", f"Line {number} isn't sound JSON: {error}.", _FORM))
    if not isinstance(value, dict):
        return _bad(number, None, InputError("E_TEMPLATE_ROW", f"Line {number} isn't an object.", _FORM))
    id = value.get("id")
    name = str(id).strip() if isinstance(id, str | int) and not isinstance(id, bool) else ""
    if not name:
        return _bad(number, None, InputError("E_BATCH_ID", f"The row on line {number} has no id.", _FORM))
    if name in seen:
        return _bad(
            number,
            name,
            InputError(
                DUPLICATE,
                f"The row on line {number} has the id {name!r} of the row on line {seen[name]}.",
                "Give every row an id of its own.",
            ),
        )
    seen[name] = number
    missing = [each for each in _NEEDED if value.get(each) is None]
    if missing:
        what = f"The row on line {number} has no {missing[0]}."
        return _bad(number, name, InputError("E_TEMPLATE_ROW", what, _FORM))
    if pack.module(str(value["module"])) is None:
        known = tuple(module.id for module in pack.modules)
        return _bad(number, name, unknown_module(pack.source, str(value["module"]), known))
    wrong = _wrong_type(value, number)
    if wrong is not None:
        return _bad(number, name, wrong)
    given = {each: value[each] for each in FIELDS if value.get(each) is not None}
    return TemplateRow(
        line=number, id=name, texts=(), given={"pack": pack.source, "module": str(value["module"]), **given}
    )


def _wrong_type(value: dict[str, Any], number: int) -> InputError | None:
    if not isinstance(value.get("reasoning", ""), str | None):
        return InputError("E_TEMPLATE_ROW", f"The reasoning on line {number} isn't a text.", _FORM)
    confidence = value.get("confidence")
    if confidence is not None and (isinstance(confidence, bool) or not isinstance(confidence, int | float)):
        return InputError("E_TEMPLATE_ROW", f"The confidence on line {number} isn't a number.", _FORM)
    return None


def _bad(number: int, id: str | None, error: JokeJudgeError) -> TemplateRow:
    problem: ErrorInfo = info(error)
    return TemplateRow(line=number, id=id, texts=(), problem=problem)


class TemplateFile(OutFile):
    """OUT of a run over judge templates. Raises ``UsageError`` ``E_TEMPLATE_MIXED`` where it holds lines of another
    pack, or of the same one before its words were changed."""

    def __init__(self, path: Path, pack: Pack, *, retry_errors: bool = False, ids: tuple[str, ...] = ()) -> None:
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
