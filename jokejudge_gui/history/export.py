"""Export of verdicts to files for people and scripts: written one verdict at a time, then moved into place in one
step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

from ..core.errors import ErrorInfo, UsageError
from ..core.outputs import CsvLines, write_export
from ..core.pages import MarkedText, Page, Row, html_pieces, markdown_pieces
from ..core.texts import json_line
from ..core.verdict_kinds import Kinds
from ..core.verdicts import Status
from .query import HistoryEntry

Format = Literal["csv", "jsonl", "markdown", "html"]
SUFFIXES: dict[Format, str] = {"csv": ".csv", "jsonl": ".jsonl", "markdown": ".md", "html": ".html"}

_FIRST = ("created", "kind", "status", "verdict")
_LAST = ("explanation", "starred", "tags", "note", "model", "mode", "seed", "error", "id")


def format_for(path: Path) -> Format:
    """Return the format for a file's name. Raises ``UsageError`` if its ending names none."""
    format = next((name for name, suffix in SUFFIXES.items() if path.suffix.lower() == suffix), None)
    if format is None:
        sentence, hint = f"The name {path.name} doesn't say which format is wanted.", ", ".join(SUFFIXES.values())
        raise UsageError("E_EXPORT_FORMAT", sentence, f"End it in {hint}.")
    return format


def export(entries: Iterable[HistoryEntry], format: Format, path: Path, kinds: Kinds, *, replace: bool = False) -> int:
    """Write verdicts to ``path`` (``-``: the standard output) and return their number. An earlier export of that name
    stays until all is written, and its mode is kept. ``replace``: any file may be replaced.

    ``csv`` is for spreadsheets: UTF-8 with a byte order mark, every cell quoted, and an apostrophe before any text that
    would run as a formula. ``jsonl`` is for scripts: the terminal's object of each verdict plus ``kind``, ``created``,
    ``status``, ``starred``, ``tags``, ``note``. ``markdown`` and ``html`` are for reading. ``entries`` may be a
    generator (``HistoryStore.entries``): one verdict is in memory at a time. Raises ``SettingsError`` ``E_WRITE`` if
    the file can't be written, ``OutputError`` ``E_WRITE_KIND`` if it isn't a plain file, ``E_OUT_FOREIGN`` if another
    program wrote it.
    """
    done = 0

    def counted() -> Iterator[HistoryEntry]:
        nonlocal done
        for entry in entries:
            yield entry
            done += 1

    write_export(path, _WRITERS[format](counted(), kinds), replace=replace)
    return done


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
        "verdict": row.glance.headline if row.glance else None,
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
        yield json_line(record)


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


def page_of(entry: HistoryEntry, kinds: Kinds) -> Page:
    """Return a verdict in words, with what the user added to it and when it was made."""
    row, result = entry.row, entry.result
    kind = kinds.get(row.kind)
    if kind is not None and result is not None:
        page = kind.words(result)
    else:
        texts = tuple(MarkedText(subject.text, subject.label) for subject in row.subjects)
        page = Page(row.glance.headline if row.glance else "", texts=texts)
    name = kind.noun.capitalize() if kind is not None else "Verdict"
    title = f"{name}: {page.headline}" if page.headline else name
    failed = (row.error,) if row.error and (result is None or result.error is None) else ()
    own = (("Your note", row.note), ("Tags", ", ".join(row.tags)))
    model = (row.model_name or "model unknown",) if result is None else ()
    made = (f"{row.created:%Y-%m-%d %H:%M} UTC", *model, entry.mode, *(("starred",) if row.starred else ()))
    return replace(
        page,
        headline=title if row.status is Status.FINISHED else f"{title} ({row.status.value})",
        notes=(*page.notes, *failed),
        rows=(*page.rows, *(Row(text, label) for label, text in own if text)),
        foot=(" · ".join((*page.foot, *made)),),
    )


def _pages(draw: Callable[[Iterable[Page], str], Iterator[str]]) -> _Writer:
    def write(entries: Iterable[HistoryEntry], kinds: Kinds) -> Iterator[bytes]:
        for piece in draw((page_of(entry, kinds) for entry in entries), "JokeJudge: verdicts"):
            yield piece.encode("utf-8", "replace")

    return write


_Writer = Callable[[Iterable[HistoryEntry], Kinds], Iterator[bytes]]
_WRITERS: dict[Format, _Writer] = {
    "csv": _csv, "jsonl": _jsonl, "markdown": _pages(markdown_pieces), "html": _pages(html_pieces)
}  # fmt: skip
