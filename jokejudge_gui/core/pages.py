"""A verdict or a report in words, as a small tree that every surface draws: here as a self-contained HTML document, as
Markdown and as plain lines. The templates are in resources/pages; they are compiled when something is first drawn."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Literal

from .paths import resources_dir
from .texts import without_controls

if TYPE_CHECKING:
    from jinja2 import Template

Tone = Literal["high", "middle", "low", "A", "B", "tie", "none"]
"""The finding that a badge shows: the upper half of the audience, unclear, the lower half; the winner; or none."""


@dataclass(frozen=True)
class Mark:
    """Words of a text to be marked, from ``start`` to ``end`` (characters). ``kind``: what they are."""

    start: int
    end: int
    kind: Literal["turn", "tag", "cut", "wordplay", "differs", "callback", "shared"]


@dataclass(frozen=True)
class MarkedText:
    """A judged text. ``label``: its name among several ("A", "B", "3"), empty if it is the only one."""

    text: str
    label: str = ""
    marks: tuple[Mark, ...] = ()


@dataclass(frozen=True)
class Row:
    """A finding in words. ``name``: a label before it, empty for a sentence of its own; ``beside``: how far to trust
    it; ``quiet``: shown less prominently; ``span``: the words of the first text that it is about (characters);
    ``shares``: a distribution as shares 0…1 by label; ``rows``: the findings below it, which a surface may fold."""

    text: str
    name: str = ""
    beside: str = ""
    quiet: bool = False
    span: tuple[int, int] | None = None
    shares: tuple[tuple[str, float], ...] = ()
    rows: tuple[Row, ...] = ()


@dataclass(frozen=True)
class Sentence:
    """A sentence of a longer text, which is drawn in place of the text, a row each. ``mark``: whether people laugh
    after it; ``beside``: what is said of it; ``flat``: it belongs to the longest stretch without a mark; ``room``:
    a room laughed after it."""

    text: str
    mark: Literal["likely", "maybe", ""] = ""
    beside: str = ""
    flat: bool = False
    room: bool = False

    @property
    def signs(self) -> str:
        return f"{SIGNS[self.mark]}{ROOM * self.room}"


ROOM = "◆"
SIGNS = {"likely": "●", "maybe": "○", "": " "}
"""What marks a sentence, and that a room laughed after it."""


@dataclass(frozen=True)
class Page:
    """A verdict, or a part of a report, in words: every surface draws this tree and writes no sentence of its own.

    ``headline``: the verdict in one sentence; ``badge``: the same in at most four characters; ``tone``: its colour;
    ``value``: sort key (higher first), None for a verdict without one; ``lead``: sentences right under the headline;
    ``notes``: warnings, shown before the findings; ``sentences``: of the only text, if it is a longer one; ``foot``:
    model, seconds and the like, shown last."""

    headline: str
    badge: str = "–"
    tone: Tone = "none"
    value: float | None = None
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[MarkedText, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    rows: tuple[Row, ...] = ()
    tables: tuple[Table, ...] = ()
    foot: tuple[str, ...] = ()


@dataclass(frozen=True)
class Table:
    """A table of a report. ``head``: column headings; the first one is that of the row names, and may be empty.
    ``narrow``: number of columns that a terminal shows (None: all)."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    narrow: int | None = None


LOOKS = {"pass": "pass", "fail": "fail", "strong": "fail"}
"""Coloured words in tables, with their class in style.css."""
_ESCAPES = str.maketrans({sign: f"\\{sign}" for sign in "\\|*`[]{}<>#&$~"})
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
"""An underscore that isn't inside a word, where it would be a sign of Markdown."""
_BOLD = "\ue000"
"""Stands for the sign of bold words while a text is escaped."""
_LINKS = re.compile(r"(?i)(?<=[a-z]):(?=//)|(?<=\bwww)\.|(?<=\bmailto):|@")
_LONG_CELL = 30
_PIECES = 64
"""Pieces of a template that are joined before they are written."""
_LINE_START = re.compile(r"^\s*(?=[-+=])|^\s*\d+(?=[.)](?:\s|$))")


def as_html(pages: Iterable[Page], title: str) -> str:
    """Return pages as a whole, self-contained HTML document, light and dark, without scripts; all texts are escaped."""
    return "".join(html_pieces(pages, title))


def html_pieces(pages: Iterable[Page], title: str) -> Iterator[str]:
    """Yield such a document piece by piece; ``pages`` may be a generator, of which one page is in memory at a time."""
    yield from _pieces("page.html.j2", pages, title)


def html_section(page: Page) -> str:
    """Return a page as a piece of HTML without a style, for a notebook."""
    return str(_template("page.html.j2").make_module({"pages": (), "title": ""}).section(page))  # type: ignore[attr-defined]


def sheet_html(page: Page, title: str) -> str:
    """Return the first table of a page in large type, to print or to read from, in HTML that Qt's documents draw, too.
    Its columns are a number, a name, perhaps words, other words and two figures."""
    return "".join(_pieces("sheet.html.j2", (page,), title))


def as_markdown(pages: Iterable[Page], title: str = "") -> str:
    """Return pages as Markdown; all texts are escaped."""
    return "".join(markdown_pieces(pages, title))


def markdown_pieces(pages: Iterable[Page], title: str = "") -> Iterator[str]:
    """Yield Markdown piece by piece."""
    yield from _pieces("page.md.j2", pages, title)


def _pieces(name: str, pages: Iterable[Page], title: str) -> Iterator[str]:
    stream = _template(name).stream(pages=pages, title=title)
    stream.enable_buffering(_PIECES)
    yield from stream


def as_lines(page: Page, *, texts: bool = False) -> list[str]:
    """Return a page as lines of plain text; ``texts``: with the judged texts, first."""
    lines: list[str] = []
    for text in page.texts if texts and not page.sentences else ():
        lines += (*([f"{text.label}:"] if text.label else []), *text.text.splitlines(), "")
    lines += (line for line in (page.headline, *page.lead, *page.notes) if line)
    lines += (
        f"{one.signs} {' '.join(one.text.split())}" + (f" ({one.beside})" if one.beside else "")
        for one in page.sentences
    )
    lines += (line for row in page.rows for line in _row_lines(row, 0))
    for table in (table for table in page.tables if table.rows):
        widths = [max(map(len, column)) for column in zip(table.head or table.rows[0], *table.rows, strict=True)]
        lines += ("", *([table.title] if table.title else []))
        for cells in (*([table.head] if table.head else []), *table.rows):
            lines.append("  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip())
    return [without_controls(line) for line in (*lines, *page.foot)]


def _row_lines(row: Row, depth: int) -> Iterator[str]:
    beside = "; ".join(filter(None, (row.beside, in_words(row.shares))))
    named = ": ".join(filter(None, (row.name, row.text)))
    yield "  " * depth + named + (f" ({beside})" if beside else "")
    for below in row.rows:
        yield from _row_lines(below, depth + 1)


def in_words(shares: Iterable[tuple[str, float]]) -> str:
    """Return a distribution in words."""
    return ", ".join(f"{label}: {100 * share:.0f} %" for label, share in shares)


def runs(text: MarkedText) -> Iterator[tuple[str, str]]:
    """Yield the text in pieces, each with the kinds of its marks."""
    ends = {0, len(text.text), *(end for mark in text.marks for end in (mark.start, mark.end))}
    places = sorted(end for end in ends if 0 <= end <= len(text.text))
    for start, end in pairwise(places):
        kinds = dict.fromkeys(mark.kind for mark in text.marks if mark.start <= start and end <= mark.end)
        yield text.text[start:end], " ".join(kinds)


@cache
def _template(name: str) -> Template:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined
    from markupsafe import Markup as Safe

    def safe(value: object) -> object:
        """Return a value that is written into a template: a text escaped for Markdown, or to be escaped as HTML."""
        if isinstance(value, Safe):
            return value
        return Safe(_markdown(str(value))) if name.endswith(".md.j2") else without_controls(str(value))

    def look_of(cell: str) -> str:
        """Return the class of a table's cell: coloured words, and texts that may wrap."""
        return LOOKS.get(cell, "text" if len(cell) > _LONG_CELL or "\n" in cell else "")

    def begins(text: str) -> Safe:
        return Safe(_LINE_START.sub(r"\g<0>\\", _markdown(text)))

    def quoted(item: MarkedText) -> list[Safe]:
        """Return the lines of a text, the words on which it turns in bold."""
        text = item.text.replace(_BOLD, "")
        turn = next((mark for mark in item.marks if mark.kind == "turn"), None)
        if turn is not None and text == item.text:
            text = _BOLD.join((text[: turn.start], text[turn.start : turn.end], text[turn.end :]))
        return [Safe(begins(line).replace(_BOLD, "**")) for line in text.splitlines() or [""]]

    templates = Environment(
        loader=FileSystemLoader(resources_dir() / "pages"), autoescape=True, finalize=safe, undefined=StrictUndefined,
        trim_blocks=True, lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    templates.filters |= {"begins": begins, "blank": lambda _cell: ""}
    templates.globals |= {
        "in_words": in_words, "runs": runs, "look_of": look_of, "ending": Safe("\\"),
        "quoted": quoted, "room_sign": ROOM,
    }  # fmt: skip
    return templates.get_template(name)


def _markdown(text: str) -> str:
    """Return a text escaped for Markdown, also for a cell of a table."""
    escaped = _UNDERSCORE.sub(r"\_", without_controls(text).translate(_ESCAPES))
    return "<br>".join(_LINKS.sub(r"\\\g<0>", escaped).split("\n"))  # no address becomes a link by itself
