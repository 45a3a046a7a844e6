"""The rows of a batch, from a list in any form; read one by one, so that there may be millions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field, replace

from ..errors import InputError, UsageError, info
from ..tables import Table, TextSource, no_text_column
from ..verdicts import ErrorInfo, Kind
from .lists import numbered_lines
from .name_set import NameSet, name_hash
from .shard import Shard

GENERATOR = "generator"
"""A column that need not be there: the model that wrote the row's texts."""
CONTEXT = "context"
"""Another one: the topic or scene that the row's texts are about."""
MOST_ROWS = 5_000_000
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
DUPLICATE = "E_BATCH_DUPLICATE_ID"
_ASKED = (GENERATOR, CONTEXT, *(name for names in COLUMNS.values() for name in names))
_Texts = tuple[str | None, ...]


@dataclass(frozen=True)
class Row:
    """A row of IN. ``problem``: why it can't be judged, known before any model is asked; ``generator``: the model that
    wrote its texts, empty where nobody said; ``context``: what they are about; ``columns``: all others."""

    line: int
    id: str | None
    texts: tuple[str | None, ...]
    problem: ErrorInfo | None = None
    generator: str = ""
    context: str = ""
    columns: Mapping[str, str] = field(default_factory=dict)


class Rows:
    """The rows of a file, or of standard input for ``-``: a table whose header names the columns, JSON lines, a JSON
    array, or for ratings plain lines, one joke each, their line numbers for ids. Where no row has an id, they are
    numbered from 1. ``generator``: who wrote the texts of rows that don't say it; ``text_column``: the column with the
    jokes.

    They can be gone through as often as one likes; nothing but 16 bytes of each row is kept. With a ``shard`` the rows
    of that part alone. ``names``: their ids; ``keys``: what ``row_key`` says of them. Opening goes through them once.
    Raises ``UsageError`` for a missing column and ``InputError`` for a file that isn't in that form."""

    def __init__(
        self,
        source: str,
        kind: Kind,
        shard: Shard | None = None,
        generator: str = "",
        text_column: str | None = None,
    ) -> None:
        self._kind = kind
        self._generator = generator
        self._shard = shard
        self._stack = ExitStack()
        self._text = self._stack.enter_context(TextSource(source))
        self.names = NameSet()
        self.keys = NameSet()
        self._doubles: frozenset[int] = frozenset()
        self._counted = False
        try:
            self._table = Table(self._text, text_column=text_column, asked=_ASKED, code="E_BATCH_JSON")
            self._check_columns(text_column)
            # Whether any row has an id shows at the end, so what is kept meanwhile is for rows that have one.
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
        first: dict[str, int] = {}  # lines of the ids that come more than once
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
        """Each row as it stands there."""
        columns, count = COLUMNS[self._kind], 0
        if self._table.shape == "plain":
            lines = ((line, row["text"]) for line, row in self._table.rows())
            for line, text in numbered_lines(lines):
                count = self._one_more(count)
                yield Row(line=line, id=str(line), texts=(text,))
            return
        for line, cells in self._table.rows():
            count = self._one_more(count)
            texts = tuple(cells.pop(name, None) for name in columns)
            id = cells.pop("id", "").strip() or (str(count) if self._counted else None)
            generator, context = cells.get(GENERATOR, "").strip(), cells.get(CONTEXT, "").strip()
            yield Row(line=line, id=id, texts=texts, generator=generator, context=context, columns=cells)

    def _one_more(self, count: int) -> int:
        if count == MOST_ROWS:
            raise InputError(
                "E_INPUT_LARGE",
                f"{self._text.name} has more than {MOST_ROWS:,} rows.",
                "Divide it into several files.",
            )
        return count + 1

    def _problem(self, line: int, id: str | None, texts: _Texts, first: int | None) -> ErrorInfo | None:
        """What is wrong with a row; ``first``: the line that its id stands on first."""
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
    """Names a row with what it says, however its line ends are written."""
    parts = (part.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for part in map(_plain, texts))
    return "\0".join((id, *parts, " ".join(context.split())))


def _plain(text: str | None) -> str:
    return (text or "").replace("\r\n", "\n").replace("\r", "\n").strip().lstrip("\ufeff").strip()


def _problem(code: str, sentence: str, hint: str) -> ErrorInfo:
    return info(InputError(code, sentence, hint))
