"""Export of verdicts to files for people and scripts: written one verdict at a time, then moved into place in one
step."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from ..core.errors import ErrorInfo, UsageError
from ..core.texts import escaped_json, without_controls, without_links
from ..core.verdict_kinds import Kinds, Outline
from ..core.verdicts import Status
from .database import CsvLines, write_export
from .query import HistoryEntry

# Details elements in HTML and Markdown, which the browser opens and closes without a script.

Escape = Callable[[str], str]
STYLE = """
details { margin: .15rem 0; } details > :not(summary) { margin-left: 1.2rem; }
summary { cursor: pointer; } p.branch { margin: .2rem 0 .2rem 1.2rem; }
.tree { margin-top: .75rem; } .aside { opacity: .75; }
svg.levels { width: 5.2rem; height: 1.3rem; vertical-align: text-bottom; margin: 0 .4rem; fill: currentColor; }
"""
_WIDE, _HIGH, _GAP = 12, 20, 2


def as_html(outline: Outline, escape: Escape, *, root: bool = True) -> str:
    """Return an outline as HTML; its children are closed at first. ``escape`` makes text safe in HTML."""
    line = f'<span dir="auto">{escape(outline.text)}</span>{_bars(outline, escape)}'
    line += "".join(f' <span class="aside" dir="auto">({escape(note)})</span>' for note in outline.notes)
    if not outline.children:
        return f'<p class="branch">{line}</p>'
    within = "".join(as_html(child, escape, root=False) for child in outline.children)
    opened = ' class="tree" open' if root else ""
    return f"<details{opened}><summary>{line}</summary>{within}</details>"


def as_markdown(outline: Outline, escape: Escape, depth: int = 0) -> Iterator[str]:
    """Yield the outline's lines as items of nested lists. ``escape`` makes one line safe in Markdown."""
    parts = [outline.text, *(f"({note})" for note in outline.notes)]
    if outline.shares:
        parts.append(f"({_in_words(outline)})")
    words = " ".join(" ".join(parts).split())
    yield f"{'  ' * depth}- {escape(words)}\n"
    for child in outline.children:
        yield from as_markdown(child, escape, depth + 1)


def _in_words(outline: Outline) -> str:
    return ", ".join(f"{label}: {100 * share:.0f} %" for label, share in outline.shares)


def _bars(outline: Outline, escape: Escape) -> str:
    """Return the distribution as bars, with a text alternative."""
    if not outline.shares:
        return ""
    words = escape(_in_words(outline))
    top = max(share for _, share in outline.shares) or 1.0
    bars = []
    for place, (_, share) in enumerate(outline.shares):
        height = max(1.0, _HIGH * min(1.0, max(0.0, share / top)))
        left = place * (_WIDE + _GAP)
        bars.append(f'<rect x="{left}" y="{_HIGH - height:.1f}" width="{_WIDE}" height="{height:.1f}"/>')
    box = f"0 0 {len(bars) * (_WIDE + _GAP)} {_HIGH}"
    return (
        f'<svg class="levels" role="img" aria-label="{words}" viewBox="{box}" preserveAspectRatio="none">'
        f"<title>{words}</title>{''.join(bars)}</svg>"
    )


Format = Literal["csv", "jsonl", "markdown", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: dict[Format, str] = {"csv": ".csv", "jsonl": ".jsonl", "markdown": ".md", "html": ".html"}

_FIRST = ("created", "kind", "status", "verdict")
_LAST = ("explanation", "starred", "tags", "note", "model", "mode", "seed", "error", "id")


def format_for(path: Path) -> Format:
    """Return the format for a file's name. Raises ``UsageError`` if its ending names none."""
    for name, suffix in SUFFIXES.items():
        if path.suffix.lower() == suffix:
            return name
    raise UsageError(
        "E_EXPORT_FORMAT",
        f"The name {path.name} doesn't say which format is wanted.",
        f"End it in {', '.join(SUFFIXES.values())}, or name the format.",
    )


def export(
    entries: Iterable[HistoryEntry],
    format: Format,
    path: Path,
    kinds: Kinds,
    *,
    replace: bool = False,
) -> int:
    """Write verdicts to ``path`` (``-``: the standard output) and return their number. An earlier export of that name
    stays until all is written, and its mode is kept. ``replace``: any file may be replaced.

    ``csv`` is for spreadsheets: UTF-8 with a byte order mark, every cell quoted, and an apostrophe before any text that
    would run as a formula. ``jsonl`` is for scripts: the terminal's object of each verdict plus ``kind``, ``created``,
    ``status``, ``starred``, ``tags``, ``note``. ``markdown`` and ``html`` are for reading. ``entries`` may be a
    generator (``HistoryStore.entries``): one verdict is in memory at a time. Raises ``SettingsError`` ``E_WRITE`` if
    the file can't be written, ``OutputError`` ``E_WRITE_KIND`` if it isn't a plain file, ``E_OUT_FOREIGN`` if another
    program wrote it.
    """
    writer = _WRITERS.get(format)
    if writer is None:
        raise UsageError("E_EXPORT_FORMAT", f"There is no format {format}.", f"Choose one of {', '.join(FORMATS)}.")
    done = 0

    def counted() -> Iterator[HistoryEntry]:
        nonlocal done
        for entry in entries:
            yield entry
            done += 1

    write_export(path, writer(counted(), kinds), replace=replace)
    return done


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def csv_columns(kinds: Kinds) -> tuple[str, ...]:
    """Return the columns of a table of verdicts: the common ones, with the union of the kinds' own between them."""
    own = {"text_a": None, "text_b": None}
    for kind in kinds.values():
        request = kind.request.model_validate(dict.fromkeys(kind.fields, "A joke."))
        own |= dict.fromkeys(kind.columns(kind.empty(request, "")))
    return (*_FIRST, *own, *_LAST)


def _csv(entries: Iterable[HistoryEntry], kinds: Kinds) -> Iterator[bytes]:
    lines, columns = CsvLines(), csv_columns(kinds)
    yield lines.line(columns)
    for entry in entries:
        values = _values(entry, kinds)
        yield lines.line(values.get(name) for name in columns)


def _values(entry: HistoryEntry, kinds: Kinds) -> dict[str, object]:
    row, result = entry.row, entry.result
    texts = {f"text_{letter}": subject.text for letter, subject in zip("ab", row.subjects, strict=False)}
    return {
        **texts,
        **(kinds[row.kind].columns(result) if result is not None else {}),
        "created": row.created.isoformat(timespec="seconds"),
        "kind": row.kind,
        "status": row.status.value,
        "verdict": row.headline.sentence if row.headline else None,
        "explanation": result.explanation if result else None,
        "starred": "yes" if row.starred else "no",
        "tags": "; ".join(row.tags),
        "note": row.note,
        "model": row.model_name,
        "mode": entry.mode,
        "seed": entry.seed,
        "error": row.error,
        "id": row.id,
    }


def _jsonl(entries: Iterable[HistoryEntry], kinds: Kinds) -> Iterator[bytes]:
    for entry in entries:
        row = entry.row
        contract = kinds[row.kind].contract(entry.result) if entry.result is not None else _stand_in(entry, kinds)
        if contract["error"] is None and row.error is not None:
            contract["error"] = (entry.error or ErrorInfo(code="", sentence=row.error)).model_dump()
        if "note" in contract:
            # ``note`` was first the name of the user's own note.
            contract["editors_note"] = contract.pop("note")
        record = {
            **contract,
            "kind": row.kind,
            "created": row.created.isoformat(),
            "status": row.status.value,
            "starred": row.starred,
            "tags": list(row.tags),
            "note": row.note,
        }
        text = escaped_json(json.dumps(_finite(record), ensure_ascii=False, allow_nan=False))
        # A lone surrogate becomes \udXXX, which is how JSON writes it.
        yield text.encode("utf-8", "backslashreplace") + b"\n"


def _stand_in(entry: HistoryEntry, kinds: Kinds) -> dict[str, Any]:
    """Return the known fields of a verdict without a result, its texts and its model, in the shape of its kind."""
    row = entry.row
    texts = [subject.text for subject in row.subjects]
    model = entry.model.model_dump() if entry.model else None
    kind = kinds.get(row.kind)
    if kind is None or len(kind.fields) != len(texts):
        return {"id": row.id, "texts": texts, "model": model, "error": None}
    empty = kind.empty(kind.request.model_construct(**dict(zip(kind.fields, texts, strict=True))), row.id)
    return {**kind.contract(empty), "model": model}


def _finite(value: Any) -> Any:
    """Replace infinity and NaN by null, since JSON has neither."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)


def _lines(text: str) -> list[str]:
    return without_controls(text).splitlines() or [""]


def _title(entry: HistoryEntry, kinds: Kinds) -> str:
    row = entry.row
    kind = kinds.get(row.kind)
    name = kind.noun.capitalize() if kind is not None else "Verdict"
    line = f"{name}: {row.headline.sentence}" if row.headline else name
    return line if row.status is Status.FINISHED else f"{line} ({row.status.value})"


def _facts(entry: HistoryEntry, kinds: Kinds) -> Iterator[tuple[str, str]]:
    """Yield label and text of each known fact about a verdict, listed beneath its jokes."""
    row, result = entry.row, entry.result
    if result is not None:
        for fact in kinds[row.kind].facts(result):
            yield fact.name, fact.text
    for warning in result.warnings if result else ():
        yield "Caution", warning
    if result is not None and result.explanation:
        yield "Explanation", result.explanation
    if row.error:
        yield "Error", row.error
    if row.note:
        yield "Note", row.note
    if row.tags:
        yield "Tags", ", ".join(row.tags)
    starred = ", starred" if row.starred else ""
    yield "Judged", f"{row.created:%Y-%m-%d %H:%M} UTC, {row.model_name or 'model unknown'}, {entry.mode}{starred}"


def _outlines(entry: HistoryEntry, kinds: Kinds) -> Iterator[Outline]:
    if entry.result is not None:
        yield from kinds[entry.row.kind].outlines(entry.result)


def _markdown(entries: Iterable[HistoryEntry], kinds: Kinds) -> Iterator[bytes]:
    yield b"# JokeJudge: verdicts\n"
    for entry in entries:
        parts = [f"\n## {_escaped(' '.join(_lines(_title(entry, kinds))))}\n"]
        for label, text in ((one.label, one.text) for one in entry.row.subjects):
            lines = [_escaped(line) for line in _lines(text)]
            # A backslash at the end of a line keeps the joke's own line breaks.
            parts.append((f"\n**{_escaped(label)}**\n" if label else "") + "\n> " + "\\\n> ".join(lines) + "\n")
        parts.append("\n")
        parts += (
            f"- **{_escaped(name)}:** {_escaped(' '.join(_lines(text)))}\n" for name, text in _facts(entry, kinds)
        )
        for outline in _outlines(entry, kinds):
            parts += as_markdown(outline, lambda line: _escaped(" ".join(_lines(line))))
        yield _utf8("".join(parts))


def _escaped(line: str) -> str:
    return without_links(_LINE_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", line)))


_HTML_HEAD = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>JokeJudge: verdicts</title>
<style>
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #8884; border-radius: 12px; padding: 1rem 1.25rem; margin: 1rem 0; }
h2 { font-size: 1.1rem; margin: 0 0 .5rem; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid #8888; }
blockquote, dd { white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; margin: .75rem 0 0; }
dt { opacity: .75; } dd { margin: 0; }"""
_HTML_BODY = """</style></head><body><main><h1>JokeJudge: verdicts</h1>
"""


def _html(entries: Iterable[HistoryEntry], kinds: Kinds) -> Iterator[bytes]:
    yield _utf8(_HTML_HEAD + STYLE + _HTML_BODY)
    for entry in entries:
        parts = [f"<article><h2>{_safe(_title(entry, kinds))}</h2>"]
        for label, text in ((one.label, one.text) for one in entry.row.subjects):
            parts.append(f"<h3>{_safe(label)}</h3>" if label else "")
            parts.append(f'<blockquote dir="auto">{_safe(text)}</blockquote>')
        facts = "".join(
            f'<dt>{_safe(name)}</dt><dd dir="auto">{_safe(text)}</dd>' for name, text in _facts(entry, kinds)
        )
        trees = "".join(as_html(outline, _safe) for outline in _outlines(entry, kinds))
        yield _utf8("".join(parts) + f"<dl>{facts}</dl>{trees}</article>\n")
    yield b"</main></body></html>\n"


def _safe(text: str) -> str:
    return html.escape("\n".join(_lines(text)))


_WRITERS: dict[str, Callable[[Iterable[HistoryEntry], Kinds], Iterator[bytes]]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "html": _html,
}
