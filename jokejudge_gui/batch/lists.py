"""Lists of jokes in common forms: lines, numbered or bulleted lists, blocks between blank lines, CSV, JSON."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from textwrap import shorten
from typing import Literal, NamedTuple

from ..core.errors import InputError
from ..core.room import without_marks
from ..core.tables import MOST_LIST, Cells, Table, TextSource
from ..core.texts import unescaped
from ..core.verdict_kinds import told_in_words
from ..heads.intent import form_of
from ..heads.told import heard
from ..judge.contest.record import RankedEntry, entry_of

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
_BOLD = re.compile(r"(?<!\w)\*\*(?=\S)(.+?)(?<=\S)\*\*(?!\w)", re.DOTALL)
_BOLD_LINE = re.compile(r"^[ \t]*\*\*(?=\S)(.+?)(?<=\S)\*\*[ \t]*$", re.MULTILINE)
_LABEL = re.compile(r"^[ \t]*Joke[ \t]*(?:#|No\.?)?[ \t]*\d{1,5}[ \t]*(?:[:.)]|[-–—](?=[ \t]))\s*(?=\S)", re.IGNORECASE)
_DASHES = "-–—"
_STRAYS = 0.3
"""The largest share of numbers or dashes among a list's own marks that are strays: more are another list, dialogues."""
_QUOTED = re.compile(r""""[^"]+"|“[^“”]+”|«[^«»]+»""")
SEPARATORS = {"comma": ",", "semicolon": ";", "tab": "\t", "bar": "|"}
"""The names of a table's separators."""
_NO_JOKES = ("a preamble", "a refusal", "a heading", "a remark")
"""Forms of lines that a model writes around its jokes."""
_LEAST_ITEMS = 2
_MOST_LINES_OF_JOKE = 8
"""Most lines of a joke: marks or blank lines farther apart don't separate jokes."""
_MOST_JOKES = 100_000
_MOST_LINES = 500_000


_Row = tuple[int, str | None, str, dict[str, str]]
"""Line, id, text, other fields."""


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
        done = "read as the page shows it" if self._wanted else "judged as it stands, unless it is unescaped"
        return (f"{texts} HTML or misread characters (&quot;, <br>, â€™): {done}.",)


@dataclass(frozen=True)
class Choices:
    """How a list is read. ``separator``: what stands between its jokes, "lines" or "blocks" (blank lines), or the name
    of a table's separator, None: as it looks; ``text_column``: the column with the jokes, None: by its name or its
    length; ``strip``: numbers, bullets and quotes around jokes, and lines that a model writes around its list, are
    taken off; ``unescape``: texts of web pages are read as they were meant."""

    separator: str | None = None
    text_column: str | None = None
    strip: bool = True
    unescape: bool = False


@dataclass(frozen=True)
class JokeList:
    """A list and its form. ``items``: its entries, ``lines``: the first line of each, from 1; ``left_out``: lines that
    aren't its jokes, each with its number and the reason; ``notes``: what else is to be said of it; ``columns`` of a
    table or JSON, of which ``column`` holds the jokes."""

    form: Form
    items: tuple[RankedEntry, ...]
    lines: tuple[int, ...] = ()
    left_out: tuple[tuple[int, str, str], ...] = ()
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    column: str = ""

    @property
    def jokes(self) -> tuple[RankedEntry, ...]:
        """The items that can be judged, without duplicates."""
        return tuple(item for item in self.items if item.error is None and item.same_as is None)

    @property
    def sentence(self) -> str:
        """A summary: "12 jokes found, 1 empty, 2 the same"."""
        count = len(self.jokes)
        faults = [item.error.code for item in self.items if item.error is not None]
        empty, same = faults.count(_EMPTY), sum(item.same_as is not None for item in self.items)
        parts = ["1 joke found" if count == 1 else f"{count:,} jokes found"]
        words = ((empty, "empty"), (same, "the same"), (len(faults) - empty, "that can't be read"),
                 (len(self.left_out), "left out"))  # fmt: skip
        return ", ".join([*parts, *(f"{count:,} {what}" for count, what in words if count)])

    @property
    def title(self) -> str:
        """The name that the list gives itself in the line before it; empty where it gives none."""
        line, text, why = self.left_out[0] if self.left_out else (0, "", "")
        before = line < min(self.lines, default=0) and why in ("a heading", _BEFORE)
        return text.strip().rstrip(":.").strip("#* ") if before else ""

    def reasons(self) -> list[str]:
        """Return what is left out and can't be read, with the reasons."""
        out = [
            (line, f"Line {line} is left out as {why}: {shorten(text, 60, placeholder='…')}")
            for line, text, why in self.left_out
        ]
        for line, item in zip(self.lines, self.items, strict=True):
            if item.error is not None and item.error.code != _EMPTY:
                why = item.error.sentence  # which may name the line
                out.append((line, why if why.startswith("Line ") else f"Line {line} can't be read: {why}"))
        return [sentence for _, sentence in sorted(out)]

    def untold(self) -> JokeList:
        """Return the list without the jokes that stand in collections of jokes."""
        told = [told_in_words(heard(item.text)) if item.error is None else "" for item in self.items]
        rows = list(zip(self.lines, self.items, told, strict=True))
        left_out = (*self.left_out, *((line, item.text, why) for line, item, why in rows if why))
        kept = [(line, item) for line, item, why in rows if not why]
        return replace(self, left_out=left_out, lines=tuple(at for at, _ in kept), items=tuple(it for _, it in kept))


_EMPTY = "E_INPUT_EMPTY"
_BEFORE = "a line before the list"


def read_list(text: str, name: str = "", choices: Choices | None = None, *, notes: tuple[str, ...] = ()) -> JokeList:
    """Read the jokes in a text. ``name``: its file's name, if it has one, which identifies tables and JSON; ``notes``:
    what is to be said of the file. Raises ``InputError`` for a table or JSON that can't be read, and ``E_LIST_LONG``
    for more than 100,000 jokes."""
    choices = choices or Choices()
    text = _with_line_feeds(text)
    if text.count("\n") > _MOST_LINES:
        raise _too_long()
    read = _table(text, name, choices) or _plain(text, choices)
    unescaping = Unescaping(choices.unescape)
    items = _items([(line, id, unescaping.read(joke), fields) for line, id, joke, fields in read.rows])
    words = (*notes, *read.notes, *unescaping.notes)
    lines = tuple(row[0] for row in read.rows)
    return JokeList(read.form, items, lines, tuple(read.left_out), words, read.columns, read.column)


def _with_line_feeds(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n").lstrip("\ufeff")


class _Read(NamedTuple):
    form: Form
    rows: list[_Row]
    left_out: Sequence[tuple[int, str, str]] = ()
    notes: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    column: str = ""


def _table(text: str, name: str, choices: Choices) -> _Read | None:
    """Return the rows of a table or of JSON; None for plain lines."""
    if choices.separator in ("lines", "blocks"):
        return None
    delimiter = SEPARATORS.get(choices.separator or "") or (None if name else _delimiter_of(text))
    source = TextSource(name or "The list", text=text)
    table = Table(source, name=name, text_column=choices.text_column, delimiter=delimiter)
    if table.shape == "plain":
        if choices.text_column is not None:
            sentence = f"{name or 'The list'} has no column {choices.text_column!r}: it holds single lines."
            raise InputError("E_LIST_COLUMN", sentence, "Leave --text-column out.")
        return None
    rows: list[_Row] = [(line, row.pop("id", None), row.pop("text", ""), row) for line, row in table.rows()]
    if table.shape == "csv" or rows:
        table.check(name or "The list", ["text"], "E_LIST_COLUMN", "Name the column text.")
    columns = tuple(cell for cell in table.header if cell.strip())
    if table.shape != "csv":
        return _Read("json", rows, (), table.notes, columns, table.column)
    return _Read("csv", _stripped(rows) if choices.strip else rows, (), table.notes, columns, table.column)


def rows_of(
    table: Table, source: TextSource, choices: Choices, *, alone: bool
) -> tuple[Iterable[tuple[int, Cells]], list[str], tuple[str, ...]]:
    """Return the rows of a batch's list with their lines, as ``read_list`` has them, in words what is left out, and
    notes. ``alone``: each row has one text. JSON is read as it stands, and so are lists of more than 16 MB."""
    plain = alone and (table.shape == "plain" or choices.separator in ("lines", "blocks"))
    if plain and source.size <= MOST_LIST:
        read = _plain(_with_line_feeds(source.whole()), choices)
        out = JokeList(read.form, (), left_out=tuple(read.left_out)).reasons()
        return [(line, Cells(id=str(line), text=text)) for line, _, text, _ in read.rows], out, ()
    cells: Iterable[tuple[int, Cells]] = table.rows()
    if alone and choices.strip and table.shape == "csv" and source.size <= MOST_LIST and "text" in table.names:
        cells = list(cells)
        for _, _, text, row in _stripped([(line, None, row.get("text", ""), row) for line, row in cells]):
            row["text"] = text
    return cells, [], ("The list is larger than 16 MB, so each line is read as it stands.",) if plain else ()


def _delimiter_of(text: str) -> str | None:
    """Return what divides the lines of a pasted table, whose first line has short names; None for any other text."""
    lines = [line for line in text.split("\n", _LEAST_ITEMS * 10) if line.strip()][: _LEAST_ITEMS * 10]
    for mark in ("\t", ";", "|") if len(lines) > _LEAST_ITEMS else ():
        names = [len(name.split()) for name in lines[0].split(mark)]
        if {line.count(mark) for line in lines} == {len(names) - 1} != {0} and 0 < min(names) <= max(names) < 4:
            return mark
    return None


def _plain(text: str, choices: Choices) -> _Read:
    """Return the jokes of plain lines, with the numbers of these."""
    form = cache(form_of)  # most texts are lines, which are asked about twice
    text, left_out = _without_frame(text, form) if choices.strip else (text, [])
    text = _BOLD_LINE.sub(r"\1", text) if choices.strip else text
    if choices.separator is None:
        read = _as_it_looks(text)
    elif choices.separator == "lines":
        read = _Read("lines", _lines(text))
    else:
        read = _Read("blocks", _blocks(text))
    if not choices.strip:
        return read
    plain = [
        (line, id, _unlabelled(joke), fields)
        for line, id, joke, fields in _stripped(read.rows, marked=read.form in ("numbered", "bulleted"))
    ]
    rows = [(row, "" if "\n" in row[2] else form_of(without_marks(row[2])[0])) for row in plain]
    left_out += [(row[0], row[2], why) for row, why in rows if why in _NO_JOKES]
    kept = [row for row, why in rows if why not in _NO_JOKES]
    return read._replace(rows=kept, left_out=sorted([*left_out, *read.left_out]))


def _as_it_looks(text: str) -> _Read:
    source = TextSource("The list", text=text)
    if Table(source).header:  # a header, not a joke
        before = len(text) - len(text.lstrip("\n"))
        text = "\n" * (before + 1) + text[before:].partition("\n")[2]
    blocks, lines = _blocks(text), _lines(text)
    numbers, bullets = (sum(mark.match(row[2]) is not None for row in lines) for mark in (_NUMBER, _BULLET))
    marks: tuple[tuple[Form, re.Pattern[str]], ...] = (("numbered", _NUMBER), ("bulleted", _BULLET))
    every = numbers + bullets == len(lines)
    if every and min(numbers, bullets) <= _STRAYS * max(numbers, bullets):
        marks = marks[:1] if numbers >= bullets else marks[1:]  # the others are strays
    elif every:
        marks = marks[:1]  # bullets alone divide nothing where many lines have a number
    for marked, mark in marks:
        if (parts := _marked(text, mark)) is not None:
            if every and any(row[2].count("\n") > _MOST_LINES_OF_JOKE for row in parts[1]):
                return _Read("lines", lines)  # one list behind another
            return _Read(marked, parts[1], [(line, before, _BEFORE) for line, before in parts[0]])
    several = sum(row[2].count("\n") + 1 for row in blocks)
    mixed = numbers > 0 and 2 * (numbers + bullets) >= len(lines)  # no dialogue of dashes
    if len(blocks) > 1 and len(blocks) < several <= _MOST_LINES_OF_JOKE * len(blocks) and not mixed:
        return _Read("blocks", blocks)
    return _Read("lines", lines)


def _without_frame(text: str, form: Callable[[str], str]) -> tuple[str, list[tuple[int, str, str]]]:
    """Return a text without the lines that a model writes around its jokes, and these: preambles, headings, remarks and
    refusals that stand alone, or beside lines with a number or bullet."""
    lines = text.split("\n")
    ends = [not line.strip() or _unmarked(line, len(lines)) is not None for line in lines]
    whys = ["" if end else form_of(without_marks(line.strip())[0]) for line, end in zip(lines, ends, strict=True)]
    around = [True, *(end or why in _NO_JOKES for end, why in zip(ends, whys, strict=True)), True]
    left_out = [
        (at + 1, lines[at].strip(), why)
        for at, why in enumerate(whys)
        if why in _NO_JOKES and around[at] and around[at + 2]
    ]
    for number, _, _ in left_out:
        lines[number - 1] = ""
    return "\n".join(lines), left_out


def _unmarked(text: str, count: int) -> str | None:
    """Return a text of a list of ``count`` without its number, and bullets before and behind it; None where it begins
    with a year and the like, or with neither."""
    bare = _BULLET.sub("", text, count=1)
    mark = _NUMBER.match(bare)
    if mark is not None and int(mark[1]) <= max(999, 2 * count):
        bare = bare[mark.end() :]
    return None if bare == text else _BULLET.sub("", bare, count=1)


def without_mark(line: str) -> str:
    """Return a line that stands alone without a list's number, bullet or label."""
    unmarked = _unmarked(line, 1)
    return _unlabelled(line if unmarked is None else unmarked)


def _unquoted(text: str) -> str | None:
    """Return a text without the quotes around it; None where there are none."""
    return text[1:-1] if _QUOTED.fullmatch(text) else None


def _unlabelled(text: str) -> str:
    """Return a text without the marks of bold words, and without a label such as "Joke 13:"."""
    return _LABEL.sub("", _BOLD.sub(r"\1", text.strip()), count=1)


def _stripped(rows: list[_Row], *, marked: bool = False) -> list[_Row]:
    """Remove numbers and bullets where at least half of the texts have some, and quotes there and where at least half
    are in quotes. ``marked``: they had some."""
    count, filled = len(rows), sum(bool(row[2].strip()) for row in rows)
    for strip in (partial(_unmarked, count=count), _unquoted):
        texts = [None if "\n-" in text else strip(text.strip()) for _, _, text, _ in rows]
        many = sum(text is not None for text in texts)
        if marked or (many >= _LEAST_ITEMS and 2 * many >= filled):
            pairs = zip(rows, texts, strict=True)
            rows = [row if text is None else (row[0], row[1], text, row[3]) for row, text in pairs]
            marked = True
    return rows


def _items(rows: Sequence[_Row]) -> tuple[RankedEntry, ...]:
    """Return entries with unique ids: those given, if all rows have one and they differ, else numbers from 1."""
    if len(rows) > _MOST_JOKES:
        raise _too_long()
    given = [id.strip() for _, id, _, _ in rows if id is not None and id.strip()]
    own = len(given) == len(rows) == len(set(given))
    first: dict[str, str] = {}
    items = []
    for number, (_, id, text, fields) in enumerate(rows, start=1):
        entry = entry_of((id or "").strip() if own else str(number), text, fields, getattr(fields, "problem", None))
        if entry.error is None and (same := first.setdefault(entry.text, entry.id)) != entry.id:
            entry = entry.replaced(same_as=same)
        items.append(entry)
    return tuple(items)


def _lines(text: str) -> list[_Row]:
    """Return the lines that aren't blank; an answer is joined to the question before it."""
    lines: list[_Row] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        if lines and _ANSWER.match(line) and _QUESTION.match(lines[-1][2]) and "\n" not in lines[-1][2]:
            lines[-1] = (lines[-1][0], None, f"{lines[-1][2]}\n{line}", {})
        else:
            lines.append((number, None, line, {}))
    return lines


def _blocks(text: str) -> list[_Row]:
    """Return the blocks between blank lines."""
    lines = itertools.groupby(enumerate(text.split("\n"), start=1), key=lambda line: bool(line[1].strip()))
    blocks = [list(block) for filled, block in lines if filled]
    return [(block[0][0], None, "\n".join(line for _, line in block), {}) for block in blocks]


def _marked(text: str, mark: re.Pattern[str]) -> tuple[list[tuple[int, str]], list[_Row]] | None:
    """Return the lines before a list whose items begin with a mark, and its items; None if it is no such list."""
    lines = text.split("\n")
    begins = [place for place, line in enumerate(lines) if mark.match(line)]
    strays = _strays(lines, begins, mark)
    before = [(number, line.strip()) for number, line in enumerate(lines[: (begins or [0])[0]], 1) if line.strip()]
    if len(begins) < _LEAST_ITEMS or len(before) > 1 or not all(_leads_to_a_list(line) for _, line in before):
        return None
    other = _BULLET if mark is _NUMBER else _NUMBER
    own, begins = begins, sorted([*begins, *strays])
    ends = [*begins[1:], len(lines)]
    bodies = [[line.strip() for line in lines[place:end]] for place, end in zip(begins, ends, strict=True)]
    *others, last = (sum(map(bool, body)) for body in bodies)
    if last > max(_MOST_LINES_OF_JOKE, 3 * max(others)):  # the text after the marked lines isn't part of the last item
        return None
    if mark is _NUMBER:
        numbers = [int(number[1]) for place in own if (number := mark.match(lines[place]))]
        steps = [other - one for one, other in itertools.pairwise(numbers)]
        gaps = all(step > 0 for step in steps) and numbers[-1] <= 2 * len(numbers)
        listed = steps.count(1) >= 0.8 * len(steps) or gaps or set(numbers) == {1}
    else:  # a dialogue has several dashes within a block; a list has most lines marked, or a mark at each block's head
        blocks = [row[2].split("\n") for row in _blocks(text)]
        several = sum(sum(bool(mark.match(line)) for line in block) > 1 for block in blocks)
        listed = not (len(blocks) > 1 and several >= len(blocks) / 2)
    heads = [(other if at in strays else mark).sub("", lines[at], count=1).strip() for at in begins]
    items = ("\n".join([head, *body[1:]]) for head, body in zip(heads, bodies, strict=True))
    rows: list[_Row] = [(place + 1, None, item.strip(), {}) for place, item in zip(begins, items, strict=True)]
    return (before, rows) if listed else None


def _strays(lines: Sequence[str], begins: Sequence[int], mark: re.Pattern[str]) -> set[int]:
    """Return the places of lines with another mark, and then in quotes, too, within a list most of whose lines are
    marked: they are jokes of their own, but for the dashes of a dialogue and what is indented below a joke."""
    other = _BULLET if mark is _NUMBER else _NUMBER
    strays = {at for at in range(begins[0], len(lines)) if other.match(lines[at])} if begins else set()
    filled = sum(bool(line.strip()) for line in lines)
    unsure = sum(mark is _BULLET or lines[at].lstrip()[0] in _DASHES for at in strays)
    if unsure > _STRAYS * len(begins) or 2 * (len(begins) + len(strays)) < filled:
        return set()
    indent = max((_indent(lines[at]) for at in begins), default=0)

    def is_joke(at: int) -> bool:
        before = lines[at - 1].rstrip()
        if at in strays:
            asks = lines[at].rstrip().endswith("?") or before.endswith("?")
            return not (asks and lines[at].lstrip()[0] in _DASHES)
        return bool(strays) and _unquoted(lines[at].strip()) is not None and not before.endswith((":", ",", "?"))

    return {at for at in range(min(begins, default=0), len(lines)) if is_joke(at) and _indent(lines[at]) <= indent}


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _leads_to_a_list(line: str) -> bool:
    """Whether a line seems to be a heading or an introduction."""
    line = line.strip()
    return line.endswith((":", ".")) or line.startswith("#") or (len(line.split()) <= 6 and line[-1] not in "?!")


def _too_long() -> InputError:
    return InputError(
        "E_LIST_LONG",
        f"The list has more than {_MOST_JOKES:,} jokes.",
        "Rank a part of it; jokejudge rate --batch rates lists of a million.",
    )


def texts_text(texts: Sequence[str]) -> str:
    """Return a text that ``read_list`` reads as these jokes: one on each line, else with blank lines between them, else
    JSON lines, which can hold anything."""
    for text in ("\n".join(texts), "\n\n".join(texts)):
        with suppress(InputError):
            again = read_list(text)
            if [item.text for item in again.items] == list(texts) and not again.left_out:
                return text
    return "\n".join(json.dumps({"text": text}, ensure_ascii=False) for text in texts)
