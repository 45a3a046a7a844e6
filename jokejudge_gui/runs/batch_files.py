"""The two files of a batch: rows in from CSV, JSON lines or plain lines; lines out as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..errors import InputError, UsageError, info
from ..files import atomic_writer, parse_json
from ..tables import read_whole, rows_of
from ..verdicts import ErrorInfo, Kind
from .lines import LinesFile

COLUMNS: dict[Kind, tuple[str, ...]] = {"rate": ("text",), "duel": ("text_a", "text_b")}
_DUPLICATE = "E_BATCH_DUPLICATE_ID"


@dataclass(frozen=True)
class Row:
    """A row of IN. ``problem``: why it can't be judged, known before any model is asked."""

    line: int
    id: str | None
    texts: tuple[str | None, ...]
    problem: ErrorInfo | None = None


def read_rows(source: str, kind: Kind) -> list[Row]:
    """All rows of a file, or of standard input for ``-``, as UTF-8 text: CSV with a header that names the columns;
    JSON lines (a name that ends in .jsonl, or a first line that begins with a brace); for ratings also plain lines,
    one joke each, their line numbers for ids (a name that ends in .txt, or standard input without such a header).
    Raises ``UsageError`` for a missing column and ``InputError`` for a file that isn't in that form."""
    text = read_whole(source)
    seen: dict[str, int] = {}
    form = _form(text, source, kind)
    if form == "json":
        return [_json_row(line, source, number, kind, seen) for number, line in _lines(text)]
    if form == "plain":
        return [_checked(number, str(number), (line,), kind, seen) for number, line in _lines(text)]
    (_, header), *lines = rows_of(text, source) or [(1, [])]
    places = _places(header, source, kind)
    return [_row(cells, places, line, kind, seen) for line, cells in lines]


def _form(text: str, source: str, kind: Kind) -> Literal["csv", "json", "plain"]:
    name, single = source.lower(), len(COLUMNS[kind]) == 1
    first = text.lstrip("\r\n").split("\n", 1)[0]
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
    return "plain" if source == "-" and single and text.strip() and not cells & {"id", "text"} else "csv"


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that aren't blank, with their numbers. Only line feeds end a line: a joke may hold other separators."""
    lines = enumerate(text.split("\n"), start=1)
    return [(number, line.removesuffix("\r")) for number, line in lines if line.strip()]


def _json_row(line: str, source: str, number: int, kind: Kind, seen: dict[str, int]) -> Row:
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
    return _checked(number, str(id) if isinstance(id, str | int) else "", texts, kind, seen)


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
    return {name: names.index(name) for name in wanted}


def _row(cells: list[str], places: dict[str, int], line: int, kind: Kind, seen: dict[str, int]) -> Row:
    def cell(name: str) -> str | None:
        place = places[name]
        return cells[place] if place < len(cells) else None

    return _checked(line, cell("id") or "", tuple(cell(name) for name in COLUMNS[kind]), kind, seen)


def _checked(line: int, id_cell: str, texts: tuple[str | None, ...], kind: Kind, seen: dict[str, int]) -> Row:
    """A row, and what is wrong with it."""
    id = id_cell.strip() or None
    problem: ErrorInfo | None = None
    if id is None:
        problem = _problem("E_BATCH_ID", f"The row on line {line} has no id.", "Give every row an id of its own.")
    elif id in seen:
        problem = _problem(
            _DUPLICATE,
            f"The row on line {line} has the id {id!r} of the row on line {seen[id]}.",
            "Give every row an id of its own.",
        )
    else:
        seen[id] = line
        for name, text in zip(COLUMNS[kind], texts, strict=True):
            if not (text or "").strip():
                problem = _problem(
                    "E_BATCH_TEXT", f"The row on line {line} has no {name}.", "Fill it in, or leave it out."
                )
                break
    return Row(line=line, id=id, texts=texts, problem=problem)


def _problem(code: str, sentence: str, hint: str) -> ErrorInfo:
    return info(InputError(code, sentence, hint))


class OutFile(LinesFile):
    """OUT of a batch. Opening reads what an earlier run left, and with ``retry_errors`` takes the error lines of
    ``ids`` out. Raises ``UsageError`` for a file that isn't a batch's."""

    def __init__(self, path: Path, kind: Kind, *, retry_errors: bool = False, ids: Iterable[str] = ()) -> None:
        self.judged: set[str] = set()
        self.told: set[tuple[str | None, str]] = set()
        self._kind = kind
        self.run = kind
        self._retried = frozenset(ids) if retry_errors else frozenset()
        super().__init__(path)

    def has(self, row: Row) -> bool:
        """Whether an earlier run answered this row."""
        if row.problem is not None and (row.id is None or row.problem.code == _DUPLICATE):
            return (row.id, row.problem.sentence) in self.told
        return row.id in self.judged

    def _recover(self) -> None:
        self._errors = False
        super()._recover()
        if self._errors:
            self._drop_errors()

    def _take(self, line: bytes, number: int) -> None:
        id, error = self._read(line, number)
        if error is not None and id in self._retried:
            self._errors = True
        elif error is not None and (id is None or error.code == _DUPLICATE):
            self.told.add((id, error.sentence))
        elif id is not None:
            self.judged.add(id)

    def _read(self, line: bytes, number: int) -> tuple[str | None, ErrorInfo | None]:
        """A line's id, and its error if it has one."""
        try:
            value = parse_json(line)
            id, error = value["id"], value["error"]
            info = None if error is None else ErrorInfo.model_validate(error)
        except (ValueError, KeyError, TypeError) as fault:
            raise self._foreign(number) from fault
        if not (id is None or isinstance(id, str)) or not all(name in value for name in COLUMNS[self._kind]):
            raise self._foreign(number)
        return id, info

    def _foreign(self, number: int) -> UsageError:
        return UsageError(
            "E_BATCH_OUT",
            f"Line {number} of {self.path} isn't a line of this kind of batch, so nothing was written to the file.",
            "Give --out a new name.",
        )

    def _drop_errors(self) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            for number, line in enumerate(self._stream, start=1):
                if self._is_first_line(line, number):
                    fresh.write(line)
                    continue
                id, error = self._read(line, number)
                if error is None or id not in self._retried:
                    fresh.write(line)
        self._reopen()
        self._size = self.path.stat().st_size
