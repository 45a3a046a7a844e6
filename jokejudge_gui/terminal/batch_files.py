"""The two files of a batch: rows in from CSV, lines out as JSON."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..errors import InputError, UsageError, info
from ..files import atomic_writer, parse_json
from ..runs.lines import LinesFile
from ..tables import read_table
from ..verdicts import ErrorInfo, Kind

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
    """All rows of a CSV file, or of standard input for ``-``: UTF-8 with a header, commas, quotes doubled inside
    quotes. Raises ``UsageError`` for a missing column and ``InputError`` for a file that isn't such a CSV."""
    (_, header), *lines = read_table(source) or [(1, [])]
    places = _places(header, source, kind)
    seen: dict[str, int] = {}
    return [_row(cells, places, line, kind, seen) for line, cells in lines]


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

    id = (cell("id") or "").strip() or None
    texts = tuple(cell(name) for name in COLUMNS[kind])
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
            f"Line {number} of {self.path} isn't a line of such a batch, so nothing was written to it.",
            "Give --out a new name.",
        )

    def _drop_errors(self) -> None:
        self._stream.seek(0)
        with atomic_writer(self.path) as fresh:
            for number, line in enumerate(self._stream, start=1):
                id, error = self._read(line, number)
                if error is None or id not in self._retried:
                    fresh.write(line)
        self._reopen()
