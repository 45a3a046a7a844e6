"""Judging many rows one after another, with a line in a file for each: a job for the window, the terminal and
Python."""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol, TypeAlias

from ..core.errors import ErrorInfo, InputError, JokeJudgeError, UsageError, info
from ..core.events import Event, Failed, Finished, Last, last_of
from ..core.files import parse_json
from ..core.logs import log
from ..core.outputs import CsvLines, write_export
from ..core.tables import Table, TextSource, no_text_column
from ..core.verdicts import Kind
from ..engine.base import CancelToken
from ..judge.kinds import KINDS
from ..session.session import Session
from .build import made_by
from .lines import DUPLICATE, Line, Out, Row, RowsFile, Shard, Tally, each_row, row_key
from .lists import numbered_lines

# -- the rows of a batch, from a list in any form; read one by one, so that there may be millions ---------------------

GENERATOR = "generator"
"""An optional column: the model that wrote the row's texts."""
CONTEXT = "context"
"""An optional column: the topic or scene of the row's texts."""
MOST_ROWS = 5_000_000
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
_ASKED = (GENERATOR, CONTEXT, *(name for names in COLUMNS.values() for name in names))
_Texts = tuple[str | None, ...]


class Rows:
    """The rows of a file, or of standard input for ``-``: a table whose header names the columns, JSON lines, a JSON
    array, or for ratings plain lines, one joke each, with their line numbers as ids. Where no row has an id, they are
    numbered from 1. ``generator``, ``context``: the defaults of rows without them; ``text_column``: the column with the
    jokes.

    ``text``: the list itself, in which case ``source`` is its name.

    The rows can be iterated over repeatedly; only their ``ids`` are kept. With a ``shard``
    only that part's rows are yielded. Opening iterates over them once. Raises ``UsageError`` for a missing column and
    ``InputError`` for a file that isn't in that form."""

    def __init__(
        self,
        source: str,
        kind: Kind,
        shard: Shard | None = None,
        generator: str = "",
        text_column: str | None = None,
        context: str = "",
        text: str | None = None,
    ) -> None:
        self._kind = kind
        self._generator = generator
        self._context = context.strip()
        self._shard = shard
        self._stack = ExitStack()
        self._text = self._stack.enter_context(TextSource(source, text=text))
        self.ids: set[str] = set()
        self._doubles: set[str] = set()
        self._counted = False
        try:
            self._table = Table(self._text, text_column=text_column, asked=_ASKED, code="E_BATCH_JSON")
            self._check_columns(text_column)
            # Whether any row has an id is known only at the end, so the first pass keeps ids of rows that have one.
            self._counted = self._table.shape != "plain" and all(row.id is None for row in self._found())
            self._count = 0
            for row in self._found():
                if self._mine(row.id):
                    self._count += 1
                    if row.id is not None:
                        if row.id in self.ids:
                            self._doubles.add(row.id)
                        self.ids.add(row.id)
        except BaseException:
            self._stack.close()
            raise

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        first: dict[str, int] = {}  # the first line of each duplicate id
        for row in self._found():
            double = None
            if row.id in self._doubles:
                double = first.setdefault(row.id, row.line)
            if self._mine(row.id):
                problem = self._problem(row.line, row.id, row.texts, double)
                yield replace(row, problem=problem, generator=row.generator or self._generator)

    @cached_property
    def keys(self) -> set[int]:
        """The ``row_key`` of each row."""
        rows = (row for row in self._found() if row.id is not None and self._mine(row.id))
        return {row_key(row.id or "", row.texts, row.context) for row in rows}

    def close(self) -> None:
        """Close the file."""
        self._stack.close()

    def _mine(self, id: str | None) -> bool:
        return self._shard is None or self._shard.holds(id)

    def _check_columns(self, text_column: str | None) -> None:
        table, source, columns = self._table, self._text.name, COLUMNS[self._kind]
        if table.shape == "plain" and (len(columns) > 1 or text_column is not None):
            raise UsageError(
                "E_BATCH_COLUMN",
                f"{source} holds single lines, but {'a duel needs two jokes' if len(columns) > 1 else 'no columns'}.",
                f"Give a table with the columns id,{','.join(columns)}.",
            )
        for name in ("id", *columns) if table.shape == "csv" else ():
            if table.names.count(name) > 1:
                raise UsageError(
                    "E_BATCH_COLUMN",
                    f"{source} has more than one column {name!r}.",
                    "Rename one of them.",
                )
            if name not in table.names and name != "id":
                if name == "text":
                    raise no_text_column(source, table.header, "E_BATCH_COLUMN", text_column)
                found = ", ".join(repr(cell[:40]) for cell in table.header[:12])
                raise UsageError(
                    "E_BATCH_COLUMN",
                    f"{source} has no column {name!r}: {f'it has {found}' if found else 'it has no header line'}.",
                    f"The first line names the columns: id,{','.join(columns)}.",
                )

    def _found(self) -> Iterator[Row]:
        """Yield each row as written, without its problem."""
        columns, count = COLUMNS[self._kind], 0
        if self._table.shape == "plain":
            lines = ((line, row["text"]) for line, row in self._table.rows())
            for line, text in numbered_lines(lines):
                count = self._one_more(count)
                yield Row(line=line, id=str(line), texts=(text,), context=self._context)
            return
        for line, cells in self._table.rows():
            count = self._one_more(count)
            texts = tuple(cells.pop(name, None) for name in columns)
            id = cells.pop("id", "").strip() or (str(count) if self._counted else None)
            generator, context = cells.get(GENERATOR, "").strip(), cells.get(CONTEXT, "").strip() or self._context
            yield Row(line=line, id=id, texts=texts, generator=generator, context=context, columns=cells)

    def _one_more(self, count: int) -> int:
        if count == MOST_ROWS:
            sentence = f"{self._text.name} has more than {MOST_ROWS:,} rows."
            raise InputError("E_INPUT_LARGE", sentence, "Divide it into several files.")
        return count + 1

    def _problem(self, line: int, id: str | None, texts: _Texts, first: int | None) -> ErrorInfo | None:
        """Return a row's problem, None if there is none. ``first``: the first line with its id."""
        if id is None:
            return _problem("E_BATCH_ID", f"The row on line {line} has no id.", "Give every row an id of its own.")
        if first is not None and first != line:
            return _problem(
                DUPLICATE,
                f"The row on line {line} has the id {id!r} of the row on line {first}.",
                "Give every row an id of its own.",
            )
        for name, text in zip(COLUMNS[self._kind], texts, strict=True):
            if not (text or "").strip():
                return _problem(
                    "E_BATCH_TEXT", f"The row on line {line} has no {name}.", "Fill it in, or leave it out."
                )
        return None


def _problem(code: str, sentence: str, hint: str) -> ErrorInfo:
    return info(InputError(code, sentence, hint))


# -- the output of a batch: a line of JSON for each row ---------------------------------------------------------------


def batch_file(path: Path, kind: Kind, rows: Rows, *, retry_errors: bool = False) -> RowsFile:
    """Open the file of a batch over these rows. Raises what ``RowsFile`` raises."""
    return RowsFile(path, kind, COLUMNS[kind], rows, retry_errors=retry_errors)


def own_table(path: Path, lines: Path) -> None:
    """Raise ``UsageError`` for a file that ``write_table`` didn't write from ``lines``."""
    if not path.exists():
        return
    with path.open("rb") as stream:
        start = stream.read(len(_TABLE))
    if start != _TABLE or not lines.exists():
        raise UsageError(
            "E_BATCH_OUT",
            f"{path} isn't a table that a batch wrote beside {lines.name}, so nothing was written to it.",
            "Give --out a new name.",
        )


def write_table(lines: Path, path: Path) -> None:
    """Write a batch's file as a table for spreadsheets: a row for each line, a column for each value, lists as JSON.
    Raises what ``write_export`` raises."""
    columns: dict[str, None] = {"id": None}
    for value in _values(lines):
        columns |= dict.fromkeys(value)
    table = CsvLines()
    rows = (table.line(value.get(name) for name in columns) for value in _values(lines))
    write_export(path, itertools.chain([table.line(columns)], rows))


def _values(lines: Path) -> Iterator[dict[str, object]]:
    with lines.open("rb") as stream:
        for line in stream:
            value = parse_json(line)
            if "run" in value:
                continue
            made = value.pop("made_by", None)
            yield flat_row(value) | {"made_by": _cell(made)}


def flat_row(value: Mapping[str, Any]) -> dict[str, object]:
    """Return an object of the JSON output as a row of a table: nested values under names with a dot
    (``audience.score``), lists as JSON, and the row's other columns, except where a name is taken."""
    flat: dict[str, object] = {}
    for name, cell in value.items():
        if name != "columns":
            parts = {f"{name}.{part}": each for part, each in cell.items()} if isinstance(cell, dict) else {name: cell}
            flat |= {part: _cell(each) for part, each in parts.items()}
    return flat | {name: cell for name, cell in dict(value.get("columns") or {}).items() if name not in flat}


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


_TABLE = b'\xef\xbb\xbf"id","'


_LOG = log("runs")

Asker: TypeAlias = Callable[[Row], Iterator[Event]]


class BatchOut(Out, Protocol):
    """The output of a batch."""

    def check(self, made_by: Mapping[str, str]) -> None:
        """Raise ``UsageError`` where earlier lines depend on anything else than ``made_by``."""


def batch(
    session: Session,
    kind: str,
    rows: Iterable[Row],
    out: BatchOut,
    tally: Tally,
    *,
    ask: Asker | None = None,
    force: bool = False,
    listeners: tuple[str, ...] | None = None,
    record: bool = True,
    cancel: CancelToken | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
    again: bool = False,
) -> Iterator[Event]:
    """Judge the rows that have no line in ``out`` yet, as ``each_row`` does, by the session's model, which is loaded
    first. ``ask``: gives a row's verdict, for rows that aren't only texts of their kind; ``listeners``: the listeners
    to ask about, None as in the settings; ``options``: mode, ask and explain of these verdicts, where they differ from
    the settings. Yields the model's loading and what ``each_row`` yields."""
    _LOG.info("batch %s: %d rows, %d of them have a line", kind, tally.rows, tally.skipped)
    made: dict[str, str] = {}
    usual = asker(session, kind, force=force, listeners=listeners, record=record, cancel=cancel, options=options)
    try:
        # The lines of a finished file may come from another model, so the model is loaded for comparison in any case.
        if tally.left or tally.skipped:
            if session.model is None:
                last = yield from last_of(session.load(cancel=cancel))
                if not isinstance(last, Finished):
                    yield last
                    return
            made = batch_made_by(session, kind, listeners, options)
            # Where no line is added, another build of the program doesn't matter.
            out.check(made if tally.left else {name: value for name, value in made.items() if name != "build"})
    except JokeJudgeError as error:
        yield Failed(error=info(error))
        return

    def line(row: Row, last: Last) -> Line:
        return row_line(kind, row, last) | {"made_by": made}

    yield from each_row(rows, ask or usual, line, out, tally, again=again)


def asker(
    session: Session,
    kind: str,
    *,
    force: bool = False,
    listeners: tuple[str, ...] | None = None,
    record: bool = True,
    cancel: CancelToken | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Asker:
    """Return a function that asks for the verdict on a row."""
    about = KINDS[kind]
    fields: dict[str, Any] = {"forced": force} if "forced" in about.request.model_fields else {}
    if listeners is not None and "listeners" in about.request.model_fields:
        fields["listeners"] = listeners

    def ask(row: Row) -> Iterator[Event]:
        of_row = {name: value for name in (GENERATOR, CONTEXT) if (value := getattr(row, name))}
        texts = [text or "" for text in row.texts]
        yield from session.ask(about, texts, record=record, cancel=cancel, **options, **fields, **of_row)

    return ask


def batch_made_by(
    session: Session,
    kind: str,
    listeners: tuple[str, ...] | None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, str]:
    """Return everything that the lines of a batch depend on: the model with its heads, plan and criteria, and the
    listeners. Raises ``ModelError`` ``E_MODEL_MISSING``."""
    made = made_by(session, options)
    if "listeners" not in KINDS[kind].request.model_fields:
        return made
    wanted = tuple(session.settings.listeners) if listeners is None else listeners
    return {**made, "listeners": "; ".join(wanted) or "nobody"}


def row_line(kind: str, row: Row, last: Last) -> Line:
    """Return the line of a row whose verdict ended like this: the verdict's JSON object, or its error."""
    about, error = KINDS[kind], last.error if isinstance(last, Failed) else None
    if last.result is None:
        assert error is not None
        line = about.unread(row.texts, error)
    else:
        line = about.contract(last.result)
    more: Line = {"context": row.context} if row.context else {}
    if row.columns:
        more["columns"] = dict(row.columns)
    return line | {"id": row.id, "error": error.model_dump() if error is not None else None} | more
