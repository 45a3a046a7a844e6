"""Judging many rows one after another, with a line in a file for each."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from .. import __version__
from ..core.errors import ModelError
from ..core.events import Event, Failed, Last, last_event
from ..core.files import parse_json
from ..core.logs import log
from ..core.outputs import CsvLines, keep_foreign, write_export
from ..engine.base import CancelToken
from ..judge.kinds import KINDS
from ..session.session import Session
from .lines import Line, Out, Row, Tally, each_row
from .rows import CONTEXT, GENERATOR

_LOG = log("runs")
_SHORT = 12
Asker: TypeAlias = Callable[[Row], Iterator[Event]]
Options: TypeAlias = Mapping[str, Any]
NO_OPTIONS: Options = MappingProxyType({})


def own_table(path: Path) -> None:
    """Raise ``OutputError`` ``E_OUT_FOREIGN`` for a file that ``write_table`` didn't write."""
    keep_foreign(path, CsvLines().line(["id", ""]))


def write_table(lines: Path, path: Path) -> None:
    """Write a batch's file as a table for spreadsheets: a row for each line, a column for each value, lists as JSON.
    Raises what ``write_export`` raises."""
    columns = {"id": None} | {name: None for value in _values(lines) for name in value}
    table = CsvLines()
    rows = (table.line(value.get(name) for name in columns) for value in _values(lines))
    write_export(path, itertools.chain([table.line(columns)], rows))


def _values(lines: Path) -> Iterator[dict[str, object]]:
    with lines.open("rb") as stream:
        for line in stream:
            value = parse_json(line)
            if "run" in value:
                continue
            made = value.pop("made_by", None)
            yield flat_row(value) | {"made_by": _cell(made)}


def flat_row(line: Mapping[str, Any]) -> dict[str, object]:
    """Return an object of the JSON output as a row of a table: nested values under names with a dot
    (``audience.score``), lists as JSON, and the row's other columns, except where a name is taken."""
    flat: dict[str, object] = {}
    for name, cell in line.items():
        if name == "columns":
            continue
        if isinstance(cell, dict):
            flat |= {f"{name}.{part}": _cell(value) for part, value in cell.items()}
        else:
            flat[name] = _cell(cell)
    return flat | {name: cell for name, cell in dict(line.get("columns") or {}).items() if name not in flat}


def _cell(value: object) -> object:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else value


@last_event
def batch(
    session: Session,
    kind: str,
    rows: Sequence[Row],
    out: Out,
    tally: Tally,
    *,
    ask: Asker | None = None,
    options: Options = NO_OPTIONS,
    record: bool = True,
    mark: Mapping[str, str] = NO_OPTIONS,
    cancel: CancelToken | None = None,
    again: bool = False,
) -> Iterator[Event]:
    """Judge the rows that have no line in ``out`` yet, as ``each_row`` does, by the session's model, which is loaded
    first. ``ask``: gives a row's verdict, for rows that aren't only texts of their kind; ``options``: fields of every
    row's request, where they differ from the settings; ``mark``: more that the lines depend on. Yields the model's
    loading and what ``each_row`` yields."""
    _LOG.info("batch %s: %d rows, %d of them have a line", kind, tally.rows, tally.skipped)
    made: dict[str, str] = {}
    usual = asker(session, kind, options, record=record, cancel=cancel)
    # The lines of a finished file may come from another model, so the model is loaded for comparison in any case.
    if tally.left or tally.skipped:
        yield from session.loaded(cancel, tally.left if ask is None else 0)
        made = {**batch_made_by(session, kind, options), **mark}
        out.check(made, adding=tally.left > 0)

    def line(row: Row, last: Last) -> Line:
        return row_line(kind, row, last, made)

    unread = (row for row in rows if row.problem is None and not out.has(row))
    texts = ((text, row.context) for row in unread for text in row.texts if text)
    with session.expecting(texts, tally.left) if ask is None else nullcontext():
        yield from each_row(rows, ask or usual, line, out, tally, again=again)


def asker(
    session: Session, kind: str, options: Options, *, record: bool = True, cancel: CancelToken | None = None
) -> Asker:
    """Return a function that asks for the verdict on a row."""
    about = KINDS[kind]
    fields = {name: value for name, value in {"edits": False, **options}.items() if name in about.request.model_fields}

    def ask(row: Row) -> Iterator[Event]:
        of_row = {name: value for name in (GENERATOR, CONTEXT) if (value := getattr(row, name))}
        texts = [text or "" for text in row.texts]
        return session.ask(about, texts, record=record, cancel=cancel, **{**fields, **of_row})

    return ask


@cache
def build_id() -> str:
    """Return a name of the running code: 12 hex digits of a digest over the package's source files, which distinguishes
    two checkouts of one version. Where there are no sources (a bundle) only the version counts."""
    digest = hashlib.sha256(__version__.encode())
    root = Path(__file__).resolve().parents[1]
    for path in sorted(root.rglob("*.py")):
        digest.update(b"\0" + path.relative_to(root).as_posix().encode() + b"\0")
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:_SHORT]


def made_by(session: Session, options: Options = NO_OPTIONS) -> dict[str, str]:
    """Return everything that the verdicts of a session's loaded models depend on, given as in the settings except for
    ``mode`` and ``ask`` in ``options``. ``plan`` and ``criteria`` are digests of their content, ``asked`` is plan or
    all. Raises ``ModelError`` ``E_MODEL_MISSING`` where no model is loaded."""
    judges = session.judges
    if judges is None:
        raise ModelError("E_MODEL_MISSING", "No model is loaded.", "Choose a model first.")
    return {
        "build": build_id(),
        "model": judges.model.sha256[:_SHORT],
        **{name: _name(*versions) for name, versions in judges.versions.items()},
        "asked": options.get("ask") or ("all" if session.settings.ask_everything else "plan"),
        "mode": options.get("mode") or session.settings.mode,
    }


def _name(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:_SHORT]


def batch_made_by(session: Session, kind: str, options: Options) -> dict[str, str]:
    """Return everything that the lines of a batch depend on: the model with its heads, plan and criteria, and the
    listeners. Raises ``ModelError`` ``E_MODEL_MISSING``."""
    made = made_by(session, options)
    if "listeners" not in KINDS[kind].request.model_fields:
        return made
    listeners = options.get("listeners")
    return {**made, "listeners": "; ".join(session.settings.listeners if listeners is None else listeners) or "nobody"}


def row_line(kind: str, row: Row, last: Last, made_by: Mapping[str, str]) -> Line:
    """Return the line of a row whose verdict ended like this: the verdict's JSON object, or its error."""
    about, error = KINDS[kind], last.error if isinstance(last, Failed) else None
    assert last.result is not None or error is not None
    line = about.contract(last.result) if error is None or last.result is not None else about.unread(row.texts, error)
    more: Line = {"context": row.context} if row.context else {}
    if row.columns:
        more["columns"] = dict(row.columns)
    return line | {"id": row.id, "error": error and error.model_dump()} | more | {"made_by": made_by}
