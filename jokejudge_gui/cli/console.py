"""The two streams: results on stdout, everything else on stderr; drawn by rich where people read them."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import threading
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import cached_property
from typing import TYPE_CHECKING, Any, TextIO

import click

from ..core.errors import JokeJudgeError, OutputError
from ..core.texts import BIDI, MARKS, json_line

if TYPE_CHECKING:
    from rich.console import Console as RichConsole
    from rich.console import RenderableType
    from rich.text import Text

    from ..core.pages import MarkedText, Page, Row, Sentence, Table

_TURNING, _MARKS = re.compile(f"[{BIDI}]"), re.compile(f"[{MARKS}]")
_LOOKS = {"pass": "green", "fail": "red", "strong": "red", "some": "yellow", "not measured": "dim", "no sign": "dim"}
"""The colours of words in a table."""
_MARKED = {"turn": ("underline", "«", "»"), "cut": ("strike", "[-", "-]"), "differs": ("bold", "«", "»"),
           "callback": ("bold", "«", "»"), "shared": ("bold", "«", "»")}  # fmt: skip
"""The look of marked words, and what stands around them where there are no colours."""
_WIDEST = 120
NARROW = 50
"""A width with little room for columns."""
_SHORT = 8
_REDRAW_S, _ALIVE_S = 0.1, 1.0
MOST_ROWS = 50
"""Rows printed of a verdict's table."""


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


class Sheet:
    """What rich draws for a stream, as text. Texts of users are never read as markup."""

    def __init__(self, stream: TextIO | None, width: int | None = None) -> None:
        self.terminal = stream is not None and stream.isatty()
        self.colour = self.terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
        self._encoding, self._width = getattr(stream, "encoding", None) or "utf-8", width

    @cached_property
    def _console(self) -> RichConsole:
        from rich.console import Console

        return Console(  # its file is never written; rich draws with letters alone where its encoding isn't Unicode
            file=io.TextIOWrapper(io.BytesIO(), self._encoding), width=self._width, force_terminal=self.colour,
            legacy_windows=False, color_system="standard" if self.colour else None, markup=False, highlight=False,
            emoji=False,
        )  # fmt: skip

    def drawn(self, *things: RenderableType, width: int | None = None) -> str:
        """Return things as they are to be printed, each on lines of its own."""
        with self._console.capture() as capture:
            for thing in things:
                self._console.print(thing, width=width)
        return "\n".join(line if self.colour else line.rstrip() for line in capture.get().split("\n"))


def _flat(rows: Iterable[Row], depth: int = 0) -> Iterator[tuple[int, Row]]:
    for row in rows:
        yield depth, row
        yield from _flat(row.rows, depth + 1)


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
        self.width = min(shutil.get_terminal_size((100, 24)).columns, _WIDEST)
        self._out, self.err = Sheet(sys.stdout, self.width), Sheet(sys.stderr)
        self.line = LiveLine(self.err, self.err.terminal and not quiet)

    def draw(self, *things: RenderableType) -> None:
        """Print results for people, drawn by rich."""
        print_result(self._out.drawn(*things))

    def text(self, text: str) -> None:
        """Print a result for people, unwrapped."""
        print_result(printable(text) + "\n")

    def paragraph(self, text: str, *, style: str = "", indent: int = 0) -> None:
        """Print a result for people, wrapped to the terminal, ``indent`` blanks from its left; line ends are kept."""
        from rich.padding import Padding
        from rich.text import Text

        self.draw(Padding(Text(printable(text), style=style), (0, 0, 0, indent), expand=False))

    def heading(self, text: str) -> None:
        """Print the main finding of a verdict, or of a part of one."""
        self.paragraph(text, style="bold")

    def section(self, text: str) -> None:
        """Print a heading under an empty line."""
        self.text("")
        self.heading(text)

    def page(self, page: Page, *more: str) -> None:
        """Print a verdict or a part of a report in words; ``more``: added to its foot."""
        for note in page.notes:
            self.paragraph(f"Note: {note}", style="yellow")
        if page.notes:
            self.text("")
        if page.headline:
            self.heading(page.headline)
        for sentence in page.lead:
            self.paragraph(sentence)
        if page.sentences:
            self.text("")
            self._sentences(page.sentences)
        elif page.texts:
            if page.headline or page.lead:
                self.text("")
            self.draw(*(self._marked(text) for text in page.texts))
        if page.rows:
            self.text("")
            self._rows(page.rows)
        for table in page.tables:
            self.table(table, MOST_ROWS)
        if foot := (*page.foot, *more):
            self.text("")
            self.paragraph(" · ".join(printable(part, lines=False) for part in foot), style="dim")

    def _marked(self, text: MarkedText) -> Text:
        from rich.text import Text

        from ..core.pages import runs

        drawn = Text()
        if text.label:
            drawn.append(f"{printable(text.label, lines=False)}: ", "dim")
        for piece, kinds in runs(text):
            style, before, after = next((_MARKED[kind] for kind in kinds.split() if kind in _MARKED), ("", "", ""))
            words = printable(piece)
            drawn.append(words if self._out.colour else f"{before}{words}{after}", style)
        return drawn

    def _sentences(self, sentences: Sequence[Sentence]) -> None:
        """Print a longer text, a sentence a row: the mark at the left, what is said of it at the right."""
        from rich.table import Column
        from rich.table import Table as Grid
        from rich.text import Text

        left = Column(width=max(len(one.signs) for one in sentences))
        grid = Grid.grid(left, Column(), Column(style="dim", justify="right", no_wrap=True), padding=(0, 2))
        for one in sentences:
            look = "bold" if one.mark == "likely" else "dim" if one.flat else ""
            text = Text(printable(one.text, lines=False), style=look)
            grid.add_row(one.signs, text, printable(one.beside, lines=False))
        self.draw(grid)

    def _rows(self, rows: Sequence[Row]) -> None:
        """Print the findings, the quiet ones last: names at the left, the sentences beside them, and under them, at the
        right, what is below them."""
        from rich.table import Column
        from rich.table import Table as Grid
        from rich.text import Text

        from ..core.pages import in_words

        named = any(row.name for row in rows)
        grid = Grid.grid(*[Column(style="dim", max_width=24)] * named, Column(), padding=(0, 2))
        above = ""
        for depth, row in _flat(sorted(rows, key=lambda row: row.quiet)):
            label = f"{row.name}: " if row.name and depth else ""
            text = Text("  " * depth + printable(label + row.text), style="dim" if row.quiet or depth else "")
            if beside := "; ".join(filter(None, (row.beside, in_words(row.shares)))):
                text.append(f" ({printable(beside, lines=False)})", "dim")
            name = "" if depth or row.name == above else printable(row.name, lines=False)
            above = above if depth else row.name
            grid.add_row(*[Text(name)] * named, text)
        self.draw(grid)

    def table(self, table: Table, most: int | None = None) -> None:
        """Print columns under their heads, each row on one line, with long cells cut: words at the left, figures at the
        right; at most so many rows."""
        if not table.rows:
            return
        from rich.table import Table as Columns
        from rich.text import Text

        if table.title:
            self.section(table.title)
        rows = [[printable(cell, lines=False) for cell in row[: table.narrow]] for row in table.rows]
        head = table.head[: table.narrow] or ("",) * max(map(len, rows), default=0)
        columns = Columns(box=None, header_style="dim", show_header=any(head), pad_edge=False, padding=(0, 3, 0, 0))
        for place, name in enumerate(head):
            figures = not any(row[place][:1].isalpha() for row in rows)
            short = all(len(row[place]) <= _SHORT for row in rows)  # cut last
            columns.add_column(Text(name, no_wrap=True), justify="right" if figures else "left", no_wrap=short)
        for row in rows[:most]:
            columns.add_row(
                *(Text(cell, style=_LOOKS.get(cell, ""), no_wrap=True, overflow="ellipsis") for cell in row)
            )
        self.draw(columns)
        if most is not None and len(rows) > most:
            self.paragraph(f"… and {len(rows) - most:,} more (--json holds them all)", style="dim")

    def answer(self, fields: dict[str, Any], note: str = "", *shown: str | Table | Page) -> int:
        """Print a command's result: its fields as JSON, or what is ``shown`` of it and a ``note``. Exit status 0."""
        if self.json:
            self.object(fields | {"error": None})
            return 0
        from ..core.pages import Page

        for number, part in enumerate(shown):
            if isinstance(part, Page):
                if number:
                    self.text("")
                self.page(part)
            elif isinstance(part, str):
                self.paragraph(part)
            else:
                self.table(part)
        if note:
            self.note(note)
        return 0

    def object(self, value: dict[str, Any]) -> None:
        """Print the JSON object: one line, UTF-8 whatever the locale."""
        print_result(json_line(value))

    def note(self, text: str) -> None:
        """Print a note, which is no result, unless ``quiet``."""
        if not self.quiet:
            tell(printable(text) + "\n")

    def error(self, error: JokeJudgeError) -> None:
        """Print an error's sentence and its hint."""
        sentence = printable(error.sentence)
        tell((click.style(sentence, fg="red") if self.err.colour else sentence) + "\n")
        if error.hint:
            tell(printable(error.hint) + "\n")


class LiveLine:
    """A line on stderr that says what a command is doing. It is overwritten, drawn again every second while nothing
    else is printed, so that a long step is seen to go on, and cleared before anything is printed. Nothing where stderr
    isn't a terminal. ``began``: the moment from which it counts seconds."""

    def __init__(self, sheet: Sheet, live: bool) -> None:
        self._sheet, self.live = sheet, live
        self._lock = threading.RLock()
        self._shown: tuple[str, int | None, int | None] = ("Working", None, None)
        self.began = self._last = time.monotonic()
        self._drawn = False

    def show(self, text: str, done: int | None = None, total: int | None = None, *, now: bool = False) -> None:
        """Draw a line, with a bar if ``done`` of ``total`` is known, at most ten times a second."""
        with self._lock:
            self._shown = text, done, total
            if self.live and (now or not self._drawn or time.monotonic() - self._last >= _REDRAW_S):
                self._draw()

    def clear(self) -> None:
        """Remove the line."""
        with self._lock:
            if self._drawn:
                self._drawn = False
                _tell("\r\x1b[K")

    @contextmanager
    def kept_alive(self) -> Iterator[None]:
        """Draw the line every second while the block runs."""
        global _line
        if not self.live:
            yield
            return
        done = threading.Event()

        def watch() -> None:
            while not done.wait(_ALIVE_S / 2):
                with self._lock, suppress(OSError, ValueError):
                    if not done.is_set() and time.monotonic() - self._last >= _ALIVE_S:
                        self._draw()

        thread = threading.Thread(target=watch, name="live line", daemon=True)
        thread.start()
        _line = self
        try:
            yield
        finally:
            _line = None
            done.set()
            thread.join()
            self.clear()

    @contextmanager
    def away(self) -> Iterator[None]:
        """Take the line away while the block prints."""
        with self._lock:
            self.clear()
            yield
            self._last = time.monotonic()

    def _draw(self) -> None:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        text, done, total = self._shown
        grid = Table.grid(padding=(0, 2))
        note = Text(printable(text, lines=False), no_wrap=True, overflow="ellipsis")
        bar = (ProgressBar(total, done, width=20), f"{done}/{total}") if done is not None and total else ()
        grid.add_row(f"{time.monotonic() - self.began:5.0f} s", *bar, note)
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns or 80
        except (OSError, ValueError):
            columns = 80
        drawn = self._sheet.drawn(grid, width=max(20, columns - 1)).strip("\n").rstrip()
        _tell(f"\r\x1b[K{drawn}")
        self._drawn, self._last = True, time.monotonic()


_line: LiveLine | None = None
"""The line of the command that runs."""


def print_result(text: str | bytes) -> None:
    """Write to stdout. Raises ``OutputError`` if it can't be written."""
    stream: TextIO | None = sys.stdout
    if stream is None:
        raise OutputError("E_STDOUT", "Standard output is closed.", "Leave it open, or send it to a file.")
    try:
        with _line.away() if _line else nullcontext():
            _write(stream, text)
    except BrokenPipeError:
        raise
    except OSError as error:
        silence(stream)
        sentence = f"Standard output can't be written: {error.strerror or error}."
        raise OutputError("E_STDOUT", sentence, "Free some space, or send it elsewhere.") from error


def tell(text: str) -> None:
    """Write to stderr if there is one."""
    with _line.away() if _line else nullcontext():
        _tell(text)


def _tell(text: str) -> None:
    try:
        _write(sys.stderr, text)
    except BrokenPipeError:
        raise
    except OSError:
        silence(sys.stderr)


def silence(stream: TextIO | None) -> None:
    """Redirect a stream's unwritten content to the null device: Python would report its error again at exit."""
    with suppress(OSError, ValueError, AttributeError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())  # type: ignore[union-attr]
        os.close(null)


def _write(stream: TextIO | None, text: str | bytes) -> None:
    if stream is None:
        return
    if isinstance(text, bytes):
        stream.flush()
        stream.buffer.write(text)
        stream.buffer.flush()
    else:
        encoding = stream.encoding or "utf-8"
        stream.write(text.encode(encoding, "replace").decode(encoding))
        stream.flush()
