"""Judging many rows one after another, with a line in a file for each: a job for the window, the terminal and
Python."""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from ..core.errors import ErrorInfo, InputError, JokeJudgeError, UsageError, info
from ..core.events import Cancelled, Event, Failed, Finished, RowBegun
from ..core.files import atomic_writer, parse_json
from ..core.logs import log
from ..core.outputs import CsvLines, write_export
from ..core.tables import Table, TextSource, no_text_column
from ..core.texts import json_line
from ..core.verdicts import Kind
from ..engine.base import CancelToken
from ..judge.kinds import KINDS
from ..session.session import Session
from .build import difference, made_by
from .lines import LinesFile, NameSet, Shard, name_hash
from .lists import numbered_lines

# -- the rows of a batch, from a list in any form; read one by one, so that there may be millions ---------------------

GENERATOR = "generator"
"""An optional column: the model that wrote the row's texts."""
CONTEXT = "context"
"""An optional column: the topic or scene of the row's texts."""
MOST_ROWS = 5_000_000
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
DUPLICATE = "E_BATCH_DUPLICATE_ID"
_ASKED = (GENERATOR, CONTEXT, *(name for names in COLUMNS.values() for name in names))
_Texts = tuple[str | None, ...]


@dataclass(frozen=True)
class Row:
    """A row of the list. ``problem``: why it can't be judged, known before any model is asked; ``generator``: the model
    that wrote its texts, empty where unknown; ``context``: their topic or scene; ``columns``: all other columns."""

    line: int
    id: str | None
    texts: tuple[str | None, ...]
    problem: ErrorInfo | None = None
    generator: str = ""
    context: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


class Rows:
    """The rows of a file, or of standard input for ``-``: a table whose header names the columns, JSON lines, a JSON
    array, or for ratings plain lines, one joke each, with their line numbers as ids. Where no row has an id, they are
    numbered from 1. ``generator``, ``context``: the defaults of rows without them; ``text_column``: the column with the
    jokes.

    ``text``: the list itself, in which case ``source`` is its name.

    The rows can be iterated over repeatedly; only 16 bytes of each are kept. With a ``shard`` only that part's rows are
    yielded. ``names``: their ids; ``keys``: their ``row_key``. Opening iterates over them once. Raises ``UsageError``
    for a missing column and ``InputError`` for a file that isn't in that form."""

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
        self.names = NameSet()
        self.keys = NameSet()
        self._doubles: frozenset[int] = frozenset()
        self._counted = False
        try:
            self._table = Table(self._text, text_column=text_column, asked=_ASKED, code="E_BATCH_JSON")
            self._check_columns(text_column)
            # Whether any row has an id is known only at the end, so the first pass keeps ids of rows that have one.
            self._counted = self._table.shape != "plain" and all(row.id is None for row in self._found())
            seen = NameSet()
            self._count = 0
            for row in self._found():
                if row.id is not None:
                    seen.add(row.id)
                if self._mine(row.id):
                    self._count += 1
                    if row.id is not None:
                        self.names.add(row.id)
                        self.keys.add(row_key(row.id, row.texts, row.context))
            self._doubles = seen.doubles()
        except BaseException:
            self._stack.close()
            raise

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        first: dict[str, int] = {}  # the first line of each duplicate id
        for row in self._found():
            double = None
            if row.id is not None and self._doubles and name_hash(row.id) in self._doubles:
                double = first.setdefault(row.id, row.line)
            if self._mine(row.id):
                problem = self._problem(row.line, row.id, row.texts, double)
                yield replace(row, problem=problem, generator=row.generator or self._generator)

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


def row_key(id: str, texts: Sequence[str | None], context: str) -> str:
    """Return a key of a row's id, texts and context, regardless of the form of line ends."""
    parts = (part.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for part in map(_plain, texts))
    return "\0".join((id, *parts, " ".join(context.split())))


def _plain(text: str | None) -> str:
    return (text or "").replace("\r\n", "\n").replace("\r", "\n").strip().lstrip("\ufeff").strip()


def _problem(code: str, sentence: str, hint: str) -> ErrorInfo:
    return info(InputError(code, sentence, hint))


# -- the output of a batch: a line of JSON for each row ---------------------------------------------------------------


class OutFile(LinesFile):
    """The output file of a batch. Opening reads the lines of an earlier run and removes those of ``ids`` whose texts
    have changed (``keys``: ``row_key`` of the present rows; None: they aren't compared), and with ``retry_errors`` the
    error lines of ``ids``. Raises ``UsageError`` for a file that isn't a batch's."""

    def __init__(
        self,
        path: Path,
        kind: str,
        *,
        retry_errors: bool = False,
        ids: Container[str] = (),
        keys: Container[str] | None = None,
    ) -> None:
        self.foreign = ("E_BATCH_OUT", "a line of this kind of batch", "Give --out a new name.")
        self._ids, self._keys = ids, keys
        self._judged = NameSet()
        self._errors = NameSet()
        self._made: dict[str, dict[str, str]] = {}
        self._fields = COLUMNS.get(kind, ())
        self.run = kind
        self._retries = retry_errors
        super().__init__(path)

    def has(self, row: Row) -> bool:
        """Whether the row has a line of an earlier run."""
        if row.problem is not None and (row.id is None or row.problem.code == DUPLICATE):
            return _error_key(row.id, row.problem.sentence) in self._errors
        return row.id is not None and row.id in self._judged

    def check(self, made_by: dict[str, str]) -> None:
        """Raise ``UsageError`` ``E_BATCH_MIXED`` where lines of an earlier run differ from ``made_by``."""
        for found in self._made.values():
            what = difference(found, made_by)
            if what is not None:
                raise UsageError(
                    "E_BATCH_MIXED",
                    f"{self.path} holds verdicts of another {what}, which can't be mixed with these.",
                    f"Give --out a new name, or use the same {what} as before.",
                )

    def _recover(self) -> None:
        self._drops = False
        super()._recover()
        if self._drops:
            self._drop()

    def _take(self, line: bytes, number: int) -> None:
        id, error, made_by, gone = self._read(line, number)
        if gone:
            self._drops = True
            return
        self._made.setdefault(json.dumps(made_by), made_by)
        if error is not None and (id is None or error.code == DUPLICATE):
            self._errors.add(_error_key(id, error.sentence))
        elif id is not None:
            self._judged.add(id)

    def _read(self, line: bytes, number: int) -> tuple[str | None, ErrorInfo | None, dict[str, str], bool]:
        """Return a line's id, its error or None, its ``made_by`` as far as known, and whether its row is to be judged
        again."""
        try:
            value = parse_json(line)
            id, error = value["id"], value["error"]
            info = None if error is None else ErrorInfo.model_validate(error)
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        if not (id is None or isinstance(id, str)) or not all(name in value for name in self._fields):
            raise self._foreign(number)
        self._check(value)
        made_by = value.get("made_by")
        making = made_by.items() if isinstance(made_by, dict) else ()
        again = id is not None and id in self._ids and ((self._retries and info is not None) or self._edited(id, value))
        return id, info, {str(name): each for name, each in making if isinstance(each, str)}, again

    def _edited(self, id: str, value: dict[str, Any]) -> bool:
        if self._keys is None:
            return False
        texts = [text if isinstance(text := value.get(name), str) else None for name in self._fields]
        context = value.get("context")
        return row_key(id, texts, context if isinstance(context, str) else "") not in self._keys

    def _check(self, value: dict[str, Any]) -> None:
        """Raise ``UsageError`` for a line that can't be mixed with this run's lines."""

    def _drop(self) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            for number, line in enumerate(self._stream, start=1):
                if self._is_first_line(line, number):
                    fresh.write(line)
                    continue
                if not self._read(line, number)[3]:
                    fresh.write(line)
        self._reopen()
        self._size = self.path.stat().st_size


class StandardOut(OutFile):
    """Standard output in place of a file: there are no earlier lines, and it can't be continued."""

    def __init__(self) -> None:
        self.path = Path("-")

    def has(self, row: Row) -> bool:
        return False

    def check(self, made_by: dict[str, str]) -> None:
        """Do nothing, as there are no earlier lines."""

    def append(self, value: dict[str, Any]) -> None:
        write_export(self.path, [json_line(value)])

    def close(self) -> None:
        """Do nothing, as standard output stays open."""


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


def _error_key(id: str | None, sentence: str) -> str:
    """Return a key of an error line whose row has no id, or shares its id with another row."""
    return f"{id or ''}\0{sentence}"


_LOG = log("runs")

Asker: TypeAlias = Callable[[Row], Iterator[Event]]


@dataclass
class Tally:
    """Counts of rows. ``skipped``: rows that already had a line; ``errors``: rows whose line is an error."""

    rows: int
    skipped: int = 0
    judged: int = 0
    errors: int = 0

    def count(self, line: Mapping[str, Any]) -> None:
        """Count a line that was written."""
        if line["error"] is None:
            self.judged += 1
        else:
            self.errors += 1

    @property
    def done(self) -> int:
        return self.judged + self.errors

    @property
    def left(self) -> int:
        return self.rows - self.skipped - self.done


def counted(rows: Iterable[Row], file: OutFile) -> Tally:
    """Return the number of rows, and of those that have a line."""
    tally = Tally(rows=0)
    for row in rows:
        tally.rows += 1
        tally.skipped += file.has(row)
    return tally


def batch(
    session: Session,
    kind: str,
    rows: Iterable[Row],
    file: OutFile,
    tally: Tally,
    *,
    ask: Asker | None = None,
    force: bool = False,
    listeners: tuple[str, ...] | None = None,
    record: bool = True,
    cancel: CancelToken | None = None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Event]:
    """Judge the rows that have no line in ``file`` yet; ``tally`` (from ``counted``) is updated meanwhile. ``ask``:
    gives a row's verdict, for rows that aren't only texts of their kind; ``listeners``: the listeners to ask about,
    None as in the settings; ``options``: mode, ask and explain of these verdicts, where they differ from the settings.

    Yields the model's loading, ``RowBegun`` before each row, and one last event: ``Finished`` when every row has its
    line, be it an error; ``Failed`` for an error that concerns every further row; ``Cancelled``. After the last two the
    same call continues where this one stopped."""
    todo = tally.left
    _LOG.info("batch %s: %d rows, %d of them have a line", kind, tally.rows, tally.skipped)
    try:
        # The lines of a finished file may come from another model, so the model is loaded for comparison in any case.
        if (todo or tally.skipped) and session.model is None:
            for event in session.load(cancel=cancel):
                if not isinstance(event, Finished):
                    yield event
                if isinstance(event, Failed | Cancelled):
                    return
        made = batch_made_by(session, kind, listeners, options) if todo or tally.skipped else {}
        # Where no line is added, another build of the program doesn't matter.
        file.check(made if todo else {name: value for name, value in made.items() if name != "build"})
        began = time.monotonic()
        for row in rows if todo else ():
            if file.has(row):
                continue
            yield RowBegun(id=row.id, done=tally.done, total=todo, seconds=time.monotonic() - began)
            own = ask(row) if ask is not None and row.problem is None else None
            found = judged_line(
                session, kind, row, own, force=force, listeners=listeners, record=record, cancel=cancel, options=options
            )
            if isinstance(found, Failed | Cancelled):
                yield found
                return
            file.append(found | {"made_by": made})
            tally.count(found)
    except JokeJudgeError as error:
        _LOG.warning("batch: %s after %d rows", error.code, tally.done)
        yield Failed(error=info(error))
        return
    yield Finished()


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


def judged_line(
    session: Session,
    kind: str,
    row: Row,
    given: Iterator[Event] | None,
    *,
    force: bool,
    listeners: tuple[str, ...] | None,
    record: bool,
    cancel: CancelToken | None,
    options: Mapping[str, Any] = MappingProxyType({}),
) -> dict[str, Any] | Failed | Cancelled:
    """Return a row's line, or the event that ends the run. ``given``: the events of its verdict, if it isn't asked for
    here."""
    if row.problem is not None:
        return unread_line(kind, row, row.problem)
    texts = [text or "" for text in row.texts]
    about = KINDS[kind]
    fields: dict[str, Any] = {"forced": force} if "forced" in about.request.model_fields else {}
    if listeners is not None and "listeners" in about.request.model_fields:
        fields["listeners"] = listeners
    if row.generator:
        fields["generator"] = row.generator
    if row.context:
        fields["context"] = row.context
    *_, last = given or session.ask(about, texts, record=record, cancel=cancel, **options, **fields)
    if isinstance(last, Cancelled):
        return last
    if isinstance(last, Failed):
        if last.error.ends_the_run:
            return Failed(error=last.error)
        known = about.contract(last.result) if last.result else about.unread(row.texts, last.error)
        return known | {"id": row.id, "error": last.error.model_dump()} | _of_row(row)
    assert isinstance(last, Finished)
    assert last.result is not None
    return about.contract(last.result) | {"id": row.id} | _of_row(row)


def unread_line(kind: str, row: Row, error: ErrorInfo) -> dict[str, Any]:
    """Return the line of a row that wasn't judged."""
    return KINDS[kind].unread(row.texts, error, row.id) | _of_row(row)


def _of_row(row: Row) -> dict[str, Any]:
    """Return the parts of a row that its line has besides the texts."""
    topic = {"context": row.context} if row.context else {}
    return topic | ({"columns": dict(row.columns)} if row.columns else {})
