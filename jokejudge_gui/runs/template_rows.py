"""Rows of a judge's outputs, read from JSON lines one by one, so that there may be many; a row that can't be judged
becomes an error line, not an end."""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ..errors import ErrorInfo, InputError, JokeJudgeError, UsageError, info
from ..files import parse_json
from ..judging.templates.judge import unknown_module
from ..judging.templates.types import TemplateRequest
from ..rubric.template_types import Pack
from ..tables import TextSource
from .batch_files import OutFile
from .batch_rows import DUPLICATE, Row
from .name_set import NameSet, name_hash
from .shard import Shard

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


class TemplateRows:
    """The rows of a file of JSON lines (``-``: standard input) for a pack, with a ``shard`` those of that part alone.

    They can be gone through as often as one likes; nothing but 8 bytes of each id is kept. ``names``: their ids.
    Opening goes through them once. Raises ``InputError`` for a file that can't be read."""

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
        first: dict[str, int] = {}  # lines of the ids that come more than once
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
        """The lines that hold a row, with their numbers; the line that `template stages` begins its file with holds
        none. Only line feeds end a line: a text may hold other separators."""
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
    """What a line holds, or why it can't be a row."""
    try:
        value = parse_json(line)
    except ValueError as error:
        return InputError("E_TEMPLATE_ROW", f"Line {number} isn't sound JSON: {error}.", _FORM)
    return value if isinstance(value, dict) else InputError("E_TEMPLATE_ROW", f"Line {number} isn't an object.", _FORM)


def _id(value: dict[str, Any] | InputError) -> str | None:
    id = value.get("id") if isinstance(value, dict) else None
    return str(id).strip() or None if isinstance(id, str | int) and not isinstance(id, bool) else None


def _row(value: dict[str, Any] | InputError, number: int, pack: Pack, first: int | None) -> TemplateRow:
    """``first``: the line that the row's id stands on first, where it stands on several."""
    if not isinstance(value, dict):
        return _bad(number, None, value)
    name = _id(value)
    if name is None:
        return _bad(number, None, InputError("E_BATCH_ID", f"The row on line {number} has no id.", _FORM))
    if first is not None and first != number:
        return _bad(
            number,
            name,
            InputError(
                DUPLICATE,
                f"The row on line {number} has the id {name!r} of the row on line {first}.",
                "Give every row an id of its own.",
            ),
        )
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
