"""Reports as titled parts of sentences and tables, shown alike in the terminal, the window and files; and their output
as self-contained HTML pages or as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Literal

from .texts import without_controls, without_links

Tone = Literal["high", "middle", "low", "A", "B", "tie", "none"]
"""The finding that a badge shows: the upper half of the audience, unclear, the lower half; the winner; or none."""


@dataclass(frozen=True)
class Mark:
    """Words of a text to be marked, from ``start`` to ``end`` (characters). ``kind``: what they are."""

    start: int
    end: int
    kind: Literal["turn", "cut", "wordplay", "differs"]


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
class Page:
    """A verdict, or a part of a report, in words: every surface draws this tree and writes no sentence of its own.

    ``headline``: the verdict in one sentence; ``badge``: the same in at most four characters; ``tone``: its colour;
    ``value``: sort key (higher first), None for a verdict without one; ``lead``: sentences right under the headline;
    ``notes``: warnings, shown before the findings; ``foot``: model, seconds and the like, shown last."""

    headline: str
    badge: str = "–"
    tone: Tone = "none"
    value: float | None = None
    lead: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    texts: tuple[MarkedText, ...] = ()
    rows: tuple[Row, ...] = ()
    tables: tuple[Table, ...] = ()
    foot: tuple[str, ...] = ()


# The window's colours (light and dark), so that a report looks like the program.
STYLE = """
:root{color-scheme:light dark;--bg:#F6F5F2;--surface:#FFF;--line:#E1DED7;--track:#E4E1DA;--text:#1C1B19;
--text2:#524E47;--accent:#3346C8;--tint2:#7F8BDD;--good:#1A7346;--bad:#B0251D;--mid:#805300;--midsoft:#F8EDD3}
@media(prefers-color-scheme:dark){:root{--bg:#131211;--surface:#1F1E1B;--line:#34322E;--track:#38352F;--text:#F1EFEA;
--text2:#C2BDB3;--accent:#A5B1FF;--tint2:#6470B8;--good:#63CF98;--bad:#FF958B;--mid:#EDBB5B;--midsoft:#3A2E14}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:900px;padding:24px;background:var(--bg);color:var(--text);
font:14px/1.5 Inter,system-ui,sans-serif}
h1{font-size:24px;font-weight:600;margin:0 0 4px}h2{font-size:20px;font-weight:600;margin:0 0 8px;
overflow-wrap:anywhere}h3{font-size:15px;font-weight:600;margin:20px 0 6px}
section{background:var(--surface);border:1px solid var(--line);border-radius:12px;padding:20px;margin:14px 0}
p{margin:0 0 8px}.lead{font-size:15px}.small{font-size:13px;color:var(--text2)}
.banner{background:var(--midsoft);color:var(--mid);border-radius:10px;padding:10px 14px;margin:14px 0}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
th,td{padding:5px 8px;border-bottom:1px solid var(--line);text-align:right;font-weight:400;white-space:nowrap}
th{color:var(--text2);font-size:13px}th:first-child,td:first-child{text-align:left;white-space:normal}
.pass{color:var(--good);font-weight:600}.fail{color:var(--bad);font-weight:600}
.text{white-space:pre-wrap;overflow-wrap:anywhere;text-align:left;min-width:9rem}
.track{position:relative;width:9rem;height:.6rem;background:var(--track);border-radius:4px;margin:.3rem 0 0 auto}
.span{position:absolute;height:100%;background:var(--tint2);border-radius:4px}
.place{position:absolute;width:.25rem;height:100%;background:currentColor}
svg{display:block;max-width:100%;height:auto}svg text{fill:var(--text2);font:12px Inter,system-ui,sans-serif}
svg .strong{fill:var(--text)}svg .axis{stroke:var(--line)}svg .guide{stroke:var(--text2);stroke-dasharray:3 4}
svg .judge{stroke:var(--accent);fill:var(--accent)}svg .other{stroke:var(--text2);fill:var(--text2)}
svg .dot{fill:var(--accent);fill-opacity:.45}
"""


@dataclass(frozen=True)
class Table:
    """A table of a report. ``head``: column headings; the first one is that of the row names, and may be empty.
    ``brief``: short enough for the window; ``narrow``: number of columns that a terminal shows (None: all)."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    brief: bool = True
    narrow: int | None = None


@dataclass(frozen=True)
class Part:
    """A part of a report: ``words`` are paragraphs, ``points`` a list under the tables. ``judged``: number of judged
    rows and why the others are missing; ``about``: the data for plots."""

    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    points: tuple[str, ...] = ()
    judged: str = ""
    warning: str = ""
    about: Any = None


LOOKS = {"pass": "pass", "fail": "fail", "strong": "fail"}
"""Coloured words in tables, with their class in ``STYLE``."""


def part_html(part: Part, *plots: str) -> str:
    """Return a part as an HTML section; all its texts are escaped."""
    warned = paragraph(part.warning, look="banner") if part.warning else ""
    judged = paragraph(f"{part.judged}.", look="small") if part.judged else ""
    tables = [table(each.head, (map(_looking, row) for row in each.rows), each.title) for each in part.tables]
    points = "".join(f"<li>{_safe(text)}</li>" for text in part.points)
    listed = f"<ul>{points}</ul>" if points else ""
    return section(part.title, *map(paragraph, part.words), judged, warned, *plots, *tables, listed)


def _looking(cell: str) -> str:
    return Markup(f'<span class="{LOOKS[cell]}">{escape(cell)}</span>') if cell in LOOKS else cell


def part_markdown(part: Part) -> Iterator[str]:
    """Yield a part as lines of Markdown; all its texts are escaped."""
    yield from (f"## {markdown_cell(part.title)}", "")
    for text in part.words:
        yield from (markdown_cell(text), "")
    for each in part.tables:
        yield from (*markdown_table(each.head, each.rows), "")
    if part.points:
        yield from (*(f"- {markdown_cell(text)}" for text in part.points), "")


def markdown_table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """Return a table's lines in Markdown; every row has as many cells as ``head``."""
    lines = ["| " + " | ".join(map(markdown_cell, head)) + " |", "|" + "---|" * len(head)]
    return lines + ["| " + " | ".join(map(markdown_cell, row)) + " |" for row in rows]


def markdown_cell(text: str) -> str:
    """Return a text escaped for a cell of a Markdown table."""
    escaped = without_controls(text).replace("\\", "\\\\")
    for sign in "|*_`[]<>#&$~":
        escaped = escaped.replace(sign, f"\\{sign}")
    return "<br>".join(without_links(escaped).split("\n"))


def document(title: str, body: Sequence[str]) -> str:
    """Return a whole, self-contained HTML document. ``title`` is text; ``body`` is HTML."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{_safe(title)}</title><style>{STYLE}</style></head>\n<body>\n" + "\n".join(body) + "\n</body></html>\n"
    )


class Markup(str):
    """A text that is HTML; any other text is escaped."""

    __slots__ = ()


def section(heading: str, *parts: str) -> str:
    """Return an HTML section under a heading. ``parts`` are HTML."""
    return f"<section><h2>{_safe(heading)}</h2>{''.join(parts)}</section>"


def paragraph(*lines: str, look: str = "") -> str:
    """Return an HTML paragraph of some lines; ``look``: a class of ``STYLE``."""
    text = "<br>".join(_safe(line) for line in lines if line)
    return f'<p class="{look}">{text}</p>' if look else f"<p>{text}</p>"


def table(head: Iterable[str], rows: Iterable[Iterable[str]], heading: str = "") -> str:
    """Return an HTML table under a heading, with a scroll bar if it is too wide; empty without rows."""
    top = "".join(f'<th scope="col">{_safe(cell)}</th>' for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{_safe(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    if not lines:
        return ""
    above = f"<h3>{_safe(heading)}</h3>" if heading else ""
    return f'{above}<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _safe(text: str) -> str:
    return text if isinstance(text, Markup) else escape(without_controls(text))
