"""The rows of a batch, from CSV, JSON lines or plain lines; read one by one, so that there may be millions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Literal

from ..errors import InputError, UsageError, info
from ..files import parse_json
from ..tables import TextSource, streamed_rows
from ..verdicts import ErrorInfo, Kind
from .name_set import NameSet, name_hash
from .shard import Shard

GENERATOR = "generator"
"""A column that need not be there: the model that wrote the row's texts."""
COLUMNS: dict[str, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
DUPLICATE = "E_BATCH_DUPLICATE_ID"
_Texts = tuple[str | None, ...]


@dataclass(frozen=True)
class Row:
    """A row of IN. ``problem``: why it can't be judged, known before any model is asked; ``generator``: the model that
    wrote its texts, empty where nobody said."""

    line: int
    id: str | None
    texts: tuple[str | None, ...]
    problem: ErrorInfo | None = None
    generator: str = ""


class Rows:
    """The rows of a file, or of standard input for ``-``, as UTF-8 text: CSV with a header that names the columns;
    JSON lines (a name that ends in .jsonl, or a first line that begins with a brace); for ratings also plain lines,
    one joke each, their line numbers for ids (a name that ends in .txt, or standard input without such a header).
    ``generator``: who wrote the texts of rows that don't say it.

    They can be gone through as often as one likes; nothing but 8 bytes of each id is kept. With a ``shard`` the rows of
    that part alone. ``names``: their ids. Opening goes through them once. Raises ``UsageError`` for a missing column
    and ``InputError`` for a file that isn't in that form."""

    def __init__(self, source: str, kind: Kind, shard: Shard | None = None, generator: str = "") -> None:
        self._kind = kind
        self._generator = generator
        self._shard = shard
        self._stack = ExitStack()
        self._text = self._stack.enter_context(TextSource(source))
        self.names = NameSet()
        self._doubles: frozenset[int] = frozenset()
        try:
            self._form = _form(self._text.first_line(), source, kind)
            seen = NameSet()
            self._count = 0
            for _, id, _, _ in self._cells():
                if id is not None:
                    seen.add(id)
                if self._mine(id):
                    self._count += 1
                    if id is not None:
                        self.names.add(id)
            self._doubles = seen.doubles()
        except BaseException:
            self._stack.close()
            raise

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[Row]:
        first: dict[str, int] = {}  # lines of the ids that come more than once
        for line, id, texts, generator in self._cells():
            double = None
            if id is not None and self._doubles and name_hash(id) in self._doubles:
                double = first.setdefault(id, line)
            if self._mine(id):
                problem = self._problem(line, id, texts, double)
                yield Row(line=line, id=id, texts=texts, problem=problem, generator=generator or self._generator)

    def close(self) -> None:
        """Close the file."""
        self._stack.close()

    def _mine(self, id: str | None) -> bool:
        return self._shard is None or self._shard.holds(id)

    def _cells(self) -> Iterator[tuple[int, str | None, _Texts, str]]:
        """Line, id, texts and generator of each row."""
        source, columns = self._text.name, COLUMNS[self._kind]
        if self._form == "csv":
            rows = streamed_rows(self._text.lines(), source)
            _, header = next(rows, (1, []))
            places = _places(header, source, self._kind)
            for line, cells in rows:
                found = {name: cells[at] if at < len(cells) else None for name, at in places.items()}
                texts = tuple(found[name] for name in columns)
                yield line, (found["id"] or "").strip() or None, texts, (found.get(GENERATOR) or "").strip()
            return
        for line, text in _lines(self._text.lines(newline="\n")):
            if self._form == "plain":
                yield line, str(line), (text,), ""
            else:
                yield line, *_json_cells(text, source, line, self._kind)

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


def _form(first: str, source: str, kind: Kind) -> Literal["csv", "json", "plain"]:
    """The form of a file whose first line that isn't empty is ``first``."""
    name, single = source.lower(), len(COLUMNS[kind]) == 1
    if name.endswith((".jsonl", ".ndjson")) or first.lstrip().startswith('{"'):
        return "json"
    if name.endswith(".txt"):
        if single:
            return "plain"
        raise UsageError(
            "E_BATCH_COLUMN",
            f"{source} holds single lines, but a duel needs two jokes.",
            "Give a CSV file with the columns id,text_a,text_b.",
        )
    cells = {cell.strip().lower() for cell in first.split(",")}
    return "plain" if source == "-" and single and first.strip() and not cells & {"id", "text"} else "csv"


def _lines(lines: Iterator[str]) -> Iterator[tuple[int, str]]:
    """The lines that aren't blank, with their numbers. Only line feeds end a line: a joke may hold other separators."""
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, line.removesuffix("\n").removesuffix("\r")


def _json_cells(line: str, source: str, number: int, kind: Kind) -> tuple[str | None, _Texts, str]:
    try:
        value = parse_json(line)
        if not isinstance(value, dict):
            raise ValueError("it isn't an object")
    except ValueError as error:
        raise InputError(
            "E_BATCH_JSON",
            f"Line {number} of {source} can't be read: {error}.",
            f"Each line is one object, with {', '.join(('id', *COLUMNS[kind]))}.",
        ) from error
    id = value.get("id")
    texts = tuple(text if isinstance(text := value.get(name), str) else None for name in COLUMNS[kind])
    generator = value.get(GENERATOR)
    name = generator.strip() if isinstance(generator, str) else ""
    return (str(id).strip() or None) if isinstance(id, str | int) else None, texts, name


def _places(header: list[str], source: str, kind: Kind) -> dict[str, int]:
    names = [cell.strip().lower() for cell in header]
    wanted = ("id", *COLUMNS[kind])
    for name in wanted:
        if names.count(name) != 1:
            what = "has no column" if name not in names else "has more than one column"
            found = f"it has {', '.join(repr(c[:40]) for c in header[:12])}" if header else "it has no header line"
            raise UsageError(
                "E_BATCH_COLUMN",
                f"{source} {what} {name!r}: {found}.",
                f"The first line names the columns, separated by commas: {','.join(wanted)}.",
            )
    return {name: names.index(name) for name in (*wanted, GENERATOR) if name in names}


def _problem(code: str, sentence: str, hint: str) -> ErrorInfo:
    return info(InputError(code, sentence, hint))
