"""The rows of a batch, from a list in any form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import islice

from ..core.errors import ErrorInfo, InputError, UsageError, info
from ..core.tables import Cells, Table, TextSource
from ..core.verdicts import Kind
from .lines import DUPLICATE, Row, RowList, Shard, row_key
from .lists import SEPARATORS, Choices, Unescaping, rows_of

GENERATOR = "generator"
"""An optional column: the model that wrote the row's texts."""
CONTEXT = "context"
"""An optional column: the topic or scene of the row's texts."""
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
_MOST_ROWS = 5_000_000
_NO_COLUMNS: dict[str, str] = {}
_ASKED = (GENERATOR, CONTEXT, *(name for names in COLUMNS.values() for name in names))


class Rows(RowList):
    """The rows of a file, or of standard input for ``-``: a table whose header names the columns, JSON lines, a JSON
    array, or for ratings plain text, read as ``read_list`` does, with line numbers as ids. A row without an id has its
    number, from 1. ``generator``, ``context``: the defaults of rows without them; ``choices``: how the list is read;
    ``text``: the list itself, JSON lines, and ``source`` its name. ``notes``: what is to be said of the list;
    ``left_out``: what of it is no row, in words; ``ids``: the first line of each id.

    With a ``shard`` only that part's rows are there. Raises ``UsageError`` for a missing column and ``InputError`` for
    a file that isn't in that form."""

    def __init__(
        self,
        source: str,
        kind: Kind,
        shard: Shard | None = None,
        generator: str = "",
        context: str = "",
        text: str | None = None,
        choices: Choices | None = None,
    ) -> None:
        super().__init__()
        choices, names = choices or Choices(), COLUMNS[kind]
        delimiter = SEPARATORS.get(choices.separator or "")
        reader = TextSource(source, text=text)
        name = "" if text is None else "list.jsonl"
        table = Table(reader, name=name, text_column=choices.text_column, delimiter=delimiter, asked=_ASKED)
        plain = table.shape == "plain" or (len(names) == 1 and choices.separator in ("lines", "blocks"))
        if plain or table.shape == "csv":
            _check_columns(table, reader.name, names, choices, plain=plain)
        rows, self.left_out, more = rows_of(table, reader, choices, alone=len(names) == 1)
        unescaping = Unescaping(choices.unescape)
        for line, cells in islice(rows, _MOST_ROWS + 1):  # into one object each, since there may be millions
            id = cells.pop("id", "").strip()
            texts = tuple(text and unescaping.read(text) for text in (cells.pop(name, None) for name in names))
            problem = _problem(line, dict(zip(names, texts, strict=True)), cells)
            writer = cells.get(GENERATOR, "").strip() or generator
            scene = cells.get(CONTEXT, "").strip() or context.strip()
            self.append(Row(line, id, texts, problem, writer, scene, dict(cells) if cells else _NO_COLUMNS))
        if len(self) > _MOST_ROWS:
            sentence = f"{reader.name} has more than {_MOST_ROWS:,} rows."
            raise InputError("E_INPUT_LARGE", sentence, "Divide it into several files.")
        if self and table.shape in ("json", "array"):
            _check_columns(table, reader.name, names, choices, plain=plain)  # its columns are known only now
        given = {row.id for row in self}
        for place, row in enumerate(self):
            id = row.id or str(row.line if plain else place + 1)
            while not row.id and id in given:
                id = f"row {id}"
            if shard is None or shard.holds(id):
                first = self.ids.setdefault(id, row.line)
                problem = row.problem if first == row.line else _double(row.line, id, first)
                if (id, problem) != (row.id, row.problem):
                    self[place] = replace(row, id=id, problem=problem)
        if shard is not None:
            self[:] = [row for row in self if row.id in self.ids]
        self.notes = (*table.notes, *unescaping.notes, *more)

    @cached_property
    def keys(self) -> set[int]:
        """The ``row_key`` of each row."""
        return {row_key(row.id or "", row.texts, row.context) for row in self}


def _check_columns(table: Table, source: str, names: Sequence[str], choices: Choices, *, plain: bool) -> None:
    hint = f"The first line names the columns: id,{','.join(names)}."
    if not plain:
        table.check(source, names, "E_BATCH_COLUMN", hint)
    elif len(names) > 1 or choices.text_column is not None:
        what = "a duel needs two jokes" if len(names) > 1 else "no columns"
        raise UsageError("E_BATCH_COLUMN", f"{source} holds single lines, but {what}.", hint)


def _double(line: int, id: str, first: int) -> ErrorInfo:
    sentence = f"The row on line {line} has the id {id!r} of the row on line {first}."
    return info(InputError(DUPLICATE, sentence, "Give every row an id of its own."))


def _problem(line: int, texts: dict[str, str | None], cells: Cells) -> ErrorInfo | None:
    """Return why a row can't be judged; None if it can."""
    if cells.problem is not None:
        return info(cells.problem)
    missing = next((name for name, text in texts.items() if not (text or "").strip()), None)
    if missing is None:
        return None
    return info(InputError("E_BATCH_TEXT", f"The row on line {line} has no {missing}.", "Fill it in, or leave it out."))
