"""Merging the files of a run's parts line by line; lines of different models or versions aren't mixed."""

from __future__ import annotations

import json
import os
from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..core.errors import InputError, UsageError
from ..core.files import atomic_writer, parse_json, whole_lines
from ..core.outputs import foreign_file
from .build import difference
from .lines import short_key


def merge(parts: Sequence[Path], out: Path) -> tuple[int, int]:
    """Write the lines of ``parts`` to ``out``, each row once. Return the number of lines written, and of those left out
    because an earlier part had them (of two lines of one row the one without an error is kept). The result is a file
    that the same command can continue. Raises ``InputError`` ``E_MERGE_FILE`` for any other file, ``UsageError``
    ``E_MERGE_MIXED`` for parts of different runs, models or versions, ``OutputError`` ``E_OUT_FOREIGN`` where ``out``
    holds rows that no part has, and what writing raises."""
    made: dict[str, str] = {}
    wrong: dict[int, bool] = {}  # by row: whether the line that is kept is an error
    first: dict[str, Any] | None = None
    double = 0
    for part in parts:
        for line in _lines(part):
            _same_make(made, _make(line), part)
            if "run" in line:
                first = first or line
                continue
            key = _key(line)
            double += key in wrong
            wrong[key] = wrong.get(key, True) and line.get("error") is not None
    _keep_foreign(out, made, wrong)
    done: set[int] = set()
    with atomic_writer(out) as stream:
        if first is not None:
            stream.write(_bytes(first))
        for part in parts:
            for line in _lines(part):
                key = _key(line)
                if "run" not in line and key not in done and (line.get("error") is not None) == wrong[key]:
                    stream.write(_bytes(line))
                    done.add(key)
    return len(done), double


def _keep_foreign(out: Path, made: dict[str, str], rows: Container[int]) -> None:
    """Raise ``OutputError`` ``E_OUT_FOREIGN`` where ``out`` holds anything but rows of these parts, or rows that were
    made differently."""
    keep = foreign_file(out)
    try:
        if not out.is_file() or not out.stat().st_size:
            return
        for line in _lines(out):
            ours = "run" in line or ("error" in line and _key(line) in rows)
            if not ours or difference(made, _make(line)) is not None:
                raise keep
        with out.open("rb") as stream:
            stream.seek(-1, os.SEEK_END)
            if stream.read() != b"\n":
                raise keep
    except InputError as error:
        raise keep from error


def _key(line: dict[str, Any]) -> int:
    """Return a small key of a line's row, as there may be millions."""
    return short_key(json.dumps([line.get("id"), line.get("context")], ensure_ascii=False))


def _bytes(line: dict[str, Any]) -> bytes:
    return json.dumps(line, ensure_ascii=False).encode("utf-8", "replace") + b"\n"


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the whole lines of a part; an unfinished last one is ignored."""
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(whole_lines(stream), start=1):
                if not raw.endswith(b"\n"):
                    return
                try:
                    value = parse_json(raw)
                    if not isinstance(value, dict) or "id" not in value:
                        raise ValueError("it isn't an object with an id")
                except ValueError as error:
                    raise InputError(
                        "E_MERGE_FILE",
                        f"Line {number} of {path} isn't a line of a run: {error}.",
                        "Give files that --out wrote.",
                    ) from error
                yield value
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError("E_MERGE_FILE", f"{path} can't be read: {why}.", "Check its name.") from error


def _make(line: dict[str, Any]) -> dict[str, str]:
    """Return a line's origin, for comparison: run, program, build and ``made_by`` or the model."""
    # A verdict's own "build" is llama.cpp's; parts of one run may come from machines with different ones.
    named = ("run", "program", "build") if "program" in line else ("run",)
    found = {name: str(line[name]) for name in named if isinstance(line.get(name), str)}
    if isinstance(line.get("made_by"), dict):
        return found | {str(name): json.dumps(value) for name, value in line["made_by"].items()}
    if isinstance(line.get("model"), dict):
        return found | {"sha256": str(line["model"].get("sha256"))}
    return found


def _same_make(made: dict[str, str], more: dict[str, str], part: Path) -> None:
    what = difference(made, more)
    if what is not None:
        raise UsageError(
            "E_MERGE_MIXED",
            f"{part} was made with another {what} than the lines before it, so nothing was merged.",
            "Merge only parts of one run by one model and version of the program.",
        )
    made.update(more)
