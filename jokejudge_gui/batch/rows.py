"""The rows of a batch, from a list in any form; read one by one, so that there may be millions."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from ..core.errors import ErrorInfo, InputError, UsageError, info
from ..core.tables import Table, TextSource, no_text_column
from ..core.verdicts import Kind
from .lines import DUPLICATE, Row, Shard, row_key
from .lists import numbered_lines

GENERATOR = "generator"
"""An optional column: the model that wrote the row's texts."""
CONTEXT = "context"
"""An optional column: the topic or scene of the row's texts."""
MOST_ROWS = 5_000_000
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
_ASKED = (GENERATOR, CONTEXT, *(name for names in COLUMNS.values() for name in names))


class Rows:
    """The rows of a file, or of standard input for ``-``: a table whose header names the columns, JSON lines, a JSON
    array, or for ratings plain lines, one joke each, with their line numbers as ids. Where no row has an id, they are
    numbered from 1. ``generator``, ``context``: the defaults of rows without them; ``text_column``: the column with the
    jokes; ``text``: the list itself, in which case ``source`` is its name.

    The rows can be iterated over repeatedly; only their ``ids`` are kept. With a ``shard`` only that part's rows are
    yielded. Opening iterates over them once. Raises ``UsageError`` for a missing column and ``InputError`` for a file
    that isn't in that form."""

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
        self._columns, self._generator, self._context = COLUMNS[kind], generator, context.strip()
        self._shard = shard or Shard(1, 1)
        self._text = TextSource(source, text=text)
        self._count, self._numbered = 0, False
        self.ids: set[str] = set()
        self._first: dict[str, int] = {}
        """The first line of each id that several rows have."""
        try:
            self._table = Table(self._text, text_column=text_column, asked=_ASKED)
            self._check_columns(text_column)
            # Whether any row has an id is known only at the end of the list.
            self._numbered = all(id is None for _, id, _ in self._read())
            doubles = set()
            for _, id, _ in self._mine():
                self._count += 1
                if id is not None:
                    if id in self.ids:
                        doubles.add(id)
                    self.ids.add(id)
            for line, id, _ in self._mine() if doubles else ():
                if id in doubles:
                    self._first.setdefault(id, line)
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
                problem=self._problem(line, id, texts),
                generator=cells.get(GENERATOR, "").strip() or self._generator,
                context=self._context_of(cells),
                columns={name: cell for name, cell in cells.items() if name not in self._columns},
            )

    @cached_property
    def keys(self) -> set[int]:
        """The ``row_key`` of each row."""
        rows = ((id, cells) for _, id, cells in self._mine() if id is not None)
        return {row_key(id, self._texts(cells), self._context_of(cells)) for id, cells in rows}

    def close(self) -> None:
        """Close the file."""
        self._text.__exit__()

    def _read(self) -> Iterator[tuple[int, str | None, dict[str, str]]]:
        """Yield the line, the id and the other cells of each row."""
        rows = self._table.rows()
        if self._table.shape == "plain":
            lines = ((line, row["text"]) for line, row in rows)
            rows = ((line, {"id": str(line), "text": text}) for line, text in numbered_lines(lines))
        for count, (line, cells) in enumerate(rows, start=1):
            if count > MOST_ROWS:
                sentence = f"{self._text.name} has more than {MOST_ROWS:,} rows."
                raise InputError("E_INPUT_LARGE", sentence, "Divide it into several files.")
            yield line, cells.pop("id", "").strip() or (str(count) if self._numbered else None), cells

    def _mine(self) -> Iterator[tuple[int, str | None, dict[str, str]]]:
        return (row for row in self._read() if self._shard.holds(row[1]))

    def _texts(self, cells: dict[str, str]) -> tuple[str | None, ...]:
        return tuple(cells.get(name) for name in self._columns)

    def _context_of(self, cells: dict[str, str]) -> str:
        return cells.get(CONTEXT, "").strip() or self._context

    def _check_columns(self, text_column: str | None) -> None:
        table, source, names = self._table, self._text.name, self._columns
        sentence, hint = "", f"The first line names the columns: id,{','.join(names)}."
        if table.shape == "plain" and len(names) > 1:
            sentence = f"{source} holds single lines, but a duel needs two jokes."
        elif table.shape == "plain" and text_column is not None:
            sentence = f"{source} holds single lines, but no columns."
        elif table.shape == "csv":
            twice = [name for name in ("id", *names) if table.names.count(name) > 1]
            missing = [name for name in names if name not in table.names]
            if missing == ["text"]:
                raise no_text_column(source, table.header, "E_BATCH_COLUMN", text_column)
            if twice:
                sentence, hint = f"{source} has more than one column {twice[0]!r}.", "Rename one of them."
            elif missing:
                there = ", ".join(repr(cell[:40]) for cell in table.header[:12])
                there = f"it has {there}" if there else "it has no header line"
                sentence = f"{source} has no column {missing[0]!r}: {there}."
        if sentence:
            raise UsageError("E_BATCH_COLUMN", sentence, hint)

    def _problem(self, line: int, id: str | None, texts: tuple[str | None, ...]) -> ErrorInfo | None:
        """Return why a row can't be judged; None if it can."""
        own = "Give every row an id of its own."
        if id is None:
            return info(InputError("E_BATCH_ID", f"The row on line {line} has no id.", own))
        first = self._first.get(id, line)
        if first != line:
            return info(
                InputError(DUPLICATE, f"The row on line {line} has the id {id!r} of the row on line {first}.", own)
            )
        for name, text in zip(self._columns, texts, strict=True):
            if not (text or "").strip():
                missing = f"The row on line {line} has no {name}."
                return info(InputError("E_BATCH_TEXT", missing, "Fill it in, or leave it out."))
        return None
