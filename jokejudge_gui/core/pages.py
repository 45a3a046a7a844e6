"""HTML pages that need nothing else: the frame that every report and export shares, and its parts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

# The window's tokens (its light and dark scheme), so that a report looks like the program.
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


def document(title: str, body: Sequence[str]) -> str:
    """A whole HTML document that needs nothing else. ``title`` is text; ``body`` is HTML already."""
    return (
        '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        f"<title>{escape(title)}</title><style>{STYLE}</style></head>\n<body>\n"
        + "\n".join(body)
        + "\n</body></html>\n"
    )


class Markup(str):
    """A text that is HTML already; every other text is escaped."""

    __slots__ = ()


def section(heading: str, *parts: str) -> str:
    """A box of the page under a heading. ``parts`` are HTML already."""
    return f"<section><h2>{escape(heading)}</h2>{''.join(parts)}</section>"


def paragraph(*lines: str, look: str = "") -> str:
    """A paragraph of some lines; ``look``: a class of ``STYLE``."""
    text = "<br>".join(escape(line) for line in lines if line)
    return f'<p class="{look}">{text}</p>' if look else f"<p>{text}</p>"


def table(head: Iterable[str], rows: Iterable[Iterable[str]], heading: str = "") -> str:
    """A table that scrolls where it must, under a heading; empty where there is no row."""
    top = "".join(f'<th scope="col">{_safe(cell)}</th>' for cell in head)
    lines = "".join("<tr>" + "".join(f"<td>{_safe(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    if not lines:
        return ""
    above = f"<h3>{escape(heading)}</h3>" if heading else ""
    return f'{above}<div class="wide"><table><thead><tr>{top}</tr></thead><tbody>{lines}</tbody></table></div>'


def _safe(cell: str) -> str:
    return cell if isinstance(cell, Markup) else escape(cell)
