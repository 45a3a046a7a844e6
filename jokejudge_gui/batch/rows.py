"""The rows of a batch, from a list in any form; read one by one, so that there may be millions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..core.errors import ErrorInfo, InputError, UsageError, info
from ..core.tables import Cells, Table, TextSource
from ..core.verdicts import Kind
from .lines import DUPLICATE, Row, Shard, row_key
from .lists import SEPARATORS, Choices, Unescaping, rows_of

GENERATOR = "generator"
"""An optional column: the model that wrote the row's texts."""
CONTEXT = "context"
"""An optional column: the topic or scene of the row's texts."""
MOST_ROWS = 5_000_000
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
_ASKED = (GENERATOR, CONTEXT, *(name for names in COLUMNS.values() for name in names))


class Rows:
    """The rows of a file, or of standard input for ``-``: a table whose header names the columns, JSON lines, a JSON
    array, or for ratings plain text, read as ``read_list`` does, with line numbers as ids. A row without an id has its
    number, from 1. ``generator``, ``context``: the defaults of rows without them; ``choices``: how the list is read;
    ``text``: the list itself, in which case ``source`` is its name. ``notes``: what is to be said of the list;
    ``left_out``: what of it is no row, in words.

    The rows can be iterated over repeatedly; only their ``ids`` are kept. With a ``shard`` only that part's rows are
    yielded. Opening iterates over them once. Raises ``UsageError`` for a missing column and ``InputError`` for a file
    that isn't in that form."""

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
        choices = choices or Choices()
        text_column = choices.text_column
        self._columns, self._generator, self._context = COLUMNS[kind], generator, context.strip()
        self._shard = shard or Shard(1, 1)
        self._text = TextSource(source, text=text)
        self._count = 0
        self._unescaping = Unescaping(choices.unescape)
        self._given: set[str] = set()
        """The ids in the list, where a row has none."""
        self.ids: set[str] = set()
        self._first: dict[str, int] = {}
        """The first line of each id that several rows have."""
        try:
            delimiter = SEPARATORS.get(choices.separator or "")
            self._table = Table(self._text, text_column=text_column, delimiter=delimiter, asked=_ASKED)
            alone = len(self._columns) == 1
            self._plain = self._table.shape == "plain" or (alone and choices.separator in ("lines", "blocks"))
            if self._plain or self._table.shape == "csv":
                self._check_columns(text_column)
            read = rows_of(self._table, self._text, choices) if alone else None
            self._held = read[0] if read is not None else None
            self.left_out = read[1] if read is not None else []
            rows = named = 0
            for _, cells in self._rows():
                rows, named = rows + 1, named + bool(cells.get("id", "").strip())
            if rows and self._table.shape in ("json", "array"):
                self._check_columns(text_column)  # its columns are known only now
            if 0 < named < rows:
                self._given = {cells.get("id", "").strip() for _, cells in self._rows()}
            doubles = set()
            for _, id, cells in self._mine():
                self._count += 1
                self._texts(cells)
                if id in self.ids:
                    doubles.add(id)
                self.ids.add(id)
            for line, id, _ in self._mine() if doubles else ():
                if id in doubles:
                    self._first.setdefault(id, line)
            self.notes = (*self._table.notes, *self._unescaping.notes)
            if self._held is None and self._plain:
                self.notes = (*self.notes, "The list is larger than 16 MB, so each line is read as it stands.")
        except BaseException:
            self.close()
            raise

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        for line, id, cells in self._mine():
            texts = self._texts(cells)
            yield Row(
                line=line,
                id=id,
                texts=texts,
                problem=self._problem(line, id, texts, cells),
                generator=cells.get(GENERATOR, "").strip() or self._generator,
                context=self._context_of(cells),
                columns={name: cell for name, cell in cells.items() if name not in ("id", *self._columns)},
            )

    @cached_property
    def keys(self) -> set[int]:
        """The ``row_key`` of each row."""
        return {row_key(id, self._texts(cells), self._context_of(cells)) for _, id, cells in self._mine()}

    def close(self) -> None:
        """Close the file."""
        self._text.__exit__()

    def _rows(self) -> Iterator[tuple[int, Cells]]:
        """Yield the line and the cells of each row."""
        for count, row in enumerate(self._table.rows() if self._held is None else self._held, start=1):
            if count > MOST_ROWS:
                sentence = f"{self._text.name} has more than {MOST_ROWS:,} rows."
                raise InputError("E_INPUT_LARGE", sentence, "Divide it into several files.")
            yield row

    def _mine(self) -> Iterator[tuple[int, str, Cells]]:
        """Yield the line, the id and the cells of each row of this part."""
        for count, (line, cells) in enumerate(self._rows(), start=1):
            id = cells.get("id", "").strip()
            if not id:
                id = str(line if self._plain else count)
                while id in self._given:
                    id = f"row {id}"
            if self._shard.holds(id):
                yield line, id, cells

    def _texts(self, cells: Cells) -> tuple[str | None, ...]:
        texts = (cells.get(name) for name in self._columns)
        return tuple(self._unescaping.read(text) if text else text for text in texts)

    def _context_of(self, cells: Cells) -> str:
        return cells.get(CONTEXT, "").strip() or self._context

    def _check_columns(self, text_column: str | None) -> None:
        table, source, names = self._table, self._text.name, self._columns
        hint = f"The first line names the columns: id,{','.join(names)}."
        if not self._plain:
            table.check(source, names, "E_BATCH_COLUMN", hint)
        elif len(names) > 1 or text_column is not None:
            what = "a duel needs two jokes" if len(names) > 1 else "no columns"
            raise UsageError("E_BATCH_COLUMN", f"{source} holds single lines, but {what}.", hint)

    def _problem(self, line: int, id: str, texts: tuple[str | None, ...], cells: Cells) -> ErrorInfo | None:
        """Return why a row can't be judged; None if it can."""
        first = self._first.get(id, line)
        if first != line:
            sentence = f"The row on line {line} has the id {id!r} of the row on line {first}."
            return info(InputError(DUPLICATE, sentence, "Give every row an id of its own."))
        if cells.problem is not None:
            return info(cells.problem)
        for name, text in zip(self._columns, texts, strict=True):
            if not (text or "").strip():
                missing = f"The row on line {line} has no {name}."
                return info(InputError("E_BATCH_TEXT", missing, "Fill it in, or leave it out."))
        return None
