"""Lists of jokes as people have them: lines, numbered or bulleted lists, blocks between blank lines, CSV, JSON."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from pydantic import Field

from ..errors import InputError, info
from ..files import parse_json
from ..judging.contest.types import Entry
from ..tables import rows_of
from ..texts import clean_text
from ..verdicts import ErrorInfo, Frozen

Form = Literal["lines", "numbered", "bulleted", "blocks", "csv", "json", "texts"]

FORM_WORDS: dict[Form, str] = {
    "lines": "one joke on each line",
    "numbered": "a numbered list",
    "bulleted": "a list with bullets",
    "blocks": "jokes with blank lines between them",
    "csv": "a table",
    "json": "JSON lines",
    "texts": "jokes one by one",
}
_TEXT_COLUMNS = ("text", "joke", "caption", "content", "body")
_NUMBER = re.compile(r"^[ \t]*[(\[]?(\d{1,5})[.):\]](?:[ \t]+|$)")
_BULLET = re.compile(r"^[ \t]*[-*+•‣▪◦–—·](?:[ \t]+|$)")
_QUESTION = re.compile(r"^[ \t]*(?:Q|Question)[:.)]", re.IGNORECASE)
_ANSWER = re.compile(r"^[ \t]*(?:A|Answer)[:.)]", re.IGNORECASE)
_QUOTES = (('"', '"'), ("“", "”"), ("«", "»"))
_LEAST_ITEMS = 2


class ListItem(Frozen):
    """A joke of a list. ``line``: where it begins, from 1; ``problem``: why it can't be judged (``E_INPUT_EMPTY``:
    there is nothing); ``same_as``: id of an earlier item with the same text; ``fields``: other columns of its row."""

    id: str
    text: str
    line: int
    problem: ErrorInfo | None = None
    same_as: str | None = None
    fields: dict[str, str] = Field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return self.problem is not None and self.problem.code == "E_INPUT_EMPTY"

    @property
    def usable(self) -> bool:
        """Whether it is a joke of its own that can be judged."""
        return self.problem is None and self.same_as is None


class JokeList(Frozen):
    """A list as it was understood. ``left_out``: lines before its first item that seem to be no joke."""

    form: Form
    items: tuple[ListItem, ...]
    left_out: tuple[str, ...] = ()

    @property
    def jokes(self) -> tuple[ListItem, ...]:
        """The items that are jokes of their own."""
        return tuple(item for item in self.items if item.usable)

    @property
    def sentence(self) -> str:
        """What was found: "12 jokes found, 1 empty, 2 the same"."""
        found = len(self.jokes)
        parts = ["1 joke found" if found == 1 else f"{found:,} jokes found"]
        empty = sum(item.empty for item in self.items)
        same = sum(item.problem is None and item.same_as is not None for item in self.items)
        wrong = sum(item.problem is not None for item in self.items) - empty
        for count, what in ((empty, "empty"), (same, "the same"), (wrong, "that can't be read")):
            if count:
                parts.append(f"{count:,} {what}")
        if self.left_out:
            parts.append("a line before them left out" if len(self.left_out) == 1 else "lines before them left out")
        return ", ".join(parts)

    def entries(self, *, all_items: bool = False) -> tuple[Entry, ...]:
        """What takes part in a contest: the jokes, or every item with whatever is wrong with it."""
        items = self.items if all_items else self.jokes
        return tuple(Entry(id=item.id, text=item.text, problem=item.problem, columns=item.fields) for item in items)


def read_list(text: str, name: str = "", form: Literal["lines", "blocks"] | None = None) -> JokeList:
    """The jokes in a text; ``name`` of its file, if it has one, tells CSV and JSON; ``form``: each line, or each block
    between blank lines, is a joke, however it looks. Raises ``InputError`` for a table or JSON lines that can't be
    read."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    if form is not None:
        return JokeList(form=form, items=_items(_rows(_lines(text) if form == "lines" else _blocks(text))))
    lower = name.lower()
    if lower.endswith((".jsonl", ".ndjson", ".json")) or _is_json(text):
        return JokeList(form="json", items=_items(_json_rows(text, name)))
    if lower.endswith((".csv", ".tsv")) or _has_header(text):
        return JokeList(form="csv", items=_items(_table_rows(text, name or "The list")))
    marks: tuple[tuple[Form, re.Pattern[str]], ...] = (("numbered", _NUMBER), ("bulleted", _BULLET))
    for marked, mark in marks:
        found = _marked(text, mark)
        if found is not None:
            left_out, rows = found
            return JokeList(form=marked, items=_items(_unquoted(rows)), left_out=left_out)
    blocks = _blocks(text)
    if len(blocks) > 1 and any("\n" in body for _, body in blocks):
        return JokeList(form="blocks", items=_items(_rows(blocks)))
    return JokeList(form="lines", items=_items(_unquoted(_rows(_lines(text)))))


def list_of(texts: Iterable[str]) -> JokeList:
    """Texts that are jokes already, such as a selection of the history."""
    return JokeList(form="texts", items=_items(_rows(enumerate(texts, start=1))))


_Row = tuple[int, str | None, str, dict[str, str]]
"""Line, id, text, other fields."""


def _rows(texts: Iterable[tuple[int, str]]) -> list[_Row]:
    return [(line, None, text, {}) for line, text in texts]


def _items(rows: Sequence[_Row]) -> tuple[ListItem, ...]:
    """Items with ids of their own: those given, if all rows have one and no two the same, else numbers from 1."""
    given = [id.strip() for _, id, _, _ in rows if id is not None and id.strip()]
    own = len(given) == len(rows) and len(set(given)) == len(given)
    first: dict[str, str] = {}
    items = []
    for number, (line, id, text, fields) in enumerate(rows, start=1):
        name = (id or "").strip() if own else str(number)
        problem = None
        try:
            text = clean_text(text)
        except InputError as error:
            problem = info(error)
            text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
        same = first.setdefault(text, name) if problem is None else name
        items.append(
            ListItem(
                id=name, text=text, line=line, problem=problem, same_as=None if same == name else same, fields=fields
            )
        )
    return tuple(items)


def _lines(text: str) -> list[tuple[int, str]]:
    """The lines that aren't blank; an answer belongs to the question before it."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if found and _ANSWER.match(line) and _QUESTION.match(found[-1][1]) and "\n" not in found[-1][1]:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
        else:
            found.append((number, line))
    return found


def _blocks(text: str) -> list[tuple[int, str]]:
    """What stands between blank lines."""
    found: list[tuple[int, str]] = []
    blank = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            blank = True
        elif blank:
            found.append((number, line))
            blank = False
        else:
            found[-1] = (found[-1][0], f"{found[-1][1]}\n{line}")
    return found


def _marked(text: str, mark: re.Pattern[str]) -> tuple[tuple[str, ...], list[_Row]] | None:
    """The items of a list whose items begin with a mark, and the lines before them; None if it is no such list."""
    lines = text.split("\n")
    begins = [place for place, line in enumerate(lines) if mark.match(line)]
    if len(begins) < _LEAST_ITEMS or not _is_a_list(lines, begins, mark):
        return None
    before = tuple(line.strip() for line in lines[: begins[0]] if line.strip())
    rows: list[_Row] = []
    for place, end in zip(begins, [*begins[1:], len(lines)], strict=True):
        body = [mark.sub("", lines[place], count=1), *lines[place + 1 : end]]
        rows.append((place + 1, None, "\n".join(line.strip() for line in body).strip(), {}))
    return before, rows


def _is_a_list(lines: Sequence[str], begins: Sequence[int], mark: re.Pattern[str]) -> bool:
    before = [line for line in lines[: begins[0]] if line.strip()]
    if len(before) > 1 or (before and not before[0].rstrip().endswith((":", "."))):
        return False
    if mark is _NUMBER:
        numbers = [int(found[1]) for place in begins if (found := _NUMBER.match(lines[place]))]
        rising = sum(other == one + 1 for one, other in itertools.pairwise(numbers))
        return rising >= 0.8 * (len(numbers) - 1)
    # A dialogue has its dashes within blocks; a list has most of its lines marked, or a mark at each block's head.
    blocks = [body.split("\n") for _, body in _blocks("\n".join(lines))]
    several = sum(sum(bool(mark.match(line)) for line in block) > 1 for block in blocks)
    return not (len(blocks) > 1 and several >= len(blocks) / 2)


def _unquoted(rows: list[_Row]) -> list[_Row]:
    """Without the quotes that stand around every single item."""
    told = [text for _, _, text, _ in rows if text.strip()]
    for begin, end in _QUOTES:
        if len(told) >= _LEAST_ITEMS and all(_is_quoted(text.strip(), begin, end) for text in told):
            return [(line, id, text.strip()[1:-1], fields) for line, id, text, fields in rows]
    return rows


def _is_quoted(text: str, begin: str, end: str) -> bool:
    inner = text[1:-1]
    return len(text) > 2 and text[0] == begin and text[-1] == end and begin not in inner and end not in inner


# -- tables and JSON ---------------------------------------------------------------------------------------------------


def _is_json(text: str) -> bool:
    start = text.lstrip()[:1]
    if start not in ("{", "["):
        return False
    first = text.strip().split("\n", 1)[0]
    for piece in (first, text):
        try:
            return isinstance(parse_json(piece), dict | list)
        except ValueError:
            continue
    return False


def _has_header(text: str) -> bool:
    first = text.lstrip("\n").split("\n", 1)[0].lower()
    cells = [cell.strip(' "') for cell in first.split("\t" if "\t" in first else ",")]
    named = any(cell in _TEXT_COLUMNS for cell in cells)
    return named and (len(cells) > 1 or (cells[0] in _TEXT_COLUMNS and "\n" in text.strip()))


def _table_rows(text: str, source: str) -> list[_Row]:
    first = text.lstrip("\n").split("\n", 1)[0]
    if "\t" in first and "," not in first:
        table = [(n, line.split("\t")) for n, line in enumerate(text.split("\n"), start=1) if line.strip()]
    else:
        table = rows_of(text, source)
    if not table:
        return []
    header = [cell.strip().lower() for cell in table[0][1]]
    column = next((header.index(name) for name in _TEXT_COLUMNS if name in header), None)
    if column is None:
        if len(header) == 1:  # a single column without a name for it
            return [(line, None, cells[0], {}) for line, cells in table]
        raise InputError(
            "E_LIST_COLUMN",
            f"{source} has no column that is named {' or '.join(repr(name) for name in _TEXT_COLUMNS[:2])}.",
            "Name the column with the jokes so in the first line.",
        )
    own = header.index("id") if "id" in header else None
    rows: list[_Row] = []
    for line, cells in table[1:]:
        fields = {
            header[place]: cell
            for place, cell in enumerate(cells[: len(header)])
            if place not in (column, own) and header[place]
        }
        id = cells[own] if own is not None and own < len(cells) else None
        rows.append((line, id, cells[column] if column < len(cells) else "", fields))
    return rows


def _json_rows(text: str, name: str) -> list[_Row]:
    values: list[tuple[int, Any]] = []
    stripped = text.strip()
    if stripped.startswith("["):
        whole = _parsed(stripped, 1, name)
        values = list(enumerate(whole, start=1)) if isinstance(whole, list) else [(1, whole)]
    else:
        for number, line in enumerate(text.split("\n"), start=1):
            if line.strip():
                values.append((number, _parsed(line, number, name)))
    return [_json_row(number, value, name) for number, value in values]


def _parsed(text: str, number: int, name: str) -> Any:
    try:
        return parse_json(text)
    except ValueError as error:
        raise InputError(
            "E_LIST_JSON",
            f"Line {number} of {name or 'the list'} can't be read: {error}.",
            'Each line is one object, such as {"id": "1", "text": "…"}.',
        ) from error


def _json_row(number: int, value: Any, name: str) -> _Row:
    if isinstance(value, str):
        return number, None, value, {}
    if not isinstance(value, dict):
        raise InputError(
            "E_LIST_JSON",
            f"Line {number} of {name or 'the list'} holds neither a text nor an object.",
            'Each line is one object, such as {"id": "1", "text": "…"}.',
        )
    column = next((key for key in _TEXT_COLUMNS if isinstance(value.get(key), str)), None)
    id = value.get("id")
    fields = {
        str(key): other if isinstance(other, str) else json.dumps(other, ensure_ascii=False)
        for key, other in value.items()
        if key not in (column, "id") and isinstance(other, str | int | float)
    }
    text = value[column] if column is not None else ""
    return number, str(id) if isinstance(id, str | int) else None, text, fields
