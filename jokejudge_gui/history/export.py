"""Verdicts as files for people and scripts, written one at a time and put in place in one step."""

from __future__ import annotations

import csv
import html
import io
import json
import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Literal, get_args

from ..errors import UsageError
from ..files import atomic_writer
from ..verdicts import DuelResult, ErrorInfo, RatingResult, Result
from .query import HistoryEntry

Format = Literal["csv", "jsonl", "markdown", "html"]
FORMATS: tuple[Format, ...] = get_args(Format)
SUFFIXES: dict[Format, str] = {"csv": ".csv", "jsonl": ".jsonl", "markdown": ".md", "html": ".html"}

CSV_COLUMNS = (
    "created", "kind", "status", "text_a", "text_b", "mean_score", "max_score", "winner", "confidence_factor", "band",
    "admissible", "pathway", "categories", "factors", "explanation", "starred", "tags", "note", "model", "mode", "seed",
    "error", "id",
)  # fmt: skip


def format_for(path: Path) -> Format:
    """The format that a file's name asks for; raises ``UsageError`` where it asks for none."""
    for name, suffix in SUFFIXES.items():
        if path.suffix.lower() == suffix:
            return name
    raise UsageError(
        "E_EXPORT_FORMAT",
        f"The name {path.name} doesn't say which format is wanted.",
        f"End it in {', '.join(SUFFIXES.values())}, or name the format.",
    )


def export(entries: Iterable[HistoryEntry], format: Format, path: Path) -> int:
    """Write verdicts to ``path`` and return how many; what was there before stays until all is written.

    ``csv`` is for spreadsheets: UTF-8 with a byte order mark, and a text that begins like a formula (``= + - @``, tab
    or return) gets a leading apostrophe. ``jsonl`` is for scripts: the terminal's object of each verdict plus
    ``kind``, ``created``, ``status``, ``starred``, ``tags``, ``note``. ``markdown`` and ``html`` are for reading.
    ``entries`` may be a generator (``HistoryStore.entries``): one verdict is in memory at a time. Raises
    ``SettingsError`` ``E_WRITE`` where the file can't be written."""
    writer = _WRITERS.get(format)
    if writer is None:
        raise UsageError("E_EXPORT_FORMAT", f"There is no format {format}.", f"Choose one of {', '.join(FORMATS)}.")
    done = 0

    def counted() -> Iterator[HistoryEntry]:
        nonlocal done
        for entry in entries:
            yield entry
            done += 1

    with atomic_writer(path) as stream:
        for piece in writer(counted()):
            stream.write(piece)
    return done


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _csv(entries: Iterable[HistoryEntry]) -> Iterator[bytes]:
    buffer = io.StringIO(newline="")
    lines = csv.writer(buffer)

    def line(cells: Iterable[object]) -> bytes:
        lines.writerow(cells)
        text = buffer.getvalue()
        buffer.seek(0)
        buffer.truncate()
        return _utf8(text)

    yield b"\xef\xbb\xbf" + line(CSV_COLUMNS)
    for entry in entries:
        yield line(csv_cell(value) for value in _values(entry))


def _values(entry: HistoryEntry) -> Iterator[object]:
    row, result = entry.row, entry.result
    rating = result if isinstance(result, RatingResult) else None
    duel = result if isinstance(result, DuelResult) else None
    values: dict[str, object] = {
        "created": row.created.isoformat(timespec="seconds"),
        "kind": row.kind,
        "status": row.status.value,
        "text_a": row.text_a,
        "text_b": row.text_b,
        "mean_score": row.mean_score,
        "max_score": rating.max_score if rating else None,
        "winner": row.winner,
        "confidence_factor": row.confidence_factor,
        "band": duel.band if duel else None,
        "admissible": None if row.admissible is None else "yes" if row.admissible else "no",
        "pathway": rating.pathway if rating else None,
        "categories": "; ".join(_categories(rating)) if rating else None,
        "factors": "; ".join(f"{f.name} {_number(f.expected)}" for f in rating.factors) if rating else None,
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
    return (values[name] for name in CSV_COLUMNS)


def csv_cell(value: object) -> object:
    """A value as a spreadsheet may safely get it."""
    if isinstance(value, str):
        value = value.replace("\x00", "\N{REPLACEMENT CHARACTER}")
        # A spreadsheet would run such a text as a formula, even where spaces stand before it.
        return f"'{value}" if value.lstrip(" ")[:1] in ("=", "+", "-", "@", "\t", "\r") else value
    return "" if value is None else value


def _jsonl(entries: Iterable[HistoryEntry]) -> Iterator[bytes]:
    for entry in entries:
        row = entry.row
        contract = (entry.result or _stand_in(entry)).contract()
        if contract["error"] is None and row.error is not None:
            contract["error"] = (entry.error or ErrorInfo(code="", sentence=row.error)).model_dump()
        record = {
            **contract,
            "kind": row.kind,
            "created": row.created.isoformat(),
            "status": row.status.value,
            "starred": row.starred,
            "tags": list(row.tags),
            "note": row.note,
        }
        text = json.dumps(_finite(record), ensure_ascii=False, allow_nan=False)
        # A lone surrogate becomes \udXXX, which is how JSON writes it.
        yield text.encode("utf-8", "backslashreplace") + b"\n"


def _stand_in(entry: HistoryEntry) -> Result:
    """What is known of a verdict without a result."""
    row = entry.row
    if row.kind == "rate":
        return RatingResult(
            id=row.id, text=row.text_a, admissible=row.admissible, mean_score=row.mean_score, model=entry.model
        )
    return DuelResult(
        id=row.id,
        text_a=row.text_a,
        text_b=row.text_b or "",
        winner=row.winner,
        confidence_factor=row.confidence_factor,
        model=entry.model,
    )


def _finite(value: Any) -> Any:
    """JSON has no infinity and no NaN; they become null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ufffe\uffff]")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|~&$])")
_LINE_START = re.compile(r"^(\s*)([-+=]|\d+(?=[.)]))", re.MULTILINE)


def _lines(text: str) -> list[str]:
    return _CONTROL.sub("\N{REPLACEMENT CHARACTER}", text).splitlines() or [""]


def _number(value: float | None, digits: int = 1) -> str:
    return "no answer" if value is None else f"{value:.{digits}f}"


def _categories(rating: RatingResult) -> list[str]:
    return [category.name for category in rating.categories if category.chosen]


def _headline(entry: HistoryEntry) -> str:
    row = entry.row
    if row.winner == "tie":
        return "Duel: equally funny"
    if row.winner is not None:
        factor = "" if row.confidence_factor is None else f", confidence factor {row.confidence_factor:.2f}"
        return f"Duel: {row.winner} is funnier{factor}"
    name = "Duel" if row.kind == "duel" else "Rating"
    if row.admissible is False and row.mean_score is None:
        return f"{name}: not admitted"
    score = "" if row.mean_score is None else f": {row.mean_score:.1f} of 5"
    return f"{name}{score}" if row.status.value == "finished" else f"{name}{score} ({row.status.value})"


def _facts(entry: HistoryEntry) -> Iterator[tuple[str, str]]:
    """Label and text of what is said about a verdict beneath its jokes; only what is known."""
    row, result = entry.row, entry.result
    if isinstance(result, RatingResult):
        if result.rejection:
            yield "Not admitted", result.rejection
        if _categories(result):
            yield "Categories", ", ".join(_categories(result))
        if result.factors:
            yield "Factors", ", ".join(f"{f.name} {_number(f.expected)}" for f in result.factors)
    elif result is not None:
        if result.band:
            yield "Difference", result.band
        if result.consistent is False:
            yield "Caution", "The two orders disagree."
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


def _texts(entry: HistoryEntry) -> Iterator[tuple[str, str]]:
    row = entry.row
    if row.kind == "rate":
        yield "", row.text_a
    else:
        yield "A", row.text_a
        yield "B", row.text_b or ""


def _markdown(entries: Iterable[HistoryEntry]) -> Iterator[bytes]:
    yield b"# JokeJudge: verdicts\n"
    for entry in entries:
        parts = [f"\n## {_headline(entry)}\n"]
        for label, text in _texts(entry):
            lines = [_escaped(line) for line in _lines(text)]
            # A backslash at the end of a line keeps the joke's own line breaks.
            parts.append((f"\n**{label}**\n" if label else "") + "\n> " + "\\\n> ".join(lines) + "\n")
        parts.append("\n")
        parts += (f"- **{name}:** {_escaped(' '.join(_lines(text)))}\n" for name, text in _facts(entry))
        yield _utf8("".join(parts))


def _escaped(line: str) -> str:
    return _LINE_START.sub(r"\1\\\2", _MARKS.sub(r"\\\1", line))


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
dt { opacity: .75; } dd { margin: 0; }
</style></head><body><main><h1>JokeJudge: verdicts</h1>
"""


def _html(entries: Iterable[HistoryEntry]) -> Iterator[bytes]:
    yield _utf8(_HTML_HEAD)
    for entry in entries:
        parts = [f"<article><h2>{_safe(_headline(entry))}</h2>"]
        for label, text in _texts(entry):
            parts.append(f"<h3>{label}</h3>" if label else "")
            parts.append(f'<blockquote dir="auto">{_safe(text)}</blockquote>')
        facts = "".join(f'<dt>{name}</dt><dd dir="auto">{_safe(text)}</dd>' for name, text in _facts(entry))
        yield _utf8("".join(parts) + f"<dl>{facts}</dl></article>\n")
    yield b"</main></body></html>\n"


def _safe(text: str) -> str:
    return html.escape("\n".join(_lines(text)))


_WRITERS: dict[str, Callable[[Iterable[HistoryEntry]], Iterator[bytes]]] = {
    "csv": _csv,
    "jsonl": _jsonl,
    "markdown": _markdown,
    "html": _html,
}
