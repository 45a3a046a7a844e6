"""Lists of jokes in common forms: lines, numbered or bulleted lists, blocks between blank lines, CSV, JSON."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from ..core.errors import ErrorInfo, InputError, info
from ..core.tables import MOST_LINE, Cells, Table, TextSource
from ..core.texts import clean_text, unescaped
from ..engine.base import CancelToken
from ..heads.near_duplicates import LONGEST, THRESHOLD, likeness_of, signature
from ..history.query import HistoryQuery, HistoryRow
from ..history.store import HistoryStore
from ..judge.contest.record import Entry

Form = Literal["lines", "numbered", "bulleted", "blocks", "csv", "json"]

FORM_WORDS: dict[Form, str] = {
    "lines": "one joke on each line",
    "numbered": "a numbered list",
    "bulleted": "a list with bullets",
    "blocks": "jokes with blank lines between them",
    "csv": "a table",
    "json": "JSON lines",
}
_NUMBER = re.compile(r"^[ \t]*(?:\*\*)?[(\[#]?(\d{1,5})(?:[.):\]]|[ \t]+[-–])(?:\*\*)?(?:[ \t]+|$|(?=[^\W\d_]|[\"“']))")
_BULLET = re.compile(r"^[ \t]*[-*+•‣▪◦–—·](?:[ \t]+|$)")
_QUESTION = re.compile(r"^[ \t]*(?:Q|Question)[:.)]", re.IGNORECASE)
_ANSWER = re.compile(r"^[ \t]*(?:A|Answer)[:.)]", re.IGNORECASE)
_QUOTES = (('"', '"'), ("“", "”"), ("«", "»"))
_LEAST_ITEMS = 2
_MOST_LINES_OF_JOKE = 8
"""Most lines of a joke: marks or blank lines farther apart don't separate jokes."""
_MOST_JOKES = 100_000
_MOST_LINES = 500_000


class Unescaping:
    """Texts that hold what web pages are made of: read as they were meant, if ``wanted``, else counted for a note."""

    def __init__(self, wanted: bool) -> None:
        self._wanted = wanted
        self._seen: set[int] = set()

    def read(self, text: str) -> str:
        """Return a text as it is judged."""
        plain = unescaped(text)
        if plain != text:
            self._seen.add(hash(text))
        return plain if self._wanted else text

    @property
    def notes(self) -> tuple[str, ...]:
        if not (count := len(self._seen)):
            return ()
        texts = "1 text holds" if count == 1 else f"{count:,} texts hold"
        done = (
            "read as the page shows it" if self._wanted else "judged as it stands; in the terminal --unescape reads it"
        )
        return (f"{texts} HTML or misread characters (&quot;, <br>, â€™): {done}.",)


@dataclass(frozen=True)
class ListItem:
    """A joke of a list. ``line``: its first line, from 1; ``problem``: why it can't be judged (``E_INPUT_EMPTY``: it is
    empty); ``same_as``: id of an earlier item with the same text; ``fields``: other columns of its row."""

    id: str
    text: str
    line: int
    problem: ErrorInfo | None = None
    same_as: str | None = None
    fields: dict[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return self.problem is not None and self.problem.code == "E_INPUT_EMPTY"

    @property
    def usable(self) -> bool:
        """Whether it is a joke that can be judged and isn't a duplicate."""
        return self.problem is None and self.same_as is None


@dataclass(frozen=True)
class JokeList:
    """A list and its form. ``left_out``: lines before its first item that seem to be no joke; ``notes``: what else is
    to be said of it."""

    form: Form
    items: tuple[ListItem, ...]
    left_out: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def jokes(self) -> tuple[ListItem, ...]:
        """The items that can be judged, without duplicates."""
        return tuple(item for item in self.items if item.usable)

    @property
    def sentence(self) -> str:
        """A summary: "12 jokes found, 1 empty, 2 the same"."""
        count = len(self.jokes)
        parts = ["1 joke found" if count == 1 else f"{count:,} jokes found"]
        empty = sum(item.empty for item in self.items)
        same = sum(item.problem is None and item.same_as is not None for item in self.items)
        wrong = sum(item.problem is not None for item in self.items) - empty
        words = ((empty, "empty"), (same, "the same"), (wrong, "that can't be read"))
        parts += (f"{count:,} {what}" for count, what in words if count)
        if self.left_out:
            parts.append("a line before them left out" if len(self.left_out) == 1 else "lines before them left out")
        return ", ".join(parts)

    def entries(self, *, all_items: bool = False) -> tuple[Entry, ...]:
        """Return the entries of a contest: the jokes, or every item with its problem."""
        items = self.items if all_items else self.jokes
        return tuple(Entry(id=item.id, text=item.text, problem=item.problem, columns=item.fields) for item in items)


def read_list(
    text: str,
    name: str = "",
    form: Literal["lines", "blocks"] | None = None,
    *,
    text_column: str | None = None,
    unescape: bool = False,
    notes: tuple[str, ...] = (),
) -> JokeList:
    """Read the jokes in a text. ``name``: its file's name, if it has one, which identifies tables and JSON; ``form``:
    each line, or each block between blank lines, is a joke, without any detection; ``text_column``: the column with the
    jokes; ``unescape``: read texts of web pages as they were meant; ``notes``: what is to be said of the file. Raises
    ``InputError`` for a table or JSON that can't be read, and ``E_LIST_LONG`` for more than 100,000 jokes."""
    text = text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")
    if text.count("\n") > _MOST_LINES:
        raise _too_long()
    used, rows, left_out, more = _found(text, name, form, text_column)
    unescaping = Unescaping(unescape)
    items = _items([(line, id, unescaping.read(joke), fields) for line, id, joke, fields in rows])
    return JokeList(used, items, left_out, (*notes, *more, *unescaping.notes))


def _found(
    text: str, name: str, form: Literal["lines", "blocks"] | None, text_column: str | None
) -> tuple[Form, list[_Row], tuple[str, ...], tuple[str, ...]]:
    """Return the form of a list, its rows, the lines before them, and what is to be said of it."""
    if form is not None:
        return form, _rows(_lines(text) if form == "lines" else _blocks(text)), (), ()
    with TextSource(name or "The list", text=text) as source:
        table = Table(source, name=name, text_column=text_column)
        if table.shape != "plain" or table.fortunes:
            cells = [(line, row.pop("id", None), row.pop("text", ""), row) for line, row in table.rows()]
            if table.shape == "csv" or (table.shape != "plain" and cells):
                table.check(name or "The list", ["text"], "E_LIST_COLUMN", "Name the column text.")
            shape: Form = "blocks" if table.fortunes else "csv" if table.shape == "csv" else "json"
            return shape, [*cells], (), table.notes
        if text_column is not None:
            sentence = f"{name or 'The list'} has no column {text_column!r}: it holds single lines."
            raise InputError("E_LIST_COLUMN", sentence, "Leave --text-column out.")
    if table.header:  # a header, not a joke
        text = text.lstrip("\n").split("\n", 1)[1]
    marks: tuple[tuple[Form, re.Pattern[str]], ...] = (("numbered", _NUMBER), ("bulleted", _BULLET))
    for marked, mark in marks:
        if (parts := _marked(text, mark)) is not None:
            return marked, _unquoted(parts[1]), parts[0], ()
    blocks = _blocks(text)
    several = sum(body.count("\n") + 1 for _, body in blocks)
    if len(blocks) > 1 and len(blocks) < several <= _MOST_LINES_OF_JOKE * len(blocks):
        return "blocks", _rows(blocks), (), ()
    return "lines", _unquoted(_rows(_lines(text))), (), ()


_Row = tuple[int, str | None, str, dict[str, str]]
"""Line, id, text, other fields."""


def _rows(texts: Iterable[tuple[int, str]]) -> list[_Row]:
    return [(line, None, text, {}) for line, text in texts]


def _items(rows: Sequence[_Row]) -> tuple[ListItem, ...]:
    """Return items with unique ids: those given, if all rows have one and they differ, else numbers from 1."""
    if len(rows) > _MOST_JOKES:
        raise _too_long()
    given = [id.strip() for _, id, _, _ in rows if id is not None and id.strip()]
    own = len(given) == len(rows) == len(set(given))
    first: dict[str, str] = {}
    items = []
    for number, (line, id, text, fields) in enumerate(rows, start=1):
        name, problem = (id or "").strip() if own else str(number), None
        try:
            if isinstance(fields, Cells) and fields.problem is not None:
                raise fields.problem
            text = clean_text(text)
            same = first.setdefault(text, name)
        except InputError as error:
            problem, same = info(error), name
            text = text.encode("utf-8", "replace").decode("utf-8").replace("\0", "")
        items.append(ListItem(name, text, line, problem, None if same == name else same, fields))
    return tuple(items)


def _lines(text: str) -> list[tuple[int, str]]:
    """Return the lines that aren't blank; an answer is joined to the question before it."""
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if lines and _ANSWER.match(line) and _QUESTION.match(lines[-1][1]) and "\n" not in lines[-1][1]:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]}\n{line}")
        else:
            lines.append((number, line))
    return lines


def _blocks(text: str) -> list[tuple[int, str]]:
    """Return the blocks between blank lines."""
    blocks: list[tuple[int, str]] = []
    blank = True
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            blank = True
        elif blank:
            blocks.append((number, line))
            blank = False
        else:
            blocks[-1] = (blocks[-1][0], f"{blocks[-1][1]}\n{line}")
    return blocks


def _marked(text: str, mark: re.Pattern[str]) -> tuple[tuple[str, ...], list[_Row]] | None:
    """Return the lines before a list whose items begin with a mark, and its items; None if it is no such list."""
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
    if len(before) > 1 or not all(map(_leads_to_a_list, before)):
        return False
    *others, last = (
        sum(bool(line.strip()) for line in lines[place:end])
        for place, end in zip(begins, [*begins[1:], len(lines)], strict=True)
    )
    if last > max(_MOST_LINES_OF_JOKE, 3 * max(others)):  # the text after the marked lines isn't part of the last item
        return False
    if mark is _NUMBER:
        numbers = [int(mark_at[1]) for place in begins if (mark_at := _NUMBER.match(lines[place]))]
        steps = [other - one for one, other in itertools.pairwise(numbers)]
        gaps = all(step > 0 for step in steps) and numbers[-1] <= 2 * len(numbers)
        return steps.count(1) >= 0.8 * len(steps) or gaps or set(numbers) == {1}
    # A dialogue has several dashes within a block; a list has most of its lines marked, or a mark at each block's head.
    blocks = [body.split("\n") for _, body in _blocks("\n".join(lines))]
    several = sum(sum(bool(mark.match(line)) for line in block) > 1 for block in blocks)
    return not (len(blocks) > 1 and several >= len(blocks) / 2)


def _leads_to_a_list(line: str) -> bool:
    """Whether a line seems to be a heading or an introduction."""
    line = line.strip()
    return line.endswith((":", ".")) or line.startswith("#") or (len(line.split()) <= 6 and line[-1] not in "?!")


def _unquoted(rows: list[_Row]) -> list[_Row]:
    """Remove the quotes if they surround every single item."""
    texts = [text for _, _, text, _ in rows if text.strip()]
    for begin, end in _QUOTES:
        if len(texts) >= _LEAST_ITEMS and all(_is_quoted(text.strip(), begin, end) for text in texts):
            return [(line, id, text.strip()[1:-1], fields) for line, id, text, fields in rows]
    return rows


def _is_quoted(text: str, begin: str, end: str) -> bool:
    inner = text[1:-1]
    return len(text) > 2 and text[0] == begin and text[-1] == end and begin not in inner and end not in inner


def numbered_lines(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """Yield lines without their numbers or bullets, if the first ones have them; lines without a mark belong to the
    marked line before them."""
    first = list(itertools.islice(lines, _LEAST_ITEMS * 10))
    text = "\n".join(line for _, line in first)
    mark = next((mark for mark in (_NUMBER, _BULLET) if (parts := _marked(text, mark)) and not parts[0]), None)
    if mark is None or sum(bool(mark.match(line)) for _, line in first) < 0.8 * len(first):
        yield from itertools.chain(first, lines)
        return
    number, item = first[0]
    item = ""
    for at, line in itertools.chain(first, lines):
        if mark.match(line):
            if item.strip():
                yield number, item
            number, item = at, mark.sub("", line, count=1)
        else:
            item = f"{item}\n{line.strip()}"
            if len(item) > MOST_LINE:
                raise _too_long()
    if item.strip():
        yield number, item


def _too_long() -> InputError:
    return InputError(
        "E_LIST_LONG",
        f"The list has more than {_MOST_JOKES:,} jokes.",
        "Rank a part of it; jokejudge rate --batch rates lists of a million.",
    )


def list_text(items: Sequence[ListItem]) -> str:
    """Return the items as a text that ``read_list`` reads as the same items: a joke on each line, else blocks with
    blank lines between them, else JSON lines, which can hold anything, including ids and other columns."""
    texts = [item.text for item in items]
    if all(item.id.isdecimal() and not item.fields for item in items):
        for separator in ("\n", "\n\n"):
            text = separator.join(texts)
            if _reads_as(text, texts):
                return text
    return "\n".join(
        json.dumps({"id": item.id, "text": item.text, **item.fields}, ensure_ascii=False) for item in items
    )


def texts_text(texts: Sequence[str]) -> str:
    """Return ``list_text`` of texts alone, which are numbered from 1."""
    return list_text([ListItem(str(number), text, number) for number, text in enumerate(texts, start=1)])


def _reads_as(text: str, texts: Sequence[str]) -> bool:
    try:
        again = read_list(text)
    except InputError:
        return False
    return [item.text for item in again.items] == list(texts) and not again.left_out


_WORDS = 4
_LOOKED_AT = 20


def seen_before(store: HistoryStore, texts: Sequence[str], cancel: CancelToken | None = None) -> dict[str, str]:
    """Return, by text, the id of the newest verdict about it or about another version of it; new texts are left out. A
    version that shares none of a joke's longest words is not found. Raises ``HistoryError`` and ``Cancelled``."""
    ids = {}
    for text in dict.fromkeys(texts):
        if cancel is not None:
            cancel.check()
        if (id := _newest(store, text)) is not None:
            ids[text] = id
    return ids


def _newest(store: HistoryStore, text: str) -> str | None:
    own = signature(text)
    if not own.words or len(text) > LONGEST:
        return None
    # The longest words are the rarest ones: few texts have all of them, and another version has most.
    telling = sorted(own.telling, key=lambda word: (-len(word), word))[:_WORDS]
    for words in (telling, *([word] for word in telling)):
        rows = store.search(HistoryQuery(text=" ".join(words), limit=_LOOKED_AT))
        for row in rows:
            if any(one == text or likeness_of(own, signature(one)) >= THRESHOLD for one in _jokes_of(row)):
                return row.id
    return None


def _jokes_of(row: HistoryRow) -> Iterator[str]:
    """Yield the texts of a verdict, and the lines of each text, for verdicts about lists."""
    for subject in row.subjects:
        if len(subject.text) <= LONGEST:
            yield subject.text
        yield from (line for line in subject.text.split("\n")[:5000] if 0 < len(line) <= LONGEST)
