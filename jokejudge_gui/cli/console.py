"""The two streams: results on stdout, everything else on stderr."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any, TextIO

from ..core.errors import JokeJudgeError, OutputError
from ..core.pages import Part, Table
from ..core.texts import BIDI, MARKS, json_line

_TURNING, _MARKS = re.compile(f"[{BIDI}]"), re.compile(f"[{MARKS}]")
_LOOKS = {"pass": "green", "fail": "red", "strong": "red", "some": "amber", "not measured": "dim", "no sign": "dim"}
"""The colours of words in a table."""
_LEAST_COLUMN = 8
_CODES = {"bold": "1", "dim": "2", "underline": "4", "red": "31", "green": "32", "amber": "33"}


def printable(text: str, *, lines: bool = True) -> str:
    """Return ``text`` without characters that control a terminal or change a line's direction; ``lines`` False also
    folds it into one line."""
    if not lines:
        text = " ".join(text.split())
    text = _TURNING.sub("\ufffd", _MARKS.sub("", text))
    return "".join(
        c if c in "\n\t" or (unicodedata.category(c) not in ("Cc", "Cs") and c not in "\u2028\u2029") else "\ufffd"
        for c in text
    )


def _columns_of(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) == "Cf":
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def width_of(text: str) -> int:
    """Return the number of columns that a text takes on a terminal."""
    return sum(map(_columns_of, text))


def shorten(text: str, columns: int) -> str:
    """Return a one-line text in exactly ``columns`` columns (2 or more): padded, or cut with an ellipsis."""
    taken = 0
    fits = 0  # the number of characters that leave room for the ellipsis
    for position, character in enumerate(text):
        taken += _columns_of(character)
        if taken <= columns - 1:
            fits = position + 1
        if taken > columns:
            text = text[:fits] + "…"
            break
    return text + " " * (columns - width_of(text))


class Style:
    """Colours and bars, as far as a stream supports them."""

    def __init__(self, *, colour: bool, unicode: bool) -> None:
        self.colour = colour
        self.unicode = unicode

    def paint(self, text: str, *names: str) -> str:
        if not self.colour or not names or not text:
            return text
        return f"\x1b[{';'.join(_CODES[n] for n in names)}m{text}\x1b[0m"

    def bar(self, fraction: float, columns: int) -> str:
        """Return a bar ``columns`` wide, filled from the left."""
        filled = round(min(max(fraction, 0.0), 1.0) * columns)
        full, rest = ("█", "░") if self.unicode else ("#", ".")
        return full * filled + rest * (columns - filled)


class Console:
    """The output of a command.

    ``json``: stdout carries one JSON object and nothing else. ``quiet``: no progress and no notes. ``kept``: verdicts
    go into the history, and their ids are shown. Broken pipes reach the caller as ``BrokenPipeError``; a stdout that is
    closed or full raises ``OutputError``. If stderr can't be written, its messages are dropped.
    """

    def __init__(self, *, json: bool = False, quiet: bool = False) -> None:
        self.json = json
        self.quiet = quiet
        self.kept = True
        plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
        out_tty, self.live = _is_tty(sys.stdout), _is_tty(sys.stderr) and not quiet
        self.style = Style(colour=out_tty and not plain, unicode=_speaks_unicode(sys.stdout))
        self.notes_style = Style(colour=_is_tty(sys.stderr) and not plain, unicode=_speaks_unicode(sys.stderr))
        self.width = min(shutil.get_terminal_size((100, 24)).columns, 120) if out_tty else 100

    def text(self, text: str) -> None:
        """Print a result for people."""
        with _results() as stream:
            _write(stream, text + "\n")

    def paragraph(self, text: str, *, paint: str | None = None, indent: int = 0) -> None:
        """Print a result for people, wrapped to the terminal, ``indent`` blanks from its left; line ends are kept."""
        margin = " " * indent
        for line in printable(text).split("\n"):
            wrapped = textwrap.fill(
                line, self.width, break_long_words=False, initial_indent=margin, subsequent_indent=margin
            )
            self.text(self.style.paint(wrapped, paint) if paint and wrapped else wrapped)

    def painted(self, text: str, *names: str) -> None:
        """Print a result for people, in one line of these colours."""
        self.text(self.style.paint(text, *names))

    def heading(self, text: str, *names: str) -> None:
        """Print the main finding of a verdict, or of a part of one."""
        self.painted(text, "bold", *names)

    def section(self, text: str, *names: str) -> None:
        """Print a heading under an empty line."""
        self.text("")
        self.heading(text, *names)

    def part(self, part: Part) -> None:
        """Print a part of a report: its heading, sentences, tables and points."""
        title = printable(part.title, lines=False)
        self.section(f"{title}: {part.judged}" if part.judged else title)
        for words in part.words:
            self.paragraph(words)
        if part.warning:
            self.paragraph(part.warning, paint="amber")
        for table in part.tables:
            self.table(table)
        for point in part.points:
            self.paragraph(f"· {point}")

    def table(self, table: Table) -> None:
        """Print columns under their heads, as many as fit, with long cells cut so that each row is one line: words at
        the left, figures at the right."""
        head = table.head[: table.narrow]
        rows = [[printable(cell, lines=False) for cell in row[: table.narrow]] for row in table.rows]
        columns = list(zip(*([head] if head else []), *rows, strict=True))
        widths = [max(map(width_of, column)) for column in columns]
        while sum(widths) + 3 * len(widths) > self.width and max(widths) > _LEAST_COLUMN:
            widths[widths.index(max(widths))] -= 1
        figures = [not any(row[place][:1].isalpha() for row in rows) for place in range(len(widths))]

        def line(cells: Sequence[str], painted: bool) -> str:
            shown = []
            for cell, width, figure in zip(cells, widths, figures, strict=True):
                text = shorten(cell, width) if width_of(cell) > width else cell
                blank = " " * (width - width_of(text))
                text = self.style.paint(text, *[_LOOKS[cell]] if painted and cell in _LOOKS else [])
                shown.append(f"{blank}{text}" if figure else f"{text}{blank}")
            return f"  {'   '.join(shown)}".rstrip()

        if table.title:
            self.section(table.title)
        if head:
            self.painted(line(head, False), "dim")
        for row in rows:
            self.text(line(row, True))

    def row(self, head: str, text: str, ends: str = "", least: int = 20) -> None:
        """Print one line: ``head``, as much of a text as fits beside it, but at ``least`` so many columns, and
        ``ends``."""
        room = max(least, self.width - len(head) - len(ends))
        shown = shorten(printable(text, lines=False), room).rstrip()
        self.text(f"{head}{shown}{self.style.paint(ends, 'dim')}")

    def answer(self, fields: dict[str, Any], sentence: str = "") -> int:
        """Print a command's result: its fields as JSON, or a ``sentence``. Exit status 0."""
        if self.json:
            self.object(fields | {"error": None})
        elif sentence:
            self.note(sentence)
        return 0

    def object(self, value: dict[str, Any]) -> None:
        """Print the JSON object: one line, UTF-8 whatever the locale."""
        data = json_line(value)
        with _results() as stream:
            stream.flush()
            stream.buffer.write(data)
            stream.buffer.flush()

    def note(self, text: str) -> None:
        """Print a note, which is no result, unless ``quiet``."""
        if not self.quiet:
            tell(printable(text) + "\n")

    def error(self, error: JokeJudgeError) -> None:
        """Print an error's sentence and its hint."""
        tell(self.notes_style.paint(printable(error.sentence), "red") + "\n")
        if error.hint:
            tell(printable(error.hint) + "\n")


def print_result(text: str) -> None:
    """Write to stdout. Raises ``OutputError`` if it can't be written."""
    with _results() as stream:
        _write(stream, text)


@contextmanager
def _results() -> Iterator[TextIO]:
    """Yield stdout; its failures are raised as ``OutputError``."""
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise OutputError("E_STDOUT", "Standard output is closed.", "Leave it open, or send it to a file.")
    try:
        yield stream
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(stream)
        raise OutputError(
            "E_STDOUT",
            f"Standard output can't be written: {error.strerror or error}.",
            "Free some space, or send it elsewhere.",
        ) from error


def tell(text: str) -> None:
    """Write to stderr if there is one."""
    stream: TextIO | None = sys.stderr
    if stream is None:
        return
    try:
        _write(stream, text)
    except BrokenPipeError:
        raise
    except OSError:
        silence(stream)


def silence(stream: TextIO) -> None:
    """Redirect a stream's unwritten content to the null device: Python would report its error again at exit."""
    with suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def _is_tty(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _speaks_unicode(stream: TextIO | None) -> bool:
    return (getattr(stream, "encoding", None) or "").lower().replace("-", "").startswith("utf")


def _write(stream: TextIO, text: str) -> None:
    encoding = stream.encoding or "utf-8"
    stream.write(text.encode(encoding, "replace").decode(encoding))
    stream.flush()
