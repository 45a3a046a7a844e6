"""Reading of bytes, text and rows from a file or standard input: tables, JSON and plain lines, in the usual encodings
and with the usual delimiters."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
import sys
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import pairwise
from pathlib import Path
from typing import IO, Any, Literal

from .errors import InputError, UsageError
from .files import parse_json

MOST_TEXT = 8 << 20
"""Most bytes of a file with a single text, far above the limit of a joke, which the session checks."""
MOST_LIST = 16 << 20
"""Most bytes of a list whose form is looked at as a whole."""
MOST_TABLE = 32 << 20
"""Most bytes of a labelled file, or of any other that is read whole."""
MOST_BATCH = 256 << 20
"""Most bytes of a list that is judged row by row."""
MOST_LINE = 8 << 20
"""Most characters of a line, and of a cell of several lines."""
csv.field_size_limit(MOST_LINE)  # of the whole process; Python's own limit is shorter than a long joke
TEXT_COLUMNS = ("text", "joke", "caption", "content", "body")
_JSON_FILES, _CSV_FILES = (".jsonl", ".ndjson", ".json"), (".csv", ".tsv", ".tab")
TABLES = (*_JSON_FILES, *_CSV_FILES)
"""Ends of the names of tables and JSON."""
_TWO_PARTS = ("setup", "punchline")
_CHAT = "messages"
"""A list of objects with role and content: the last content of the assistant is the text, else all of them."""
_NUMBER = re.compile(r"[0-9]+")
_HEAD = 1 << 16
_DELIMITERS = ",;\t|"
_NO_DELIMITER = "\x1f"
_COLUMN = re.compile(r"[^\W\d][\w ./()#%-]{0,39}")
_SHORT = re.compile(r"(?=.{0,40}$)\S*(?:\s+\S+){0,2}(?<![.!])")
"""A cell of at most three words, which ends no sentence."""
_WITHIN = re.compile(r"[,;|](?! )|\t")
_ARRAY = re.compile(r'\s*\[\s*(?:["{\]]|$)')
_KNOWN = {*TEXT_COLUMNS, *_TWO_PARTS, _CHAT, "id", "text_a", "text_b"}
_JUDGED = ("text", "text_a", "text_b")
_MOST_NAMES = 1_000
_SAMPLE, _LEAST_TEXT = 50, 12
"""Rows by which the column of the jokes is guessed, and the least mean length of its texts."""
_JSON_HINT = 'Each row is one object, such as {"id": "1", "text": "…"}.'
_SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?[ \t]*(?:\r\n|\n|\r)')
_HALF = re.compile("[\ud800-\udfff]")
Shape = Literal["csv", "json", "array", "plain"]
_ONE_BYTE = ("cp1252", "cp1251", "koi8_r", "cp1250", "cp1253")  # of two that fit alike the first is taken
_SEVERAL_BYTES = ("cp932", "euc_jp", "gb18030")
_FIRST_BYTES = (
    (b"\x1f\x8b", "is a gzip archive", "Unpack it first."),
    (b"BZh", "is a bzip2 archive", "Unpack it first."),
    (b"\xfd7zXZ\0", "is an xz archive", "Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "is a zstd archive", "Unpack it first."),
    (b"7z\xbc\xaf\x27\x1c", "is a 7z archive", "Unpack it first."),
    (b"PAR1", "is a Parquet file", "Write it as CSV or JSON lines."),
    (b"ARROW1", "is an Arrow file", "Write it as CSV or JSON lines."),
    (b"SQLite format 3\0", "is an SQLite database", "Write its table as CSV."),
    (b"%PDF-", "is a PDF file", "Save its text in a file of its own."),
    (b"\xd0\xcf\x11\xe0", "is an old Excel workbook or other Office file", "Save it as CSV, in UTF-8."),
    (b"\x89PNG", "is a picture", "jokejudge rate --picture reads the text of one."),
    (b"\xff\xd8\xff", "is a picture", "jokejudge rate --picture reads the text of one."),
)
_ZIPPED = (
    (b"xl/", "is an Excel workbook", "Save it as CSV, in UTF-8."),
    (b"opendocument.spreadsheet", "is a LibreOffice spreadsheet", "Save it as CSV, in UTF-8."),
    (b"word/", "is a Word document", "Save its text in a file of its own."),
)
_WORD = re.compile(r"[^\s!-/:-@\[-`{-~“”„‘’–—…«»]+")
_SIGNS = re.compile(r"[€£¥§©®™°·•¡¿½¼¾²³×\d.%]*")
_MOST_ODD = 0.4


@contextmanager
def _opened(source: str) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for ``-``. Raises ``InputError`` ``E_INPUT_FILE``, also while it is read."""
    try:
        if source == "-":
            yield _standard_input()
        else:
            with Path(source).open("rb") as file:
                yield file
    except (OSError, ValueError) as error:
        sentence = f"The file {source} can't be read: {getattr(error, 'strerror', None) or error}."
        raise InputError("E_INPUT_FILE", sentence, "Check its name and that you may read it.") from error


def read_bytes(source: str, most: int = MOST_TABLE) -> bytes:
    """Return the bytes of a file, or of standard input for ``-``. Raises ``InputError`` (``E_INPUT_FILE``, and
    ``E_INPUT_LARGE`` for more than ``most`` bytes)."""
    with _opened(source) as file:
        data = bytes(file.read(most + 1))
    if len(data) > most:
        raise _too_large(source, most)
    return data


def arriving(source: str) -> Iterator[list[str]]:
    """Yield the lines of a file, or of standard input for ``-``, as many at a time as have arrived. Raises
    ``InputError`` as ``read_bytes`` and ``decode`` do."""
    with _opened(source) as stream:
        rest = b""
        while data := stream.read1(_HEAD):  # type: ignore[attr-defined]
            *lines, rest = (rest + data).split(b"\n")
            if len(rest) > MOST_LINE:
                raise _too_large(source, MOST_LINE, " in a line")
            if lines:
                yield [decode(line, source).removesuffix("\r") for line in lines]
        if rest:
            yield [decode(rest, source).removesuffix("\r")]


def piped() -> bool:
    """Whether something is piped into the program; waits for its first byte."""
    with suppress(InputError, OSError, ValueError, AttributeError):
        stream = _standard_input()
        return not stream.isatty() and bool(stream.peek(1))  # type: ignore[attr-defined]
    return False


def _standard_input() -> IO[bytes]:
    stream: IO[bytes] | None = getattr(sys.stdin, "buffer", None)
    if stream is None:
        raise InputError("E_INPUT_FILE", "There's no standard input to read.", "Give the text or a file.")
    return stream


def _named(source: str) -> str:
    return "Standard input" if source == "-" else f"The file {source}"


def _too_large(source: str, most: int, where: str = "") -> InputError:
    sentence = f"{_named(source)} holds more than {most >> 20:,} MB{where}, which is the most that is read here."
    return InputError("E_INPUT_LARGE", sentence, "Check that it is the right file, or divide it into several.")


def decode(data: bytes, source: str) -> str:
    """Decode strict UTF-8, with or without a byte order mark. Raises ``InputError`` (``E_INPUT_ENCODING``)."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _not_text(source, data, error.start) from error


def _not_text(source: str, data: bytes, start: int) -> InputError:
    line = data.count(b"\n", 0, start) + 1
    fault, hint = f"isn't UTF-8 text: invalid byte {start + 1} on line {line}", "Save it as UTF-8."
    if (kind := _no_text(data[:_HEAD])) is not None:
        fault, hint = f"{kind[0]}, not text", kind[1]
    return InputError("E_INPUT_ENCODING", f"{_named(source)} {fault}.", hint)


def _no_text(head: bytes) -> tuple[str, str] | None:
    """Return what a file of another kind is, by its first bytes ("is a gzip archive"), and what to do with it."""
    if head.startswith(b"PK\x03\x04"):
        zipped = next((words for part, *words in _ZIPPED if part in head), ["is a zip archive", "Unpack it first."])
        return zipped[0], zipped[1]
    return next(((words, hint) for start, words, hint in _FIRST_BYTES if head.startswith(start)), None)


def _recognised(block: bytes, *only: str) -> str | None:
    """Return which encoding a part of a text has that isn't UTF-8; None if none fits. ``only``: one of these."""
    if not only:
        block = block[: block.rfind(b"\n") + 1] or block
        oddity, best = min(((_oddity(block, name), name) for name in _ONE_BYTE), key=lambda pair: pair[0])
        if oddity <= _MOST_ODD:
            return best
    from charset_normalizer import from_bytes  # here, since nearly every file is UTF-8

    match = from_bytes(block, cp_isolation=list(only or _SEVERAL_BYTES)).best()
    return match.encoding if match is not None else None


def _oddity(block: bytes, encoding: str) -> float:
    """Return the share of odd words among those that aren't ASCII, 0…1; 1 for bytes that the encoding hasn't."""
    try:
        words = [word for word in _WORD.findall(block.decode(encoding)) if not word.isascii()]
    except UnicodeDecodeError:
        return 1.0
    return sum(map(_odd, words)) / max(len(words), 1)


def _odd(word: str) -> float:
    """Return how little a word looks like one, 0…1: capitals within it, several scripts, signs, accents in a row."""
    word = word.lstrip("‚¿¡")
    if _SIGNS.fullmatch(word):
        return 0.0
    scripts = {unicodedata.name(letter, "NONE").split()[0] for letter in word}
    accents = sum(not letter.isascii() for letter in word)
    foreign = len(scripts) > 1 or ("LATIN" in scripts and accents > max(1.0, 0.75 * len(word)))
    if foreign or not word.isalpha() or any(low.islower() and high.isupper() for low, high in pairwise(word)):
        return 1.0
    return 0.3 if len(word) > 1 and word.isupper() else 0.0


def _encoding_of(data: bytes, source: str) -> str:
    """Return the encoding of a text: UTF-8, else one that is recognised, if no part of the text is UTF-8 beyond ASCII.
    Raises ``InputError`` ``E_INPUT_ENCODING``."""
    head, start, encoding = data[:_HEAD], 0, None
    if _no_text(head) is None:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            encoding = "utf_16"
        elif head.count(0) > len(head) // 16:
            start, encoding = head.index(0), _recognised(head, "utf_16_le", "utf_16_be")
        else:
            try:
                data.decode("utf-8-sig")
                return "utf-8-sig"
            except UnicodeDecodeError as error:
                start = error.start
                part = data[data.rfind(b"\n", 0, start) + 1 :][:_HEAD]
                encoding = _recognised(part) if data[:start].isascii() else None
    with suppress(UnicodeDecodeError):
        if encoding is not None:
            data.decode(encoding)
            return encoding
    raise _not_text(source, data, start)


def read_whole(source: str) -> tuple[str, tuple[str, ...]]:
    """Return the text of a list of at most 16 MB from a file, or from standard input for ``-``, and what is to be said
    of its encoding. Raises ``InputError``."""
    text = TextSource(source, MOST_LIST)
    return text.whole(), text.notes


class TextSource:
    """The text of a file, or of standard input for ``-``, of at most ``most`` bytes, which can be read line by line.
    ``text``: used instead of a file's content; ``size``: the number of bytes; ``notes``: the encoding in a sentence, if
    it isn't UTF-8. Raises ``InputError`` ``E_INPUT_FILE``, ``E_INPUT_LARGE`` and ``E_INPUT_ENCODING``."""

    def __init__(self, source: str, most: int = MOST_BATCH, *, text: str | None = None) -> None:
        self.name = source
        self._data = text.encode("utf-8", "surrogatepass") if text is not None else read_bytes(source, most)
        self._encoding = "utf-8-sig" if text is not None else _encoding_of(self._data, source)
        name = self._encoding.upper().replace("_", "-").replace("CP125", "Windows-125").replace("CP932", "Shift-JIS")
        name = name.removesuffix("-LE").removesuffix("-BE")
        self.notes = () if name == "UTF-8-SIG" else (f"{_named(source)} isn't UTF-8; it was read as {name}.",)
        self.size = len(self._data)

    def lines(self, newline: str = "") -> Iterator[str]:
        """Yield the lines with their ends. ``newline``: as of ``open``."""
        for number, line in enumerate(self._reader(newline), start=1):
            if len(line) > MOST_LINE:
                raise _too_large(self.name, MOST_LINE, f" on line {number}")
            yield line

    def head(self) -> str:
        """Return the first characters, from the first line that isn't empty."""
        return self._reader("").read(_HEAD).lstrip("\ufeff\r\n")

    def whole(self) -> str:
        """Return the whole text, if it is no larger than a table may be. Raises ``InputError`` ``E_INPUT_LARGE``."""
        if self.size > MOST_TABLE:
            raise _too_large(self.name, MOST_TABLE)
        return "".join(self.lines("\n"))

    def _reader(self, newline: str) -> io.TextIOWrapper:
        return io.TextIOWrapper(
            io.BytesIO(self._data), encoding=self._encoding, errors="surrogatepass", newline=newline
        )


class Cells(dict[str, str]):
    """A row: cells by the names of their columns. ``problem``: why it can't be read."""

    problem: InputError | None = None


def _bad(code: str, sentence: str, hint: str, id: str = "") -> Cells:
    """Return a row that can't be read, so that the others are."""
    row = Cells(id=id) if id else Cells()
    row.problem = InputError(code, sentence, hint)
    return row


class Table:
    """The rows of a list in any form: a table with any of the usual delimiters, JSON lines, one JSON array, also within
    an object, or plain lines. A row maps column names, in lower case, to values; the jokes (``TEXT_COLUMNS``, setup and
    punchline, chat ``messages``, or ``text_column``) are named ``text``, as is the only one of a plain line.
    ``text_column``: a name, the path of one within objects (``data.text``), or several joined by a line end
    (``title+selftext``); None: where no column has such a name, the one with the longest texts is taken.
    ``delimiter``: of a table, None: recognised.

    ``names``: the columns, those of JSON after its rows were read; ``header``: the unchanged cells of the first line,
    if it names the columns, of JSON the names that its rows have. ``asked``: columns that show that a first line is a
    header. Raises ``InputError``."""

    def __init__(
        self,
        source: TextSource,
        *,
        name: str = "",
        text_column: str | None = None,
        delimiter: str | None = None,
        asked: Iterable[str] = (),
    ) -> None:
        self._source = source
        self._column = text_column.strip().lower() if text_column else None
        wanted = (self._column, *self._column.split("+")) if self._column else ()
        self._asked = {*asked, *_KNOWN, *wanted}
        self._paths = [part.strip() for part in wanted if "." in part]
        self._array: list[Any] | None = None
        self._delimiter, self._before, self._joined, self._guessed = ",", 0, 0, False
        self.names: tuple[str, ...] = ()
        self.header: tuple[str, ...] = ()
        self.shape: Shape = "json"
        self.shape = self._shape(source.head(), (name or source.name).lower(), delimiter)
        self._columns = [_plain(name) for name in self._lower] if self.shape == "csv" else []
        while self._columns and not self._columns[-1]:
            self._columns.pop()
        if self.shape != "plain" and self._column is None and "text_a" not in self._columns:
            self._guess()
        if self._columns:
            self.names = tuple(self._row(self._columns, self._columns))

    @property
    def _lower(self) -> list[str]:
        return [cell.strip().lower() for cell in self.header]

    @property
    def column(self) -> str:
        """The column that holds the jokes, if it is one, as its header has it."""
        parts = self._parts(self._lower)
        return next((cell for cell in self.header if parts == (cell.strip().lower(),)), "")

    def _guess(self) -> None:
        """Take the column with the longest texts for the jokes, if no column has a usual name."""
        rows: list[Cells] = []
        with suppress(InputError):
            rows += (cells for _, cells in itertools.islice(self.rows(), _SAMPLE))
        names = {name for cells in rows for name in cells}
        means = {name: sum(len(cells.get(name, "")) for cells in rows) / len(rows) for name in names - self._asked}
        best = max(means, key=means.__getitem__, default="")
        if names & {"text", "text_a"} or means.get(best, 0.0) < _LEAST_TEXT:
            return
        if self.shape != "csv":
            self.names, self.header = (), ()
        self._column, self._guessed = best, True

    @property
    def notes(self) -> tuple[str, ...]:
        """What is to be said of the rows that were read."""
        notes = list(self._source.notes)
        if self._joined:
            rows = "1 row has" if self._joined == 1 else f"{self._joined:,} rows have"
            notes.append(f"{rows} more cells than the header: the last ones were joined to the text again.")
        if "title" in self._lower and self._parts(self._lower) == ("body",) and self._column is None:
            notes.append("The column body holds the jokes; in the terminal --text-column title+body joins two columns.")
        if self._guessed:
            notes.append(f"The column “{self.column}” was taken for the jokes: its texts are the longest.")
        return tuple(notes)

    def check(self, source: str, columns: Iterable[str], code: str, hint: str) -> None:
        """Raise the error with this code, if the rows lack one of these columns, or if one comes twice."""
        kind = UsageError if code == "E_BATCH_COLUMN" else InputError
        names = self._lower
        judged = [part for column in columns for part in (self._parts(names) if column == "text" else (column,))]
        twice = [name for name in ("id", *judged) if self.shape == "csv" and names.count(name) > 1]
        if twice:
            raise kind(code, f"{source} has more than one column {twice[0]!r}.", "Rename one of them.")
        missing = next((name for name in columns if name not in self.names), None)
        if missing is not None:
            wanted = f"column {self._column or missing!r}"
            if missing == "text":
                wanted = wanted if self._column else "column with the jokes"
                hint = f"Name it {', '.join(TEXT_COLUMNS[:-1])} or {TEXT_COLUMNS[-1]}, or say --text-column NAME."
            raise kind(code, f"{source} has no {wanted}: {columns_there(self.header)}.", hint)

    def rows(self) -> Iterator[tuple[int, Cells]]:
        """Yield each row that isn't empty, with the number of its first line."""
        self._joined = 0
        rows = {"csv": self._cells, "array": self._items}.get(self.shape, self._lines)()
        bad, good = None, False
        for number, cells in rows:
            bad, good = bad or cells.problem, good or cells.problem is None
            yield number, cells
        if bad is not None and not good and self.shape != "csv":
            raise bad

    def _lines(self) -> Iterator[tuple[int, Cells]]:
        first = self.shape == "plain" and bool(self.header)
        # Only line feeds end a line: a joke may hold other separators.
        for number, line in enumerate(self._source.lines("\n"), start=1):
            if line.strip() and first:
                first = False
            elif line.strip() and self.shape == "plain":
                yield number, Cells(text=line.lstrip("\ufeff").removesuffix("\n").removesuffix("\r"))
            elif line.strip():
                try:
                    yield number, self._cells_of(parse_json(line, endless=True), number)
                except ValueError:
                    yield number, _bad("E_LIST_JSON", f"Line {number} of {self._where()} isn't whole JSON.", _JSON_HINT)

    def _shape(self, head: str, name: str, chosen: str | None) -> Shape:
        if name.endswith(_JSON_FILES) or _begins_json(head):
            return "array" if head.lstrip().startswith("[") or self._within_object() else "json"
        table = name.endswith(_CSV_FILES) or chosen is not None
        delimiters = chosen or ("\t" if name.endswith((".tsv", ".tab")) else _DELIMITERS)
        if (separator := _SEPARATOR.match(head)) is not None:
            head, table, delimiters, self._before = head[separator.end() :], True, separator[1], 1
        first = next((line for line in re.split(r"\r\n|\n|\r", head) if line.strip()), "")
        if "\0" in first and (table or _header(first.replace("\0", ""), self._asked, table, delimiters)):
            sentence = f"Line 1 of {self._where()} holds a NUL character."
            raise InputError("E_INPUT_NUL", sentence, "Save the list as text again.")
        header = _header(first, self._asked, table, delimiters)
        if header is None:
            if not table or not first:
                return "csv" if table else "plain"
            if _several(first, delimiters):
                return "csv"  # several columns, and no header to name them
            self._delimiter, self.names = _NO_DELIMITER, ("text",)
            return "csv" if first.startswith('"') else "plain"
        self._delimiter, self.header = header
        if len(self.header) > 1 or table:
            return "csv"
        more = head.partition(first)[2].strip()
        if not more:  # one word alone is a text
            self.header = ()
            return "plain"
        self._delimiter = _NO_DELIMITER
        return "csv" if more.startswith('"') or '\n"' in more else "plain"

    def _within_object(self) -> bool:
        """Whether the file is one object; the one list of rows in it is kept, else the object as the only row."""
        lines = (line for line in self._source.lines("\n") if line.strip())
        with suppress(ValueError, InputError):
            first = next(lines, "")
            with suppress(ValueError):
                parse_json(first, endless=True)
                if next(lines, None) is not None:
                    return False  # a row on each line
            value = parse_json(self._source.whole(), endless=True)
            if isinstance(value, dict):
                lists = [] if self._parts([str(name).lower() for name in value]) else list(_lists_in(value))
                self._array = lists[0] if len(lists) == 1 else [value]
        return self._array is not None

    def _parts(self, names: Sequence[str]) -> tuple[str, ...]:
        """Return the columns among these that make up the text."""
        if self._column is not None:
            parts = [self._column] if self._column in names else [part.strip() for part in self._column.split("+")]
            return tuple(parts) if all(part in names for part in parts) else ()
        if (usual := next((name for name in TEXT_COLUMNS if name in names), None)) is not None:
            return (usual,)
        if all(part in names for part in _TWO_PARTS):
            return _TWO_PARTS
        if _CHAT in names and self.shape != "csv":
            return (_CHAT,)
        only = self.shape == "csv" and len(names) == 1 and names[0] not in self._asked
        return tuple(names) if only else ()

    def _row(self, names: Sequence[str], cells: Iterable[str]) -> Cells:
        """Return a row with the column of the jokes named ``text``."""
        row, parts, texts = Cells(), self._parts(names), []
        for name, cell in zip(names, cells, strict=False):
            if name in parts:
                texts.append(cell)
                row["text"] = "\n".join(text for text in texts if text.strip()) if len(parts) > 1 else cell
            elif name:
                other = "text_1" if name == "text" and parts else name
                row[other] = cell if other in _JUDGED else _plain(cell)
        return row

    def _cells(self) -> Iterator[tuple[int, Cells]]:
        rows = self._csv_rows()
        for _ in range(self._before + bool(self.header)):
            next(rows, None)
        names = self._columns if self.header else ["text"]
        joins = self._parts(names) == (names[-1],) and not {"text_a", "text_b"} & set(names)
        for line, cells in rows:
            more = len(names)
            while len(cells) > more and not cells[-1].strip():
                cells.pop()
            if len(cells) > more and not joins:
                id = cells[names.index("id")] if "id" in names else ""
                sentence = f"The row on line {line} has {len(cells)} cells, the header {more}."
                yield line, _bad("E_BATCH_CELLS", sentence, "Put the text in quotes.", id)
                continue
            if len(cells) > more:
                self._joined += 1
                cells[more - 1 :] = [self._delimiter.join(cells[more - 1 :])]
            yield line, self._row(names, cells)

    def _csv_rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows of a table that aren't empty, with the number of their first line. Raises ``InputError``
        ``E_BATCH_CSV`` for an invalid table."""
        reader = csv.reader(self._source.lines(), strict=True, delimiter=self._delimiter)
        began = 1
        try:
            for cells in reader:
                if _swallowed(cells, self._delimiter):
                    raise csv.Error("a quote in it isn't closed")
                if cells:
                    yield began, cells
                began = reader.line_num + 1
        except csv.Error as error:
            raise InputError(
                "E_BATCH_CSV",
                f"{self._source.name} isn't such a CSV file: the row that begins on line {began} can't be read "
                f"({error}).",
                'Put a text with delimiters or quotes in quotes, and write a quote within it twice ("").',
            ) from error

    def _items(self) -> Iterator[tuple[int, Cells]]:
        if (items := self._array) is None:
            try:
                items = parse_json(self._source.whole(), endless=True)
            except ValueError as error:
                sentence = f"{self._where()} isn't a whole JSON array."
                raise InputError("E_LIST_JSON", sentence[:1].upper() + sentence[1:], _JSON_HINT) from error
        for number, value in enumerate(items, start=1):
            yield number, self._cells_of(value, number)

    def _cells_of(self, value: Any, number: int) -> Cells:
        if isinstance(value, str) or value is None:
            self._note_names(("text",), ("text",))
            return Cells(text=value or "")
        if not isinstance(value, dict):
            sentence = f"Line {number} of {self._where()} holds neither a text nor an object."
            return _bad("E_LIST_JSON", sentence, _JSON_HINT)
        row: dict[str, str] = {}
        for key, cell in value.items():
            name = _plain(str(key).strip().lower())
            cell = _last_message(cell) if name == _CHAT else cell
            if name in self._asked and (cell is None or isinstance(cell, dict | list)):
                cell = ""
            if cell is not None:
                row[name] = cell if isinstance(cell, str) else json.dumps(cell, ensure_ascii=False)
        for path in self._paths:
            if path not in row and (text := _at(value, path)) is not None:
                row[path] = text
        named = self._row(list(row), row.values())
        self._note_names(row, named)
        return named

    def _note_names(self, header: Iterable[str], names: Iterable[str]) -> None:
        """Take in the columns of a JSON row."""
        if len(self.header) < _MOST_NAMES:
            self.header = tuple(dict.fromkeys((*self.header, *header)))
        self.names = tuple(dict.fromkeys((*self.names, *(name for name in names if name in self._asked))))

    def _where(self) -> str:
        return {"-": "standard input", "The list": "the list"}.get(self._source.name, self._source.name)


def _plain(cell: str) -> str:
    """Return a cell that isn't judged without halves of surrogates, which nothing could write."""
    return cell if cell.isascii() else _HALF.sub("\ufffd", cell)


def _at(value: Any, path: str) -> str | None:
    """Return the text at a path of names, such as ``data.text``, within an object; None where there is none."""
    for part in path.split("."):
        names = {str(name).strip().lower(): inner for name, inner in value.items()} if isinstance(value, dict) else {}
        if part not in names:
            return None
        value = names[part]
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def _last_message(messages: Any) -> Any:
    """Return the text of chat messages, whose contents are texts or lists of parts; anything else unchanged."""
    if not isinstance(messages, list) or not all(isinstance(message, dict) for message in messages):
        return messages
    texts = []
    for message in messages:
        content = message.get("content")
        if isinstance(content, list):
            parts = (part.get("text") for part in content if isinstance(part, dict))
            content = "".join(part for part in parts if isinstance(part, str))
        if isinstance(content, str):
            texts.append((message.get("role"), content))
    answers = [text for role, text in texts if role == "assistant"]
    return answers[-1] if answers else "\n".join(text for _, text in texts)


def _lists_in(value: dict[str, Any]) -> Iterator[list[Any]]:
    """Yield the lists of objects or texts within objects."""
    for inner in value.values():
        if isinstance(inner, list) and inner and all(isinstance(item, dict | str) for item in inner):
            yield inner
        elif isinstance(inner, dict):
            yield from _lists_in(inner)


def _several(first: str, delimiters: str) -> bool:
    """Whether a first line that is no header has several cells."""
    if not first.startswith('"'):
        return _WITHIN.search(first) is not None
    for delimiter in delimiters:
        with suppress(csv.Error):
            if len(next(csv.reader([first], delimiter=delimiter, strict=True))) > 1:
                return True
    return False


def _begins_json(head: str) -> bool:
    start = head.lstrip()
    line = start.split("\n", 1)[0]
    if start.startswith("{"):
        return re.match(r'\{\s*"[^"\n]*"\s*:', start) is not None or (start.startswith('{"') and line == start)
    if not _ARRAY.match(start):
        return False
    try:
        return all(isinstance(value, dict | str) for value in parse_json(start))
    except ValueError:
        return len(start) >= _HEAD // 2 or "\n" in start.strip()


def _header(first: str, asked: set[str], table: bool, delimiters: str) -> tuple[str, tuple[str, ...]] | None:
    """Return the delimiter and the cells of a header line; None if the line is a row. ``table``: the file's name is
    that of a table, so several cells must be column names."""
    best: tuple[int, int, str, tuple[str, ...]] | None = None
    for delimiter in delimiters:
        try:
            cells = tuple(next(csv.reader([first], delimiter=delimiter), ()))
        except csv.Error:
            continue
        names = [cell.strip().lower() for cell in cells]
        asked_for = sum(name in asked for name in names)
        loose = table and asked_for > 1
        named = all(
            not name or name in asked or (_SHORT.fullmatch(name) and (loose or _COLUMN.fullmatch(name)))
            for name in names
        )
        # At least one name other than "id": a joke may well begin with that.
        if named and any(names) and (table or any(name in asked and name != "id" for name in names)):
            candidate = (asked_for, len(cells), delimiter, cells)
            best = candidate if best is None or candidate[:2] > best[:2] else best
    if best is None:
        return None
    asked_for, count, delimiter, cells = best
    if count > 1:
        return delimiter, cells
    # A single column: its jokes may hold any delimiter. One word is no joke.
    return (_NO_DELIMITER, cells) if asked_for or len(cells[0].split()) == 1 else None


def columns_there(header: Iterable[str]) -> str:
    """Return which columns a list has, in words."""
    cells = [cell for cell in header if cell.strip()]
    return f"it has {', '.join(repr(cell[:40]) for cell in cells[:12])}" if cells else "line 1 names no columns"


def _swallowed(cells: list[str], delimiter: str) -> bool:
    """Whether a text of several lines seems to contain other rows because of an unclosed quote: lines that begin with
    an id of the same form as this row's."""
    form = _NUMBER.sub("#", cells[0].strip()) if cells else ""
    if "#" not in form:
        return False
    for cell in cells[1:]:
        begins = (line.split(delimiter, 1) for line in cell.splitlines()[1:])
        if any(len(parts) == 2 and _NUMBER.sub("#", parts[0].strip(' "')) == form for parts in begins):
            return True
    return False
