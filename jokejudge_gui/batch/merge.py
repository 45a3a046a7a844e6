"""Merging the files of a run's parts line by line; lines of different models or versions aren't mixed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

from ..core.errors import InputError, UsageError
from ..core.files import atomic_writer, parse_json, whole_lines
from ..core.outputs import foreign_file
from .build import difference
from .lines import Line, short_key


def merge(parts: Sequence[Path], out: Path) -> tuple[int, int]:
    """Write the lines of ``parts`` to ``out``, each row once. Return the number of lines written, and of those left out
    because an earlier part had them (of two lines of one row the one without an error is kept). The result is a file
    that the same command can continue. Raises ``InputError`` ``E_MERGE_FILE`` for any other file, ``UsageError``
    ``E_MERGE_MIXED`` for parts of different runs, models or versions, ``OutputError`` ``E_OUT_FOREIGN`` where ``out``
    holds rows that no part has, and what writing raises."""
    made: dict[str, str] = {}
    wrong: dict[int, bool] = {}  # by row: whether the line that is kept is an error
    count = 0
    for part in parts:
        for key, line, _ in _lines(part):
            if (what := difference(made, more := _make(line))) is not None:
                raise UsageError(
                    "E_MERGE_MIXED",
                    f"{part} was made with another {what} than the lines before it, so nothing was merged.",
                    "Merge only parts of one run by one model and version of the program.",
                )
            made |= more
            count += "run" not in line
            wrong[key] = wrong.get(key, True) and line["error"] is not None
    if out.is_file() and out.stat().st_size:
        try:
            mine = all(difference(made, _make(line)) is None and key in wrong for key, line, _ in _lines(out))
        except InputError as error:
            raise foreign_file(out) from error
        if not mine:
            raise foreign_file(out)
    done: set[int] = set()
    with atomic_writer(out) as stream:
        for part in parts:
            for key, line, raw in _lines(part):
                if key not in done and (line["error"] is not None) == wrong[key]:
                    stream.write(raw)
                    done.add(key)
    rows = len(wrong) - 1  # without the line that names the run
    return rows, count - rows


def _lines(path: Path) -> Iterator[tuple[int, Line, bytes]]:
    """Yield the whole lines of a run's file, the first one of which names the run, as objects and as they stand, with a
    small key of each one's row, as there may be millions."""
    number = 0
    try:
        with path.open("rb") as stream:
            for number, raw in enumerate(whole_lines(stream), start=1):
                if number > 1 and not raw.endswith(b"\n"):
                    return  # of a run that was killed
                line = parse_json(raw)
                if not {"id", "error", *(["run"] if number == 1 else [])} <= {*line}:
                    raise ValueError("it names no row, or no run")
                key = json.dumps([line["id"], line.get("context"), number == 1], ensure_ascii=False)
                yield short_key(key), line, raw
    except (OSError, ValueError, TypeError) as error:
        why = getattr(error, "strerror", None) or error
        place = f"Line {number} of {path}" if number else f"{path}"
        raise InputError("E_MERGE_FILE", f"{place} isn't of a run: {why}.", "Give files that --out wrote.") from error


def _make(line: Line) -> dict[str, str]:
    """Return a line's origin, for comparison: run, program, build and ``made_by``."""
    # A verdict's own "build" is llama.cpp's; parts of one run may come from machines with different ones.
    names = ("run", "program", "build") if "program" in line else ("run",)
    origin = {name: str(line[name]) for name in names if isinstance(line.get(name), str)}
    made, model = line.get("made_by"), line.get("model")
    if isinstance(made, dict):
        return origin | {str(name): json.dumps(value) for name, value in made.items()}
    return origin | ({"sha256": str(model.get("sha256"))} if isinstance(model, dict) else {})
